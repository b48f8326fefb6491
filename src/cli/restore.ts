import { join } from "node:path";
import type { Command } from "commander";
import type { CheckedBackup } from "../backup/read-backup.ts";
import type { RestoreReport } from "../backup/restore-backup.ts";
import type { Config } from "../config/config.ts";
import { addNewestKeys, type MasterKeys, parseKeys } from "../config/key-file.ts";
import { listKeyIds } from "../config/master-keys.ts";
import { CallerError, describeError } from "../lib/errors.ts";
import { type BackupSummary, describeContent, pluralize, summarizeBackup } from "./backup.ts";
import { requireDatabase, withDatabaseUrl } from "./database.ts";
import { loadConfig } from "./options.ts";
import { type CommonOptions, createLiveLines, DATA_DIR_OPTION, JSON_OPTION, printResult } from "./output.ts";
import { interruptible } from "./signals.ts";

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
    import("../backup/read-backup.ts"),
    import("../backup/restore-backup.ts"),
    import("../backup/restore-backup.ts"),
    import("../storage/artifacts/artifact-files.ts"),
  ]);
  const place = describeArtifactLocation(config);
  await requireDatabase(config);
  // Now: whoever has no right to them should hear of it before anything is changed.
  listKeyIds(config);
  using lines = options.json === true ? null : createLiveLines();
  const onProgress = (message: string) => lines?.waitFor(message);
  onProgress(`Checking ${file}`);
  const { backup, report, unfinished } = await interruptible(
    "Broken off: nothing was restored.",
    async (signal, hold) => {
      const backup = await checkBackup(file, signal);
      const keys = findKeysToRestore(backup, config);
      let stopping = signal;
      return withDatabaseUrl(config, { mustExist: false }, async (connectionString) => {
        using files = openArtifactFiles(config);
        const hasArtifacts = (backup.manifest.artifacts?.files ?? 0) > 0 && options.withoutArtifacts !== true;
        const report = await restoreBackup(backup, {
          connectionString,
          artifacts: hasArtifacts ? { files, place } : null,
          keepQueued: options.keepQueued === true,
          beforeCommit: () => {
            if (keys !== null) addNewestKeys(config.dataDir, keys);
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
    },
  );
  const artifactsIn = options.withoutArtifacts === true ? null : place;
  const summary = summarizeRestore({ file, backup, report, keyIds: listKeyIds(config), artifactsIn });
  printResult(options.json, summary, describeRestore(summary));
  if (summary.missing_keys.length > 0) process.exitCode = KEYS_MISSING;
  if (summary.ledger_problems.length > 0) process.exitCode = 1;
  if (unfinished !== null) throw finishFailed(unfinished);
}

function finishFailed(error: unknown): CallerError {
  const reason = describeError(error).replace(/\.$/, "");
  return new CallerError(
    "UNAVAILABLE",
    `Everything is restored, but the last things were not put in order: ${reason}. ` +
      "“errand migrate” makes what is missing, and so does starting the service.",
    { cause: error },
  );
}

/** Where artifacts are kept. */
function describeArtifactLocation({ artifactBucket, dataDir }: Config): string {
  if (artifactBucket === null) return join(dataDir, "artifacts");
  const { bucket, prefix, endpoint } = artifactBucket;
  return `the bucket ${bucket} at ${endpoint ?? "Amazon S3"}${prefix === "" ? "" : ` under ${prefix}`}`;
}

/** Those that are to be put into the key file; null when there are none, or when the keys are settings. */
function findKeysToRestore({ path, keyFile }: CheckedBackup, { secretKey }: Config): MasterKeys | null {
  return keyFile === null || secretKey !== null ? null : parseKeys(keyFile, `The key file in ${path}`);
}

interface RestoreSummary extends Omit<BackupSummary, "bytes"> {
  /** Where they are now; null if none were restored. */
  artifacts_in: string | null;
  migrated: string[];
  executions: { ended_as_worker_lost: number; canceled: number; kept: number };
  /** Without these something that is sealed cannot be opened. */
  missing_keys: string[];
  ledger_problems: string[];
}

interface Restored {
  file: string;
  backup: CheckedBackup;
  report: RestoreReport;
  keyIds: readonly string[];
  /** Null: artifacts stayed in the backup. */
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
    `Restored as of ${made_at}: ${describeContent(rows, artifacts_in === null ? null : artifacts)}. Every number is as in the backup.`,
    describeArtifacts(artifacts, artifacts_in),
    ...(migrated.length === 0 ? [] : [`The schema was brought up to date: ${migrated.join(", ")}.`]),
    ...(ended_as_worker_lost === 0
      ? []
      : [`Ended as worker_lost, because they were running: ${pluralize(ended_as_worker_lost, "executions")}.`]),
    ...(canceled === 0
      ? []
      : [
          `Canceled and not charged, because they waited and may have run since: ${pluralize(canceled, "executions")}.`,
        ]),
    ...(kept === 0 ? [] : [`Will run when a worker starts, as they were waiting: ${pluralize(kept, "executions")}.`]),
    ...(missing_keys.length === 0 ? [] : [describeMissingKeys(missing_keys, with_key)]),
    ...(ledger_problems.length === 0 ? [] : ["The ledger does not add up, and did not in the backup either:"]),
    ...ledger_problems.map((problem) => `  ${problem}`),
    "Everybody signs in to Errand once more. Revoke again what was revoked after the backup was made.",
  ];
}

function describeArtifacts(artifacts: RestoreSummary["artifacts"], place: string | null): string {
  if (place !== null) return `Artifacts are in ${place}.`;
  return artifacts === null
    ? "There were no artifacts in the backup: those that it lists answer 410."
    : "Artifacts stayed in the backup: those that are not in their place already answer 410.";
}

function describeMissingKeys(keyIds: string[], isInBackup: boolean): string {
  const what = `Some saved sign-ins or webhook secrets cannot be opened, because the master key ${keyIds.join(", ")} is not here.`;
  return isInBackup
    ? `${what} It is in the backup's secret.key: add its lines to ERRAND_OTHER_SECRET_KEYS before the service starts.`
    : `${what} Put your copy of it into secret.key in the data directory, or into ERRAND_OTHER_SECRET_KEYS, before the service starts.`;
}
