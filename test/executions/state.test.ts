import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { canMove, isTerminal } from "../../src/executions/execution.ts";
import { createApi } from "../_harness/api.ts";
import { finishDirectly, startDirectly } from "../_harness/engine.ts";
import { startTestService, type TestService } from "../_harness/service.ts";

const status = fc.constantFrom("QUEUED" as const, "RUNNING" as const, "COMPLETED" as const, "FAILED" as const);

describe("the states of an execution", () => {
  it("always lead to a final state, and never out of one", () => {
    fc.assert(
      fc.property(status, status, (from, to) => {
        if (isTerminal(from)) expect(canMove(from, to)).toBe(false);
        if (to === "COMPLETED") expect(canMove(from, to)).toBe(from === "RUNNING");
      }),
    );
    expect(canMove("QUEUED", "FAILED") && canMove("RUNNING", "FAILED") && canMove("RUNNING", "COMPLETED")).toBe(true);
  });

  describe("in the database", () => {
    let service: TestService;
    beforeAll(async () => {
      service = await startTestService();
    });
    afterAll(() => service[Symbol.asyncDispose]());

    it.each(["COMPLETED", "FAILED"] as const)("never leave %s", async (end) => {
      const api = createApi(service.url, await service.connect());
      const { id } = await api.created();
      await startDirectly(service, id);
      await finishDirectly(service, id, end);
      const before = await api.get(id);
      await expect(
        service.database.query("update executions set status = 'RUNNING', lease_expires_at = now() where id = $1", [
          id,
        ]),
      ).rejects.toThrow("has ended");
      await expect(service.database.query("update executions set prompt = 'x' where id = $1", [id])).rejects.toThrow(
        "has ended",
      );
      expect(await finishDirectly(service, id, end)).toBeNull();
      expect((await api.get(id)).body).toEqual(before.body);
      expect((await api.events(id)).body.events).toHaveLength(3);
    });
  });
});
