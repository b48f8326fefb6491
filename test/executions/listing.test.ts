import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Execution } from "../../src/contract/execution.ts";
import { type Api, createApi } from "../_harness/api.ts";
import { startTestService, type TestConnection, type TestService } from "../_harness/service.ts";

describe("the list of executions", () => {
  let service: TestService;
  let connection: TestConnection;
  let api: Api;
  const created: string[] = [];

  beforeAll(async () => {
    service = await startTestService();
    connection = await service.connect();
    api = createApi(service.url, connection);
    for (let number = 1; number <= 55; number += 1)
      created.push((await api.created({ prompt: `Errand ${number}.` })).id);
  });
  afterAll(() => service[Symbol.asyncDispose]());

  const idsOf = (executions: Execution[]) => executions.map(({ id }) => id);

  it("shows the newest 20 first and whether there are more", async () => {
    const { status, body } = await api.list();
    expect(status).toBe(200);
    expect(idsOf(body.executions)).toEqual(created.toReversed().slice(0, 20));
    expect(body.has_more).toBe(true);
  });

  it("can be paged without missing or repeating any", async () => {
    const seen: string[] = [];
    for (let after = ""; ; after = `&after=${seen.at(-1)}`) {
      const { body } = await api.list(`?limit=7${after}`);
      seen.push(...idsOf(body.executions));
      if (!body.has_more) break;
    }
    expect(seen).toEqual(created.toReversed());
  });

  it("returns up to 50 per page, and ends exactly at the last one", async () => {
    const first = await api.list("?limit=50");
    expect(first.body).toMatchObject({ has_more: true });
    const rest = await api.list(`?limit=5&after=${first.body.executions.at(-1).id}`);
    expect(rest.body).toMatchObject({ has_more: false });
    expect(rest.body.executions).toHaveLength(5);
    expect((await api.list(`?after=${created[0]}`)).body).toEqual({ executions: [], has_more: false });
  });

  it("can be limited to a status, and paged", async () => {
    const [first = "", second = "", third = ""] = created;
    await api.cancel(first);
    await api.cancel(third);
    expect(idsOf((await api.list("?status=FAILED")).body.executions)).toEqual([third, first]);
    const page = await api.list("?status=FAILED&limit=1");
    expect([idsOf(page.body.executions), page.body.has_more]).toEqual([[third], true]);
    const next = await api.list(`?status=FAILED&limit=1&after=${third}`);
    expect([idsOf(next.body.executions), next.body.has_more]).toEqual([[first], false]);
    // A cursor may have another status: it may have ended since the previous page.
    expect(idsOf((await api.list(`?status=FAILED&after=${second}`)).body.executions)).toEqual([first]);
    const queued = await api.list("?status=QUEUED&limit=50");
    expect(queued.body.executions).toHaveLength(50);
    expect((await api.list(`?status=QUEUED&after=${queued.body.executions.at(-1).id}`)).body.executions).toHaveLength(
      3,
    );
    for (const status of ["RUNNING", "COMPLETED"]) {
      expect((await api.list(`?status=${status}`)).body).toEqual({ executions: [], has_more: false });
    }
    for (const status of ["failed", "DONE", "", "FAILED&status=QUEUED"]) {
      const refused = await api.list(`?status=${status}`);
      expect([refused.status, refused.body.error.details[0].path]).toEqual([400, "status"]);
    }
  });

  it("is empty for a connection without history", async () => {
    const other = await service.connect({ applicationId: connection.applicationId });
    expect((await createApi(service.url, other).list()).body).toEqual({ executions: [], has_more: false });
  });

  it("still shows the history of a connection that needs re-authorization", async () => {
    await service.database.query("update connections set state = 'REAUTHORIZATION_REQUIRED' where id = $1", [
      connection.connectionId,
    ]);
    expect((await api.list()).body.executions).toHaveLength(20);
    expect((await api.get(created[0] ?? "")).status).toBe(200);
    await service.database.query("update connections set state = 'ACTIVE' where id = $1", [connection.connectionId]);
  });
});
