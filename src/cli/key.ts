import { setTimeout as sleep } from "node:timers/promises";
import type { Command } from "commander";
import type { Config } from "../config/config.ts";
import { generateKey, openKeyFile, readKeyFile, replaceKeyFile } from "../config/key-file.ts";
import { createKeyRing, identifyKey, type KeySettings, listKeyIds } from "../config/master-keys.ts";
import { type RewrapReport, rewrapAll } from "../connections/vault/rewrap.ts";
import type { SignInStore } from "../connections/vault/saved-sign-in.ts";
import { createVault } from "../connections/vault/vault.ts";
import { CallerError } from "../lib/errors.ts";
import type { Database } from "../storage/database.ts";
import { createSecretSeal, type ResealReport, resealAll, type SecretStore } from "../webhooks/webhook-secret.ts";
import { withStorage } from "./database.ts";
import { UsageError } from "./failure.ts";
import { loadConfig } from "./options.ts";
import { type CommonOptions, createLiveLines, DATA_DIR_OPTION, JSON_OPTION, printResult } from "./output.ts";

/** For a help text and for whoever expected a new key. */
const STEPS_WITH_SETTINGS = [
  "  1. add the new key to ERRAND_OTHER_SECRET_KEYS everywhere, and restart one by one",
  "  2. swap the two: the new one is ERRAND_SECRET_KEY, the old one is the other; restart one by one",
  "  3. errand key rotate",
  "  4. remove the old one everywhere, and restart one by one",
];

function describeRotation({ keyId, keyFile, rewrapped, webhooks, unreadable, left }: Rotation): string[] {
  const outOfReach = [...unreadable, ...webhooks.unreadable];
  return [
    ...(keyFile === null
      ? [`The master key is set as ERRAND_SECRET_KEY, and stays as it is: ${keyId}.`]
      : [
          `The new master key ${keyId} stands first in ${keyFile}. Keep a copy of that file.`,
          "If Errand runs on other machines with copies of it, give them the new one now.",
          "Cookies are signed with it from the next restart on: people sign in to Errand again then.",
        ]),
    `${countSignIns(rewrapped)} wrapped with it now, and the secrets of ${countWebhooks(webhooks.resealed)}.`,
    ...(left === 0
      ? []
      : [
          `${left} more are not: a process still seals with another key. Restart it with the new one, then run this again.`,
        ]),
    ...(outOfReach.length === 0 ? [] : [`Out of reach: ${outOfReach.length}.`]),
    ...outOfReach.map(({ reason }) => `  ${reason}`),
  ];
}

function describeRemoval({ keyFile }: Rotation, forgetting: KeyRemoval | null): string[] {
  if (forgetting === null) {
    return keyFile === null
      ? ["To change it, in this order (this was the third step):", ...STEPS_WITH_SETTINGS]
      : ["The old keys are still there, for backups of the database: --forget-old drops them."];
  }
  switch (forgetting.outcome) {
    case "forgotten":
      return [`${forgetting.keys === 1 ? "One old key is" : `${forgetting.keys} old keys are`} dropped.`];
    case "still used":
      return [
        `No key was dropped: ${forgetting.keyIds.join(", ")} are still in use. Run this again; what cannot be opened can be ` +
          "deleted with `errand connection delete-sign-in`, or replaced with `errand webhook rotate-secret`.",
      ];
  }
}

function countSignIns(count: number): string {
  return count === 1 ? "One saved sign-in is" : `${count} saved sign-ins are`;
}

function countWebhooks(count: number): string {
  return count === 1 ? "one webhook" : `${count} webhooks`;
}

interface RotateOptions extends CommonOptions {
  forgetOld?: boolean;
}

/** Between sealing and saving there is nothing slower than a busy database. */
const SETTLE_MS = 5_000;

const HELP = `
Saved sign-ins have a key each, and the master key wraps those; it seals the secrets of webhooks itself. This gives them
all another master key while the service runs. It can be broken off and run again.

Without ERRAND_SECRET_KEY the keys stand in secret.key in the data directory, the newest first. A new one is put there,
and a running service notices. Older ones stay for backups of the database; --forget-old drops them.

With ERRAND_SECRET_KEY, where Errand runs as several processes:
${STEPS_WITH_SETTINGS.join("\n")}

Cookies and forms are signed by the master key too: after the next restart people sign in to Errand again.`;

export function addKeyCommands(program: Command): void {
  const key = program
    .command("key")
    .description("the master keys that saved sign-ins and webhook secrets are sealed with");

  key
    .command("rotate")
    .description("wrap all saved sign-ins and webhook secrets with a new master key")
    .option("--forget-old", "then drop the keys from the key file that nothing uses any more")
    .option(...DATA_DIR_OPTION)
    .option(...JSON_OPTION)
    .addHelpText("after", HELP)
    .action(rotate);

  key
    .command("list")
    .description("show the master keys by their ids, and how many saved sign-ins and webhook secrets each wraps")
    .option(...DATA_DIR_OPTION)
    .option(...JSON_OPTION)
    .action(list);
}

