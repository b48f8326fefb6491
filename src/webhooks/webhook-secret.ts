import { randomBytes } from "node:crypto";
import type { KeyRing } from "../lib/key-ring.ts";
import { type BoxLabel, openBox, sealBox } from "../lib/sealed-box.ts";

/** A webhook's secret as it is stored: opened by nobody without the master key, and for no other webhook. */
export interface SealedSecret {
  readonly keyId: string;
  readonly box: Buffer;
}

/** The secret is there and cannot be opened. `message` says what an operator can do. */
export class SecretUnreadable extends Error {
  override readonly name = "SecretUnreadable";
}

/** Seals what webhooks sign with, each for one webhook only. */
export interface SecretSeal {
  seal(webhookId: string, secret: Buffer): SealedSecret;
  /** Throws SecretUnreadable for one that was changed, was sealed for another webhook, or whose key is not there. */
  open(webhookId: string, sealed: SealedSecret): Buffer;
}

const PREFIX = "whsec_";
const SECRET_BYTES = 32;

export function mintWebhookSecret(): Buffer {
  return randomBytes(SECRET_BYTES);
}

/** As Standard Webhooks has it, and as whoever receives keeps it. */
export function writeWebhookSecret(secret: Buffer): string {
  return PREFIX + secret.toString("base64");
}

/** The master key seals it itself: it is as small as a data key would be. */
export function createSecretSeal(keyRing: KeyRing): SecretSeal {
  return {
    seal(webhookId, secret) {
      const { id, key } = keyRing.current();
      return { keyId: id, box: sealBox(key, secret, labelOf(id, webhookId)) };
    },

    open(webhookId, { keyId, box }) {
      const wrappingKey = keyRing.find(keyId);
      if (wrappingKey === null) {
        throw new SecretUnreadable(
          `The secret of webhook ${webhookId} is sealed with the master key ${JSON.stringify(keyId)}, which is not here. ` +
            "Add that key to ERRAND_OTHER_SECRET_KEYS or to the key file, or give the webhook a new secret.",
        );
      }
      const opened = openBox(wrappingKey.key, box, labelOf(keyId, webhookId));
      if (opened.outcome === "opened") return opened.content;
      throw new SecretUnreadable(
        `The secret of webhook ${webhookId} cannot be opened: it was changed since it was sealed, or a newer Errand sealed ` +
          "it. Restore it from a backup, or give the webhook a new secret.",
      );
    },
  };
}

function labelOf(keyId: string, webhookId: string): BoxLabel {
  return { purpose: "webhook secret", keyId, subjectId: webhookId };
}
