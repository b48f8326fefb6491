import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../lib/logger.ts";
import { countDelivery } from "./delivery-metrics.ts";
import type { DeliveryStore, DueDelivery, Verdict } from "./delivery-store.ts";
import type { Lanes } from "./lanes.ts";
import { writeMessageBody } from "./message-body.ts";
import { writeMessageId } from "./message-id.ts";
import { waitAfter } from "./retry-schedule.ts";
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

/** How soon a message is tried again that found its webhook busy. */
const BUSY_MS = 2_000;
const GONE = 410;

/** Tries to deliver one message, once, and notes what came of it. */
export async function deliver(
  deliveryId: string,
  dependencies: DeliveryDependencies,
  signal: AbortSignal,
): Promise<void> {
  const { store, lanes, clock, logger } = dependencies;
  const delivery = await store.findDue(deliveryId);
  if (delivery === null) return;
  using lane = lanes.enter(delivery.webhookId);
  if (lane === null) return store.postpone(deliveryId, BUSY_MS);
  const at = clock.now();
  const startedMs = performance.now();
  const answer = await attempt(delivery, at, dependencies, signal);
  const durationMs = Math.round(performance.now() - startedMs);
  lanes.remember(delivery.webhookId, answer.kind === "answered");
  const error = findFault(answer);
  const status = answer.kind === "answered" ? answer.status : null;
  const verdict = judge(answer, delivery.attempts + 1);
  await store.record(deliveryId, { at, status, durationMs, error }, verdict);
  countDelivery(verdict);
  if (status === GONE) await store.disableGone(delivery.webhookId);
  logger.info(
    {
      webhook_id: delivery.webhookId,
      delivery_id: deliveryId,
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
    ? "The receiver answered 410: the webhook is disabled now."
    : `The receiver answered ${status}; 200 to 299 means that it has the message.`;
}

function judge(answer: Answer, attempts: number): Verdict {
  if (answer.kind === "answered" && isSuccess(answer.status)) return { state: "delivered" };
  const retryInMs = waitAfter(attempts);
  const isGone = answer.kind === "answered" && answer.status === GONE;
  return isGone || retryInMs === null ? { state: "failed" } : { state: "pending", retryInMs };
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}
