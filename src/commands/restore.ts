import type { Command } from "commander";
import type { CheckedBackup } from "../backup/check-backup.ts";
import type { Config } from "../config/config.ts";
import { type MasterKeys, parseKeys, putKeysFirst } from "../config/key-file.ts";
import { listKeyIds } from "../config/key-ring.ts";
import { breakable } from "./breakable.ts";
import { loadConfig } from "./load-config.ts";
import { type CommonOptions, DATA_DIR_OPTION, JSON_OPTION, printResult } from "./output.ts";
import { createLiveLines } from "./progress.ts";
import { describeRestore, summarizeRestore } from "./restore-output.ts";
import { withDatabaseAddress } from "./with-database-address.ts";

interface RestoreCommandOptions extends CommonOptions {
  keepQueued?: boolean;
}

const HELP = `
Into an empty database only, while no service runs on it: a new data directory, or a new database at DATABASE_URL. The whole
file is checked before anything is written, and everything is restored or nothing.

Executions that waited when the backup was made may have been done since, so they are ended and not charged. If nothing ran
after the backup, as when a stopped service moves to another machine, --keep-queued lets them run. What was running is ended
as worker_lost in any case.

People sign in to Errand once more. Tokens and secrets are valid as they were then: revoke again what was revoked since.`;

export function addRestoreCommand(program: Command): void {
  program
    .command("restore")
    .description("restore what errand backup has written")
    .argument("<file>", "the backup")
    .option("--keep-queued", "run the executions that waited, because nothing ran after the backup was made")
    .option(...DATA_DIR_OPTION)
    .option(...JSON_OPTION)
    .addHelpText("after", HELP)
    .action(restore);
}

async function restore(file: string, options: RestoreCommandOptions): Promise<void> {
  const config = loadConfig(options);
  const [{ checkBackup }, { restoreBackup }, { migrate }, { openArtifactFiles }] = await Promise.all([
    import("../backup/check-backup.ts"),
    import("../backup/restore-backup.ts"),
    import("../storage/migrations.ts"),
    import("../storage/open-artifact-files.ts"),
  ]);
  using lines = options.json === true ? null : createLiveLines();
  const onProgress = (message: string) => lines?.waitFor(message);
  onProgress(`Checking ${file}`);
  const { backup, report } = await breakable("Broken off: nothing was restored.", async (signal) => {
    const backup = await checkBackup(file, signal);
    const keys = findKeys(backup, config);
    return withDatabaseAddress(config, { mustExist: false }, async (connectionString) => {
      using files = openArtifactFiles(config);
      const report = await restoreBackup(backup, {
        connectionString,
        files,
        keepQueued: options.keepQueued === true,
        beforeCommit: () => {
          if (keys !== null) putKeysFirst(config.dataDir, keys);
        },
        signal,
        onProgress,
      });
      // The tables of the job queue.
      await migrate(connectionString);
      return { backup, report };
    });
  });
  const summary = summarizeRestore(file, backup, report, listKeyIds(config));
  printResult(options.json, summary, describeRestore(summary));
  if (summary.ledger_problems.length > 0) process.exitCode = 1;
}

/** Those that are to be put into the key file; null when there are none, or when the keys are settings. */
function findKeys({ path, keyFile }: CheckedBackup, { secretKey }: Config): MasterKeys | null {
  return keyFile === null || secretKey !== null ? null : parseKeys(keyFile, `The key file in ${path}`);
}
