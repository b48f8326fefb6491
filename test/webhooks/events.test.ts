import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import type { Registration } from "../../src/applications/applications.ts";
import { reap } from "../../src/executions/queue.ts";
import { type ReservedPort, reservePort } from "../../src/lib/free-port.ts";
import { createLogger } from "../../src/lib/logger.ts";
import { createArtifactFolder } from "../../src/storage/artifacts/folder.ts";
import { openDatabase } from "../../src/storage/database.ts";
import { createNotifications } from "../../src/storage/notifications.ts";
import { createConnectionDeletion } from "../../src/storage/sql/deletion.ts";
import { type Api, createApi } from "../_harness/api.ts";
import { openTestQueue, startDirectly } from "../_harness/engine.ts";
import { createAskingErrand, ORDER } from "../_harness/interactions.ts";
import { startTestService, type TestConnection, type TestService } from "../_harness/service.ts";
import {
  createWebhookApi,
  PATIENCE,
  type Receiver,
  startDeliveries,
  startReceiver,
  type WebhookApi,
} from "../_harness/webhooks.ts";
import { failedErrand, startTestWorker, VERIFIED } from "../_harness/worker.ts";

const ROOT = join(import.meta.dirname, "../..");
const CONFIDENTIAL = { registration: { type: "confidential" as const } };

