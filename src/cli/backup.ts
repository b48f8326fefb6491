import { stat } from "node:fs/promises";
import type { Command } from "commander";
import packageJson from "../../package.json" with { type: "json" };
import type { BackupOptions, BackupReport } from "../backup/write-backup.ts";
import type { Config } from "../config/config.ts";
import { openKeyFile, readKeyText } from "../config/key-file.ts";
import { requireDatabase, withDatabaseUrl } from "./database.ts";
import { UsageError } from "./failure.ts";
import { loadConfig } from "./options.ts";
import { type CommonOptions, createLiveLines, DATA_DIR_OPTION, JSON_OPTION } from "./output.ts";
import { interruptible } from "./signals.ts";

interface BackupCommandOptions extends CommonOptions {
  force?: boolean;
  /** False with --without-artifacts. */
  withKey?: boolean;
  withoutArtifacts?: boolean;
}

const HELP = `
The service may go on running: the backup is of one moment. It holds the database and the artifacts, wherever they are kept.

The master key is not in it, so that whoever gets hold of the file opens no saved sign-in: keep a copy of secret.key in the
data directory (or of ERRAND_SECRET_KEY) somewhere else. --with-key puts the key file into the backup.

Example: errand backup errand-$(date +%F).tar.gz`;

export function addBackupCommand(program: Command): void {
  program
    .command("backup")
    .description("write everything into one file, for errand restore")
    .argument("<file>", "where to write it; - is standard output")
    .option("--without-artifacts", "leave out screenshots, pages and downloads")
    .option("--with-key", "put the master keys into it, too: then it opens every saved sign-in")
    .option("--force", "replace the file if it is there already")
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
  const onProgress = (message: string) => lines?.waitFor(message);
  const { report, bytes } = await interruptible("Broken off: no backup was made.", (signal) =>
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
    "--with-key is for the key file, and here the master key is ERRAND_SECRET_KEY. Keep a copy of that setting instead.",
  );
}

async function writeTo(file: string, mayReplace: boolean, options: BackupOptions): Promise<BackupReport> {
  const [{ writeBackup }, { writeFileAtomically }] = await Promise.all([
    import("../backup/write-backup.ts"),
    import("../backup/write-backup.ts"),
  ]);
  if (file !== "-")
    return writeFileAtomically(file, { mayReplace }, (stream) => writeBackup({ stream, staysOpen: false }, options));
  if (process.stdout.isTTY)
    throw new UsageError("A backup is not for a terminal. Name a file, or send it into another program.");
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
    `Everything as of ${made_at} is in ${where}: ${describeContent(rows, artifacts)}.`,
    ...describeMissing(artifacts),
    ...describeKeys(summary),
  ];
}

export function describeContent(rows: BackupSummary["rows"], artifacts: BackupSummary["artifacts"]): string {
  const tables = ["applications", "connections", "executions"];
  const counts = tables.map((table) => pluralize(rows[table] ?? 0, table));
  return [...counts, artifacts === null ? "no artifacts" : pluralize(artifacts.files, "artifacts")].join(", ");
}

/** `things` ends in the letter that one of them does without. */
export function pluralize(count: number, things: string): string {
  return `${count} ${count === 1 ? things.slice(0, -1) : things}`;
}

function describeMissing(artifacts: BackupSummary["artifacts"]): string[] {
  if (artifacts === null) return ["Artifacts were left out: restored, they answer 410."];
  const { missing, damaged } = artifacts;
  return missing + damaged === 0
    ? []
    : [
        `Not in it: ${pluralize(missing, "artifacts")} without a file here (removed since, or on another machine), ` +
          `${pluralize(damaged, "artifacts")} with another content than there should be.`,
      ];
}

function describeKeys({ keys, with_key }: BackupSummary): string[] {
  if (with_key) return ["The master keys are in it: whoever has this file can open every saved sign-in. Keep it safe."];
  if (keys.length === 0) return ["The master key is not in it."];
  const ids = keys.map(({ key_id }) => key_id).join(", ");
  const signIns = keys.reduce((sum, { sign_ins }) => sum + sign_ins, 0);
  const secrets = keys.reduce((sum, { webhook_secrets }) => sum + webhook_secrets, 0);
  return [
    `The master key is not in it. Its ${pluralize(signIns, "saved sign-ins")} and ${pluralize(secrets, "webhook secrets")} ` +
      `open only with ${ids}: ` +
      "keep a copy of the key elsewhere.",
  ];
}

function describeBytes(bytes: number): string {
  const units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
  const power = Math.min(Math.floor(Math.log2(Math.max(bytes, 1)) / 10), units.length - 1);
  return power === 0 ? `${bytes} bytes` : `${(bytes / 1024 ** power).toFixed(1)} ${units[power]}`;
}
