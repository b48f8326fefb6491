import type { CreateWebhook, UpdateWebhook } from "../contract/webhook.ts";
import { CallerError } from "../lib/errors.ts";
import { parseHostPattern } from "../lib/hosts.ts";
import { isStorableText } from "../lib/storable.ts";
import { parseUuid } from "../lib/uuid.ts";
import { parseMessageId } from "./message.ts";
import { findReceiverUrlProblem } from "./receiver-url.ts";
import type { DeliveryRecord, WebhookRecord, WebhookStore } from "./webhook.ts";
import { formatWebhookSecret, mintWebhookSecret, type SecretSeal } from "./webhook-secret.ts";

/** Managing an application's webhooks. Another application's webhook is reported as not found. */
export interface Webhooks {
  create(applicationId: string, request: CreateWebhook): Promise<{ webhook: WebhookRecord; secret: string }>;
  /** Oldest first. */
  list(applicationId: string): Promise<WebhookRecord[]>;
  get(applicationId: string, webhookId: string): Promise<WebhookRecord>;
  /** For operators: a webhook of any application. */
  getAny(webhookId: string): Promise<WebhookRecord>;
  change(applicationId: string, webhookId: string, changes: UpdateWebhook): Promise<WebhookRecord>;
  /** Also deletes its deliveries: waiting messages are not sent. */
  delete(applicationId: string, webhookId: string): Promise<void>;
  /** Both secrets sign for a day. Rotating again within that day needs `force` and ends the older secret at once. */
  rotateSecret(
    applicationId: string,
    webhookId: string,
    force: boolean,
  ): Promise<{ webhook: WebhookRecord; secret: string }>;
  ping(applicationId: string, webhookId: string): Promise<DeliveryRecord>;
  /** Newest first; all, or only undelivered ones. */
  listDeliveries(
    applicationId: string,
    webhookId: string,
    page: { limit: number; after: string | null; undelivered?: boolean },
  ): Promise<{ deliveries: DeliveryRecord[]; hasMore: boolean }>;
  /** Sends it again at once under the same id, whatever its state. */
  resend(applicationId: string, webhookId: string, deliveryId: string): Promise<DeliveryRecord>;
}

interface WebhooksDependencies {
  store: WebhookStore;
  seal: SecretSeal;
  /** Hosts that may have private addresses and may use http. */
  allowHosts: readonly string[];
}

const MAX_PER_APPLICATION = 20;
const PREVIOUS_SECRET_MS = 24 * 3_600_000;
const MAX_PINGS = 60;
const PINGS_WITHIN_MS = 60_000;

