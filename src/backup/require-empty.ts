import type { ClientBase } from "pg";
import { CallerError } from "../lib/caller-error.ts";
import { readMigrations } from "../storage/migrations.ts";
import { listColumns } from "./catalog.ts";
import { BACKED_UP_TABLES } from "./tables.ts";

/** The first owner, their first credits and the settings of triggers come with the migrations. */
const HAS_ONE_FROM_THE_START: ReadonlySet<string> = new Set(["owners", "credit_entries", "webhook_settings"]);

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
    if (found.rows.length > (HAS_ONE_FROM_THE_START.has(table) ? 1 : 0)) throw notEmpty(table);
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