describe("webhooks receive a message", () => {
  let disposables: AsyncDisposableStack;
  let receiver: Receiver;
  let service: TestService;
  let sample: ReservedPort;

  beforeAll(async () => {
    disposables = new AsyncDisposableStack();
    receiver = disposables.use(await startReceiver());
    sample = await reservePort();
    const allowHosts = `${receiver.host}, 127.0.0.1:${sample.port}`;
    service = disposables.use(await startTestService({ settings: { ERRAND_ALLOW_HOSTS: allowHosts } }));
    disposables.use(startDeliveries(service, { allowHosts }));
  });
  afterAll(() => disposables.disposeAsync());

  interface Application {
    connection: TestConnection;
    api: Api;
    webhooks: WebhookApi;
  }

  async function register(more: Partial<Registration> = {}): Promise<Application> {
    const connection = await service.connect({ registration: { ...CONFIDENTIAL.registration, ...more } });
    return {
      connection,
      api: createApi(service.url, connection),
      webhooks: createWebhookApi(service.url, connection),
    };
  }

  /** The received messages, with signatures verified by an independent library. */
  async function verified(path: string, secret: string, count = 1) {
    const messages = await receiver.messages(path, count);
    return messages.map(
      ({ body, headers }) => new Webhook(secret).verify(body, headers) as { type: string; data: object },
    );
  }

  it("when an execution completes, with exactly what GET returns", async () => {
    const { connection, api, webhooks } = await register();
    const { secret } = await webhooks.created({ url: `${receiver.url}/completed` });
    await using _worker = await startTestWorker(service, { runErrand: async () => VERIFIED });
    const { id } = await api.created({ prompt: "What does the kettle cost? – 12,50 €" });
    const [message] = await verified("/completed", secret);
    const { execution } = (await api.get(id)).body;
    expect(execution.status).toBe("COMPLETED");
    expect(message).toEqual({
      type: "execution.completed",
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
      data: {
        application_id: connection.applicationId,
        connection_id: connection.connectionId,
        metadata: {},
        recipe: null,
        execution,
      },
    });
    const [received] = await receiver.messages("/completed", 1);
    expect(received?.headers).toMatchObject({
      "content-type": "application/json",
      "user-agent": "Errand-Webhooks",
      "webhook-id": expect.stringMatching(/^msg_/),
    });
  });

  it("when a run waits for a person, with the link, and not after it was answered", async () => {
    const { connection, api, webhooks } = await register();
    const events = ["execution.interaction_required"];
    const { secret } = await webhooks.created({ url: `${receiver.url}/asked`, events });
    const errand = createAskingErrand(ORDER);
    await using _worker = await startTestWorker(service, { runErrand: errand.run });
    const { id } = await api.created();
    const [message] = await verified("/asked", secret);
    const { interaction } = (await api.interaction(id)).body;
    const path = (link: string) => new URL(link).pathname;
    expect(message).toEqual({
      type: "execution.interaction_required",
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
      data: {
        application_id: connection.applicationId,
        connection_id: connection.connectionId,
        execution_id: id,
        metadata: {},
        interaction: { ...interaction, link: expect.stringContaining(path(interaction.link)) },
      },
    });
    await api.answer(id, { id: interaction.id, action: "approve" });
    await api.get(id, "?wait=30");
    // What was answered before its message could be sent needs no message any more.
    const [delivery] = await service.database.query<{ id: string }>(
      `insert into webhook_deliveries (endpoint_id, type, execution_id, connection_id, facts)
       select endpoint_id, type, execution_id, connection_id, facts from webhook_deliveries
       where execution_id = $1 and type = 'execution.interaction_required' returning id`,
      [id],
    );
    await vi.waitFor(async () => {
      const [row] = await service.database.query("select state from webhook_deliveries where id = $1", [delivery?.id]);
      expect(row).toEqual({ state: "canceled" });
    }, PATIENCE);
  });

  it("when an execution fails, and when its user is signed out", async () => {
    const { connection, api, webhooks } = await register({ signInUrl: "https://shop.example/sign-in" });
    const { secret } = await webhooks.created({ url: `${receiver.url}/signed-out` });
    const outcome = failedErrand({ failure: "reauthorization_required", code: "REAUTHORIZATION_REQUIRED" });
    await using _worker = await startTestWorker(service, { runErrand: async () => outcome });
    const { id } = await api.created();
    const messages = await verified("/signed-out", secret, 2);
    expect(messages.toSorted((a, b) => a.type.localeCompare(b.type))).toMatchObject([
      {
        type: "connection.reauthorization_required",
        data: { application_id: connection.applicationId, connection_id: connection.connectionId },
      },
      { type: "execution.failed", data: { execution: { id, terminal: { status: "reauthorization_required" } } } },
    ]);
  });

  it("when an execution is canceled while it is queued", async () => {
    const { api, webhooks } = await register();
    const { secret } = await webhooks.created({ url: `${receiver.url}/canceled` });
    const { id } = await api.created();
    await api.cancel(id);
    expect(await verified("/canceled", secret)).toMatchObject([
      { type: "execution.failed", data: { execution: { id, terminal: { status: "canceled" } } } },
    ]);
  });

  it("when the worker of an execution is lost", async () => {
    const { api, webhooks } = await register();
    const { secret } = await webhooks.created({ url: `${receiver.url}/lost` });
    const { id } = await api.created();
    await startDirectly(service, id);
    await service.database.query(
      "update executions set began_at = now(), lease_expires_at = now() - interval '1 second' where id = $1",
      [id],
    );
    await using queue = openTestQueue(service.database.url);
    await reap(queue.store);
    expect(await verified("/lost", secret)).toMatchObject([
      { type: "execution.failed", data: { execution: { id, terminal: { status: "worker_lost" } } } },
    ]);
  });

  it("only for their events, and only about their own application", async () => {
    const { api, webhooks } = await register();
    const other = await register();
    const { webhook: wanting } = await webhooks.created({
      url: `${receiver.url}/wanting`,
      events: ["execution.failed"],
    });
    const { webhook: choosy } = await webhooks.created({
      url: `${receiver.url}/choosy`,
      events: ["execution.completed"],
    });
    const { webhook: foreign } = await other.webhooks.created({ url: `${receiver.url}/foreign` });
    const { id } = await api.created();
    await api.cancel(id);
    await webhooks.delivery(wanting.id, "delivered");
    // All messages are created in one transaction, so there would be more by now.
    expect(await webhooks.deliveries(choosy.id)).toEqual([]);
    expect(await other.webhooks.deliveries(foreign.id)).toEqual([]);
  });

  it("once when credits are low, and again only after credits were granted, however few", async () => {
    const { api, webhooks, connection } = await register();
    const { webhook, secret } = await webhooks.created({ url: `${receiver.url}/low`, events: ["credits.low"] });
    const setBalance = (balance: number) => service.database.query("update owners set balance = $1", [balance]);
    const reserveAndRelease = async () => void (await api.cancel((await api.created()).id));
    const [owner] = await service.database.query<{ id: string }>("select id from owners");
    const grant = (credits: number) => service.operations.credits.grant(owner?.id ?? "", credits);
    await setBalance(12);
    await api.created();
    expect(await webhooks.deliveries(webhook.id)).toEqual([]);
    await api.created();
    const data = { application_id: connection.applicationId, balance: 10, low_at: 10 };
    expect(await verified("/low", secret)).toMatchObject([{ type: "credits.low", data }]);
    // As when an execution fails and its credits are released.
    await setBalance(11);
    await reserveAndRelease();
    expect(await webhooks.deliveries(webhook.id)).toHaveLength(1);
    await grant(1);
    await setBalance(11);
    await reserveAndRelease();
    expect(await webhooks.deliveries(webhook.id)).toHaveLength(2);
    await setBalance(5);
    expect(await webhooks.deliveries(webhook.id)).toHaveLength(2);
    await grant(2);
    await reserveAndRelease();
    await reserveAndRelease();
    expect(await webhooks.deliveries(webhook.id)).toHaveLength(3);
    await setBalance(1_000);
  });

  it("only if there is one: without a webhook no worker is woken", async () => {
    const { api } = await register();
    const listener = new pg.Client({ connectionString: service.database.url });
    await listener.connect();
    const payloads: (string | undefined)[] = [];
    listener.on("notification", ({ payload }) => payloads.push(payload));
    await listener.query('listen "jobs:insert"');
    await api.cancel((await api.created()).id);
    await listener.query(`notify "jobs:insert", 'last'`);
    await vi.waitFor(() => expect(payloads).toContain("last"), PATIENCE);
    await listener.end();
    expect(payloads).toEqual(["last"]);
  });

  it("once for each of many executions that end at the same time, even if no jobs can be created", async () => {
    const { api, webhooks, connection } = await register();
    const receivers = await Promise.all(
      ["/many", "/many-too"].map((path) => webhooks.created({ url: `${receiver.url}${path}` })),
    );
    await Promise.all(Array.from({ length: 5 }, () => api.created()));
    const end = `with owned as (select id from executions where connection_id = $1)
      update executions set status = 'FAILED', terminal_status = 'canceled', error_code = 'CANCELED', completed_at = now()
      from owned where executions.id = owned.id`;
    await service.database.query("alter function graphile_worker.add_jobs rename to add_jobs_away");
    await service.database.query(end, [connection.connectionId]);
    await service.database.query("alter function graphile_worker.add_jobs_away rename to add_jobs");
    for (const { webhook } of receivers) {
      const told = await webhooks.deliveries(webhook.id);
      expect(told).toHaveLength(5);
    }
  });

  /** An application with an undelivered message and the job that retries it. */
  async function registerUntold() {
    receiver.answer("/away", 500);
    const application = await register();
    const { webhook } = await application.webhooks.created({ url: `${receiver.url}/away` });
    await application.api.cancel((await application.api.created()).id);
    const waiting = `select key from graphile_worker.jobs join webhook_deliveries on key = 'webhook ' || webhook_deliveries.id
      join webhook_endpoints on webhook_endpoints.id = endpoint_id
      where application_id = $1 and webhook_deliveries.attempts = 1 and locked_at is null`;
    const key = await vi.waitFor(async () => {
      const [job] = await service.database.query<{ key: string }>(waiting, [application.connection.applicationId]);
      expect(job).toBeDefined();
      return job?.key;
    }, PATIENCE);
    const findJob = () => service.database.query("select 1 from graphile_worker.jobs where key = $1", [key]);
    return { ...application, webhook, findJob };
  }

  it("not when an execution ends because its connection is deleted; waiting messages are canceled with their jobs", async () => {
    const { api, webhooks, webhook, connection, findJob } = await registerUntold();
    await startDirectly(service, (await api.created()).id);
    await api.created();
    await deleteConnection(connection.connectionId);
    expect(await webhooks.deliveries(webhook.id)).toMatchObject([{ state: "canceled" }]);
    expect(await findJob()).toEqual([]);
  });

  it("no more after they were deleted, and no job is left", async () => {
    const { webhooks, webhook, findJob } = await registerUntold();
    expect((await webhooks.call("DELETE", `/${webhook.id}`)).status).toBe(204);
    expect(await findJob()).toEqual([]);
  });

  async function deleteConnection(connectionId: string): Promise<void> {
    await using parts = new AsyncDisposableStack();
    const connectionString = service.database.url;
    const database = parts.use(openDatabase({ connectionString, poolSize: 2, onError: () => {} }));
    const logger = createLogger("silent", process.stderr);
    const notifications = parts.use(createNotifications({ connectionString, pool: database.pool, logger }));
    await createConnectionDeletion({ database, notifications, files: createArtifactFolder(service.dataDir) })(
      connectionId,
    );
  }

  it("that the receiver in the documentation verifies, and that cannot be forged", async () => {
    const url = `http://127.0.0.1:${sample.port}`;
    const { api, webhooks } = await register();
    const { secret } = await webhooks.created({ url: `${url}/`, events: ["execution.failed"] });
    await sample.release();
    const output = runSample(secret, sample.port);
    const forged = { method: "POST", body: "{}", headers: { "webhook-id": "msg_1", "webhook-signature": "v1,AAAA" } };
    await vi.waitFor(async () => expect((await fetch(url, forged)).status).toBe(400), PATIENCE);
    const { id } = await api.created();
    await api.cancel(id);
    const { message } = (await api.get(id)).body.execution.error;
    await vi.waitFor(() => expect(output()).toBe(`${message}\n`), PATIENCE);
  });
});

/** Runs the receiver of docs/webhooks.md until the test ends; returns what it prints. */
function runSample(secret: string, port: number): () => string {
  const [, code = ""] = /```js\n(.*?)```/s.exec(readFileSync(join(ROOT, "docs/webhooks.md"), "utf8")) ?? [];
  const child = spawn(process.execPath, ["--input-type=module", "--eval", code], {
    cwd: ROOT,
    env: { WEBHOOK_SECRET: secret, PORT: String(port) },
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill());
  let output = "";
  child.stdout.on("data", (chunk) => {
    output += chunk;
  });
  return () => output;
}
