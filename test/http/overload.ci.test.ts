import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { json } from "node:stream/consumers";
import pg from "pg";
import { describe, expect, it } from "vitest";
import { createQueueLimit } from "../../src/executions/create-execution.ts";
import { createOutputSchemaChecker } from "../../src/executions/output-schema-checker.ts";
import { createSemaphore } from "../../src/lib/semaphore.ts";
import { openDatabase } from "../../src/storage/database.ts";
import { createApi } from "../_harness/api.ts";
import { visitConsole } from "../_harness/console.ts";
import { createTestDatabase } from "../_harness/database.ts";
import { expectLedgerAddsUp } from "../_harness/ledger.ts";
import { startTestService, type TestConnection, type TestService } from "../_harness/service.ts";

const LATER = { code: "UNAVAILABLE", retryAfterSeconds: expect.any(Number) };

/** Another transaction, which holds the statement's locks until it is closed. */
async function hold({ database }: TestService, statement: string, values: unknown[] = []): Promise<AsyncDisposable> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query("begin");
  await client.query(statement, values);
  let isReleased = false;
  return {
    async [Symbol.asyncDispose]() {
      if (!isReleased) await client.end();
      isReleased = true;
    },
  };
}

/** Waits until this many statements of the service are blocked by a lock. */
async function untilBlocked({ database }: TestService, count: number): Promise<void> {
  await expect
    .poll(
      async () =>
        (
          await database.query(
            "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
          )
        ).length,
      { timeout: 100_000 },
    )
    .toBe(count);
}

/** An event stream on its own connection, which ends when it is destroyed. */
async function follow({ url }: TestService, { applicationId, token }: TestConnection, id: string) {
  const headers = { authorization: `Bearer ${token}`, accept: "text/event-stream" };
  const request = get(`${url}/v1/applications/${applicationId}/executions/${id}/events`, { headers, agent: false });
  const [response] = (await once(request, "response")) as [IncomingMessage];
  return response;
}

function describeRefusal({ statusCode, headers }: IncomingMessage): unknown[] {
  return [statusCode, headers["retry-after"]];
}

describe("more requests than the database can handle", () => {
  it("return 503 at once when the queue is full, while queued ones wait and the service stays alive and ready", async () => {
    await using service = await startTestService({ settings: { ERRAND_DATABASE_POOL_SIZE: "2" } });
    const connection = await service.connect();
    const api = createApi(service.url, connection);
    const held = await hold(service, "select 1 from connections where id = $1 for update", [connection.connectionId]);
    await using _held = held;
    const creates = [api.create({ prompt: "One." }), api.create({ prompt: "Two." })];
    let areCreatesOver = false;
    void Promise.race(creates).finally(() => {
      areCreatesOver = true;
    });
    await untilBlocked(service, 2);

    const answers: Response[] = [];
    const asked = Array.from({ length: 230 }, async () => {
      const body = new URLSearchParams({
        grant_type: "authorization_code",
        client_id: connection.applicationId,
        code: "x",
      });
      answers.push(await fetch(`${service.url}/v1/oauth/token`, { method: "POST", body }));
    });
    await expect.poll(() => answers.length, { timeout: 100_000 }).toBeGreaterThanOrEqual(20);
    expect(areCreatesOver).toBe(false);
    for (const answer of answers.slice(0, 20)) {
      expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "2"]);
      expect(await answer.json()).toMatchObject({ error: "temporarily_unavailable" });
    }
    expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200);

    await held[Symbol.asyncDispose]();
    await Promise.all(asked);
    for (const { status, headers } of answers) if (status === 503) expect(headers.get("retry-after")).toBe("2");
    for (const { status } of await Promise.all(creates)) expect([201, 503]).toContain(status);
    expect(service.log.some((line) => line.includes("queue full: database connections"))).toBe(true);
    expect((await api.create({ prompt: "Three." })).status).toBe(201);
    await expectLedgerAddsUp(service);
  });

  it("do not overtake queued statements", async () => {
    await using testDatabase = await createTestDatabase();
    await using database = openDatabase({ connectionString: testDatabase.url, poolSize: 1, onError: () => {} });
    const client = await database.pool.connect();
    const waiting = Array.from({ length: 100 }, () => database.pool.query("select 1"));
    await expect(database.pool.query("select 1")).rejects.toMatchObject(LATER);
    await expect(database.pool.connect()).rejects.toMatchObject(LATER);
    client.release();
    expect(await Promise.all(waiting)).toHaveLength(100);
    await database.pool.query("select 1");
  });

  it("leave room for applications when they come from the console", async () => {
    await using service = await startTestService({ settings: { ERRAND_DATABASE_POOL_SIZE: "2" } });
    const api = createApi(service.url, await service.connect());
    const { id } = await api.created();
    const visit = await visitConsole(service, { credits: 1 });
    const held = await hold(service, "lock table applications in access exclusive mode");
    await using _held = held;
    const lists = Array.from({ length: 6 }, () => visit.get("/applications"));
    await untilBlocked(service, 1);
    expect((await api.get(id)).status).toBe(200);
    await held[Symbol.asyncDispose]();
    for (const { status } of await Promise.all(lists)) expect(status).toBe(200);
  });
});

