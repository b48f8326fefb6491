import type { Logger } from "../lib/logger.ts";
import { type Database, openDatabase } from "./database.ts";
import { type EmbeddedServer, joinEmbeddedServer } from "./embedded/server.ts";
import { migrate } from "./migrations.ts";

/** The database that the settings ask for, migrated: one's own by address, or the embedded one. */
export interface Storage extends AsyncDisposable {
  database: Database;
  connectionString: string;
  /** Null when the database is not the embedded one. */
  embedded: EmbeddedServer | null;
  /** The migrations that were applied on opening. */
  applied: string[];
  schemaVersion: number;
}

interface StorageOptions {
  databaseUrl: string | null;
  dataDir: string;
  poolSize: number;
  logger: Logger;
  onProgress(message: string): void;
}

export async function openStorage({
  databaseUrl,
  dataDir,
  poolSize,
  logger,
  onProgress,
}: StorageOptions): Promise<Storage> {
  await using disposables = new AsyncDisposableStack();
  const embedded = databaseUrl === null ? disposables.use(await joinEmbeddedServer(dataDir, onProgress)) : null;
  const connectionString = embedded?.connectionString ?? databaseUrl ?? "";
  const report = await migrate(connectionString);
  const database = disposables.use(
    openDatabase({
      connectionString,
      poolSize,
      onError: (error) => logger.warn({ err: error }, "an idle database connection broke"),
    }),
  );
  const owned = disposables.move();
  return {
    database,
    connectionString,
    embedded,
    applied: report.applied,
    schemaVersion: report.version,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
