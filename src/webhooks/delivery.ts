import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../lib/logger.ts";
import { countDelivery } from "./delivery-metrics.ts";
import type { DeliverySlots } from "./delivery-slots.ts";
import { formatMessageId, type Message, serializeMessage, signMessage } from "./message.ts";
import { holdMsAfter, MAX_AGE_MS, readRetryAfter, retryDelayMs } from "./retry-schedule.ts";
import type { SendMessage, SendResult } from "./send-message.ts";
import type { AttemptRecord } from "./webhook.ts";
import { type SealedSecret, type SecretSeal, SecretUnreadable } from "./webhook-secret.ts";

export interface DeliveryDependencies {
  store: DeliveryStore;
  seal: Pick<SecretSeal, "open">;
  send: SendMessage;
  lanes: DeliverySlots;
  clock: Clock;
  logger: Logger;
}

/** How soon a message is tried again that found no room. */
const BUSY_RETRY_MS = 2_000;
/** Of a webhook that is held, in one statement. */
const MAX_POSTPONED = 5_000;
/** An answer that takes longer is as much of a burden as none. */
const SLOW_MS = 5_000;
const GONE_STATUS = 410;
const ASKS_TO_WAIT = new Set([429, 503]);

/** Tries to deliver one message, once, and notes what came of it. */
export async function deliver(
  deliveryId: string,
  dependencies: DeliveryDependencies,
  signal: AbortSignal,
): Promise<void> {
  const { store, lanes } = dependencies;
  const delivery = await store.findDue(deliveryId, MAX_AGE_MS);
  if (delivery === null) return;
  if (delivery.isTooOld) return giveUp(delivery, dependencies);
  const isAsked = delivery.message.type === "ping";
  const { webhookId, message } = delivery;
  if (delivery.isHeld && !isAsked) return postponeHeld(delivery, store);
  using lane = lanes.enter({ webhookId, applicationId: message.applicationId });
  if (lane === null) return store.postpone(deliveryId, BUSY_RETRY_MS);
  const holdMs = isAsked ? null : holdMsAfter(delivery.unanswered);
  if (holdMs !== null) {
    if (!(await store.holdForProbe(webhookId, holdMs))) return postponeHeld(delivery, store);
    await store.putOffHeld(webhookId, MAX_POSTPONED);
  }
  await tryOnce(delivery, dependencies, signal);
}

/** With others that wait for the same webhook, so that they are not looked at one by one. */
async function postponeHeld({ id, webhookId }: DueDelivery, store: DeliveryStore): Promise<void> {
  await store.putOffHeld(webhookId, MAX_POSTPONED);
  await store.postponeHeld(id);
}

async function giveUp(delivery: DueDelivery, { store, logger }: DeliveryDependencies): Promise<void> {
  await store.giveUp(delivery);
  countDelivery("failed");
  const about = { webhook_id: delivery.webhookId, delivery_id: delivery.id, type: delivery.message.type };
  logger.info(about, "a webhook message was given up: it has waited for too long");
}

async function tryOnce(delivery: DueDelivery, dependencies: DeliveryDependencies, signal: AbortSignal): Promise<void> {
  const { store, lanes, clock, logger } = dependencies;
  const at = clock.now();
  const startedMs = performance.now();
  const answer = await attempt(delivery, at, dependencies, signal);
  const durationMs = Math.round(performance.now() - startedMs);
  const error = describeFailure(answer);
  const status = answer.kind === "answered" ? answer.status : null;
  const waitMs = readRequestedWait(answer, clock.now());
  const isSlow = answer.kind === "no answer" || durationMs > SLOW_MS || waitMs !== null;
  lanes.remember(delivery.webhookId, isSlow);
  // One that refuses slowly is a burden like one that is silent; one that is told when to come back has answered.
  const hasAnswered = !isSlow || error === null || waitMs !== null;
  const holdMs = waitMs ?? (hasAnswered ? null : holdMsAfter(delivery.unanswered + 1));
  const verdict = decideVerdict(answer, delivery.attempts + 1, waitMs ?? 0);
  await store.record(delivery, { at, status, durationMs, error }, verdict, { hasAnswered, holdMs });
  countDelivery(verdict.state === "gone" ? "failed" : verdict.state);
  logger.info(
    {
      webhook_id: delivery.webhookId,
      delivery_id: delivery.id,
      type: delivery.message.type,
      status,
      duration_ms: durationMs,
    },
    error === null ? "a webhook message was delivered" : `a webhook message was not delivered: ${error}`,
  );
}

