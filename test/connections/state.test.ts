import { describe, expect, it } from "vitest";
import { createApi } from "../_harness/api.ts";
import { startParty } from "../_harness/console-world.ts";
import { startTestService } from "../_harness/service.ts";

describe("GET /v1/connection", () => {
  it("says whether an execution can be created, and on what terms", async () => {
    await using service = await startTestService({ settings: { ERRAND_EXECUTION_PRICE: "3" } });
    const { connection } = await startParty(service, "Larder", 5);
    const api = createApi(service.url, connection);
    const expected = {
      id: connection.connectionId,
      application_id: connection.applicationId,
      user_id: connection.userId,
      state: "ACTIVE",
      approval: "never",
      execution_credits: 3,
      has_credits: true,
    };
    expect((await api.connection()).body).toEqual({ connection: expected });

    await api.created();
    expect((await api.connection()).body.connection).toEqual({ ...expected, has_credits: false });

    const change = (sql: string) => service.database.query(sql, [connection.connectionId]);
    await change("update connections set approval = 'commits', state = 'REAUTHORIZATION_REQUIRED' where id = $1");
    const answer = await api.connection();
    expect(answer.body.connection).toMatchObject({ state: "REAUTHORIZATION_REQUIRED", approval: "commits" });
    expect(answer.headers.get("cache-control")).toBe("private, no-store");

    await change("update connections set approval = 'never' where id = $1");
    await change(
      "update applications set approval = 'commits' where id = (select application_id from connections where id = $1)",
    );
    expect((await api.connection()).body.connection.approval).toBe("commits");
  });

  it("needs a valid token", async () => {
    await using service = await startTestService();
    const { applicationId, token } = await service.connect();
    const mistyped = createApi(service.url, { applicationId, token: `${token}x` });
    expect((await mistyped.connection()).status).toBe(401);
  });
});
