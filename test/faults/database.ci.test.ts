import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import { createLogger } from "../../src/lib/logger.ts";
import { openDatabase } from "../../src/storage/database.ts";
import { createNotifications } from "../../src/storage/notifications.ts";
import { createApi } from "../_harness/api.ts";
import { createTestDatabase } from "../_harness/database.ts";
import { createDataDir, startErrand } from "../_harness/errand.ts";
import { expectLedgerAddsUp } from "../_harness/ledger.ts";
import { startTestService, type TestService } from "../_harness/service.ts";
import { startTestWorker, VERIFIED } from "../_harness/worker.ts";
import { layWire, type Wire } from "./environment/wire.ts";

const PATIENCE = { timeout: 100_000, interval: 200 };

/** The same service, as seen by a process that is connected to the database through the proxy. */
function behind(service: TestService, wire: Wire): TestService {
  return { ...service, database: { ...service.database, url: wire.url } };
}

/** They mostly wait for timeouts, so they run concurrently. */
describe.concurrent("a database connection that goes silent", () => {
  it("makes the API return 503 with Retry-After, and the API recovers and stops on request", async () => {
    await using service = await startTestService();
    await using wire = await layWire(service.database.url);
    await using data = await createDataDir();
    const connection = await service.connect();
    const started = await startErrand({ ...data.env, DATABASE_URL: wire.url });
    const api = createApi(started.url, connection);
    const { id } = await api.created({ prompt: "x" });
    wire.silence("to the client");
    const [answer, ready] = await Promise.all([api.get(id), fetch(`${started.url}/readyz`)]);
    expect([answer.status, ready.status]).toEqual([503, 503]);
    expect(answer.headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
    wire.mend();
    await vi.waitFor(async () => expect((await api.get(id)).status).toBe(200), PATIENCE);
    wire.silence("both ways");
    expect(await started.end("SIGTERM")).toBe(0);
  });

  it("does not keep a worker from stopping on request", async () => {
    await using service = await startTestService();
    await using wire = await layWire(service.database.url);
    await using data = await createDataDir();
    const env = { ...data.env, DATABASE_URL: wire.url, ERRAND_SIGN_IN_CHECK_HOURS: "1", ERRAND_SHUTDOWN_SECONDS: "1" };
    const started = await startErrand(env, ["start", "--roles", "worker"]);
    wire.silence("both ways");
    expect(await started.end("SIGTERM")).toBe(0);
  });

  it("is detected by listeners for notifications, which reconnect", { timeout: 120_000 }, async () => {
    await using service = await startTestService();
    await using wire = await layWire(service.database.url);
    const log: string[] = [];
    const logger = createLogger("debug", { write: (line) => log.push(line) });
    await using database = openDatabase({ connectionString: wire.url, poolSize: 2, onError: () => {} });
    await using notifications = createNotifications({ connectionString: wire.url, pool: database.pool, logger });
    let heard = 0;
    notifications.subscribe("a-topic", () => {
      heard += 1;
    });
    // Everyone is notified once when listening starts.
    await vi.waitFor(() => expect(heard).toBe(1), PATIENCE);
    wire.silence("to the client", { of: /notifications/ });
    wire.mend();
    await vi.waitFor(() => expect(log.join()).toContain("Notifications interrupted; reconnecting"), PATIENCE);
    await vi.waitFor(() => expect(heard).toBe(2), PATIENCE);
    const said = (text: string) => log.filter((line) => line.includes(text) && !line.includes('"level":"debug"'));
    const broke = said("Notifications interrupted");
    expect(broke).toHaveLength(1);
    expect(broke[0]).not.toContain('"stack"');
    expect(said("Notifications restored")).toHaveLength(1);
    notifications.send("a-topic");
    await vi.waitFor(() => expect(heard).toBe(3), PATIENCE);
  });

  it("does not cost a worker its lease when only its old connections are dead", async () => {
    await using service = await startTestService();
    await using wire = await layWire(service.database.url);
    const api = createApi(service.url, await service.connect());
    const begun = Promise.withResolvers<void>();
    const isOver = Promise.withResolvers<void>();
    await using _worker = await startTestWorker(behind(service, wire), {
      leaseMs: 18_000,
      async runErrand({ begin }) {
        await begin();
        begun.resolve();
        await isOver.promise;
        return VERIFIED;
      },
    });
    const { id } = await api.created();
    await begun.promise;
    const leaseEnd = async () =>
      Number(
        (
          await service.database.query(
            "select extract(epoch from lease_expires_at) as at from executions where id = $1",
            [id],
          )
        )[0]?.["at"],
      );
    const before = await leaseEnd();
    wire.silence("both ways");
    wire.mend();
    await vi.waitFor(async () => expect(await leaseEnd()).toBeGreaterThan(before), PATIENCE);
    isOver.resolve();
    expect((await api.get(id, "?wait=30")).body.execution.status).toBe("COMPLETED");
  });

  it("makes a worker that cannot renew its lease stop before the lease expires", async () => {
    await using service = await startTestService();
    await using wire = await layWire(service.database.url);
    const api = createApi(service.url, await service.connect());
    const late: unknown[] = [];
    let acts = 0;
    const stopped = Promise.withResolvers<void>();
    await using worker = await startTestWorker(behind(service, wire), {
      leaseMs: 6_000,
      stopTimeoutMs: 500,
      async runErrand({ begin, signal }) {
        await begin();
        if (acts > 0) return VERIFIED;
        while (!signal.aborted) {
          acts += 1;
          // The reaper goes by the database's clock.
          late.push(
            ...(await service.database.query(
              "select id from executions where status = 'RUNNING' and lease_expires_at <= now()",
            )),
          );
          await sleep(20);
        }
        stopped.resolve();
        throw signal.reason;
      },
    });
    const { id } = await api.created();
    await vi.waitFor(() => expect(acts).toBeGreaterThan(0), PATIENCE);
    wire.silence("to the server");
    await stopped.promise;
    expect(late).toEqual([]);
    wire.mend();
    expect((await api.get(id, "?wait=30")).body.execution).toMatchObject({
      status: "FAILED",
      terminal: { status: "worker_lost" },
      usage: { charged: false },
    });
    expect((await api.get((await api.created()).id, "?wait=30")).body.execution.status, worker.log.join("")).toBe(
      "COMPLETED",
    );
    await expectLedgerAddsUp(service);
  });
});

it("a checked-out connection that is closed between two statements breaks nothing else", async () => {
  await using own = await createTestDatabase();
  await using database = openDatabase({ connectionString: own.url, poolSize: 1, onError: () => {} });
  const client = await database.pool.connect();
  const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  client.once("end", () => resolve());
  await own.query("select pg_terminate_backend($1)", [rows[0]?.pid]);
  await ended;
  await expect(client.query("select 1")).rejects.toThrow();
  client.release(true);
  expect((await database.pool.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
});
