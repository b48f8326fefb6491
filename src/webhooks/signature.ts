import { createHmac } from "node:crypto";

interface SignedMessage {
  /** The same in every attempt: whoever receives it twice knows it by this. */
  readonly id: string;
  readonly sentAt: Date;
  readonly body: string;
}

/** The headers of Standard Webhooks. With several secrets the message is signed by each: receivers know one of them. */
export function signMessage({ id, sentAt, body }: SignedMessage, secrets: readonly Buffer[]): Record<string, string> {
  const timestamp = String(Math.floor(sentAt.getTime() / 1_000));
  const signatures = secrets.map(
    (secret) => `v1,${createHmac("sha256", secret).update(`${id}.${timestamp}.${body}`).digest("base64")}`,
  );
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signatures.join(" ") };
}
