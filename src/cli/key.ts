import { setTimeout as sleep } from "node:timers/promises";
import type { Command } from "commander";
import type { Config } from "../config/config.ts";
import { generateKey, openKeyFile, readKeyFile, replaceKeyFile } from "../config/key-file.ts";
import { createKeyRing, identifyKey, type KeySettings, listKeyIds } from "../config/master-keys.ts";
import { type RewrapReport, rewrapAll } from "../connections/vault/rewrap.ts";
import type { KeyStore } from "../connections/vault/saved-sign-in.ts";
import { createVault } from "../connections/vault/vault.ts";
import { CallerError } from "../lib/errors.ts";
import { pluralize } from "../lib/pluralize.ts";
import type { Database } from "../storage/database.ts";
import { createSecretSeal, type ResealReport, resealAll, type SecretStore } from "../webhooks/webhook-secret.ts";
import { withStorage } from "./database.ts";
import { UsageError } from "./failure.ts";
import { type CommonOptions, DATA_DIR_OPTION, JSON_OPTION, loadConfig, toCommandOptions } from "./options.ts";
import { createLiveLines, printResult } from "./output.ts";

/** Shown in the help text, and after a rotation that created no key. */
const STEPS_WITH_SETTINGS = [
  "  1. Add the new key to ERRAND_OTHER_SECRET_KEYS for every process, and restart them one by one.",
  "  2. Swap the two keys: the new one in ERRAND_SECRET_KEY, the old one in ERRAND_OTHER_SECRET_KEYS. Restart one by one.",
  "  3. Run errand key rotate.",
  "  4. Remove the old key, and restart one by one.",
];

interface RotateOptions extends CommonOptions {
  forgetOld?: boolean;
}

/** Long enough for a process that has just sealed something to save it, even on a busy database. */
const SETTLE_MS = 5_000;

const HELP = `
The master key encrypts saved sign-ins and webhook secrets. This command re-encrypts them with a new master key while the
service runs. You can interrupt it and run it again.

If ERRAND_SECRET_KEY is not set, the keys are in the file secret.key in the data directory, newest first. The command adds
a new key, and a running service picks it up. Older keys are kept for restoring backups; --forget-old removes them.

If ERRAND_SECRET_KEY is set, follow these steps:
${STEPS_WITH_SETTINGS.join("\n")}

Cookies and forms are signed with the master key as well: after the next restart people have to sign in to Errand again.`;

export function addKeyCommands(program: Command): void {
  const key = program
    .command("key")
    .description("manage the master keys that encrypt saved sign-ins and webhook secrets");

  key
    .command("rotate")
    .description("re-encrypt all saved sign-ins and webhook secrets with a new master key")
    .option("--forget-old", "afterwards, remove keys that are no longer used from the key file")
    .option(...DATA_DIR_OPTION)
    .option(...JSON_OPTION)
    .addHelpText("after", HELP)
    .action(rotate);

  key
    .command("list")
    .description("list the ids of the master keys, and what each of them encrypts")
    .option(...DATA_DIR_OPTION)
    .option(...JSON_OPTION)
    .action(list);
}

async function rotate(options: RotateOptions): Promise<void> {
  refuseRemovalFromSettings(options);
  const { rotation, removal } = await withSealedStores(options, async ({ stores, secrets }, config, database) => {
    const { tryLockRotation } = await import("../storage/sql/key-rotation.ts");
    await using lock = await tryLockRotation(database.pool);
    if (lock === null)
      throw new CallerError("UNAVAILABLE", "Another errand key rotate is running. Wait until it has finished.");
    using lines = options.json === true ? null : createLiveLines();
    const onProgress = (count: number) => lines?.setStatus(`Re-encrypting saved sign-ins: ${count}`);
    const rotation = await rotateKey({ settings: config, stores, secrets, onProgress });
    if (options.forgetOld !== true || rotation.keyFile === null) return { rotation, removal: null };
    lines?.setStatus("Waiting for processes that are still saving with the old key");
    return { rotation, removal: await removeOldKeys(rotation.keyFile, [...stores, secrets], SETTLE_MS) };
  });
  printResult(
    options.json,
    {
      key_id: rotation.keyId,
      rewrapped: rotation.rewrapped,
      webhook_secrets: rotation.webhooks.resealed,
      unreadable: [
        ...rotation.unreadable.map(({ connectionId, reason }) => ({ connection_id: connectionId, reason })),
        ...rotation.webhooks.unreadable.map(({ webhookId, reason }) => ({ webhook_id: webhookId, reason })),
      ],
      ...(removal === null ? {} : { forgotten: removal.outcome === "removed" ? removal.keys : 0 }),
    },
    [...describeRotation(rotation), ...describeRemoval(rotation, removal)],
  );
  const unreadable = rotation.unreadable.length + rotation.webhooks.unreadable.length;
  const isDone = unreadable + rotation.left === 0 && removal?.outcome !== "still used";
  if (!isDone) process.exitCode = 1;
}

