import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { installJobs } from "../jobs/install-jobs.ts";

export interface Migration {
  version: number;
  name: string;
  sql: string;
  checksum: string;
}

export interface MigrationReport {
  version: number;
  applied: string[];
}

const MIGRATIONS_DIR = join(import.meta.dirname, "../../migrations");
// Any number, as long as it is always the same: however many processes start, one migrates.
export const MIGRATION_LOCK = 7_305_221;
export const CREATE_MIGRATION_TABLE = `create table if not exists schema_migrations (
  version integer primary key, name text not null, checksum text not null, applied_at timestamptz not null default now())`;

/** Brings the schema up to date. Refuses a schema that is newer than this code, or one whose past was edited. */
export async function migrate(connectionString: string): Promise<MigrationReport> {
  const migrations = await readMigrations();
  const client = new pg.Client({ connectionString, application_name: `errand migrate ${process.pid}` });
  await client.connect();
  try {
    await client.query("select pg_advisory_lock($1)", [MIGRATION_LOCK]);
    const report = await applyMissing(client, migrations);
    if (!(await hasJobs(client))) await installJobs(connectionString);
    return report;
  } finally {
    await client.end();
  }
}

/** The migrations that are missing, without applying them. */
export async function listMissing(connectionString: string): Promise<MigrationReport & { missing: string[] }> {
  const migrations = await readMigrations();
  const client = new pg.Client({ connectionString, application_name: `errand migrate ${process.pid}` });
  await client.connect();
  try {
    const { rows } = await client.query<{ exists: boolean }>(
      "select to_regclass('schema_migrations') is not null as exists",
    );
    const done = rows[0]?.exists === true ? await readApplied(client, migrations) : new Set<number>();
    const missing = migrations.filter(({ version }) => !done.has(version)).map(({ name }) => name);
    return { version: newestOf(migrations), applied: [], missing };
  } finally {
    await client.end();
  }
}

async function applyMissing(client: pg.Client, migrations: Migration[]): Promise<MigrationReport> {
  await client.query(CREATE_MIGRATION_TABLE);
  const done = await readApplied(client, migrations);
  const report: MigrationReport = { version: newestOf(migrations), applied: [] };
  for (const migration of migrations.filter(({ version }) => !done.has(version))) {
    await apply(client, migration);
    report.applied.push(migration.name);
  }
  return report;
}

/** Newer versions of the job queue are brought in by whoever does jobs, when they start. */
async function hasJobs(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ exists: boolean }>(
    "select to_regclass('graphile_worker.migrations') is not null as exists",
  );
  return rows[0]?.exists === true;
}

async function readApplied(client: pg.Client, migrations: Migration[]): Promise<Set<number>> {
  const { rows } = await client.query<{ version: number; name: string; checksum: string }>(
    "select version, name, checksum from schema_migrations order by version",
  );
  for (const row of rows) refuseStranger(row, migrations, newestOf(migrations));
  return new Set(rows.map((row) => row.version));
}

function newestOf(migrations: Migration[]): number {
  return migrations.at(-1)?.version ?? 0;
}

function refuseStranger(
  row: { version: number; name: string; checksum: string },
  known: Migration[],
  newest: number,
): void {
  const migration = known.find(({ version }) => version === row.version);
  if (migration === undefined) {
    throw new Error(
      `The database's schema is at version ${row.version} (${row.name}), newer than this Errand, which knows ${newest}. ` +
        "Start the newer Errand, or restore a backup made before it ran.",
    );
  }
  if (migration.checksum !== row.checksum) {
    throw new Error(
      `Migration ${row.name} was changed after it had been applied. Migrations are append-only: put it back and add a new one.`,
    );
  }
}

async function apply(client: pg.Client, migration: Migration): Promise<void> {
  await client.query("begin");
  try {
    await applyInside(client, migration);
    await client.query("commit");
  } catch (error) {
    await client.query("rollback");
    throw new Error(`Migration ${migration.name} failed: ${(error as Error).message}`, { cause: error });
  }
}

/** One migration, as a part of the transaction that the client is in. */
export async function applyInside(client: pg.Client, { version, name, sql, checksum }: Migration): Promise<void> {
  await client.query(sql);
  await client.query("insert into schema_migrations (version, name, checksum) values ($1, $2, $3)", [
    version,
    name,
    checksum,
  ]);
}

/** Every migration there is, the oldest first. */
export async function readMigrations(): Promise<Migration[]> {
  const files = (await readdir(MIGRATIONS_DIR)).filter((file) => /^\d{4}_\w+\.sql$/.test(file)).sort();
  return Promise.all(
    files.map(async (file) => {
      const sql = await readFile(join(MIGRATIONS_DIR, file), "utf8");
      return {
        version: Number(file.slice(0, 4)),
        name: file.replace(/\.sql$/, ""),
        sql,
        checksum: createHash("sha256").update(sql).digest("hex"),
      };
    }),
  );
}
