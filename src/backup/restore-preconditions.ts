import type { ClientBase } from "pg";
import type { ArtifactListing } from "../executions/artifacts.ts";
import { CallerError } from "../lib/errors.ts";
import { readMigrations } from "../storage/migrations.ts";
import { BACKED_UP_TABLES, listColumns } from "./tables.ts";

/** Tables in which the migrations insert one row. */
const SEEDED_TABLES: ReadonlySet<string> = new Set(["owners", "credit_entries", "webhook_settings"]);

/** Accepts a database without our tables, or as it is after the first start. */
export async function requireEmpty(client: ClientBase): Promise<void> {
  const { rows } = await client.query<{ exists: boolean }>(
    "select to_regclass('schema_migrations') is not null as exists",
  );
  if (rows[0]?.exists !== true) return;
  await requireKnownSchema(client);
  const existing = await listColumns(client);
  for (const table of BACKED_UP_TABLES.filter((name) => existing.has(name))) {
    const found = await client.query(`select 1 from ${client.escapeIdentifier(table)} limit 2`);
    if (found.rows.length > (SEEDED_TABLES.has(table) ? 1 : 0)) throw notEmpty(table);
  }
}

async function requireKnownSchema(client: ClientBase): Promise<void> {
  const known = (await readMigrations()).map(({ name }) => name);
  const { rows } = await client.query<{ name: string }>("select name from schema_migrations");
  const unknown = rows.find(({ name }) => !known.includes(name));
  if (unknown === undefined) return;
  throw new CallerError(
    "NEWER_DATABASE",
    `The database was used by a newer version of Errand (${unknown.name}). Restore with that version, or into another database.`,
  );
}

function notEmpty(table: string): CallerError {
  return new CallerError(
    "NOT_EMPTY",
    `The database is not empty: it has ${table.replaceAll("_", " ")}. A backup can only be restored into an empty database. ` +
      "Choose another folder with --data-dir, or point DATABASE_URL to a new database.",
  );
}

/** Every running service has open connections for notifications (called hints before 0.2) or jobs, recognised by name. */
export async function requireNoService(client: ClientBase): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select application_name as name from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid()
       and application_name ~ '^errand (service|notifications|hints|jobs|migrate|restore) ' limit 1`,
  );
  const [session] = rows;
  if (session === undefined) return;
  throw new CallerError(
    "UNAVAILABLE",
    `Errand is running on this database (“${session.name}”). Stop every service and command that uses it, then restore.`,
  );
}

/**
 * Refuses a location with existing artifacts: they belong to an installation that may still be used, and two installations
 * that share a location delete each other's files.
 */
export async function requireNoArtifacts(files: ArtifactListing, location: string): Promise<void> {
  for await (const _file of files.list()) {
    throw new CallerError(
      "PLACE_IN_USE",
      `There are already artifacts in ${location}, from another installation or an earlier attempt. Nothing was restored. ` +
        "Choose another location (ERRAND_ARTIFACTS_S3_PREFIX, ERRAND_ARTIFACTS_S3_BUCKET or --data-dir), or use " +
        "--without-artifacts: files that are already there stay available, all others get 410.",
    );
  }
}
