import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createLogger } from "../../src/lib/logger.ts";
import { openDatabase } from "../../src/storage/database.ts";
import { createNotifications } from "../../src/storage/notifications.ts";
import { createQueueStore } from "../../src/storage/sql/queue.ts";
import { createApi } from "../_harness/api.ts";
import { COMPLETED } from "../_harness/engine.ts";
import { readerOf, readUntil } from "../_harness/event-stream.ts";
import { startTestService, type TestService } from "../_harness/service.ts";
import { stepReport } from "../_harness/worker.ts";

const STEP = { type: "step", data: stepReport() } as const;

describe("what a worker announces to other processes", () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service[Symbol.asyncDispose]());

  /** Connections of their own, as in another process. */
  function openProcess() {
    const parts = new AsyncDisposableStack();
    const connectionString = service.database.url;
    const logger = createLogger("silent", process.stderr);
    const database = parts.use(openDatabase({ connectionString, poolSize: 2, onError: () => {} }));
    const notifications = parts.use(createNotifications({ connectionString, pool: database.pool, logger }));
    return {
      notifications,
      queue: createQueueStore(database, notifications),
      [Symbol.asyncDispose]: () => parts.disposeAsync(),
    };
  }

  /** Listeners are called once when listening begins. */
  async function untilListening({ notifications }: ReturnType<typeof openProcess>): Promise<void> {
    const begun = Promise.withResolvers<void>();
    using _first = notifications.subscribe("begun", () => begun.resolve());
    await begun.promise;
  }

  it("is the start and the end of an execution, and its steps only while somebody follows them", async () => {
    const connection = await service.connect();
    const api = createApi(service.url, connection);
    const { id } = await api.created();
    await using worker = openProcess();
    await using other = openProcess();
    const heard: string[] = [];
    await untilListening(other);
    using _events = other.notifications.subscribe(id, () => heard.push("execution"));
    let marks = 0;

    /** What the other process hears of it. Notifications arrive in order. */
    async function hear(work: () => Promise<unknown>): Promise<string[]> {
      heard.length = 0;
      await work();
      marks += 1;
      const marked = Promise.withResolvers<void>();
      using _mark = other.notifications.subscribe(`mark ${marks}`, () => marked.resolve());
      worker.notifications.send(`mark ${marks}`);
      await marked.promise;
      return heard;
    }

    expect(await hear(() => worker.queue.claim(60_000))).toEqual(["execution"]);
    expect(await hear(() => worker.queue.appendEvent(id, 1, STEP))).toEqual([]);

    const url = `${service.url}/v1/applications/${connection.applicationId}/executions/${id}/events`;
    const headers = { authorization: `Bearer ${connection.token}`, accept: "text/event-stream" };
    const reader = readerOf(await fetch(url, { headers }));
    await readUntil(reader, "event: step");
    const watched = "select from executions where id = $1 and watched_until > now()";
    await expect.poll(() => service.database.query(watched, [id])).toHaveLength(1);
    expect(await hear(() => worker.queue.appendEvent(id, 1, STEP))).toEqual(["execution"]);
    await readUntil(reader, "event: step");

    expect(await hear(() => worker.queue.finish(id, 1, COMPLETED))).toEqual(["execution"]);
    await readUntil(reader, "event: execution.completed");
  });

  it("reaches its own process also when nobody follows", async () => {
    const api = createApi(service.url, await service.connect());
    const { id } = await api.created();
    await using worker = openProcess();
    await untilListening(worker);
    await worker.queue.claimOne(id, 60_000);
    await service.database.query("update executions set watched_until = now() - interval '1 second' where id = $1", [
      id,
    ]);
    const own: string[] = [];
    using _own = worker.notifications.subscribe(id, () => own.push("execution"));
    expect(await worker.queue.appendEvent(id, 1, STEP)).toBe(true);
    // Its own process hears everything.
    await expect.poll(() => own).toEqual(["execution"]);
  });
});
