import { expect, vi } from "vitest";
import type { Resolve } from "../../src/lib/name-resolution.ts";
import { type Api, createApi } from "./api.ts";
import { startTestService, type TestService } from "./service.ts";
import {
  createWebhookApi,
  PATIENCE,
  type Receiver,
  startDeliveries,
  startReceiver,
  type WebhookApi,
} from "./webhooks.ts";

export const CONFIDENTIAL = { registration: { type: "confidential" as const } };

/** A service that delivers its messages, one of its applications, and a receiver that it may reach. */
export interface WebhookStage extends AsyncDisposable {
  receiver: Receiver;
  service: TestService;
  api: Api;
  webhooks: WebhookApi;
  /** A webhook with its own path. */
  register(events?: string[]): Promise<Registered>;
  ping(id: string): Promise<{ id: string }>;
  /** The webhook's newest message, once it has been tried. */
  attempted(id: string): Promise<Awaited<ReturnType<WebhookApi["deliveries"]>>[number] | undefined>;
}

interface Registered extends Awaited<ReturnType<WebhookApi["created"]>> {
  path: string;
  id: string;
}

/** A resolver that does not know the name. */
export const nobodyKnows: Resolve = () => Promise.reject(Object.assign(new Error(), { code: "ENOTFOUND" }));

export async function setWebhookStage(resolve: Resolve = nobodyKnows): Promise<WebhookStage> {
  await using parts = new AsyncDisposableStack();
  const receiver = parts.use(await startReceiver());
  const service = parts.use(await startTestService({ settings: { ERRAND_ALLOW_HOSTS: receiver.host } }));
  parts.use(startDeliveries(service, { allowHosts: receiver.host, resolve }));
  const connection = await service.connect(CONFIDENTIAL);
  const webhooks = createWebhookApi(service.url, connection);
  let paths = 0;
  const owned = parts.move();
  return {
    receiver,
    service,
    api: createApi(service.url, connection),
    webhooks,
    async register(events) {
      const path = `/hook-${++paths}`;
      const url = receiver.url + path;
      const created = await webhooks.created({ url, ...(events === undefined ? {} : { events }) });
      return { ...created, path, id: created.webhook.id };
    },
    async ping(id) {
      const { status, body } = await webhooks.call("POST", `/${id}/ping`);
      expect(status, JSON.stringify(body)).toBe(202);
      return body.delivery as { id: string };
    },
    attempted: (id) =>
      vi.waitFor(async () => {
        const [delivery] = await webhooks.deliveries(id);
        expect(delivery?.attempts).not.toEqual([]);
        return delivery;
      }, PATIENCE),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
