import { setTimeout as sleep } from "node:timers/promises";
import { makeKey, openKeyFile, readKeyFile, replaceKeyFile } from "../config/key-file.ts";
import { createKeyRing, identifyKey, type KeySettings } from "../config/key-ring.ts";
import { createVault } from "../connections/vault/create-vault.ts";
import { type RewrapReport, rewrapAll } from "../connections/vault/rewrap-all.ts";
import type { SignInStore } from "../connections/vault/sign-in-store.ts";
import { type ResealReport, resealAll } from "../webhooks/reseal-all.ts";
import type { SecretStore } from "../webhooks/secret-store.ts";
import { createSecretSeal } from "../webhooks/webhook-secret.ts";

export interface Rotation extends RewrapReport {
  keyId: string;
  /** Where the new key was put; null when the master key is a setting. */
  keyFile: string | null;
  /** The secrets that webhooks sign with. */
  webhooks: ResealReport;
  /** Sealed with another key by somebody meanwhile. */
  left: number;
}

interface RotateOptions {
  settings: KeySettings;
  store: SignInStore;
  secrets: SecretStore;
  onProgress(rewrapped: number): void;
}

/**
 * Puts a new key on top of the key file, if that is where the keys are, and seals everything with the newest one. If it
 * is broken off, what is under older keys opens as before, and the next time does the rest.
 */
export async function rotateKey({ settings, store, secrets, onProgress }: RotateOptions): Promise<Rotation> {
  const keyFile = settings.secretKey === null ? openKeyFile(settings.dataDir) : null;
  if (keyFile !== null) replaceKeyFile(keyFile, [makeKey(), ...readKeyFile(keyFile)]);
  const keyRing = createKeyRing(settings);
  const { id: keyId } = keyRing.current();
  const report = await rewrapAll({ vault: createVault(keyRing), store, currentKeyId: keyId, onProgress });
  const webhooks = await resealAll({ seal: createSecretSeal(keyRing), store: secrets, currentKeyId: keyId });
  const counts = [
    ...(await store.countByKey()).map((count) => ({ keyId: count.keyId, things: count.signIns })),
    ...(await secrets.countByKey()).map((count) => ({ keyId: count.keyId, things: count.webhooks })),
  ];
  const underOthers = counts.reduce((sum, count) => (count.keyId === keyId ? sum : sum + count.things), 0);
  const unreadable = report.unreadable.length + webhooks.unreadable.length;
  return { ...report, keyId, keyFile, webhooks, left: Math.max(underOthers - unreadable, 0) };
}

/** Something that is sealed with master keys. */
type KeyUser = { countByKey(): Promise<{ keyId: string }[]> };

export type Forgetting = { outcome: "forgotten"; keys: number } | { outcome: "still used"; keyIds: string[] };

/**
 * Drops all keys but the newest from the key file, unless something is still wrapped by one. First `settleMs` pass, in
 * which whoever has just sealed with an older key can save that, so that it is seen here.
 */
export async function forgetOldKeys(keyFile: string, users: KeyUser[], settleMs: number): Promise<Forgetting> {
  await sleep(settleMs);
  const [newest, ...old] = readKeyFile(keyFile);
  const counts = await Promise.all(users.map((user) => user.countByKey()));
  const used = new Set(counts.flat().map(({ keyId }) => keyId));
  const keyIds = old.map(identifyKey).filter((keyId) => used.has(keyId));
  if (keyIds.length > 0) return { outcome: "still used", keyIds };
  if (old.length > 0) replaceKeyFile(keyFile, [newest]);
  return { outcome: "forgotten", keys: old.length };
}
