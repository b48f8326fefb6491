import { existsSync } from "node:fs";
import { join } from "node:path";
import { adviseOnDatabase } from "../app/database-advice.ts";
import type { Operations } from "../app/operations.ts";
import type { Config } from "../config/config.ts";
import { CallerError, describeError } from "../lib/errors.ts";
import type { Logger } from "../lib/logger.ts";
import { CONNECTION_LIMITS } from "../lib/postgres-connection.ts";
import type { Storage } from "../storage/storage.ts";
import { type ConfigOptions, loadConfig } from "./options.ts";
import { showProgress } from "./output.ts";

const POOL_SIZE = 2;

/** Opens the database, beside a running service or alone, does the work, and leaves it as it was. */
export async function withStorage<Result>(
  options: ConfigOptions,
  work: (storage: Storage, config: Config, logger: Logger) => Promise<Result>,
): Promise<Result> {
  const config = loadConfig(options);
  // Loaded here, so that a command that is only explained or refused need not wait for it.
  const [{ openStorage }, { createProcessLogger }] = await Promise.all([
    import("../storage/storage.ts"),
    import("./log-output.ts"),
  ]);
  const logger = createProcessLogger(config.logLevel);
  await using storage = await explainOpenFailure(config, () =>
    openStorage({ ...config, poolSize: POOL_SIZE, logger, onProgress: showProgress }),
  );
  return await explainConnectionLoss(config, () => work(storage, config, logger));
}

/** As `withStorage`, for work on the domain. */
export async function withOperations<Result>(
  options: ConfigOptions,
  work: (operations: Operations) => Promise<Result>,
): Promise<Result> {
  const { createOperations } = await import("../app/operations.ts");
  return withStorage(options, ({ database }) => work(createOperations(database)));
}

/** The database as it is, not migrated: its address is given to the work. */
export async function withDatabaseUrl<Result>(
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

/** Opens the database, or says what to do about one that cannot be opened. */
export async function explainOpenFailure<Result>(config: Config, open: () => Promise<Result>): Promise<Result> {
  try {
    return await open();
  } catch (error) {
    const advice = adviseOnDatabase(config, error);
    if (advice === null) throw error;
    throw new CallerError(
      "UNAVAILABLE",
      `The database ${describeDatabase(config)} cannot be used: ${describeError(error)}. ${advice} “errand doctor” says more.`,
      { cause: error },
    );
  }
}

/** Does something with a database that is open, or says what it means that it was lost meanwhile. */
export async function explainConnectionLoss<Result>(config: Config, work: () => Promise<Result>): Promise<Result> {
  const { isConnectionLost } = await import("../storage/database.ts");
  try {
    return await work();
  } catch (error) {
    if (error instanceof CallerError || !isConnectionLost(error)) throw error;
    throw new CallerError(
      "UNAVAILABLE",
      `The database ${describeDatabase(config)} was lost in the middle: ${describeError(error)}. What was asked for may have been done ` +
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
  await explainOpenFailure(config, () => client.connect());
  await client.end();
}

function describeDatabase({ databaseUrl, dataDir }: Config): string {
  return databaseUrl === null ? `in ${dataDir}` : "at DATABASE_URL";
}
