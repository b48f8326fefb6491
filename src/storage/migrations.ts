import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { CONNECTION_LIMITS, createSocketGroup } from "../lib/postgres-connection.ts";
import { Backoff, withTimeout } from "../lib/waiting.ts";

export interface Migration {
  version: number;
  name: string;
  sql: string;
  checksum: string;
  /** The oldest version whose code still runs on it. */
  runsWith: number;
}

export interface MigrationReport {
  /** The schema version. */
  version: number;
  applied: string[];
  /** Migrations that this code does not know but is compatible with. */
  newer: string[];
}

interface MigrateOptions {
  /** The folder with the migrations. Default: migrations/. */
  folder?: string;
  /** Called each time a migration gave up waiting for a table lock and will retry. */
  onWaiting?(name: string): void;
  /** Closes the connection, which rolls back the current migration. */
  signal?: AbortSignal;
}

const MIGRATIONS_DIR = join(import.meta.dirname, "../../migrations");
// An arbitrary constant for the advisory lock: of several processes that start, one migrates.
export const MIGRATION_LOCK = 7_305_221;
export const CREATE_MIGRATION_TABLE = `create table if not exists schema_migrations (
  version integer primary key, name text not null, checksum text not null, applied_at timestamptz not null default now(),
  runs_with integer)`;
// A statement that waits for a table lock blocks all later ones: no longer than this.
const LOCK_TIMEOUT_MS = 1_000;
const LOCK_GIVE_UP_MS = 10 * 60_000;
const CLOSE_TIMEOUT_MS = 2_000;
const NEVER_ABORTED = new AbortController().signal;

/** Brings the schema up to date. Throws if this code is not compatible with it, or if an applied migration was edited. */
export async function migrate(connectionString: string, options: MigrateOptions = {}): Promise<MigrationReport> {
  const migrations = await readMigrations(options.folder);
  await using connection = await connect(connectionString, options.signal);
  const { client } = connection;
  await client.query("select pg_advisory_lock($1)", [MIGRATION_LOCK]);
  const report = await applyMissing(client, migrations, options);
  if (!(await hasJobs(client))) {
    // Loaded on demand: it is needed once, and loading it would slow down every command.
    const { installJobs } = await import("../jobs/job-pool.ts");
    await installJobs(connectionString);
  }
  return report;
}

/** Reads the state of the schema: `present` is its version (0 for an empty database), `missing` what has to be applied. */
export async function readSchemaState(
  connectionString: string,
): Promise<MigrationReport & { present: number; missing: string[] }> {
  const migrations = await readMigrations();
  await using connection = await connect(connectionString);
  const { client } = connection;
  const { rows } = await client.query<{ exists: boolean }>(
    "select to_regclass('schema_migrations') is not null as exists",
  );
  const applied = rows[0]?.exists === true ? await readApplied(client) : [];
  const newer = findNewerMigrations(applied, migrations);
  const missing = findMissing(applied, migrations).map(({ name }) => name);
  const version = newestVersion([...migrations, ...applied]);
  return { version, present: newestVersion(applied), applied: [], newer, missing };
}

async function connect(
  connectionString: string,
  signal: AbortSignal = NEVER_ABORTED,
): Promise<AsyncDisposable & { client: pg.Client }> {
  signal.throwIfAborted();
  const sockets = createSocketGroup();
  const client = new pg.Client({
    ...CONNECTION_LIMITS,
    connectionString,
    stream: sockets.open,
    application_name: `errand migrate ${process.pid}`,
  });
  // The running or the next query fails with the error.
  client.on("error", () => {});
  const cut = () => void client.end();
  signal.addEventListener("abort", cut);
  const dispose = async () => {
    signal.removeEventListener("abort", cut);
    await withTimeout(client.end(), CLOSE_TIMEOUT_MS);
    await sockets.end();
  };
  try {
    await client.connect();
  } catch (error) {
    await dispose();
    throw error;
  }
  return { client, [Symbol.asyncDispose]: dispose };
}

async function applyMissing(
  client: pg.Client,
  migrations: Migration[],
  { onWaiting = () => {} }: MigrateOptions,
): Promise<MigrationReport> {
  await client.query(CREATE_MIGRATION_TABLE);
  const applied = await readApplied(client);
  const newer = findNewerMigrations(applied, migrations);
  const missing = findMissing(applied, migrations);
  if (missing.length > 0 && !(await hasRunsWith(client))) {
    await applyWithLockRetry(client, "schema_migrations", () => client.query(ADD_RUNS_WITH), onWaiting);
  }
  for (const migration of missing) {
    await applyWithLockRetry(client, migration.name, () => applyMigration(client, migration), onWaiting);
  }
  return { version: newestVersion([...migrations, ...applied]), applied: missing.map(({ name }) => name), newer };
}

const ADD_RUNS_WITH = "alter table schema_migrations add column runs_with integer";

/** Databases from before the column was introduced lack it. */
async function hasRunsWith(client: pg.Client): Promise<boolean> {
  const { rowCount } = await client.query(
    "select from pg_attribute where attrelid = 'schema_migrations'::regclass and attname = 'runs_with'",
  );
  return rowCount === 1;
}

/** Processes that run jobs update the job queue's own schema when they start. */
async function hasJobs(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ exists: boolean }>(
    "select to_regclass('graphile_worker.migrations') is not null as exists",
  );
  return rows[0]?.exists === true;
}

