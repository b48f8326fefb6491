import type { SecretStore, StoredSecrets } from "./secret-store.ts";
import { type SealedSecret, type SecretSeal, SecretUnreadable } from "./webhook-secret.ts";

export interface ResealReport {
  resealed: number;
  /** Webhooks whose secret cannot be opened, and why. */
  unreadable: { webhookId: string; reason: string }[];
}

interface ResealOptions {
  seal: SecretSeal;
  store: SecretStore;
  /** What everything is to be sealed with in the end. */
  currentKeyId: string;
}

const PAGE = 200;

/** Seals every secret with the newest master key. What is replaced meanwhile is sealed with it already. */
export async function resealAll({ seal, store, currentKeyId }: ResealOptions): Promise<ResealReport> {
  const report: ResealReport = { resealed: 0, unreadable: [] };
  for (let after: string | null = null; ; ) {
    const page: StoredSecrets[] = await store.listUnder(currentKeyId, after, PAGE);
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
  const anew = (sealed: SealedSecret): SealedSecret => {
    const content = seal.open(webhookId, sealed);
    try {
      return seal.seal(webhookId, content);
    } finally {
      content.fill(0);
    }
  };
  try {
    return { webhookId, secret: anew(secret), previous: previous === null ? null : anew(previous) };
  } catch (error) {
    if (!(error instanceof SecretUnreadable)) throw error;
    unreadable.push({ webhookId, reason: error.message });
    return null;
  }
}
