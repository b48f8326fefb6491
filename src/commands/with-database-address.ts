import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../config/config.ts";
import { CallerError } from "../lib/caller-error.ts";
import { showProgress } from "./progress.ts";

/** The database as it is, not migrated: its address is given to the work. */
export async function withDatabaseAddress<Result>(
  { databaseUrl, dataDir }: Config,
  { mustExist }: { mustExist: boolean },
  work: (connectionString: string) => Promise<Result>,
): Promise<Result> {
  if (databaseUrl !== null) return work(databaseUrl);
  if (mustExist && !existsSync(join(dataDir, "postgres")))
    throw new CallerError(
      "NO_DATABASE",
      `There is no database in ${dataDir}. Choose the folder with --data-dir, or set DATABASE_URL.`,
    );
  const { joinEmbeddedServer } = await import("../storage/embedded/server.ts");
  await using server = await joinEmbeddedServer(dataDir, showProgress);
  return await work(server.connectionString);
}
