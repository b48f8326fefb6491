import { writeMessageId } from "../webhooks/message-id.ts";
import type { DeliveryRecord, WebhookRecord } from "../webhooks/webhook.ts";

export function describeSecret(secret: string): string {
  return `  secret  ${secret}   (shown once: keep it safe)`;
}

export function describeWebhooks(webhooks: readonly WebhookRecord[]): string[] {
  if (webhooks.length === 0) return ['There are no webhooks yet. "errand webhook create --help" says how to make one.'];
  return webhooks.flatMap(({ id, url, events, disabled }) => [
    `${id}  ${url}`,
    `  ${events === null ? "all events" : events.join(", ")}${disabled === null ? "" : `, ${describeDisabled(disabled)}`}`,
  ]);
}

export function describeDeliveries(deliveries: readonly DeliveryRecord[]): string[] {
  if (deliveries.length === 0) return ["Nothing was sent in the last 30 days, and nothing waits."];
  return deliveries.flatMap((delivery) => [
    `${writeMessageId(delivery.id)}  ${toMinute(delivery.createdAt)}  ${delivery.state.padEnd(9)}  ${delivery.type}`,
    ...describeLastAttempt(delivery),
  ]);
}

function describeDisabled({ at, reason }: NonNullable<WebhookRecord["disabled"]>): string {
  return `disabled since ${toMinute(at)}${reason === "gone" ? ", when its receiver said 410" : ""}`;
}

/** Only what asks for attention. */
function describeLastAttempt({ attempts, nextAttemptAt }: DeliveryRecord): string[] {
  const [last] = attempts;
  if (last === undefined || last.error === null) return [];
  const again = nextAttemptAt === null ? "" : ` Again at ${toMinute(nextAttemptAt)}.`;
  return [`  after ${attempts.length === 1 ? "one attempt" : `${attempts.length} attempts`}: ${last.error}${again}`];
}

/** In UTC, as everything that is printed. */
function toMinute(date: Date): string {
  return date.toISOString().slice(0, 16).replace("T", " ");
}
