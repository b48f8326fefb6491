import type pg from "pg";
import type { ArtifactFiles, ArtifactListing } from "../executions/artifacts.ts";
import { CallerError } from "../lib/errors.ts";
import { MIGRATION_LOCK, migrate, readMigrations } from "../storage/migrations.ts";
import { invalidBackup } from "./format.ts";
import { type LongConnection, openLongConnection } from "./long-connection.ts";
import { type CheckedBackup, createPartReader, type PartReader, readBackup } from "./read-backup.ts";
import { requireEmpty, requireNoArtifacts, requireNoService } from "./restore-preconditions.ts";
import { advanceSequences, applyMigrations, loadRows, rebuildSchema } from "./restore-tables.ts";
import { findLedgerProblems, type Settlement, settleExecutions } from "./settle-executions.ts";
import { listColumns, prepareCopying } from "./tables.ts";

export interface RestoreOptions {
  connectionString: string;
  /** Null: without artifacts. If the restore fails, files that were written are removed. */
  artifacts: { files: Pick<ArtifactFiles, "write" | "remove"> & ArtifactListing; location: string } | null;
  /** Only if nothing ran in the original installation after the backup. */
  keepQueued: boolean;
  /** Called right before the commit, which is not interrupted. Keys must be in place before the rows they decrypt. */
  beforeCommit(): void;
  signal: AbortSignal;
  /** How long the database may be silent; by default a minute. */
  silenceMs?: number;
  onProgress(message: string): void;
}

export interface RestoreReport {
  schemaVersion: number;
  /** Migrations applied after the rows were loaded, because the backup is older. */
  migrated: string[];
  settlement: Settlement;
  ledgerProblems: string[];
}

/** Restores a backup into an empty database, completely or not at all. */
export async function restoreBackup(backup: CheckedBackup, options: RestoreOptions): Promise<RestoreReport> {
  const { connectionString, signal, silenceMs } = options;
  await using connection = await openLongConnection(connectionString, {
    purpose: "restore",
    consequence: "Nothing was restored. Try again when the database is back.",
    signal,
    silenceMs,
  });
  try {
    await lockEmptyTarget(connection.client, options);
    return await restoreAll(connection, backup, options);
  } catch (error) {
    throw connection.explain(error);
  }
}

async function lockEmptyTarget(client: pg.Client, { artifacts }: RestoreOptions): Promise<void> {
  // A process that starts in the meantime waits for this lock, as for any migration.
  const { rows } = await client.query<{ free: boolean }>("select pg_try_advisory_lock($1) as free", [MIGRATION_LOCK]);
  if (rows[0]?.free !== true)
    throw new CallerError("UNAVAILABLE", "Another process is starting on this database. Stop it, then restore.");
  await requireNoService(client);
  await requireEmpty(client);
  if (artifacts !== null) await requireNoArtifacts(artifacts.files, artifacts.location);
}

async function restoreAll(
  connection: LongConnection,
  backup: CheckedBackup,
  options: RestoreOptions,
): Promise<RestoreReport> {
  const { client } = connection;
  const { onProgress, signal } = options;
  await using artifacts = options.artifacts === null ? null : trackWrites(options.artifacts.files);
  const migrations = await readMigrations();
  const schemaVersion = migrations.at(-1)?.version ?? 0;
  const backupVersion = backup.header.migrations.at(-1)?.version ?? 0;
  await prepareCopying(client);
  await client.query("begin");
  await rebuildSchema(client, migrations, backupVersion);
  const parts = readBackup(backup.path, signal);
  try {
    await loadParts(client, createPartReader(parts), backup, { artifacts, onProgress, signal });
  } finally {
    await parts.return(undefined);
  }
  await advanceSequences(client);
  await applyMigrations(client, migrations, { after: backupVersion, upTo: schemaVersion });
  const settlement = await settleExecutions(client, options);
  onProgress("Checking the ledger");
  const ledgerProblems = await findLedgerProblems(client);
  signal.throwIfAborted();
  options.beforeCommit();
  // If the commit seems to fail, it may still have succeeded. So files are kept from here on.
  artifacts?.keep();
  await commit(connection, artifacts !== null);
  const migrated = migrations.filter(({ version }) => version > backupVersion).map(({ name }) => name);
  return { schemaVersion, migrated, settlement, ledgerProblems };
}

async function commit({ client, whyLost }: LongConnection, hasArtifacts: boolean): Promise<void> {
  try {
    await client.query("commit");
  } catch (error) {
    const why = whyLost(error);
    if (why === null) throw error;
    throw new CallerError(
      "UNAVAILABLE",
      `Lost the connection to the database during the commit (${why}). Either everything was restored or nothing. When the ` +
        `database is back, restore again${hasArtifacts ? " with --without-artifacts, because the artifacts are in place" : ""}. ` +
        "If everything was restored, that is refused because the database is not empty.",
      { cause: error },
    );
  }
}

interface LoadOptions extends Pick<RestoreOptions, "onProgress" | "signal"> {
  artifacts: WrittenArtifacts | null;
}

/** Verifies the parts again while reading: only a complete, intact backup is committed. */
async function loadParts(
  client: pg.Client,
  parts: PartReader,
  { path, manifest }: CheckedBackup,
  { artifacts, onProgress, signal }: LoadOptions,
): Promise<void> {
  const existing = await listColumns(client);
  let count = 0;
  for (let part = await parts.peek(); part !== null; part = await parts.peek()) {
    signal.throwIfAborted();
    if (part.kind === "rows") {
      const { table: name } = part;
      const table = manifest.tables.find((content) => content.name === name);
      const columns = existing.get(name)?.columns ?? [];
      if (table?.columns.every((column) => columns.includes(column)) !== true || name === "schema_migrations")
        throw invalidBackup(path, `it has rows of an unknown table (${name})`);
      onProgress(`Restoring ${name}: ${table.rows} rows`);
      await loadRows(client, table, parts.rowsOf(name));
      continue;
    }
    parts.take();
    if (part.kind !== "artifact" || artifacts === null) continue;
    await artifacts.write(part.executionId, part.artifactId, part.data);
    count += 1;
    onProgress(`Restoring artifacts: ${count}`);
  }
}

/** Creates the job queue and updates the planner statistics. The restore is complete without them. */
export async function finishRestore(connectionString: string, signal: AbortSignal): Promise<void> {
  await using connection = await openLongConnection(connectionString, {
    purpose: "restore",
    consequence: "The restored data is safe.",
    signal,
  });
  try {
    await migrate(connectionString, { signal: connection.gone });
    await connection.client.query("analyze");
  } catch (error) {
    throw signal.aborted ? signal.reason : connection.explain(error);
  }
}

/** Records written artifacts, and removes them when disposed, unless `keep` was called. */
interface WrittenArtifacts extends AsyncDisposable, Pick<ArtifactFiles, "write"> {
  keep(): void;
}

function trackWrites(files: Pick<ArtifactFiles, "write" | "remove">): WrittenArtifacts {
  let written: [executionId: string, artifactId: string][] = [];
  return {
    async write(executionId, artifactId, data) {
      written.push([executionId, artifactId]);
      await files.write(executionId, artifactId, data);
    },
    keep() {
      written = [];
    },
    async [Symbol.asyncDispose]() {
      for (const [executionId, artifactId] of written) {
        // No row refers to files that cannot be removed. The reason for the failed restore matters more.
        const isRemoved = await files.remove(executionId, artifactId).then(
          () => true,
          () => false,
        );
        if (!isRemoved) return;
      }
    },
  };
}