export function createWebhooks({ store, seal, allowHosts }: WebhooksDependencies): Webhooks {
  const allowedPrivate = allowHosts.map(parseHostPattern).filter((pattern) => pattern !== null);

  async function getAny(webhookId: string): Promise<WebhookRecord> {
    const id = parseUuid(webhookId);
    return requireFound(id === null ? null : await store.find(id));
  }

  async function get(applicationId: string, webhookId: string): Promise<WebhookRecord> {
    const webhook = await getAny(webhookId);
    return requireFound(webhook.applicationId === applicationId ? webhook : null);
  }

  /** Validates the fields and normalizes the URL. */
  function check<Fields extends Pick<UpdateWebhook, "url" | "description">>(fields: Fields): Fields {
    const { url, description } = fields;
    const problem = url === undefined ? null : findReceiverUrlProblem(url, allowedPrivate);
    if (problem !== null) throw invalidField("url", problem);
    const isFine = description === undefined || description === null || isStorableText(description);
    if (!isFine) throw invalidField("description", "must not contain NUL characters or lone surrogates");
    return url === undefined ? fields : { ...fields, url: new URL(url).href };
  }

  return {
    get,
    getAny,
    list: (applicationId) => store.list(applicationId),

    async create(applicationId, request) {
      const { url, description = null, events = null } = check(request);
      const id = await store.newId();
      const secret = mintWebhookSecret();
      const sealed = seal.seal(id, secret);
      const webhook = await store.insert(
        { id, applicationId, url, description, events, secret: sealed },
        MAX_PER_APPLICATION,
      );
      if (webhook === null) {
        throw new CallerError(
          "INVALID_REQUEST",
          `An application can have at most ${MAX_PER_APPLICATION} webhooks. Delete one that is no longer used.`,
        );
      }
      return { webhook, secret: formatWebhookSecret(secret) };
    },

    async change(applicationId, webhookId, changes) {
      const { id } = await get(applicationId, webhookId);
      return requireFound(await store.update(id, check(changes)));
    },

    async delete(applicationId, webhookId) {
      const { id } = await get(applicationId, webhookId);
      await store.delete(id);
    },

    async rotateSecret(applicationId, webhookId, force) {
      const { id } = await get(applicationId, webhookId);
      const secret = mintWebhookSecret();
      const webhook = await store.replaceSecret(id, seal.seal(id, secret), PREVIOUS_SECRET_MS, force);
      if (webhook === null) throw justRotated(await get(applicationId, webhookId));
      return { webhook, secret: formatWebhookSecret(secret) };
    },

    async ping(applicationId, webhookId) {
      const { id } = await get(applicationId, webhookId);
      if ((await store.countPings(applicationId, PINGS_WITHIN_MS)) >= MAX_PINGS) {
        const message = `An application can send ${MAX_PINGS} pings per minute. Try again later.`;
        throw new CallerError("RATE_LIMITED", message, { retryAfterSeconds: PINGS_WITHIN_MS / 1_000 });
      }
      const delivery = await store.ping(id);
      if (delivery === null) throw webhookDisabled();
      return delivery;
    },

    async listDeliveries(applicationId, webhookId, { limit, after, undelivered = false }) {
      const { id } = await get(applicationId, webhookId);
      const afterId = after === null ? null : parseMessageId(after);
      const isCursor = after === null || afterId !== null;
      const deliveries = isCursor
        ? await store.listDeliveries(id, { limit: limit + 1, after: afterId, undelivered })
        : null;
      if (deliveries === null) {
        throw new CallerError("INVALID_CURSOR", "`after` must be the id of a delivery of this webhook.", {
          details: [{ path: "after", message: "must be the id of a delivery of this webhook" }],
        });
      }
      return { deliveries: deliveries.slice(0, limit), hasMore: deliveries.length > limit };
    },

    async resend(applicationId, webhookId, deliveryId) {
      const webhook = await get(applicationId, webhookId);
      const id = parseMessageId(deliveryId);
      const known = id === null ? null : await store.findDelivery(webhook.id, id);
      if (known === null) throw deliveryNotFound();
      if (!(await store.resend(webhook.id, known.id))) throw webhookDisabled();
      const again = await store.findDelivery(webhook.id, known.id);
      if (again === null) throw deliveryNotFound();
      return again;
    },
  };
}

function requireFound(webhook: WebhookRecord | null): WebhookRecord {
  if (webhook === null) throw new CallerError("NOT_FOUND", "There is no webhook with this id.");
  return webhook;
}

function deliveryNotFound(): CallerError {
  return new CallerError("NOT_FOUND", "This webhook has no delivery with this id. The log goes back 30 days.");
}

function justRotated({ previousSecretUntil }: WebhookRecord): CallerError {
  const until = previousSecretUntil === null ? "" : ` until ${previousSecretUntil.toISOString()}`;
  return new CallerError(
    "SECRET_JUST_ROTATED",
    `The secret was rotated within the last 24 hours. The previous secret also signs${until}; rotating again ends it at once. Wait until then, or use force.`,
  );
}

function webhookDisabled(): CallerError {
  return new CallerError("INVALID_REQUEST", "This webhook is disabled. Enable it first.");
}

function invalidField(path: string, message: string): CallerError {
  return new CallerError("INVALID_REQUEST", `The request is not valid: ${path} ${message}.`, {
    details: [{ path, message }],
  });
}
