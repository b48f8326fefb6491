import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { openDatabase } from "../../src/storage/database.ts";
import { createDeliveryStore, readBacklog } from "../../src/storage/sql/webhook-deliveries.ts";
import { createBacklogMetrics } from "../../src/webhooks/delivery-metrics.ts";
import { type Api, createApi } from "../_harness/api.ts";
import { startTestService, type TestService } from "../_harness/service.ts";
import {
  createWebhookApi,
  PATIENCE,
  type Receiver,
  startDeliveries,
  startReceiver,
  type WebhookApi,
} from "../_harness/webhooks.ts";

describe("a stored webhook message", () => {
  let disposables: AsyncDisposableStack;
  let receiver: Receiver;
  let service: TestService;
  let api: Api;
  let webhooks: WebhookApi;

  beforeAll(async () => {
    disposables = new AsyncDisposableStack();
    receiver = disposables.use(await startReceiver());
    service = disposables.use(await startTestService({ settings: { ERRAND_ALLOW_HOSTS: receiver.host } }));
    const connection = await service.connect({ registration: { type: "confidential" } });
    api = createApi(service.url, connection);
    webhooks = createWebhookApi(service.url, connection);
  });
  afterAll(() => disposables.disposeAsync());

  const overdue = () =>
    service.database.query("update webhook_deliveries set next_attempt_at = now() - interval '10 minutes'");

  it("is reported by metrics: how many there are, and how long one has been due", async () => {
    await using database = openDatabase({ connectionString: service.database.url, poolSize: 1, onError: () => {} });
    const look = async () => {
      const registry = createBacklogMetrics(
        () => readBacklog(database),
        (error) => expect.unreachable(String(error)),
      );
      const lines = (await registry.metrics()).split("\n").filter((line) => line.startsWith("errand_"));
      return lines.map((line) => Number(line.split(" ")[1]));
    };
    expect(await look()).toEqual([0, 0]);
    const { webhook } = await webhooks.created({ url: `${receiver.url}/waiting` });
    const wait = (by: string) =>
      service.database.query(
        "insert into webhook_deliveries (endpoint_id, type, next_attempt_at) values ($1, 'ping', now() + $2::interval)",
        [webhook.id, by],
      );
    await wait("1 hour");
    expect(await look()).toEqual([1, 0]);
    await wait("-1 hour");
    const [waiting, overdueSeconds] = await look();
    expect(waiting).toBe(2);
    expect(overdueSeconds).toBeGreaterThanOrEqual(3_600);
    await webhooks.call("DELETE", `/${webhook.id}`);
  });

  it("gets a new job when it lost its own, however many others are overdue", async () => {
    const { webhook } = await webhooks.created({ url: `${receiver.url}/many` });
    const insert = (count: number, ageMinutes: number) =>
      service.database.query(
        `insert into webhook_deliveries (endpoint_id, type, next_attempt_at)
         select $1, 'ping', now() - $3 * interval '1 minute' from generate_series(1, $2) returning id`,
        [webhook.id, count, ageMinutes],
      );
    await insert(10_001, 20);
    const [lost] = await insert(1, 10);
    await service.database.query("delete from graphile_worker._private_jobs where key = 'webhook ' || $1", [lost?.id]);
    await using database = openDatabase({ connectionString: service.database.url, poolSize: 1, onError: () => {} });
    expect(await createDeliveryStore(database).requeueLost(120_000, 500)).toBe(1);
    await webhooks.call("DELETE", `/${webhook.id}`);
    await service.database.query("delete from graphile_worker._private_jobs");
  });

  it("survives a process that dies before or during its delivery, and a job queue that fails", async () => {
    const { webhook } = await webhooks.created({ url: `${receiver.url}/survivor`, events: ["execution.failed"] });
    const end = async () => (await api.cancel((await api.created()).id)).body.execution.id as string;
    const unsent = await end();
    const halfSent = await end();
    await service.database.query(
      `update graphile_worker._private_jobs set locked_at = now() - interval '10 minutes', locked_by = 'dead', attempts = 1
       where key = (select 'webhook ' || id from webhook_deliveries where execution_id = $1)`,
      [halfSent],
    );
    const rename = (from: string, to: string) =>
      service.database.query(
        `do $$ declare name text; begin
           select oid::regprocedure::text into name from pg_proc
           where proname = '${from}' and pronamespace = 'graphile_worker'::regnamespace;
           execute 'alter function ' || name || ' rename to ${to}';
         end $$`,
      );
    await rename("add_jobs", "add_jobs_away");
    const unqueued = await end();
    expect((await api.get(unqueued)).body.execution.terminal.status).toBe("canceled");
    await rename("add_jobs_away", "add_jobs");
    await overdue();
    await using _worker = startDeliveries(service, { allowHosts: receiver.host });
    const messages = await receiver.messages("/survivor", 3);
    const told = messages.map(({ body }) => JSON.parse(body).data.execution.id);
    expect(new Set(told)).toEqual(new Set([unsent, halfSent, unqueued]));
    await vi.waitFor(async () => {
      const states = (await webhooks.deliveries(webhook.id)).map(({ state }) => state);
      expect(states).toEqual(["delivered", "delivered", "delivered"]);
    }, PATIENCE);
  });
});
