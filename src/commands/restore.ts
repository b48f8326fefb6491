import { join } from "node:path";
import type { Command } from "commander";
import type { CheckedBackup } from "../backup/check-backup.ts";
import type { Config } from "../config/config.ts";
import { type MasterKeys, parseKeys, putKeysFirst } from "../config/key-file.ts";
import { listKeyIds } from "../config/key-ring.ts";
import { CallerError } from "../lib/caller-error.ts";
import { describeError } from "../lib/describe-error.ts";
import { breakable } from "./breakable.ts";
import { requireDatabase } from "./explain-database.ts";
import { loadConfig } from "./load-config.ts";
import { type CommonOptions, DATA_DIR_OPTION, JSON_OPTION, printResult } from "./output.ts";
import { createLiveLines } from "./progress.ts";
import { describeRestore, summarizeRestore } from "./restore-output.ts";
import { withDatabaseAddress } from "./with-database-address.ts";

interface RestoreCommandOptions extends CommonOptions {
  keepQueued?: boolean;
  withoutArtifacts?: boolean;
}

const KEYS_MISSING = 3;

const HELP = `
Into an empty database only, while no service runs on it: a new data directory, or a new database at DATABASE_URL. The whole
file is checked before anything is written, and everything is restored or nothing.

Executions that waited when the backup was made may have been done since, so they are ended and not charged. If nothing ran
after the backup, as when a stopped service moves to another machine, --keep-queued lets them run. What was running is ended
as worker_lost in any case.

Artifacts go where the settings want them: into the bucket, or into the data directory. A place in which there are some
already is refused, because two installations that share one remove each other's. For a rehearsal choose another
(ERRAND_ARTIFACTS_S3_PREFIX), or restore --without-artifacts.

Exit codes:
  0    restored
  1    nothing was restored; or it was, and the ledger does not add up, as in the backup, or the last things
       were not put in order: what is printed says which
  2    the command or the settings are wrong
  3    restored, but master keys are missing here, so that some of what is sealed cannot be opened: they are named

People sign in to Errand once more. Tokens and secrets are valid as they were then: revoke again what was revoked since.`;

export function addRestoreCommand(program: Command): void {
  program
    .command("restore")
    .description("restore what errand backup has written")
    .argument("<file>", "the backup: a file, because it is read twice")
    .option("--keep-queued", "run the executions that waited, because nothing ran after the backup was made")
    .option("--without-artifacts", "the database alone: artifacts answer 410, unless they are in their place already")
    .option(...DATA_DIR_OPTION)
    .option(...JSON_OPTION)
    .addHelpText("after", HELP)
    .action(restore);
}

async function restore(file: string, options: RestoreCommandOptions): Promise<void> {
  const config = loadConfig(options);
  const [{ checkBackup }, { restoreBackup }, { finishRestore }, { openArtifactFiles }] = await Promise.all([
    import("../backup/check-backup.ts"),
    import("../backup/restore-backup.ts"),
    import("../backup/finish-restore.ts"),
    import("../storage/open-artifact-files.ts"),
  ]);
  const place = describePlace(config);
  await requireDatabase(config);
  // Now: whoever has no right to them should hear of it before anything is changed.
  listKeyIds(config);
  using lines = options.json === true ? null : createLiveLines();
  const onProgress = (message: string) => lines?.waitFor(message);
  onProgress(`Checking ${file}`);
  const { backup, report, unfinished } = await breakable("Broken off: nothing was restored.", async (signal, hold) => {
    const backup = await checkBackup(file, signal);
    const keys = findKeys(backup, config);
    let stopping = signal;
    return withDatabaseAddress(config, { mustExist: false }, async (connectionString) => {
      using files = openArtifactFiles(config);
      const hasArtifacts = (backup.manifest.artifacts?.files ?? 0) > 0 && options.withoutArtifacts !== true;
      const report = await restoreBackup(backup, {
        connectionString,
        artifacts: hasArtifacts ? { files, place } : null,
        keepQueued: options.keepQueued === true,
        beforeCommit: () => {
          if (keys !== null) putKeysFirst(config.dataDir, keys);
          stopping = hold();
        },
        signal,
        onProgress,
      });
      onProgress("Restored; the last things are put in order");
      const unfinished = await finishRestore(connectionString, stopping).then(
        () => null,
        (error: unknown) => error,
      );
      return { backup, report, unfinished };
    });
  });
  const artifactsIn = options.withoutArtifacts === true ? null : place;
  const summary = summarizeRestore({ file, backup, report, keyIds: listKeyIds(config), artifactsIn });
  printResult(options.json, summary, describeRestore(summary));
  if (summary.missing_keys.length > 0) process.exitCode = KEYS_MISSING;
  if (summary.ledger_problems.length > 0) process.exitCode = 1;
  if (unfinished !== null) throw notFinished(unfinished);
}

function notFinished(error: unknown): CallerError {
  const reason = describeError(error).replace(/\.$/, "");
  return new CallerError(
    "UNAVAILABLE",
    `Everything is restored, but the last things were not put in order: ${reason}. ` +
      "“errand migrate” makes what is missing, and so does starting the service.",
    { cause: error },
  );
}

/** Where artifacts are kept. */
function describePlace({ artifactBucket, dataDir }: Config): string {
  if (artifactBucket === null) return join(dataDir, "artifacts");
  const { bucket, prefix, endpoint } = artifactBucket;
  return `the bucket ${bucket} at ${endpoint ?? "Amazon S3"}${prefix === "" ? "" : ` under ${prefix}`}`;
}

/** Those that are to be put into the key file; null when there are none, or when the keys are settings. */
function findKeys({ path, keyFile }: CheckedBackup, { secretKey }: Config): MasterKeys | null {
  return keyFile === null || secretKey !== null ? null : parseKeys(keyFile, `The key file in ${path}`);
}
