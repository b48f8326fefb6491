import type { Command } from "commander";
import { type CommonOptions, DATA_DIR_OPTION, JSON_OPTION, printResult } from "./output.ts";
import { withStorage } from "./with-storage.ts";

export function addMigrateCommand(program: Command): void {
  program
    .command("migrate")
    .description("bring the database's schema up to date (start does it too)")
    .option(...DATA_DIR_OPTION)
    .option(...JSON_OPTION)
    .action(async (options: CommonOptions) => {
      const { applied, schemaVersion } = await withStorage(options, async (storage) => ({
        applied: storage.applied,
        schemaVersion: storage.schemaVersion,
      }));
      printResult(options.json, { schema_version: schemaVersion, applied }, [
        applied.length === 0
          ? `The schema is up to date (version ${schemaVersion}).`
          : `Applied ${applied.join(", ")}. The schema is at version ${schemaVersion}.`,
      ]);
    });
}
