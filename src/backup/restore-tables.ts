import { pipeline } from "node:stream/promises";
import type pg from "pg";
import { from as copyFrom } from "pg-copy-streams";
import { applyMigration, CREATE_MIGRATION_TABLE, type Migration } from "../storage/migrations.ts";
import type { TableContent } from "./format.ts";
import { listColumns } from "./tables.ts";

/** Recreates empty tables at that schema version. Runs inside a transaction, in an empty database. */
export async function rebuildSchema(client: pg.Client, migrations: Migration[], version: number): Promise<void> {
  await dropSchema(client, migrations);
  await client.query(CREATE_MIGRATION_TABLE);
  await applyMigrations(client, migrations, { after: 0, upTo: version });
  // Rows that migrations insert are in the backup as well. TRUNCATE fires no row triggers.
  const tables = [...(await listColumns(client)).keys()].filter((name) =>
    listOwnObjects(migrations).tables.includes(name),
  );
  await client.query(`truncate ${tables.map((name) => client.escapeIdentifier(name)).join(", ")}`);
}

export async function applyMigrations(
  client: pg.Client,
  migrations: Migration[],
  { after, upTo }: { after: number; upTo: number },
): Promise<void> {
  for (const migration of migrations) {
    if (migration.version > after && migration.version <= upTo) await applyMigration(client, migration);
  }
}

/** Drops what the migrations create, and nothing else in the schema. */
export async function dropSchema(client: pg.Client, migrations: Migration[]): Promise<void> {
  const { tables, functions } = listOwnObjects(migrations);
  const list = [...tables, "schema_migrations"].map((name) => client.escapeIdentifier(name));
  await client.query(`drop table if exists ${list.join(", ")}`);
  for (const name of functions) await client.query(`drop function if exists ${client.escapeIdentifier(name)}`);
}

function listOwnObjects(migrations: Migration[]): { tables: string[]; functions: string[] } {
  const find = (pattern: RegExp) => [
    ...new Set(migrations.flatMap(({ sql }) => [...sql.matchAll(pattern)].map(([, name = ""]) => name))),
  ];
  return {
    tables: find(/\bcreate (?:unlogged )?table (?:if not exists )?(\w+)/gi),
    functions: find(/\bcreate (?:or replace )?function (\w+)/gi),
  };
}

/** Loads the rows of one table. Throws if their number does not match. */
export async function loadRows(client: pg.Client, table: TableContent, rows: AsyncIterable<Buffer>): Promise<void> {
  const name = client.escapeIdentifier(table.name);
  const columns = table.columns.map((column) => client.escapeIdentifier(column)).join(", ");
  const copy = client.query(copyFrom(`copy ${name} (${columns}) from stdin`));
  await pipeline(rows, copy);
  if (copy.rowCount !== table.rows)
    throw new Error(`Restored ${copy.rowCount} rows of ${table.name}, but the backup has ${table.rows}`);
}

/** Sets each sequence to the highest restored value. */
export async function advanceSequences(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ table: string; column: string; sequence: string }>(
    `select * from (
       select relname as table, attname as column, pg_get_serial_sequence(quote_ident(relname), attname) as sequence
       from pg_class join pg_attribute on attrelid = pg_class.oid
       where relnamespace = current_schema()::regnamespace and relkind = 'r' and attnum > 0 and not attisdropped
     ) as columns where sequence is not null`,
  );
  for (const { table, column, sequence } of rows) {
    const highest = `max(${client.escapeIdentifier(column)})`;
    const from = client.escapeIdentifier(table);
    await client.query(`select setval($1, ${highest}) from ${from} having ${highest} is not null`, [sequence]);
  }
}