async function rotate(options: RotateOptions): Promise<void> {
  refuseRemovalFromSettings(options);
  const { rotation, forgetting } = await withSealedStores(options, async ({ store, secrets }, config, database) => {
    const { tryLockRotation } = await import("../storage/sql/key-rotation.ts");
    await using lock = await tryLockRotation(database.pool);
    if (lock === null)
      throw new CallerError("UNAVAILABLE", "Another `errand key rotate` is under way. Wait for its end.");
    using lines = options.json === true ? null : createLiveLines();
    const onProgress = (count: number) => lines?.waitFor(`Wrapping saved sign-ins: ${count}`);
    const rotation = await rotateKey({ settings: config, store, secrets, onProgress });
    if (options.forgetOld !== true || rotation.keyFile === null) return { rotation, forgetting: null };
    lines?.waitFor("Waiting for what is still being saved under the old key");
    return { rotation, forgetting: await removeOldKeys(rotation.keyFile, [store, secrets], SETTLE_MS) };
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
      ...(forgetting === null ? {} : { forgotten: forgetting.outcome === "forgotten" ? forgetting.keys : 0 }),
    },
    [...describeRotation(rotation), ...describeRemoval(rotation, forgetting)],
  );
  const unreadable = rotation.unreadable.length + rotation.webhooks.unreadable.length;
  const isDone = unreadable + rotation.left === 0 && forgetting?.outcome !== "still used";
  if (!isDone) process.exitCode = 1;
}

/** Before anything is changed. */
function refuseRemovalFromSettings(options: RotateOptions): void {
  if (options.forgetOld !== true || loadConfig(options).secretKey === null) return;
  throw new UsageError(
    "--forget-old is for the key file, and here the master key is ERRAND_SECRET_KEY. " +
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
    const remark = current ? ", the current one" : missing ? ", which is missing here: they cannot be opened" : "";
    return `${key_id}  wraps ${sign_ins} saved sign-ins and the secrets of ${webhook_secrets} webhooks${remark}`;
  });
  if (keyIds.length === 0) lines.push("There is no master key here yet: the first errand start makes one.");
  printResult(options.json, { keys }, lines);
}

/** Everything that is sealed with master keys. */
interface SealedStores {
  store: SignInStore;
  secrets: SecretStore;
}

async function withSealedStores<Result>(
  options: CommonOptions,
  work: (sealed: SealedStores, config: Config, database: Database) => Promise<Result>,
): Promise<Result> {
  const [{ createNotifications }, { createSignInStore }, { createSecretStore }] = await Promise.all([
    import("../storage/notifications.ts"),
    import("../storage/sql/sign-ins.ts"),
    import("../storage/sql/key-rotation.ts"),
  ]);
  return withStorage(options, async ({ database, connectionString }, config, logger) => {
    await using hints = createNotifications({ connectionString, pool: database.pool, logger });
    const sealed = { store: createSignInStore(database, hints), secrets: createSecretStore(database) };
    return await work(sealed, config, database);
  });
}

interface Rotation extends RewrapReport {
  keyId: string;
  /** Where the new key was put; null when the master key is a setting. */
  keyFile: string | null;
  /** The secrets that webhooks sign with. */
  webhooks: ResealReport;
  /** Sealed with another key by somebody meanwhile. */
  left: number;
}

interface RotationOptions {
  settings: KeySettings;
  store: SignInStore;
  secrets: SecretStore;
  onProgress(rewrapped: number): void;
}

/**
 * Puts a new key on top of the key file, if that is where the keys are, and seals everything with the newest one. If it
 * is broken off, what is under older keys opens as before, and the next time does the rest.
 */
export async function rotateKey({ settings, store, secrets, onProgress }: RotationOptions): Promise<Rotation> {
  const keyFile = settings.secretKey === null ? openKeyFile(settings.dataDir) : null;
  if (keyFile !== null) replaceKeyFile(keyFile, [generateKey(), ...readKeyFile(keyFile)]);
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

type KeyRemoval = { outcome: "forgotten"; keys: number } | { outcome: "still used"; keyIds: string[] };

/**
 * Drops all keys but the newest from the key file, unless something is still wrapped by one. First `settleMs` pass, in
 * which whoever has just sealed with an older key can save that, so that it is seen here.
 */
export async function removeOldKeys(keyFile: string, users: KeyUser[], settleMs: number): Promise<KeyRemoval> {
  await sleep(settleMs);
  const [newest, ...old] = readKeyFile(keyFile);
  const counts = await Promise.all(users.map((user) => user.countByKey()));
  const used = new Set(counts.flat().map(({ keyId }) => keyId));
  const keyIds = old.map(identifyKey).filter((keyId) => used.has(keyId));
  if (keyIds.length > 0) return { outcome: "still used", keyIds };
  if (old.length > 0) replaceKeyFile(keyFile, [newest]);
  return { outcome: "forgotten", keys: old.length };
}