async function readApplied(client: pg.Client): Promise<AppliedMigration[]> {
  // Through JSON, because the column may not exist yet.
  const { rows } = await client.query<AppliedMigration>(
    `select version, name, checksum, (to_jsonb(done) ->> 'runs_with')::integer as "runsWith"
     from schema_migrations as done order by version`,
  );
  return rows;
}

function findMissing(applied: AppliedMigration[], migrations: Migration[]): Migration[] {
  return migrations.filter(({ version }) => !applied.some((done) => done.version === version));
}

function newestVersion(migrations: { version: number }[]): number {
  return Math.max(0, ...migrations.map(({ version }) => version));
}

/** Gives up a table lock quickly and retries, so that a waiting migration never blocks a table for long. */
async function applyWithLockRetry(
  client: pg.Client,
  name: string,
  change: () => Promise<unknown>,
  onWaiting: (name: string) => void,
): Promise<void> {
  const backoff = new Backoff({ firstMs: 100, maxMs: 5_000 });
  const giveUpAtMs = performance.now() + LOCK_GIVE_UP_MS;
  for (;;) {
    await client.query("begin");
    try {
      await client.query(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`);
      await change();
      await client.query("commit");
      return;
    } catch (error) {
      // On a lost connection this fails; the server has rolled back.
      await client.query("rollback").catch(() => {});
      if (!isLockTimeout(error) || performance.now() > giveUpAtMs) throw migrationFailure(name, error);
      onWaiting(name);
      await backoff.wait(NEVER_ABORTED);
    }
  }
}

function isLockTimeout(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === "55P03";
}

function migrationFailure(name: string, error: unknown): Error {
  const advice = isLockTimeout(error)
    ? " A long transaction is locking a table that it changes. End that transaction (see pg_stat_activity) and start again."
    : "";
  return new Error(`Migration ${name} failed: ${(error as Error).message}${advice}`, { cause: error });
}

/** Applies one migration in the current transaction of the client. */
export async function applyMigration(client: pg.Client, migration: Migration): Promise<void> {
  const { version, name, sql, checksum, runsWith } = migration;
  await client.query(sql);
  await client.query("insert into schema_migrations (version, name, checksum, runs_with) values ($1, $2, $3, $4)", [
    version,
    name,
    checksum,
    runsWith,
  ]);
}

/** All migrations, oldest first. */
export async function readMigrations(folder = MIGRATIONS_DIR): Promise<Migration[]> {
  const files = (await readdir(folder)).filter((file) => /^\d{4}_\w+\.sql$/.test(file)).sort();
  return Promise.all(
    files.map(async (file) => {
      const sql = await readFile(join(folder, file), "utf8");
      const version = Number(file.slice(0, 4));
      const name = file.replace(/\.sql$/, "");
      const checksum = createHash("sha256").update(sql).digest("hex");
      return { version, name, sql, checksum, runsWith: parseRunsWith(sql, version, name) };
    }),
  );
}

/** An applied migration, as recorded in the database. */
interface AppliedMigration {
  version: number;
  name: string;
  checksum: string;
  /** The oldest version whose code still runs on it. Null: only its own. */
  runsWith: number | null;
}

interface KnownMigration {
  version: number;
  checksum: string;
}

/**
 * The applied migrations that are newer than this code but declare compatibility with it. Throws if an applied migration was
 * edited, or if the schema is too new for this code.
 */
function findNewerMigrations(applied: readonly AppliedMigration[], known: readonly KnownMigration[]): string[] {
  const newest = known.at(-1)?.version ?? 0;
  const newer: string[] = [];
  for (const { version, name, checksum, runsWith } of applied) {
    const migration = known.find((candidate) => candidate.version === version);
    if (migration === undefined) {
      if (version <= newest)
        throw new Error(`The database has a migration ${name} that does not exist in this version of Errand.`);
      if ((runsWith ?? version) > newest) throw new Error(describeTooNew(version, name, newest));
      newer.push(name);
    } else if (migration.checksum !== checksum) {
      throw new Error(
        `Migration ${name} was edited after it was applied. Migrations are append-only: restore it and add a new one.`,
      );
    }
  }
  return newer;
}

const RUNS_WITH = /^-- runs-with: (\d{1,4})$/;

/** Reads `-- runs-with: 11` from the comments at the top of a migration. */
export function parseRunsWith(sql: string, version: number, name: string): number {
  const lines = sql.split("\n");
  const end = lines.findIndex((line) => !line.startsWith("--"));
  const head = end === -1 ? lines : lines.slice(0, end);
  const declarations = head.filter((line) => line.includes("runs-with"));
  const [line] = declarations;
  if (line === undefined) return version;
  const runsWith = Number(RUNS_WITH.exec(line)?.[1] ?? Number.NaN);
  if (declarations.length > 1 || !(runsWith >= 1 && runsWith <= version)) {
    throw new Error(`Migration ${name} must have exactly one line "-- runs-with: N", with N from 1 to ${version}.`);
  }
  return runsWith;
}

function describeTooNew(version: number, name: string, newest: number): string {
  return (
    `The database schema is at version ${version} (${name}). This version of Errand supports schema versions up to ${newest} ` +
    "and is not compatible with it. Start the newer version, or restore a backup that was made before the upgrade."
  );
}
