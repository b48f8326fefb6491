import type { WebhookMessage } from "./api.ts";
import { WebhookVerificationFailed } from "./errors.ts";

/** Of `fetch` (`Headers`), or of `node:http`, Express and the like (an object with names in lower case). */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface VerifyOptions {
  /** How old a message may be, and how far in the future, in seconds. Default: 300. */
  toleranceSeconds?: number;
  now?: Date;
}

const DEFAULT_TOLERANCE_SECONDS = 300;
const SECRET_PREFIX = "whsec_";

/**
 * Checks the signature of a message as Standard Webhooks defines it, and returns the message. `rawBody` is the body as it
 * arrived: JSON that was parsed and written again has other bytes. Several secrets are for the time in which one replaces the other.
 */
export async function verify(
  rawBody: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  { toleranceSeconds = DEFAULT_TOLERANCE_SECONDS, now = new Date() }: VerifyOptions = {},
): Promise<WebhookMessage> {
  const [id, timestamp, signatures] = ["id", "timestamp", "signature"].map((name) =>
    readHeader(headers, `webhook-${name}`),
  );
  if (!id || !timestamp || !signatures) {
    throw new WebhookVerificationFailed(
      "The headers webhook-id, webhook-timestamp and webhook-signature are required.",
    );
  }
  const ageSeconds = now.getTime() / 1_000 - Number(timestamp);
  if (!/^\d+$/.test(timestamp) || Math.abs(ageSeconds) > toleranceSeconds) {
    throw new WebhookVerificationFailed("The message is too old, or its timestamp is not that of this clock.");
  }
  const body = typeof rawBody === "string" ? new TextEncoder().encode(rawBody) : rawBody;
  const signed = concatenate(new TextEncoder().encode(`${id}.${timestamp}.`), body);
  const candidates = signatures
    .split(" ")
    .flatMap((entry) => (entry.startsWith("v1,") ? [fromBase64(entry.slice(3))] : []));
  const keys = await Promise.all([secret].flat().map(importKey));
  const checks = keys.flatMap((key) =>
    candidates.map((signature) => signature !== null && crypto.subtle.verify("HMAC", key, signature, signed)),
  );
  if (!(await Promise.all(checks)).includes(true)) {
    throw new WebhookVerificationFailed(
      "The signature does not match. Check the secret, and pass the body exactly as it arrived.",
    );
  }
  return JSON.parse(new TextDecoder().decode(body)) as WebhookMessage;
}

/** Web Crypto compares signatures in constant time. */
async function importKey(secret: string): Promise<CryptoKey> {
  const bytes = fromBase64(secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : secret);
  if (bytes === null || bytes.length === 0) throw new TypeError("The secret of a webhook looks like whsec_….");
  return crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
}

function readHeader(headers: WebhookHeaders, name: string): string | null {
  if (headers instanceof Headers) return headers.get(name);
  const value = headers[name];
  return typeof value === "string" ? value : (value?.[0] ?? null);
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}

function concatenate(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(first.length + second.length);
  joined.set(first);
  joined.set(second, first.length);
  return joined;
}
