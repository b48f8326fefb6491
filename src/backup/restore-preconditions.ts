import type { ClientBase } from "pg";
import type { ArtifactListing } from "../executions/artifacts.ts";
import { CallerError } from "../lib/errors.ts";
import { readMigrations } from "../storage/migrations.ts";
import { BACKED_UP_TABLES, listColumns } from "./tables.ts";

/** The first owner, their first credits and the settings of triggers come with the migrations. */
const SEEDED_TABLES: ReadonlySet<string> = new Set(["owners", "credit_entries", "webhook_settings"]);

/** A database without tables of ours, or as it is after the first start, when nobody has done anything yet. */
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
  const stranger = rows.find(({ name }) => !known.includes(name));
  if (stranger === undefined) return;
  throw new CallerError(
    "NEWER_DATABASE",
    `The database was used by a newer Errand (${stranger.name}). Restore with that one, or into another database.`,
  );
}

function notEmpty(table: string): CallerError {
  return new CallerError(
    "NOT_EMPTY",
    `This database is in use: it has ${table.replaceAll("_", " ")}. A backup is restored into an empty one, so that nothing is ` +
      "lost or mixed up: choose another folder with --data-dir, or point DATABASE_URL to a new database.",
  );
}

/** Services listen for hints or do jobs all the time, each on a connection with a name of its own. */
export async function requireNoService(client: ClientBase): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select application_name as name from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid()
       and application_name ~ '^errand (service|hints|jobs|migrate|restore) ' limit 1`,
  );
  const [session] = rows;
  if (session === undefined) return;
  throw new CallerError(
    "UNAVAILABLE",
    `Errand is running on this database ("${session.name}"). Stop every service and command that uses it, then restore.`,
  );
}

/**
 * Refuses a place in which there are artifacts already: they belong to an installation that may go on, and each of two
 * that share a place removes what the other needs.
 */
export async function requireNoArtifacts(files: ArtifactListing, place: string): Promise<void> {
  for await (const _file of files.list()) {
    throw new CallerError(
      "PLACE_IN_USE",
      `There are artifacts in ${place} already, of another installation or of an earlier attempt: nothing was restored. ` +
        "Choose another place (ERRAND_ARTIFACTS_S3_PREFIX or ERRAND_ARTIFACTS_S3_BUCKET, or --data-dir for the disk), " +
        "or leave that place alone with --without-artifacts: then those that are there under the same ids are found, and others answer 410.",
    );
  }
}
