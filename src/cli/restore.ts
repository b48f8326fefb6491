import { join } from "node:path";
import type { Command } from "commander";
import type { CheckedBackup } from "../backup/read-backup.ts";
import type { RestoreReport } from "../backup/restore-backup.ts";
import type { Config } from "../config/config.ts";
import { addNewestKeys, type MasterKeys, parseKeys } from "../config/key-file.ts";
import { listKeyIds } from "../config/master-keys.ts";
import { CallerError, describeError } from "../lib/errors.ts";
import { pluralize } from "../lib/pluralize.ts";
import { type BackupSummary, describeContent, summarizeBackup } from "./backup.ts";
import { requireDatabase, withDatabaseUrl } from "./database.ts";
import { type CommonOptions, DATA_DIR_OPTION, JSON_OPTION, loadConfig } from "./options.ts";
import { createLiveLines, printResult } from "./output.ts";
import { interruptible } from "./signals.ts";

interface RestoreCommandOptions extends CommonOptions {
  keepQueued?: boolean;
  withoutArtifacts?: boolean;
}

const KEYS_MISSING = 3;

const HELP = `
The target must be empty and not in use: a new data directory, or a new database at DATABASE_URL. The whole file is checked
before anything is written. The restore is atomic: either everything is restored or nothing.

Queued executions are canceled and not charged, because they may have run after the backup was made. If nothing ran after
the backup, for example when you move a stopped service to another machine, --keep-queued lets them run. Executions that
were running always end as worker_lost.

Artifacts are restored to the configured bucket or the data directory. If there are artifacts already, nothing is restored,
because two installations that share a location delete each other's files. For a rehearsal choose another location
(ERRAND_ARTIFACTS_S3_PREFIX), or use --without-artifacts.

Exit codes:
  0    restored
  1    nothing was restored; or everything was, but the ledger does not add up or a final step failed (see the output)
  2    wrong usage or invalid settings
  3    restored, but master keys are missing, so that some secrets cannot be decrypted (the output names the keys)

People have to sign in to Errand again. Access tokens and client secrets are those of the backup: any that were revoked
since are valid again. Revoke them again (errand connection revoke-token, errand app rotate-secret).`;

export function addRestoreCommand(program: Command): void {
  program
    .command("restore")
    .description("restore a backup")
    .argument("<file>", "the backup file; not a pipe, because it is read twice")
    .option("--keep-queued", "keep queued executions and let them run; only if nothing ran after the backup was made")
    .option(
      "--without-artifacts",
      "restore only the database; requests for artifacts get 410, unless their files are already in place",
    )
    .option(...DATA_DIR_OPTION)
    .option(...JSON_OPTION)
    .addHelpText("after", HELP)
    .action(restore);
}

async function restore(file: string, options: RestoreCommandOptions): Promise<void> {
  const config = loadConfig(options);
  const [{ checkBackup }, { finishRestore, restoreBackup }, { openArtifactFiles }] = await Promise.all([
    import("../backup/read-backup.ts"),
    import("../backup/restore-backup.ts"),
    import("../storage/artifacts/artifact-files.ts"),
  ]);
  const location = describeArtifactLocation(config);
  await requireDatabase(config);
  // Called early: unreadable keys should be reported before anything is changed.
  listKeyIds(config);
  using lines = options.json === true ? null : createLiveLines();
  const onProgress = (message: string) => lines?.setStatus(message);
  onProgress(`Checking ${file}`);
  const { backup, report, unfinished } = await interruptible(
    "Interrupted. Nothing was restored.",
    async (signal, hold) => {
      const backup = await checkBackup(file, signal);
      const keys = findKeysToRestore(backup, config);
      let stopping = signal;
      return withDatabaseUrl(config, { mustExist: false }, async (connectionString) => {
        using files = openArtifactFiles(config);
        const hasArtifacts = (backup.manifest.artifacts?.files ?? 0) > 0 && options.withoutArtifacts !== true;
        const report = await restoreBackup(backup, {
          connectionString,
          artifacts: hasArtifacts ? { files, location } : null,
          keepQueued: options.keepQueued === true,
          beforeCommit: () => {
            if (keys !== null) addNewestKeys(config.dataDir, keys);
            stopping = hold();
          },
          signal,
          onProgress,
        });
        onProgress("Restored; finishing");
        const unfinished = await finishRestore(connectionString, stopping).then(
          () => null,
          (error: unknown) => error,
        );
        return { backup, report, unfinished };
      });
    },
  );
  const artifactsIn = options.withoutArtifacts === true ? null : location;
  const summary = summarizeRestore({ file, backup, report, keyIds: listKeyIds(config), artifactsIn });
  printResult(options.json, summary, describeRestore(summary));
  if (summary.missing_keys.length > 0) process.exitCode = KEYS_MISSING;
  if (summary.ledger_problems.length > 0) process.exitCode = 1;
  if (unfinished !== null) throw finishFailed(unfinished, config);
}

