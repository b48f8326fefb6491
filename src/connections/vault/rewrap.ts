import type { KeyStore, StoredKey } from "./saved-sign-in.ts";
import { SignInUnreadable, type Vault } from "./vault.ts";

export interface RewrapReport {
  rewrapped: number;
  /** Connections whose sign-in or credentials cannot be decrypted, and why. */
  unreadable: { connectionId: string; reason: string }[];
}

interface RewrapOptions {
  vault: Vault;
  stores: readonly KeyStore[];
  /** The master key that wraps everything afterwards. */
  currentKeyId: string;
  onProgress(rewrapped: number): void;
}

const PAGE = 200;
/** A process that does not have the newest key yet could keep this going forever. */
const MAX_ROUNDS = 5;

/**
 * Wraps every data key with the newest master key while runs keep renewing sign-ins. A further round finds what was sealed
 * with an older key in the meantime; usually the second round finds nothing.
 */
export async function rewrapAll(options: RewrapOptions): Promise<RewrapReport> {
  const total: RewrapReport = { rewrapped: 0, unreadable: [] };
  for (let round = 1; round <= MAX_ROUNDS; round += 1) {
    total.unreadable = [];
    let found = 0;
    for (const store of options.stores) found += await rewrapOnce(store, options, total);
    if (found === 0) break;
  }
  return total;
}

/** Returns how many could be rewrapped. */
async function rewrapOnce(
  store: KeyStore,
  { vault, currentKeyId, onProgress }: RewrapOptions,
  total: RewrapReport,
): Promise<number> {
  let found = 0;
  for (let after: string | null = null; ; ) {
    const page: StoredKey[] = await store.listNotWrappedBy(currentKeyId, after, PAGE);
    const wrapped = page.flatMap((key) => rewrapOne(vault, key, total));
    found += wrapped.length;
    total.rewrapped += await store.rewrap(wrapped);
    onProgress(total.rewrapped);
    after = page.at(-1)?.connectionId ?? null;
    if (after === null) return found;
  }
}

function rewrapOne(vault: Vault, key: StoredKey, { unreadable }: RewrapReport): StoredKey[] {
  try {
    const wrapped = vault.rewrap(key.connectionId, key);
    return wrapped === null ? [] : [{ ...key, ...wrapped }];
  } catch (error) {
    if (!(error instanceof SignInUnreadable)) throw error;
    unreadable.push({ connectionId: key.connectionId, reason: error.message });
    return [];
  }
}
