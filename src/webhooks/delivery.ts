import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../lib/logger.ts";
import { countDelivery } from "./delivery-metrics.ts";
import type { DeliverySlots } from "./delivery-slots.ts";
import { formatMessageId, type InteractionWire, type Message, serializeMessage, signMessage } from "./message.ts";
import { holdMsAfter, MAX_AGE_MS, readRetryAfter, retryDelayMs } from "./retry-schedule.ts";
import type { SendMessage, SendResult } from "./send-message.ts";
import type { AttemptRecord } from "./webhook.ts";
import { type SealedSecret, type SecretSeal, SecretUnreadable } from "./webhook-secret.ts";

export interface DeliveryDependencies {
  store: DeliveryStore;
  seal: Pick<SecretSeal, "open">;
  send: SendMessage;
  slots: DeliverySlots;
  toInteraction: InteractionWire;
  clock: Clock;
  logger: Logger;
}

/** Retry delay for a message that found no free slot. */
const BUSY_RETRY_MS = 2_000;
/** Messages of a held webhook that one statement postpones. */
const MAX_POSTPONED = 5_000;
/** A slower response counts against the receiver like a missing one. */
const SLOW_MS = 5_000;
const GONE_STATUS = 410;
const RETRY_AFTER_STATUSES = new Set([429, 503]);

/** Tries to deliver one message once and records the result. */
export async function deliver(
  deliveryId: string,
  dependencies: DeliveryDependencies,
  signal: AbortSignal,
): Promise<void> {
  const { store, slots } = dependencies;
  const delivery = await store.findDue(deliveryId, MAX_AGE_MS);
  if (delivery === null) return;
  if (delivery.isTooOld) return giveUp(delivery, dependencies);
  const isPing = delivery.message.type === "ping";
  const { webhookId, message } = delivery;
  if (delivery.isHeld && !isPing) return postponeHeld(delivery, store);
  using slot = slots.take({ webhookId, applicationId: message.applicationId });
  if (slot === null) return store.postpone(deliveryId, BUSY_RETRY_MS);
  const holdMs = isPing ? null : holdMsAfter(delivery.unanswered);
  if (holdMs !== null) {
    if (!(await store.holdForProbe(webhookId, holdMs))) return postponeHeld(delivery, store);
    await store.postponeAllHeld(webhookId, MAX_POSTPONED);
  }
  await tryOnce(delivery, dependencies, signal);
}

/** Together with the webhook's other waiting messages, so that they are not processed one by one. */
async function postponeHeld({ id, webhookId }: DueDelivery, store: DeliveryStore): Promise<void> {
  await store.postponeAllHeld(webhookId, MAX_POSTPONED);
  await store.postponeHeld(id);
}

async function giveUp(delivery: DueDelivery, { store, logger }: DeliveryDependencies): Promise<void> {
  await store.giveUp(delivery);
  countDelivery("failed");
  const about = { webhook_id: delivery.webhookId, delivery_id: delivery.id, type: delivery.message.type };
  logger.info(about, "Gave up on a webhook message: it was not delivered in time");
}

async function tryOnce(delivery: DueDelivery, dependencies: DeliveryDependencies, signal: AbortSignal): Promise<void> {
  const { store, slots, clock, logger } = dependencies;
  const at = clock.now();
  const startedMs = performance.now();
  const result = await attempt(delivery, at, dependencies, signal);
  const durationMs = Math.round(performance.now() - startedMs);
  const error = describeFailure(result);
  const status = result.kind === "responded" ? result.status : null;
  const waitMs = readRequestedWait(result, clock.now());
  const isSlow = result.kind === "no response" || durationMs > SLOW_MS || waitMs !== null;
  slots.recordSpeed(delivery.webhookId, isSlow);
  // A slow error response counts as no response; a response with Retry-After counts as one.
  const hasResponded = !isSlow || error === null || waitMs !== null;
  const holdMs = waitMs ?? (hasResponded ? null : holdMsAfter(delivery.unanswered + 1));
  const verdict = decideVerdict(result, delivery.attempts + 1, waitMs ?? 0);
  await store.record(delivery, { at, status, durationMs, error }, verdict, { hasResponded, holdMs });
  countDelivery(verdict.state === "gone" ? "failed" : verdict.state);
  logger.info(
    {
      webhook_id: delivery.webhookId,
      delivery_id: delivery.id,
      type: delivery.message.type,
      status,
      duration_ms: durationMs,
    },
    error === null ? "Delivered a webhook message" : `Could not deliver a webhook message: ${error}`,
  );
}