async function attempt(
  delivery: DueDelivery,
  sentAt: Date,
  { seal, send }: DeliveryDependencies,
  signal: AbortSignal,
): Promise<SendResult> {
  const body = serializeMessage(delivery.message);
  try {
    const secrets = delivery.secrets.map((sealed) => seal.open(delivery.webhookId, sealed));
    const signed = signMessage({ id: formatMessageId(delivery.id), sentAt, body }, secrets);
    const headers = { ...signed, "content-type": "application/json", "user-agent": "Errand-Webhooks" };
    return await send({ url: delivery.url, headers, body }, signal);
  } catch (error) {
    if (!(error instanceof SecretUnreadable)) throw error;
    return { kind: "no answer", reason: error.message };
  }
}

function describeFailure(answer: SendResult): string | null {
  if (answer.kind === "no answer") return answer.reason;
  const { status } = answer;
  if (isSuccess(status)) return null;
  if (status >= 300 && status < 400) {
    return `The receiver answered ${status}. Redirects are not followed: give the webhook the address that it leads to.`;
  }
  return status === GONE_STATUS
    ? "The receiver answered 410, which says that it is gone: the webhook is disabled, unless it has another address by now."
    : `The receiver answered ${status}; 200 to 299 means that it has the message.`;
}

/** How long the receiver asks to be left alone. */
function readRequestedWait(answer: SendResult, now: Date): number | null {
  const mayAsk = answer.kind === "answered" && ASKS_TO_WAIT.has(answer.status);
  return mayAsk ? readRetryAfter(answer.retryAfter, now) : null;
}

function decideVerdict(answer: SendResult, attempts: number, atLeastMs: number): DeliveryVerdict {
  if (answer.kind === "answered" && isSuccess(answer.status)) return { state: "delivered" };
  const waitMs = retryDelayMs(attempts);
  const verdict: DeliveryVerdict =
    waitMs === null ? { state: "failed" } : { state: "pending", retryInMs: Math.max(waitMs, atLeastMs) };
  const isGone = answer.kind === "answered" && answer.status === GONE_STATUS;
  return isGone ? { state: "gone", otherwise: verdict } : verdict;
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/** A message that waits to be sent. */
export interface DueDelivery {
  readonly id: string;
  readonly webhookId: string;
  readonly url: string;
  /** The newest first; those that still sign. */
  readonly secrets: readonly SealedSecret[];
  /** Names the series of attempts: sending a message again begins another. */
  readonly series: string;
  /** Of this series, so far. */
  readonly attempts: number;
  /** The series has lasted long enough. */
  readonly isTooOld: boolean;
  /** The webhook's attempts in a row, of any of its messages, without an answer. */
  readonly unanswered: number;
  readonly isHeld: boolean;
  readonly message: Message;
}

export type DeliveryVerdict =
  | { readonly state: "delivered" | "failed" }
  | { readonly state: "pending"; readonly retryInMs: number }
  /** The receiver says that it is gone for good: nothing more is sent, and what waits is canceled. */
  | { readonly state: "gone" /** When the webhook has another address by now. */; readonly otherwise: DeliveryVerdict };

/** What an attempt says about the webhook as a whole. */
export interface WebhookHealth {
  readonly hasAnswered: boolean;
  /** All its messages wait so long; null when they need not. */
  readonly holdMs: number | null;
}

export interface DeliveryStore {
  /** Null when there is nothing to send any more. What it would tell of may be gone, or the webhook disabled: then it is canceled. */
  findDue(deliveryId: string, maxAgeMs: number): Promise<DueDelivery | null>;
  /** Fails one without another attempt. */
  giveUp(delivery: DueDelivery): Promise<void>;
  /** Notes an attempt and what follows from it; one that is to be repeated has its job, all in one transaction. */
  record(
    delivery: DueDelivery,
    attempt: AttemptRecord,
    verdict: DeliveryVerdict,
    bearing: WebhookHealth,
  ): Promise<void>;
  /** Has it tried later, without counting this as an attempt. */
  postpone(deliveryId: string, byMs: number): Promise<void>;
  /** Holds a webhook's messages, so that one is tried alone; false when somebody else does just that. */
  holdForProbe(webhookId: string, holdMs: number): Promise<boolean>;
  /** Has what waits for a webhook that is held tried when it is no longer: so many, the first. */
  putOffHeld(webhookId: string, limit: number): Promise<void>;
  /** The same for one whose job is being done. */
  postponeHeld(deliveryId: string): Promise<void>;
  /** Gives those a job that are overdue and have none, or whose job was being done by a process that died. Answers how many. */
  requeueLost(overdueMs: number, limit: number): Promise<number>;
  /** Forgets secrets that sign no more, and some of the log that is older; answers how many of it. What waits is kept. */
  forgetOld(olderThanMs: number, limit: number): Promise<number>;
}
