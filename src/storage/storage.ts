import { CallerError } from "../lib/errors.ts";
import type { Logger } from "../lib/logger.ts";
import { type Database, openDatabase } from "./database.ts";
import { type EmbeddedServer, joinEmbeddedServer } from "./embedded/server.ts";
import { type MigrationReport, migrate, readSchemaState } from "./migrations.ts";

/** The configured database, migrated: an external one, or the embedded one. */
export interface Storage extends AsyncDisposable {
  database: Database;
  connectionString: string;
  /** As `database`, with connections of its own. */
  open(poolSize: number): Database;
  isEmbedded: boolean;
  /** The migrations that were applied when it was opened. */
  applied: string[];
  /** Migrations that this code does not know but is compatible with. */
  newer: string[];
  schemaVersion: number;
}

interface StorageOptions {
  databaseUrl: string | null;
  /** Where statements go; by default directly to the database. */
  poolerUrl?: string | null;
  dataDir: string;
  poolSize: number;
  logger: Logger;
  onProgress(message: string): void;
  /** The name of a service. It claims the data directory of the embedded database before changing anything in it. */
  claimAs?: string;
}

export async function openStorage(options: StorageOptions): Promise<Storage> {
  await using disposables = new AsyncDisposableStack();
  const { databaseUrl, dataDir, poolSize, logger, onProgress, claimAs } = options;
  const embedded = databaseUrl === null ? disposables.use(await joinEmbeddedServer(dataDir, onProgress, logger)) : null;
  const connectionString = embedded?.connectionString ?? databaseUrl ?? "";
  if (embedded !== null && claimAs !== undefined) await claimDataDirectory(embedded, dataDir, claimAs);
  const isServedByAnother = claimAs === undefined && (await embedded?.isClaimed()) === true;
  const report = isServedByAnother
    ? await requireUpToDate(connectionString)
    : await migrate(connectionString, {
        onWaiting: (name) => logger.info({ migration: name }, "Migration is waiting for a table in use"),
      });
  if (report.newer.length > 0)
    logger.info(
      { migrations: report.newer },
      "The database schema is newer than this version of Errand, but compatible. Update soon.",
    );
  const poolerUrl = databaseUrl === null ? null : (options.poolerUrl ?? null);
  const open = (size: number) =>
    openDatabase({
      connectionString: poolerUrl ?? connectionString,
      poolSize: size,
      isPooled: poolerUrl !== null,
      onError: (error) => logger.warn({ reason: error.message }, "Idle database connection lost"),
    });
  const database = disposables.use(open(poolSize));
  const owned = disposables.move();
  return {
    database,
    connectionString,
    open,
    isEmbedded: embedded !== null,
    applied: report.applied,
    newer: report.newer,
    schemaVersion: report.version,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function claimDataDirectory(embedded: EmbeddedServer, dataDir: string, name: string): Promise<void> {
  const taken = await embedded.claim(name);
  if (taken === null) return;
  throw new CallerError(
    "UNAVAILABLE",
    `The data directory ${dataDir} is in use by ${taken.holder}. ` +
      "Stop that process, or choose another folder with --data-dir (and another --port).",
  );
}

/** The schema must not change under a running service. */
async function requireUpToDate(connectionString: string): Promise<MigrationReport> {
  const report = await readSchemaState(connectionString);
  if (report.missing.length === 0) return report;
  throw new CallerError(
    "UNAVAILABLE",
    `The service running on this data directory is older than this command (missing: ${report.missing.join(", ")}). Restart it first.`,
  );
}
