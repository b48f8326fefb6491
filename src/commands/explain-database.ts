import type { Config } from "../config/config.ts";
import { adviseOnDatabase } from "../database-advice.ts";
import { CallerError } from "../lib/caller-error.ts";
import { CONNECTION_LIMITS } from "../lib/connection-limits.ts";
import { describeError } from "../lib/describe-error.ts";

/** Opens the database, or says what to do about one that cannot be opened. */
export async function explainingDatabase<Result>(config: Config, open: () => Promise<Result>): Promise<Result> {
  try {
    return await open();
  } catch (error) {
    const advice = adviseOnDatabase(config, error);
    if (advice === null) throw error;
    throw new CallerError(
      "UNAVAILABLE",
      `The database ${tellPlace(config)} cannot be used: ${describeError(error)}. ${advice} “errand doctor” says more.`,
      { cause: error },
    );
  }
}

/** Does something with a database that is open, or says what it means that it was lost meanwhile. */
export async function explainingLoss<Result>(config: Config, work: () => Promise<Result>): Promise<Result> {
  const { isConnectionLost } = await import("../storage/database.ts");
  try {
    return await work();
  } catch (error) {
    if (error instanceof CallerError || !isConnectionLost(error)) throw error;
    throw new CallerError(
      "UNAVAILABLE",
      `The database ${tellPlace(config)} was lost in the middle: ${describeError(error)}. What was asked for may have been done ` +
        "or not: look before you ask again. “errand doctor” says how it is.",
      { cause: error },
    );
  }
}

/** For commands that go on to do other things, whose errors are not the database's. */
export async function requireDatabase(config: Config): Promise<void> {
  const { databaseUrl } = config;
  if (databaseUrl === null) return;
  const { default: pg } = await import("pg");
  const client = new pg.Client({ ...CONNECTION_LIMITS, connectionString: databaseUrl });
  client.on("error", () => {});
  await explainingDatabase(config, () => client.connect());
  await client.end();
}

function tellPlace({ databaseUrl, dataDir }: Config): string {
  return databaseUrl === null ? `in ${dataDir}` : "at DATABASE_URL";
}
