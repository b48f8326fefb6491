import type { BackupReport } from "../backup/write-backup.ts";

export interface BackupSummary {
  file: string;
  bytes: number | null;
  made_at: string;
  schema_version: number;
  rows: Record<string, number>;
  artifacts: { files: number; bytes: number; missing: number; damaged: number } | null;
  keys: { key_id: string; sign_ins: number; webhook_secrets: number }[];
  with_key: boolean;
}

export function summarizeBackup(file: string, bytes: number | null, { header, manifest }: BackupReport): BackupSummary {
  const { artifacts } = manifest;
  return {
    file,
    bytes,
    made_at: header.made_at,
    schema_version: header.migrations.at(-1)?.version ?? 0,
    rows: Object.fromEntries(manifest.tables.map(({ name, rows }) => [name, rows])),
    artifacts:
      artifacts === null
        ? null
        : {
            files: artifacts.files,
            bytes: artifacts.bytes,
            missing: artifacts.missing,
            damaged: artifacts.damaged,
          },
    keys: manifest.keys,
    with_key: manifest.key_file_sha256 !== null,
  };
}

export function describeBackup(summary: BackupSummary): string[] {
  const { file, bytes, rows, artifacts, made_at } = summary;
  const where = bytes === null ? "standard output" : `${file} (${describeBytes(bytes)})`;
  return [
    `Everything as of ${made_at} is in ${where}: ${describeContent(rows, artifacts)}.`,
    ...describeLacking(artifacts),
    ...describeKeys(summary),
  ];
}

export function describeContent(rows: BackupSummary["rows"], artifacts: BackupSummary["artifacts"]): string {
  const tables = ["applications", "connections", "executions"];
  const counts = tables.map((table) => countThings(rows[table] ?? 0, table));
  return [...counts, artifacts === null ? "no artifacts" : countThings(artifacts.files, "artifacts")].join(", ");
}

/** `things` ends in the letter that one of them does without. */
export function countThings(count: number, things: string): string {
  return `${count} ${count === 1 ? things.slice(0, -1) : things}`;
}

function describeLacking(artifacts: BackupSummary["artifacts"]): string[] {
  if (artifacts === null) return ["Artifacts were left out: restored, they answer 410."];
  const { missing, damaged } = artifacts;
  return missing + damaged === 0
    ? []
    : [
        `Not in it: ${countThings(missing, "artifacts")} without a file here (removed since, or on another machine), ` +
          `${countThings(damaged, "artifacts")} with another content than there should be.`,
      ];
}

function describeKeys({ keys, with_key }: BackupSummary): string[] {
  if (with_key) return ["The master keys are in it: whoever has this file can open every saved sign-in. Keep it safe."];
  if (keys.length === 0) return ["The master key is not in it."];
  const ids = keys.map(({ key_id }) => key_id).join(", ");
  const signIns = keys.reduce((sum, { sign_ins }) => sum + sign_ins, 0);
  const secrets = keys.reduce((sum, { webhook_secrets }) => sum + webhook_secrets, 0);
  return [
    `The master key is not in it. Its ${countThings(signIns, "saved sign-ins")} and ${countThings(secrets, "webhook secrets")} ` +
      `open only with ${ids}: ` +
      "keep a copy of the key elsewhere.",
  ];
}

function describeBytes(bytes: number): string {
  const units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
  const power = Math.min(Math.floor(Math.log2(Math.max(bytes, 1)) / 10), units.length - 1);
  return power === 0 ? `${bytes} bytes` : `${(bytes / 1024 ** power).toFixed(1)} ${units[power]}`;
}
