import type { Command } from "commander";
import type { Storage } from "../storage/storage.ts";
import { withStorage } from "./database.ts";
import { type CommonOptions, DATA_DIR_OPTION, JSON_OPTION, printResult } from "./output.ts";

export function addMigrateCommand(program: Command): void {
  program
    .command("migrate")
    .description("bring the database's schema up to date (start does it too)")
    .option(...DATA_DIR_OPTION)
    .option(...JSON_OPTION)
    .action(async (options: CommonOptions) => {
      const report = await withStorage(options, async ({ applied, newer, schemaVersion }) => ({
        applied,
        newer,
        schemaVersion,
      }));
      const { applied, newer, schemaVersion } = report;
      printResult(options.json, { schema_version: schemaVersion, applied, newer }, [describe(report)]);
    });
}

function describe({ applied, newer, schemaVersion }: Pick<Storage, "applied" | "newer" | "schemaVersion">): string {
  if (newer.length > 0) {
    return `The schema is newer (version ${schemaVersion}, with ${newer.join(", ")}) than this Errand, which still runs on it. Nothing was changed.`;
  }
  return applied.length === 0
    ? `The schema is up to date (version ${schemaVersion}).`
    : `Applied ${applied.join(", ")}. The schema is at version ${schemaVersion}.`;
}
