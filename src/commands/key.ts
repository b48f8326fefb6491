import type { Command } from "commander";
import type { Config } from "../config/config.ts";
import { listKeyIds } from "../config/key-ring.ts";
import type { SignInStore } from "../connections/vault/sign-in-store.ts";
import { CallerError } from "../lib/caller-error.ts";
import type { Database } from "../storage/database.ts";
import type { SecretStore } from "../webhooks/secret-store.ts";
import { describeForgetting, describeRotation, STEPS_WITH_SETTINGS } from "./key-output.ts";
import { loadConfig } from "./load-config.ts";
import { type CommonOptions, DATA_DIR_OPTION, JSON_OPTION, printResult } from "./output.ts";
import { createLiveLines } from "./progress.ts";
import { forgetOldKeys, rotateKey } from "./rotate-key.ts";
import { UsageError } from "./usage-error.ts";
import { withStorage } from "./with-storage.ts";

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
  refuseForgettingSettings(options);
  const { rotation, forgetting } = await withSealed(options, async ({ store, secrets }, config, database) => {
    const { tryRotationLock } = await import("../storage/rotation-lock.ts");
    await using lock = await tryRotationLock(database.pool);
    if (lock === null)
      throw new CallerError("UNAVAILABLE", "Another `errand key rotate` is under way. Wait for its end.");
    using lines = options.json === true ? null : createLiveLines();
    const onProgress = (count: number) => lines?.waitFor(`Wrapping saved sign-ins: ${count}`);
    const rotation = await rotateKey({ settings: config, store, secrets, onProgress });
    if (options.forgetOld !== true || rotation.keyFile === null) return { rotation, forgetting: null };
    lines?.waitFor("Waiting for what is still being saved under the old key");
    return { rotation, forgetting: await forgetOldKeys(rotation.keyFile, [store, secrets], SETTLE_MS) };
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
    [...describeRotation(rotation), ...describeForgetting(rotation, forgetting)],
  );
  const unreadable = rotation.unreadable.length + rotation.webhooks.unreadable.length;
  const isDone = unreadable + rotation.left === 0 && forgetting?.outcome !== "still used";
  if (!isDone) process.exitCode = 1;
}

/** Before anything is changed. */
function refuseForgettingSettings(options: RotateOptions): void {
  if (options.forgetOld !== true || loadConfig(options).secretKey === null) return;
  throw new UsageError(
    "--forget-old is for the key file, and here the master key is ERRAND_SECRET_KEY. " +
      "Remove the old key from ERRAND_OTHER_SECRET_KEYS instead.",
  );
}

async function list(options: CommonOptions): Promise<void> {
  const { countSealed } = await import("../storage/sql-sealed-keys.ts");
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
interface SealedThings {
  store: SignInStore;
  secrets: SecretStore;
}

async function withSealed<Result>(
  options: CommonOptions,
  work: (sealed: SealedThings, config: Config, database: Database) => Promise<Result>,
): Promise<Result> {
  const [{ createHints }, { createSignInStore }, { createSecretStore }] = await Promise.all([
    import("../storage/hints.ts"),
    import("../storage/sql-sign-ins.ts"),
    import("../storage/sql-webhook-secrets.ts"),
  ]);
  return withStorage(options, async ({ database, connectionString }, config, logger) => {
    await using hints = createHints({ connectionString, pool: database.pool, logger });
    const sealed = { store: createSignInStore(database, hints), secrets: createSecretStore(database) };
    return await work(sealed, config, database);
  });
}
