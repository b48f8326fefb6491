import type { SealedSecret } from "./webhook-secret.ts";

/** The secrets of one webhook, as they are stored. */
export interface StoredSecrets {
  readonly webhookId: string;
  readonly secret: SealedSecret;
  readonly previous: SealedSecret | null;
}

export interface SecretStore {
  /** A page of those of which one is not sealed with this master key, in the order of their ids. */
  listUnder(otherThan: string, after: string | null, limit: number): Promise<StoredSecrets[]>;
  /** False: they were replaced or deleted meanwhile, and nothing was written. */
  reseal(before: StoredSecrets, after: StoredSecrets): Promise<boolean>;
  /** How many webhooks have a secret under each master key, for those that have any. */
  countByKey(): Promise<{ keyId: string; webhooks: number }[]>;
}
