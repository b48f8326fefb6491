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
  const count = (table: string) => rows[table] ?? 0;
  return [
    `${count("applications")} applications`,
    `${count("connections")} connections`,
    `${count("executions")} executions`,
    artifacts === null ? "no artifacts" : `${artifacts.files} artifacts`,
  ].join(", ");
}

function describeLacking(artifacts: BackupSummary["artifacts"]): string[] {
  if (artifacts === null) return ["Artifacts were left out: restored, they answer 410."];
  const { missing, damaged } = artifacts;
  return missing + damaged === 0
    ? []
    : [
        `${missing + damaged} artifacts are not in it: ${missing} files were not there (removed since, or with another data ` +
          `directory), ${damaged} were not what they should be.`,
      ];
}

function describeKeys({ keys, with_key }: BackupSummary): string[] {
  if (with_key) return ["The master keys are in it: whoever has this file can open every saved sign-in. Keep it safe."];
  if (keys.length === 0) return ["The master key is not in it."];
  const ids = keys.map(({ key_id }) => key_id).join(", ");
  const signIns = keys.reduce((sum, { sign_ins }) => sum + sign_ins, 0);
  const secrets = keys.reduce((sum, { webhook_secrets }) => sum + webhook_secrets, 0);
  return [
    `The master key is not in it. Its ${signIns} saved sign-ins and ${secrets} secrets of webhooks open only with ${ids}: ` +
      "keep a copy of the key elsewhere.",
  ];
}

function describeBytes(bytes: number): string {
  const units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
  const power = Math.min(Math.floor(Math.log2(Math.max(bytes, 1)) / 10), units.length - 1);
  return power === 0 ? `${bytes} bytes` : `${(bytes / 1024 ** power).toFixed(1)} ${units[power]}`;
}
