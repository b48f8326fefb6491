import { randomBytes } from "node:crypto";
import { type BoxLabel, type KeyRing, openBox, sealBox } from "../lib/sealed-box.ts";

/** A webhook's secret as it is stored: it opens only with the master key and only for its own webhook. */
export interface SealedSecret {
  readonly keyId: string;
  readonly box: Buffer;
}

/** The secret exists but cannot be decrypted. `message` says what an operator can do. */
export class SecretUnreadable extends Error {
  override readonly name = "SecretUnreadable";
}

/** Encrypts signing secrets, each for one webhook only. */
export interface SecretSeal {
  seal(webhookId: string, secret: Buffer): SealedSecret;
  /** Throws SecretUnreadable when it was modified, was sealed for another webhook, or its key is missing. */
  open(webhookId: string, sealed: SealedSecret): Buffer;
}

const SECRET_PREFIX = "whsec_";
const SECRET_BYTES = 32;

export function mintWebhookSecret(): Buffer {
  return randomBytes(SECRET_BYTES);
}

/** In the format of Standard Webhooks, as the receiver stores it. */
export function formatWebhookSecret(secret: Buffer): string {
  return SECRET_PREFIX + secret.toString("base64");
}

/** Sealed with the master key directly: the secret is no larger than a data key would be. */
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
          `The secret of webhook ${webhookId} is encrypted with master key ${JSON.stringify(keyId)}, which is missing. ` +
            "Add that key to ERRAND_OTHER_SECRET_KEYS or to the key file, or give the webhook a new secret.",
        );
      }
      const opened = openBox(wrappingKey.key, box, labelOf(keyId, webhookId));
      if (opened.outcome === "opened") return opened.content;
      throw new SecretUnreadable(
        `The secret of webhook ${webhookId} cannot be decrypted: it was modified after it was encrypted, or a newer version of Errand encrypted ` +
          "it. Restore it from a backup, or give the webhook a new secret.",
      );
    },
  };
}

function labelOf(keyId: string, webhookId: string): BoxLabel {
  return { purpose: "webhook secret", keyId, subjectId: webhookId };
}

/** The secrets of one webhook as they are stored. */
export interface StoredSecrets {
  readonly webhookId: string;
  readonly secret: SealedSecret;
  readonly previous: SealedSecret | null;
}

export interface SecretStore {
  /** A page of webhooks with a secret that is not sealed with this master key, ordered by id. */
  listNotSealedWith(otherThan: string, after: string | null, limit: number): Promise<StoredSecrets[]>;
  /** False, with nothing written, when they were replaced or deleted in the meantime. */
  reseal(before: StoredSecrets, after: StoredSecrets): Promise<boolean>;
  /** How many webhooks have a secret under each master key; keys without any are left out. */
  countByKey(): Promise<{ keyId: string; webhooks: number }[]>;
}

export interface ResealReport {
  resealed: number;
  /** Webhooks whose secret cannot be decrypted, and why. */
  unreadable: { webhookId: string; reason: string }[];
}

interface ResealOptions {
  seal: SecretSeal;
  store: SecretStore;
  /** The master key that seals everything afterwards. */
  currentKeyId: string;
}

const PAGE = 200;

/** Seals every secret with the newest master key. Secrets replaced in the meantime already are. */
export async function resealAll({ seal, store, currentKeyId }: ResealOptions): Promise<ResealReport> {
  const report: ResealReport = { resealed: 0, unreadable: [] };
  for (let after: string | null = null; ; ) {
    const page: StoredSecrets[] = await store.listNotSealedWith(currentKeyId, after, PAGE);
    for (const before of page) {
      const resealed = resealOne(seal, before, report);
      if (resealed !== null && (await store.reseal(before, resealed))) report.resealed += 1;
    }
    after = page.at(-1)?.webhookId ?? null;
    if (after === null) return report;
  }
}

function resealOne(seal: SecretSeal, before: StoredSecrets, { unreadable }: ResealReport): StoredSecrets | null {
  const { webhookId, secret, previous } = before;
  const reseal = (sealed: SealedSecret): SealedSecret => {
    const content = seal.open(webhookId, sealed);
    try {
      return seal.seal(webhookId, content);
    } finally {
      content.fill(0);
    }
  };
  try {
    return { webhookId, secret: reseal(secret), previous: previous === null ? null : reseal(previous) };
  } catch (error) {
    if (!(error instanceof SecretUnreadable)) throw error;
    unreadable.push({ webhookId, reason: error.message });
    return null;
  }
}
