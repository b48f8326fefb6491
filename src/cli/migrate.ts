import type { Command } from "commander";
import type { Storage } from "../storage/storage.ts";
import { withStorage } from "./database.ts";
import { type CommonOptions, DATA_DIR_OPTION, JSON_OPTION } from "./options.ts";
import { printResult } from "./output.ts";

export function addMigrateCommand(program: Command): void {
  program
    .command("migrate")
    .description("update the database schema (errand start does this, too)")
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
    return `The schema (version ${schemaVersion}, with ${newer.join(", ")}) is newer than this version of Errand, which still works with it. Nothing was changed.`;
  }
  return applied.length === 0
    ? `The schema is up to date (version ${schemaVersion}).`
    : `Applied ${applied.join(", ")}. The schema is at version ${schemaVersion}.`;
}