function refuseRemovalFromSettings(options: RotateOptions): void {
  if (options.forgetOld !== true || loadConfig(options).secretKey === null) return;
  throw new UsageError(
    "--forget-old works with the key file, but the master key is set in ERRAND_SECRET_KEY. " +
      "Remove the old key from ERRAND_OTHER_SECRET_KEYS instead.",
  );
}

async function list(options: CommonOptions): Promise<void> {
  const { countSealed } = await import("../storage/sql/key-rotation.ts");
  const { sealed, keyIds } = await withStorage(options, async ({ database }, config) => ({
    sealed: await countSealed(database),
    keyIds: listKeyIds(config),
  }));
  const missing = sealed.map(({ keyId }) => keyId).filter((keyId) => !keyIds.includes(keyId));
  const keys = [...keyIds, ...missing].map((keyId) => {
    const { signIns = 0, webhooks = 0 } = sealed.find((under) => under.keyId === keyId) ?? {};
    return {
      key_id: keyId,
      current: keyId === keyIds[0],
      missing: missing.includes(keyId),
      sign_ins: signIns,
      webhook_secrets: webhooks,
    };
  });
  const lines = keys.map(({ key_id, current, missing, sign_ins, webhook_secrets }) => {
    const remark = current ? " (current)" : missing ? " (missing: these cannot be decrypted)" : "";
    return `${key_id}  ${pluralize(sign_ins, "saved sign-in")}, ${pluralize(webhook_secrets, "webhook secret")}${remark}`;
  });
  if (keyIds.length === 0)
    lines.push(`No master key yet; the first errand start${toCommandOptions(options)} creates one.`);
  printResult(options.json, { keys }, lines);
}

function describeRotation({ keyId, keyFile, rewrapped, webhooks, unreadable, left }: Rotation): string[] {
  const undecryptable = [...unreadable, ...webhooks.unreadable];
  return [
    ...(keyFile === null
      ? [`The master key is ERRAND_SECRET_KEY (${keyId}). It was not changed.`]
      : [
          `Added the new master key ${keyId} to ${keyFile}. Keep a copy of that file.`,
          "If Errand runs on other machines with copies of this file, copy the new one there now.",
          "After the next restart people have to sign in to Errand again, because cookies are signed with the new key.",
        ]),
    `Re-encrypted ${pluralize(rewrapped, "saved sign-in")} and ${pluralize(webhooks.resealed, "webhook secret")}.`,
    ...(left === 0
      ? []
      : [
          `${left} more still use another key, because a process has not switched to the new one. Restart it, then run this again.`,
        ]),
    ...(undecryptable.length === 0 ? [] : [`Cannot decrypt: ${undecryptable.length}.`]),
    ...undecryptable.map(({ reason }) => `  ${reason}`),
  ];
}

function describeRemoval({ keyFile }: Rotation, removal: KeyRemoval | null): string[] {
  if (removal === null) {
    return keyFile === null
      ? ["To change the key, follow these steps (this was step 3):", ...STEPS_WITH_SETTINGS]
      : ["The old keys are kept for restoring older backups. Remove them with --forget-old."];
  }
  switch (removal.outcome) {
    case "removed":
      return [`Removed ${pluralize(removal.keys, "old key")}.`];
    case "still used":
      return [
        `No key was removed, because these are still in use: ${removal.keyIds.join(", ")}. Run this again. Secrets that cannot be ` +
          "decrypted can be deleted with errand connection delete-sign-in, or replaced with errand webhook rotate-secret.",
      ];
  }
}

