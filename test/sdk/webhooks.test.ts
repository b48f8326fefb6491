import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { WebhookVerificationFailed } from "../../packages/sdk/src/errors.ts";
import { verify } from "../../packages/sdk/src/webhooks.ts";
import { signMessage } from "../../src/webhooks/message.ts";
import { formatWebhookSecret, mintWebhookSecret } from "../../src/webhooks/webhook-secret.ts";

const BODY = JSON.stringify({ type: "ping", timestamp: "2026-03-11T10:00:00.000Z", data: { webhook_id: "ä→🛒" } });
const NOW = new Date("2026-03-11T10:00:00Z");

function sign(secrets: Buffer[], { body = BODY, sentAt = NOW } = {}) {
  return signMessage({ id: "msg_1", sentAt, body }, secrets);
}

describe("verifying a webhook's message", () => {
  const secret = mintWebhookSecret();
  const text = formatWebhookSecret(secret);

  it.each([
    ["text and an object", BODY, sign([secret])],
    ["bytes and Headers", new TextEncoder().encode(BODY), new Headers(sign([secret]))],
    ["a Buffer", Buffer.from(BODY), sign([secret])],
  ])("accepts what the service signs: %s", async (_, body, headers) => {
    expect(await verify(body, headers, text, { now: NOW })).toEqual(JSON.parse(BODY));
  });

  it("accepts what another library signs, at its own time", async () => {
    const at = new Date();
    const headers = {
      "webhook-id": "msg_2",
      "webhook-timestamp": String(Math.floor(at.getTime() / 1_000)),
      "webhook-signature": new Webhook(text).sign("msg_2", at, BODY),
    };
    expect(await verify(BODY, headers, text)).toEqual(JSON.parse(BODY));
  });

  it("accepts either secret while one replaces the other, on both sides", async () => {
    const next = mintWebhookSecret();
    await verify(BODY, sign([next, secret]), text, { now: NOW });
    await verify(BODY, sign([next]), [text, formatWebhookSecret(next)], { now: NOW });
  });

  const late = new Date(NOW.getTime() + 301_000);
  it.each([
    ["another body", `${BODY} `, sign([secret]), NOW],
    ["another secret", BODY, sign([mintWebhookSecret()]), NOW],
    ["another id", BODY, { ...sign([secret]), "webhook-id": "msg_2" }, NOW],
    ["a later timestamp", BODY, { ...sign([secret]), "webhook-timestamp": String(late.getTime() / 1_000) }, late],
    ["an old message", BODY, sign([secret]), late],
    ["a message of the future", BODY, sign([secret], { sentAt: late }), NOW],
    ["no timestamp", BODY, { ...sign([secret]), "webhook-timestamp": "now" }, NOW],
    ["no headers", BODY, {}, NOW],
    ["no signature of this version", BODY, { ...sign([secret]), "webhook-signature": "v2,abc v1 v1,%%% v1," }, NOW],
  ])("rejects %s", async (_, body, headers, now) => {
    await expect(verify(body, headers, text, { now })).rejects.toBeInstanceOf(WebhookVerificationFailed);
  });

  it("accepts an older message with a larger tolerance", async () => {
    await verify(BODY, sign([secret]), text, { now: late, toleranceSeconds: 600 });
  });

  it.each(["", "whsec_", "whsec_%%%"])("says what a secret looks like, for %j", async (wrong) => {
    await expect(verify(BODY, sign([secret]), wrong, { now: NOW })).rejects.toThrow(/whsec_/);
  });
});
