import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createOperations } from "../../src/app/operations.ts";
import { openDatabase } from "../../src/storage/database.ts";
import { type Api, createApi } from "../_harness/api.ts";
import { createTestDatabase, type TestDatabase } from "../_harness/database.ts";
import { createDataDir, type RunningErrand, startErrand } from "../_harness/errand.ts";
import { expectLedgerAddsUp } from "../_harness/ledger.ts";
import { obtainCode, postForm, REDIRECT_URI, Visitor } from "../_harness/oauth-flow.ts";
import { type FaultSite, PROMPTS, startFaultSite } from "./_site.ts";
import { createJumpingClock, type JumpingClock } from "./environment/jumping-clock.ts";

const JUMPS = [{ days: 400 }, { days: -400 }, { hours: -3 }];

describe("a wall clock that jumps by hours and days", () => {
  let data: Awaited<ReturnType<typeof createDataDir>>;
  let database: TestDatabase;
  let site: FaultSite;
  let clock: JumpingClock;
  let env: Record<string, string>;
  let errand: RunningErrand;
  let api: Api;
  let applicationId: string;

  beforeAll(async () => {
    data = await createDataDir();
    database = await createTestDatabase();
    site = await startFaultSite();
    clock = createJumpingClock(data.path);
    env = {
      ...data.env,
      ...clock.env,
      DATABASE_URL: database.url,
      ERRAND_ALLOW_HOSTS: site.host,
      ERRAND_LEASE_SECONDS: "6",
      ERRAND_KEEP_EXECUTIONS_DAYS: "30",
    };
    errand = await startErrand(env, ["start"]);
    await using own = openDatabase({ connectionString: database.url, poolSize: 1, onError: () => {} });
    const { applications, people, connections } = createOperations(own);
    ({ id: applicationId } = (
      await applications.register({ name: "A", type: "public", redirectUris: [REDIRECT_URI] })
    ).application);
    const person = await people.findOrCreate("user@example.com");
    const { accessToken: token } = await connections.connect(applicationId, person.id);
    api = createApi(errand.url, { applicationId, token });
  });
  afterAll(async () => {
    expect(await errand.end("SIGTERM")).toBe(0);
    for (const part of [site, database, data]) await part[Symbol.asyncDispose]();
  });

  beforeEach(() => clock.jump({}));

  it.each(JUMPS)("(%o) during a run does not affect it", async (jump) => {
    const key = `run-${JUMPS.indexOf(jump)}`;
    const held = site.hold({ key, method: "POST", path: "/orders" });
    const body = { prompt: PROMPTS.order, start_url: site.url("order", key) };
    const { id } = await api.created(body, { "idempotency-key": key });
    await held.arrived;
    const before = await leaseEnd(id);
    clock.jump(jump);
    // The heartbeat continues, by the database's clock.
    await expect.poll(() => leaseEnd(id), { timeout: 100_000 }).toBeGreaterThan(before);
    held.release();
    const { execution } = (await api.get(id, "?wait=30")).body;
    expect(execution, JSON.stringify(execution.error)).toMatchObject({ status: "COMPLETED" });
    expect(site.countOrders(key)).toBe(1);
    // The same key still returns the same execution, and the newest is still the first.
    expect((await api.create(body, { "idempotency-key": key })).body.execution.id).toBe(id);
    expect((await api.list()).body.executions[0].id).toBe(id);
  });

  it.each(JUMPS)("(%o) between a code and its exchange does not matter", async (jump) => {
    const visitor = new Visitor(errand.url);
    await visitor.signUp();
    const code = await obtainCode(visitor, applicationId);
    clock.jump(jump);
    const fields = { grant_type: "authorization_code", code, redirect_uri: REDIRECT_URI, client_id: applicationId };
    expect((await postForm(`${errand.url}/v1/oauth/token`, fields)).status).toBe(200);
    // A code is valid once, whatever the clock says.
    clock.jump({});
    expect((await postForm(`${errand.url}/v1/oauth/token`, fields)).status).toBe(400);
  });

  it("removes nothing that is not old", async () => {
    // This is removed last, so everything else has been checked by then.
    await database.query("update authorization_codes set expires_at = now() - interval '3 days'");
    clock.jump({ days: 400 });
    const worker = await startErrand(env, ["start", "--roles", "worker"]);
    const codes = () => database.query("select 1 from authorization_codes");
    await expect.poll(codes, { timeout: 100_000 }).toEqual([]);
    expect(await database.query("select 1 from executions")).toHaveLength(JUMPS.length);
    expect(await worker.end("SIGTERM")).toBe(0);
    await expectLedgerAddsUp({ database });
  });

  async function leaseEnd(id: string): Promise<number> {
    const [row] = await database.query(
      "select extract(epoch from lease_expires_at) as at from executions where id = $1",
      [id],
    );
    return Number(row?.["at"]);
  }
});