/** The stores of everything that the master keys encrypt. */
interface SealedStores {
  /** Saved sign-ins, and stored credentials. */
  stores: KeyStore[];
  secrets: SecretStore;
}

async function withSealedStores<Result>(
  options: CommonOptions,
  work: (sealed: SealedStores, config: Config, database: Database) => Promise<Result>,
): Promise<Result> {
  const [{ createKeyStore }, { createSecretStore }] = await Promise.all([
    import("../storage/sql/wrapped-keys.ts"),
    import("../storage/sql/key-rotation.ts"),
  ]);
  return withStorage(options, ({ database }, config) => {
    const stores = (["saved_sign_ins", "sign_in_credentials"] as const).map((table) => createKeyStore(database, table));
    return work({ stores, secrets: createSecretStore(database) }, config, database);
  });
}

interface Rotation extends RewrapReport {
  keyId: string;
  /** The file with the new key; null when the master key is a setting. */
  keyFile: string | null;
  webhooks: ResealReport;
  /** Encrypted with another key by a running process in the meantime. */
  left: number;
}

interface RotationOptions {
  settings: KeySettings;
  stores: readonly KeyStore[];
  secrets: SecretStore;
  onProgress(rewrapped: number): void;
}

/**
 * Adds a new key to the key file, unless the master key is a setting, and re-encrypts everything with the newest key. If
 * interrupted, the rest can still be decrypted with older keys, and the next rotation continues.
 */
export async function rotateKey({ settings, stores, secrets, onProgress }: RotationOptions): Promise<Rotation> {
  const keyFile = settings.secretKey === null ? openKeyFile(settings.dataDir) : null;
  if (keyFile !== null) replaceKeyFile(keyFile, [generateKey(), ...readKeyFile(keyFile)]);
  const keyRing = createKeyRing(settings);
  const { id: keyId } = keyRing.current();
  const report = await rewrapAll({ vault: createVault(keyRing), stores, currentKeyId: keyId, onProgress });
  const webhooks = await resealAll({ seal: createSecretSeal(keyRing), store: secrets, currentKeyId: keyId });
  const counts = [
    ...(await Promise.all(stores.map((store) => store.countByKey())))
      .flat()
      .map((count) => ({ keyId: count.keyId, secrets: count.count })),
    ...(await secrets.countByKey()).map((count) => ({ keyId: count.keyId, secrets: count.webhooks })),
  ];
  const underOthers = counts.reduce((sum, count) => (count.keyId === keyId ? sum : sum + count.secrets), 0);
  const unreadable = report.unreadable.length + webhooks.unreadable.length;
  return { ...report, keyId, keyFile, webhooks, left: Math.max(underOthers - unreadable, 0) };
}

/** A store of secrets that master keys encrypt. */
type KeyUser = { countByKey(): Promise<{ keyId: string }[]> };

type KeyRemoval = { outcome: "removed"; keys: number } | { outcome: "still used"; keyIds: string[] };

/**
 * Removes all keys but the newest from the key file, unless one is still in use. Waits `settleMs` first, so that a process
 * that has just encrypted something with an older key can save it and it is counted here.
 */
export async function removeOldKeys(keyFile: string, users: KeyUser[], settleMs: number): Promise<KeyRemoval> {
  await sleep(settleMs);
  const [newest, ...old] = readKeyFile(keyFile);
  const counts = await Promise.all(users.map((user) => user.countByKey()));
  const used = new Set(counts.flat().map(({ keyId }) => keyId));
  const keyIds = old.map(identifyKey).filter((keyId) => used.has(keyId));
  if (keyIds.length > 0) return { outcome: "still used", keyIds };
  if (old.length > 0) replaceKeyFile(keyFile, [newest]);
  return { outcome: "removed", keys: old.length };
}
