import { existsSync } from "node:fs";
import { join } from "node:path";
import { describeDatabase, explainOpenFailure } from "../app/database-advice.ts";
import type { Operations } from "../app/operations.ts";
import type { Config } from "../config/config.ts";
import { CallerError, describeError } from "../lib/errors.ts";
import type { Logger } from "../lib/logger.ts";
import { CONNECTION_LIMITS } from "../lib/postgres-connection.ts";
import type { Storage } from "../storage/storage.ts";
import { type ConfigOptions, loadConfig } from "./options.ts";
import { showProgress } from "./output.ts";

const POOL_SIZE = 2;

/** Opens the database for one command, next to a running service or alone, and closes it afterwards. */
export async function withStorage<Result>(
  options: ConfigOptions,
  work: (storage: Storage, config: Config, logger: Logger) => Promise<Result>,
): Promise<Result> {
  const config = loadConfig(options);
  // Loaded lazily, so that --help and usage errors are fast.
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

/** Like `withStorage`, with the domain services. */
export async function withOperations<Result>(
  options: ConfigOptions,
  work: (operations: Operations) => Promise<Result>,
): Promise<Result> {
  const { createOperations } = await import("../app/operations.ts");
  return withStorage(options, ({ database }) => work(createOperations(database)));
}

/** Calls `work` with the URL of the database, without migrating it. Starts the embedded server if necessary. */
export async function withDatabaseUrl<Result>(
  { databaseUrl, dataDir }: Config,
  { mustExist }: { mustExist: boolean },
  work: (connectionString: string) => Promise<Result>,
): Promise<Result> {
  if (databaseUrl !== null) return work(databaseUrl);
  if (mustExist && !existsSync(join(dataDir, "postgres")))
    throw new CallerError(
      "NO_DATABASE",
      `No database in ${dataDir}. Choose another folder with --data-dir, or set DATABASE_URL.`,
    );
  const { joinEmbeddedServer } = await import("../storage/embedded/server.ts");
  await using server = await joinEmbeddedServer(dataDir, showProgress);
  return await work(server.connectionString);
}

/** Runs the work. If the database connection is lost meanwhile, the error says what that means. */
export async function explainConnectionLoss<Result>(config: Config, work: () => Promise<Result>): Promise<Result> {
  const { isConnectionLost } = await import("../storage/database.ts");
  try {
    return await work();
  } catch (error) {
    if (error instanceof CallerError || !isConnectionLost(error)) throw error;
    throw new CallerError(
      "UNAVAILABLE",
      `Lost the connection to the database ${describeDatabase(config)}: ${describeError(error)}. The command may or may not ` +
        `have taken effect: check before you run it again. Run errand doctor${config.commandOptions} for details.`,
      { cause: error },
    );
  }
}

/** Fails early with advice if the database at DATABASE_URL cannot be used. */
export async function requireDatabase(config: Config): Promise<void> {
  const { databaseUrl } = config;
  if (databaseUrl === null) return;
  const { default: pg } = await import("pg");
  const client = new pg.Client({ ...CONNECTION_LIMITS, connectionString: databaseUrl });
  client.on("error", () => {});
  await explainOpenFailure(config, () => client.connect());
  await client.end();
}