async function attempt(
  delivery: DueDelivery,
  sentAt: Date,
  { seal, send, toInteraction }: DeliveryDependencies,
  signal: AbortSignal,
): Promise<SendResult> {
  const body = serializeMessage(delivery.message, toInteraction);
  try {
    const secrets = delivery.secrets.map((sealed) => seal.open(delivery.webhookId, sealed));
    const signed = signMessage({ id: formatMessageId(delivery.id), sentAt, body }, secrets);
    const headers = { ...signed, "content-type": "application/json", "user-agent": "Errand-Webhooks" };
    return await send({ url: delivery.url, headers, body }, signal);
  } catch (error) {
    if (!(error instanceof SecretUnreadable)) throw error;
    return { kind: "no response", reason: error.message };
  }
}

function describeFailure(result: SendResult): string | null {
  if (result.kind === "no response") return result.reason;
  const { status } = result;
  if (isSuccess(status)) return null;
  if (status >= 300 && status < 400) {
    return `The receiver responded with ${status}. Redirects are not followed: set the webhook's URL to the redirect's target.`;
  }
  return status === GONE_STATUS
    ? "The receiver responded with 410 (gone), so the webhook is disabled, unless its URL has changed in the meantime."
    : `The receiver responded with ${status}. A status from 200 to 299 acknowledges the message.`;
}

/** How long the receiver asks to wait. */
function readRequestedWait(result: SendResult, now: Date): number | null {
  const mayAsk = result.kind === "responded" && RETRY_AFTER_STATUSES.has(result.status);
  return mayAsk ? readRetryAfter(result.retryAfter, now) : null;
}

function decideVerdict(result: SendResult, attempts: number, atLeastMs: number): DeliveryVerdict {
  if (result.kind === "responded" && isSuccess(result.status)) return { state: "delivered" };
  const waitMs = retryDelayMs(attempts);
  const verdict: DeliveryVerdict =
    waitMs === null ? { state: "failed" } : { state: "pending", retryInMs: Math.max(waitMs, atLeastMs) };
  const isGone = result.kind === "responded" && result.status === GONE_STATUS;
  return isGone ? { state: "gone", otherwise: verdict } : verdict;
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/** A message that is due to be sent. */
export interface DueDelivery {
  readonly id: string;
  readonly webhookId: string;
  readonly url: string;
  /** Newest first; only those that still sign. */
  readonly secrets: readonly SealedSecret[];
  /** Identifies the series of attempts: resending a message starts a new series. */
  readonly series: string;
  /** Attempts of this series so far. */
  readonly attempts: number;
  /** The series has exceeded the maximum age. */
  readonly isTooOld: boolean;
  /** Consecutive attempts without a response, over all messages of the webhook. */
  readonly unanswered: number;
  readonly isHeld: boolean;
  readonly message: Message;
}

export type DeliveryVerdict =
  | { readonly state: "delivered" | "failed" }
  | { readonly state: "pending"; readonly retryInMs: number }
  /** The receiver is gone for good: the webhook is disabled and its waiting messages are canceled. */
  | {
      readonly state: "gone" /** Applies when the webhook's URL has changed in the meantime. */;
      readonly otherwise: DeliveryVerdict;
    };

/** What an attempt reveals about the webhook as a whole. */
export interface WebhookHealth {
  readonly hasResponded: boolean;
  /** How long all its messages are held; null when they need not be. */
  readonly holdMs: number | null;
}

export interface DeliveryStore {
  /** Null when there is nothing left to send. Cancels it when its subject was deleted or the webhook is disabled. */
  findDue(deliveryId: string, maxAgeMs: number): Promise<DueDelivery | null>;
  /** Marks it as failed without another attempt. */
  giveUp(delivery: DueDelivery): Promise<void>;
  /** Records an attempt and its consequences, including the job for a retry, in one transaction. */
  record(
    delivery: DueDelivery,
    attempt: AttemptRecord,
    verdict: DeliveryVerdict,
    bearing: WebhookHealth,
  ): Promise<void>;
  /** Schedules it for later without counting an attempt. */
  postpone(deliveryId: string, byMs: number): Promise<void>;
  /** Holds the webhook's messages so that one is tried alone; false when another process is already doing that. */
  holdForProbe(webhookId: string, holdMs: number): Promise<boolean>;
  /** Schedules up to `limit` waiting messages of a held webhook for the end of the hold. */
  postponeAllHeld(webhookId: string, limit: number): Promise<void>;
  /** The same for a message whose job is running. */
  postponeHeld(deliveryId: string): Promise<void>;
  /** Creates jobs for overdue messages that have none, or whose job was run by a process that died. Returns how many. */
  requeueLost(overdueMs: number, limit: number): Promise<number>;
  /** Deletes expired secrets and old log entries, except waiting messages. Returns how many log entries. */
  forgetOld(olderThanMs: number, limit: number): Promise<number>;
}
