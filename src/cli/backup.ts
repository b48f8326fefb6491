import { stat } from "node:fs/promises";
import type { Command } from "commander";
import packageJson from "../../package.json" with { type: "json" };
import type { BackupOptions, BackupReport } from "../backup/write-backup.ts";
import type { Config } from "../config/config.ts";
import { openKeyFile, readKeyText } from "../config/key-file.ts";
import { pluralize } from "../lib/pluralize.ts";
import { requireDatabase, withDatabaseUrl } from "./database.ts";
import { UsageError } from "./failure.ts";
import { type CommonOptions, DATA_DIR_OPTION, JSON_OPTION, loadConfig } from "./options.ts";
import { createLiveLines } from "./output.ts";
import { interruptible } from "./signals.ts";

interface BackupCommandOptions extends CommonOptions {
  force?: boolean;
  withKey?: boolean;
  withoutArtifacts?: boolean;
}

const HELP = `
The backup is a consistent snapshot of the database with all artifacts, from the data directory or the bucket. The service
can keep running.

The master key is not included, so that nobody can decrypt saved sign-ins with the file alone. Keep a copy of secret.key
from the data directory (or of ERRAND_SECRET_KEY) in another place, or include it with --with-key.

Example: errand backup errand-$(date +%F).tar.gz`;

export function addBackupCommand(program: Command): void {
  program
    .command("backup")
    .description("back up the database and all artifacts to one file")
    .argument("<file>", "file to write, or - for standard output")
    .option("--without-artifacts", "leave out screenshots, pages and downloads")
    .option("--with-key", "include the master keys; the file then decrypts every saved sign-in")
    .option("--force", "overwrite an existing file")
    .option(...DATA_DIR_OPTION)
    .option(...JSON_OPTION)
    .addHelpText("after", HELP)
    .action(backUp);
}

async function backUp(file: string, options: BackupCommandOptions): Promise<void> {
  const config = loadConfig(options);
  const keyFile = options.withKey === true ? readKeysForBackup(config) : null;
  await requireDatabase(config);
  using lines = options.json === true ? null : createLiveLines();
  const onProgress = (message: string) => lines?.setStatus(message);
  const { report, bytes } = await interruptible("Interrupted. No backup was made.", (signal) =>
    withDatabaseUrl(config, { mustExist: true }, async (connectionString) => {
      const { openArtifactFiles } = await import("../storage/artifacts/artifact-files.ts");
      using files = openArtifactFiles(config);
      const report = await writeTo(file, options.force === true, {
        connectionString,
        files: options.withoutArtifacts === true ? null : files,
        keyFile,
        errandVersion: packageJson.version,
        madeAt: new Date(),
        signal,
        onProgress,
      });
      return { report, bytes: file === "-" ? null : (await stat(file)).size };
    }),
  );
  const summary = summarizeBackup(file, bytes, report);
  const text = options.json === true ? JSON.stringify(summary) : describeBackup(summary).join("\n");
  (file === "-" ? process.stderr : process.stdout).write(`${text}\n`);
}

function readKeysForBackup({ secretKey, dataDir }: Config): string {
  if (secretKey === null) return readKeyText(openKeyFile(dataDir));
  throw new UsageError(
    "--with-key works with the key file, but the master key is set in ERRAND_SECRET_KEY. Keep a copy of that setting instead.",
  );
}

async function writeTo(file: string, mayReplace: boolean, options: BackupOptions): Promise<BackupReport> {
  const { writeBackup, writeFileAtomically } = await import("../backup/write-backup.ts");
  if (file !== "-")
    return writeFileAtomically(file, { mayReplace }, (stream) => writeBackup({ stream, staysOpen: false }, options));
  if (process.stdout.isTTY)
    throw new UsageError(
      "Refusing to write a backup to the terminal. Name a file, or pipe the output to another program.",
    );
  return writeBackup({ stream: process.stdout, staysOpen: true }, options);
}

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

function describeBackup(summary: BackupSummary): string[] {
  const { file, bytes, rows, artifacts, made_at } = summary;
  const where = bytes === null ? "standard output" : `${file} (${describeBytes(bytes)})`;
  return [
    `Backed up to ${where}, as of ${made_at}: ${describeContent(rows, artifacts)}.`,
    ...describeMissing(artifacts),
    ...describeKeys(summary),
  ];
}

export function describeContent(rows: BackupSummary["rows"], artifacts: BackupSummary["artifacts"]): string {
  return [
    pluralize(rows["applications"] ?? 0, "application"),
    pluralize(rows["connections"] ?? 0, "connection"),
    pluralize(rows["executions"] ?? 0, "execution"),
    artifacts === null ? "no artifacts" : pluralize(artifacts.files, "artifact"),
  ].join(", ");
}

function describeMissing(artifacts: BackupSummary["artifacts"]): string[] {
  if (artifacts === null) return ["Artifacts are not included. After a restore, requests for them get 410."];
  const { missing, damaged } = artifacts;
  return missing + damaged === 0
    ? []
    : [
        `Skipped: ${pluralize(missing, "artifact")} whose file is missing (deleted, or on another machine), ` +
          `${pluralize(damaged, "artifact")} whose file is damaged.`,
      ];
}

function describeKeys({ keys, with_key }: BackupSummary): string[] {
  if (with_key)
    return ["The master keys are included: anyone with this file can decrypt every saved sign-in. Keep it safe."];
  if (keys.length === 0) return ["The master key is not included."];
  const ids = keys.map(({ key_id }) => key_id).join(", ");
  const signIns = keys.reduce((sum, { sign_ins }) => sum + sign_ins, 0);
  const secrets = keys.reduce((sum, { webhook_secrets }) => sum + webhook_secrets, 0);
  return [
    `The master key is not included. Keep a copy of ${ids} in another place: without it ` +
      `${pluralize(signIns, "saved sign-in")} and ${pluralize(secrets, "webhook secret")} cannot be decrypted.`,
  ];
}

function describeBytes(bytes: number): string {
  const units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
  const power = Math.min(Math.floor(Math.log2(Math.max(bytes, 1)) / 10), units.length - 1);
  return power === 0 ? `${bytes} bytes` : `${(bytes / 1024 ** power).toFixed(1)} ${units[power]}`;
}