function finishFailed(error: unknown, { commandOptions }: Config): CallerError {
  const reason = describeError(error).replace(/\.$/, "");
  return new CallerError(
    "UNAVAILABLE",
    `Everything is restored, but the final step failed: ${reason}. ` +
      `Run errand migrate${commandOptions} to complete it.`,
    { cause: error },
  );
}

function describeArtifactLocation({ artifactBucket, dataDir }: Config): string {
  if (artifactBucket === null) return join(dataDir, "artifacts");
  const { bucket, prefix, endpoint } = artifactBucket;
  return `the bucket ${bucket} at ${endpoint ?? "Amazon S3"}${prefix === "" ? "" : ` under ${prefix}`}`;
}

/** The keys to add to the key file; null if the backup has none, or if the keys are settings. */
function findKeysToRestore({ path, keyFile }: CheckedBackup, { secretKey }: Config): MasterKeys | null {
  return keyFile === null || secretKey !== null ? null : parseKeys(keyFile, `The key file in ${path}`);
}

interface RestoreSummary extends Omit<BackupSummary, "bytes"> {
  /** Where the artifacts are; null if none were restored. */
  artifacts_in: string | null;
  migrated: string[];
  executions: { ended_as_worker_lost: number; canceled: number; kept: number };
  /** Ids of keys that are needed to decrypt secrets, but not available. */
  missing_keys: string[];
  ledger_problems: string[];
}

interface Restored {
  file: string;
  backup: CheckedBackup;
  report: RestoreReport;
  keyIds: readonly string[];
  /** Null: artifacts were not restored. */
  artifactsIn: string | null;
}

function summarizeRestore({ file, backup, report, keyIds, artifactsIn }: Restored): RestoreSummary {
  const { schemaVersion, migrated, settlement, ledgerProblems } = report;
  const { bytes: _, ...summary } = summarizeBackup(file, null, backup);
  return {
    ...summary,
    artifacts_in: summary.artifacts === null ? null : artifactsIn,
    schema_version: schemaVersion,
    migrated,
    executions: { ended_as_worker_lost: settlement.lost, canceled: settlement.canceled, kept: settlement.kept },
    missing_keys: summary.keys.map(({ key_id }) => key_id).filter((keyId) => !keyIds.includes(keyId)),
    ledger_problems: ledgerProblems,
  };
}

function describeRestore(summary: RestoreSummary): string[] {
  const { made_at, rows, artifacts, artifacts_in, migrated, executions, missing_keys, with_key, ledger_problems } =
    summary;
  const { ended_as_worker_lost, canceled, kept } = executions;
  return [
    `Restored as of ${made_at}: ${describeContent(rows, artifacts_in === null ? null : artifacts)}. All counts match the backup.`,
    describeArtifacts(artifacts, artifacts_in),
    ...(migrated.length === 0 ? [] : [`Updated the schema: ${migrated.join(", ")}.`]),
    ...(ended_as_worker_lost === 0
      ? []
      : [`Ended as worker_lost, because they were running: ${pluralize(ended_as_worker_lost, "execution")}.`]),
    ...(canceled === 0
      ? []
      : [`Canceled and not charged, because they may have run since: ${pluralize(canceled, "queued execution")}.`]),
    ...(kept === 0 ? [] : [`Will run when a worker starts: ${pluralize(kept, "queued execution")}.`]),
    ...(missing_keys.length === 0 ? [] : [describeMissingKeys(missing_keys, with_key)]),
    ...(ledger_problems.length === 0
      ? []
      : ["The ledger does not add up. This is not a result of the restore; the backup has the same problem:"]),
    ...ledger_problems.map((problem) => `  ${problem}`),
    "People have to sign in to Errand again. Tokens and secrets that were revoked after the backup are valid again: revoke them.",
  ];
}

function describeArtifacts(artifacts: RestoreSummary["artifacts"], location: string | null): string {
  if (location !== null) return `Artifacts are in ${location}.`;
  return artifacts === null
    ? "The backup has no artifacts; requests for them get 410."
    : "Artifacts were not restored; requests for them get 410, unless their files are already in place.";
}

function describeMissingKeys(keyIds: string[], isInBackup: boolean): string {
  const what = `Some saved sign-ins or webhook secrets cannot be decrypted, because the master key ${keyIds.join(", ")} is missing.`;
  return isInBackup
    ? `${what} It is in the file secret.key of the backup: add its lines to ERRAND_OTHER_SECRET_KEYS before you start the service.`
    : `${what} Add your copy to secret.key in the data directory, or to ERRAND_OTHER_SECRET_KEYS, before you start the service.`;
}
