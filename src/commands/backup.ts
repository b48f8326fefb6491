import { stat } from "node:fs/promises";
import type { Command } from "commander";
import packageJson from "../../package.json" with { type: "json" };
import type { BackupOptions, BackupReport } from "../backup/write-backup.ts";
import type { Config } from "../config/config.ts";
import { openKeyFile, readKeyText } from "../config/key-file.ts";
import { describeBackup, summarizeBackup } from "./backup-output.ts";
import { breakable } from "./breakable.ts";
import { requireDatabase } from "./explain-database.ts";
import { loadConfig } from "./load-config.ts";
import { type CommonOptions, DATA_DIR_OPTION, JSON_OPTION } from "./output.ts";
import { createLiveLines } from "./progress.ts";
import { UsageError } from "./usage-error.ts";
import { withDatabaseAddress } from "./with-database-address.ts";

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
  const keyFile = options.withKey === true ? readKeys(config) : null;
  await requireDatabase(config);
  using lines = options.json === true ? null : createLiveLines();
  const onProgress = (message: string) => lines?.waitFor(message);
  const { report, bytes } = await breakable("Broken off: no backup was made.", (signal) =>
    withDatabaseAddress(config, { mustExist: true }, async (connectionString) => {
      const { openArtifactFiles } = await import("../storage/open-artifact-files.ts");
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

function readKeys({ secretKey, dataDir }: Config): string {
  if (secretKey === null) return readKeyText(openKeyFile(dataDir));
  throw new UsageError(
    "--with-key is for the key file, and here the master key is ERRAND_SECRET_KEY. Keep a copy of that setting instead.",
  );
}

async function writeTo(file: string, mayReplace: boolean, options: BackupOptions): Promise<BackupReport> {
  const [{ writeBackup }, { writeFileWhole }] = await Promise.all([
    import("../backup/write-backup.ts"),
    import("../backup/backup-file.ts"),
  ]);
  if (file !== "-")
    return writeFileWhole(file, { mayReplace }, (stream) => writeBackup({ stream, staysOpen: false }, options));
  if (process.stdout.isTTY)
    throw new UsageError("A backup is not for a terminal. Name a file, or send it into another program.");
  return writeBackup({ stream: process.stdout, staysOpen: true }, options);
}
