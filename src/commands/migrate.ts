import type { Command } from "commander";
import { openStorage } from "../storage/open-storage.ts";
import { loadConfig } from "./load-config.ts";
import { createProcessLogger } from "./log-output.ts";
import { type CommonOptions, DATA_DIR_OPTION, JSON_OPTION, printResult } from "./output.ts";
import { showProgress } from "./progress.ts";

export function addMigrateCommand(program: Command): void {
  program
    .command("migrate")
    .description("bring the database's schema up to date (start does it too)")
    .option(...DATA_DIR_OPTION)
    .option(...JSON_OPTION)
    .action(async (options: CommonOptions) => {
      const config = loadConfig(options);
      await using storage = await openStorage({
        ...config,
        poolSize: 2,
        logger: createProcessLogger(config.logLevel),
        onProgress: showProgress,
      });
      const { applied, schemaVersion } = storage;
      printResult(options.json, { schema_version: schemaVersion, applied }, [
        applied.length === 0
          ? `The schema is up to date (version ${schemaVersion}).`
          : `Applied ${applied.join(", ")}. The schema is at version ${schemaVersion}.`,
      ]);
    });
}
