import type { CheckedBackup } from "../backup/check-backup.ts";
import type { RestoreReport } from "../backup/restore-backup.ts";
import { type BackupSummary, countThings, describeContent, summarizeBackup } from "./backup-output.ts";

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

export function summarizeRestore({ file, backup, report, keyIds, artifactsIn }: Restored): RestoreSummary {
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

export function describeRestore(summary: RestoreSummary): string[] {
  const { made_at, rows, artifacts, artifacts_in, migrated, executions, missing_keys, with_key, ledger_problems } =
    summary;
  const { ended_as_worker_lost, canceled, kept } = executions;
  return [
    `Restored as of ${made_at}: ${describeContent(rows, artifacts_in === null ? null : artifacts)}. Every number is as in the backup.`,
    describeArtifacts(artifacts, artifacts_in),
    ...(migrated.length === 0 ? [] : [`The schema was brought up to date: ${migrated.join(", ")}.`]),
    ...(ended_as_worker_lost === 0
      ? []
      : [`Ended as worker_lost, because they were running: ${countThings(ended_as_worker_lost, "executions")}.`]),
    ...(canceled === 0
      ? []
      : [
          `Canceled and not charged, because they waited and may have run since: ${countThings(canceled, "executions")}.`,
        ]),
    ...(kept === 0 ? [] : [`Will run when a worker starts, as they were waiting: ${countThings(kept, "executions")}.`]),
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
