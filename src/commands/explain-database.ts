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
    const where = config.databaseUrl === null ? `in ${config.dataDir}` : "at DATABASE_URL";
    throw new CallerError(
      "UNAVAILABLE",
      `The database ${where} cannot be used: ${describeError(error)}. ${advice} “errand doctor” says more.`,
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