describe("a connection's queue", () => {
  it("accepts executions up to its limit, until there is room again", async () => {
    await using service = await startTestService({ settings: { ERRAND_MAX_QUEUED: "3" } });
    const connection = await service.connect();
    const api = createApi(service.url, connection);
    const key = { "idempotency-key": "first" };
    const first = await api.created({ prompt: "x" }, key);
    await api.created();
    await api.created();
    const { status, headers, body } = await api.create({ prompt: "x" });
    expect([status, body.error.code, headers.get("retry-after")]).toEqual([429, "RATE_LIMITED", "30"]);
    expect(body.error.message).toContain("already has 3 queued executions");
    expect((await api.create({ prompt: "x" }, key)).body.execution.id).toBe(first.id);
    const { applicationId } = connection;
    await createApi(service.url, await service.connect({ applicationId, email: "another@example.com" })).created();
    await api.cancel(first.id);
    await api.created();
    expect((await api.create({ prompt: "x" })).status).toBe(429);
    await expectLedgerAddsUp(service);
  });

  it("is counted periodically only when it may be long, and every time once it was full", () => {
    const limit = createQueueLimit(300);
    const counted = () => Array.from({ length: 7 }, () => limit.next("a") !== null);
    expect(counted()).toEqual([true, false, false, true, false, false, true]);
    expect(limit.next("another")).toBe(300);
    limit.noteFull("a");
    expect(limit.next("a")).toBe(300);
    limit.noteFull("a");
    expect(limit.next("a")).toBe(300);
    expect(limit.next("a")).toBe(null);
  });

  it("has no limit when none is set", async () => {
    await using service = await startTestService({ settings: { ERRAND_MAX_QUEUED: "0" } });
    const api = createApi(service.url, await service.connect());
    for (let number = 0; number < 5; number += 1) await api.created();
  });
});

