import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../lib/logger.ts";
import { countDelivery } from "./delivery-metrics.ts";
import type { DeliveryStore, DueDelivery, Verdict } from "./delivery-store.ts";
import type { Lanes } from "./lanes.ts";
import { writeMessageBody } from "./message-body.ts";
import { writeMessageId } from "./message-id.ts";
import { holdAfter, MAX_AGE_MS, readRetryAfter, waitAfter } from "./retry-schedule.ts";
import type { Answer, SendMessage } from "./send-message.ts";
import { signMessage } from "./signature.ts";
import { type SecretSeal, SecretUnreadable } from "./webhook-secret.ts";

export interface DeliveryDependencies {
  store: DeliveryStore;
  seal: Pick<SecretSeal, "open">;
  send: SendMessage;
  lanes: Lanes;
  clock: Clock;
  logger: Logger;
}

/** How soon a message is tried again that found no room. */
const BUSY_MS = 2_000;
/** Of a webhook that is held, in one statement. */
const MAX_PUT_OFF = 5_000;
/** An answer that takes longer is as much of a burden as none. */
const SLOW_MS = 5_000;
const GONE = 410;
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
  if (delivery.isHeld && !isAsked) return putOff(delivery, store);
  using lane = lanes.enter({ webhookId, applicationId: message.applicationId });
  if (lane === null) return store.postpone(deliveryId, BUSY_MS);
  const holdMs = isAsked ? null : holdAfter(delivery.unanswered);
  if (holdMs !== null) {
    if (!(await store.holdForProbe(webhookId, holdMs))) return putOff(delivery, store);
    await store.putOffHeld(webhookId, MAX_PUT_OFF);
  }
  await tryOnce(delivery, dependencies, signal);
}

/** With others that wait for the same webhook, so that they are not looked at one by one. */
async function putOff({ id, webhookId }: DueDelivery, store: DeliveryStore): Promise<void> {
  await store.putOffHeld(webhookId, MAX_PUT_OFF);
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
  const error = findFault(answer);
  const status = answer.kind === "answered" ? answer.status : null;
  const waitMs = readWait(answer, clock.now());
  const isSlow = answer.kind === "no answer" || durationMs > SLOW_MS || waitMs !== null;
  lanes.remember(delivery.webhookId, isSlow);
  // One that refuses slowly is a burden like one that is silent; one that is told when to come back has answered.
  const hasAnswered = !isSlow || error === null || waitMs !== null;
  const holdMs = waitMs ?? (hasAnswered ? null : holdAfter(delivery.unanswered + 1));
  const verdict = judge(answer, delivery.attempts + 1, waitMs ?? 0);
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
): Promise<Answer> {
  const body = writeMessageBody(delivery.message);
  try {
    const secrets = delivery.secrets.map((sealed) => seal.open(delivery.webhookId, sealed));
    const signed = signMessage({ id: writeMessageId(delivery.id), sentAt, body }, secrets);
    const headers = { ...signed, "content-type": "application/json", "user-agent": "Errand-Webhooks" };
    return await send({ url: delivery.url, headers, body }, signal);
  } catch (error) {
    if (!(error instanceof SecretUnreadable)) throw error;
    return { kind: "no answer", reason: error.message };
  }
}

function findFault(answer: Answer): string | null {
  if (answer.kind === "no answer") return answer.reason;
  const { status } = answer;
  if (isSuccess(status)) return null;
  if (status >= 300 && status < 400) {
    return `The receiver answered ${status}. Redirects are not followed: give the webhook the address that it leads to.`;
  }
  return status === GONE
    ? "The receiver answered 410, which says that it is gone: the webhook is disabled, unless it has another address by now."
    : `The receiver answered ${status}; 200 to 299 means that it has the message.`;
}

/** How long the receiver asks to be left alone. */
function readWait(answer: Answer, now: Date): number | null {
  const mayAsk = answer.kind === "answered" && ASKS_TO_WAIT.has(answer.status);
  return mayAsk ? readRetryAfter(answer.retryAfter, now) : null;
}

function judge(answer: Answer, attempts: number, atLeastMs: number): Verdict {
  if (answer.kind === "answered" && isSuccess(answer.status)) return { state: "delivered" };
  const waitMs = waitAfter(attempts);
  const verdict: Verdict =
    waitMs === null ? { state: "failed" } : { state: "pending", retryInMs: Math.max(waitMs, atLeastMs) };
  const isGone = answer.kind === "answered" && answer.status === GONE;
  return isGone ? { state: "gone", otherwise: verdict } : verdict;
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}
