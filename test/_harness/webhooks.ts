import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { expect, vi } from "vitest";
import { createWebhookDeliveries } from "../../src/app/webhook-service.ts";
import { readConfig } from "../../src/config/config.ts";
import type { Webhook, WebhookDelivery } from "../../src/contract/webhook.ts";
import { startJobs } from "../../src/jobs/job-runner.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { createLogger } from "../../src/lib/logger.ts";
import type { Resolve } from "../../src/lib/name-resolution.ts";
import { openDatabase } from "../../src/storage/database.ts";
import { type Answer, expectContract } from "./api.ts";
import type { TestService } from "./service.ts";

/** Long enough for a busy machine. */
export const PATIENCE = { timeout: 100_000, interval: 25 };

interface ReceivedMessage {
  path: string;
  headers: Record<string, string>;
  body: string;
}

/** A real server on loopback that receives messages. */
export interface Receiver extends AsyncDisposable {
  /** `127.0.0.1:port`, for ERRAND_ALLOW_HOSTS. */
  host: string;
  url: string;
  received: ReceivedMessage[];
  count(path: string): number;
  /** The largest number of concurrent requests on this path. */
  peak(path: string): number;
  /** The messages for this path, once there are this many. */
  messages(path: string, count: number): Promise<ReceivedMessage[]>;
  /** Sets the response of this path: a status, or a handler. The default is 204. */
  answer(path: string, how: number | ((request: IncomingMessage, response: ServerResponse) => void)): void;
}

export async function startReceiver(): Promise<Receiver> {
  const received: ReceivedMessage[] = [];
  const open = new Map<string, { now: number; peak: number }>();
  const answers = new Map<string, number | ((request: IncomingMessage, response: ServerResponse) => void)>();
  const server = createServer(async (request, response) => {
    const path = request.url ?? "";
    const count = open.get(path) ?? { now: 0, peak: 0 };
    open.set(path, count);
    count.now += 1;
    count.peak = Math.max(count.peak, count.now);
    response.on("close", () => {
      count.now -= 1;
    });
    const body = await text(request);
    received.push({ path, headers: request.headers as Record<string, string>, body });
    const how = answers.get(path) ?? 204;
    if (typeof how === "number") response.writeHead(how).end();
    else how(request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const at = (path: string) => received.filter((message) => message.path === path);
  return {
    host,
    url: `http://${host}`,
    received,
    count: (path) => at(path).length,
    peak: (path) => open.get(path)?.peak ?? 0,
    async messages(path, count) {
      await vi.waitFor(() => expect(at(path).length).toBeGreaterThanOrEqual(count), PATIENCE);
      return at(path);
    },
    answer: (path, how) => void answers.set(path, how),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

interface Deliveries extends AsyncDisposable {
  log: string[];
}

/** A worker's webhook delivery with its own connections, as in another process. */
export function startDeliveries(
  { database: { url }, dataDir }: TestService,
  { allowHosts, resolve }: { allowHosts: string; resolve?: Resolve },
): Deliveries {
  const log: string[] = [];
  const logger = createLogger("debug", { write: (line) => log.push(line) });
  const database = openDatabase({ connectionString: url, poolSize: 4, onError: () => {} });
  const config = readConfig({ ERRAND_DATA_DIR: dataDir, ERRAND_ALLOW_HOSTS: allowHosts }, dataDir);
  const set = createWebhookDeliveries({
    database,
    config,
    clock: systemClock,
    logger,
    ...(resolve === undefined ? {} : { resolve }),
  });
  const jobs = startJobs({ ...set, connectionString: url, logger });
  return {
    log,
    async [Symbol.asyncDispose]() {
      await jobs[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}

// biome-ignore lint/suspicious/noExplicitAny: tests inspect responses of any shape
type AnyBody = any;

/** An application's webhooks over real HTTP. Every response is checked against the OpenAPI document. */
export interface WebhookApi {
  /** `path` follows `/webhooks` and contains ids; `template` is the same with their names. */
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer<AnyBody>>;
  created(body: { url: string; events?: string[] }): Promise<{ webhook: Webhook; secret: string }>;
  deliveries(webhookId: string): Promise<WebhookDelivery[]>;
  /** The only delivery, once it matches. */
  delivery(webhookId: string, state: WebhookDelivery["state"]): Promise<WebhookDelivery>;
}

export function createWebhookApi(
  url: string,
  { applicationId, clientSecret }: { applicationId: string; clientSecret: string | null },
): WebhookApi {
  const authorization = `Basic ${Buffer.from(`${applicationId}:${clientSecret ?? ""}`).toString("base64")}`;
  const base = "/v1/applications/{applicationId}/webhooks";

  const call: WebhookApi["call"] = async (method, path, body, headers = {}) => {
    const response = await fetch(`${url}/v1/applications/${applicationId}/webhooks${path}`, {
      method,
      headers: { authorization, ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const answered = await response.text();
    const parsed = answered === "" ? null : JSON.parse(answered);
    expectContract(base + toTemplate(path), method, response.status, parsed);
    return { status: response.status, headers: response.headers, body: parsed };
  };

  async function deliveries(webhookId: string): Promise<WebhookDelivery[]> {
    const { status, body } = await call("GET", `/${webhookId}/deliveries`);
    expect(status, JSON.stringify(body)).toBe(200);
    return body.deliveries;
  }

  return {
    call,
    deliveries,
    async created(request) {
      const { status, body } = await call("POST", "", request);
      expect(status, JSON.stringify(body)).toBe(201);
      return body;
    },
    async delivery(webhookId, state) {
      const found = await vi.waitFor(async () => {
        const all = await deliveries(webhookId);
        expect(all.map((delivery) => delivery.state)).toEqual([state]);
        return all[0];
      }, PATIENCE);
      if (found === undefined) throw new Error("there is no delivery");
      return found;
    },
  };
}

function toTemplate(path: string): string {
  const [plain = ""] = path.split("?");
  return plain.replace(/^\/[^/]+/, "/{webhookId}").replace(/\/deliveries\/[^/]+/, "/deliveries/{deliveryId}");
}

/** Makes everything pending due now. */
export async function hurry({ database }: TestService): Promise<void> {
  await database.query("update graphile_worker._private_jobs set run_at = now() where run_at > now()");
  await database.query(`notify "jobs:insert", '{"r":"test","count":1}'`);
}

/** Delays all attempts until `hurry`, and waits for those in progress. */
export async function hold({ database }: TestService): Promise<void> {
  await vi.waitFor(async () => {
    await database.query(
      "update graphile_worker._private_jobs set run_at = now() + interval '1 hour' where key like 'webhook %' and locked_at is null",
    );
    const underWay = await database.query(
      "select id from graphile_worker.jobs where key like 'webhook %' and locked_at is not null",
    );
    expect(underWay).toEqual([]);
  }, PATIENCE);
}