describe("long-lived responses", () => {
  const settings = { ERRAND_MAX_OPEN_PER_TOKEN: "3", ERRAND_MAX_OPEN: "5" };

  it("are limited per token and in total, and other requests are not", async () => {
    await using service = await startTestService({ settings });
    const [ann, bob] = [await service.connect(), await service.connect()];
    const [annApi, bobApi] = [createApi(service.url, ann), createApi(service.url, bob)];
    const [{ id: annId }, { id: bobId }] = [await annApi.created(), await bobApi.created()];
    const streams: IncomingMessage[] = [];
    for (let number = 0; number < 3; number += 1) streams.push(await follow(service, ann, annId));
    expect(streams.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200]);

    const fourth = await follow(service, ann, annId);
    expect(describeRefusal(fourth)).toEqual([429, "5"]);
    expect(await json(fourth)).toMatchObject({ error: { code: "RATE_LIMITED" } });
    expect((await annApi.get(annId, "?wait=1")).status).toBe(429);

    for (let number = 0; number < 2; number += 1) streams.push(await follow(service, bob, bobId));
    const sixth = await follow(service, bob, bobId);
    expect(describeRefusal(sixth)).toEqual([503, "2"]);
    expect(await json(sixth)).toMatchObject({ error: { code: "UNAVAILABLE" } });
    expect([(await annApi.get(annId)).status, (await bobApi.list()).status]).toEqual([200, 200]);

    streams[0]?.destroy();
    await expect.poll(async () => (await annApi.get(annId, "?wait=1")).status, { timeout: 100_000 }).toBe(200);
    for (const stream of streams) stream.destroy();
  });

  it("include waiting reads", async () => {
    await using service = await startTestService({ settings: { ERRAND_MAX_OPEN_PER_TOKEN: "1" } });
    const api = createApi(service.url, await service.connect());
    const { id } = await api.created();
    const waits = await Promise.all([api.get(id, "?wait=2"), api.get(id, "?wait=2")]);
    expect(waits.map(({ status }) => status).sort()).toEqual([200, 429]);
    expect((await api.get(id, "?wait=1")).status).toBe(200);
  });
});

describe("in-memory queues", () => {
  it("refuse a flood of sign-ins while applications are still served", async () => {
    await using service = await startTestService();
    const api = createApi(service.url, await service.connect());
    const { id } = await api.created();
    const page = await fetch(`${service.url}/sign-in`);
    const cookie = page.headers
      .getSetCookie()
      .map((line) => line.split(";")[0])
      .join("; ");
    const token = /name="form_token" value="([^"]+)"/.exec(await page.text())?.[1] ?? "";
    const answers: Response[] = [];
    const flood = Array.from({ length: 45 }, async () => {
      const body = new URLSearchParams({ email: "nobody@example.com", password: "wrong password", form_token: token });
      answers.push(
        await fetch(`${service.url}/sign-in`, { method: "POST", body, headers: { cookie }, redirect: "manual" }),
      );
    });
    const isRefused = ({ status }: Response) => status === 503;
    await expect.poll(() => answers.some(isRefused), { timeout: 100_000 }).toBe(true);
    expect(answers.length).toBeLessThan(45);
    expect((await api.get(id)).status).toBe(200);
    await Promise.all(flood);
    for (const { status, headers } of answers)
      expect([status, headers.get("retry-after")]).toEqual(status === 503 ? [503, "2"] : [400, null]);
  });

  it("limit the validation of output schemas across connections", async () => {
    await using checker = createOutputSchemaChecker();
    const asked = Array.from({ length: 130 }, (_, number) =>
      checker.findProblem({ type: "object", title: `Schema ${number}` }, `connection ${number}`),
    );
    const answers = await Promise.allSettled(asked);
    const refused = answers.filter((answer) => answer.status === "rejected");
    expect(refused).toHaveLength(30);
    for (const { reason } of refused) expect(reason).toMatchObject(LATER);
    expect(await checker.findProblem({ type: "string" }, "a later one")).toBe(null);
  });

  it("of a semaphore are served in order, and the one too many is refused", async () => {
    const turns = createSemaphore(1, 2);
    const first = Promise.withResolvers<number>();
    const done: number[] = [];
    const take = (number: number, work: () => Promise<number>) => turns.take(work).then(() => done.push(number));
    const taken = [take(1, () => first.promise), take(2, async () => 2), take(3, async () => 3)];
    await expect(turns.take(async () => 4)).rejects.toMatchObject(LATER);
    first.resolve(1);
    await Promise.all(taken);
    expect(done).toEqual([1, 2, 3]);
    expect(await turns.take(async () => 5)).toBe(5);
  });
});
