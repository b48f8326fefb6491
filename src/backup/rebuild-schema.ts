import type pg from "pg";
import { applyInside, CREATE_MIGRATION_TABLE, type Migration } from "../storage/migrations.ts";
import { listColumns } from "./catalog.ts";

/** Empty tables as they were at that version. Inside a transaction, in a database that has nothing to lose. */
export async function rebuildSchema(client: pg.Client, migrations: Migration[], version: number): Promise<void> {
  await dropSchema(client, migrations);
  await client.query(CREATE_MIGRATION_TABLE);
  await applyMigrations(client, migrations, { after: 0, upTo: version });
  // What migrations insert stands in the backup as well. No trigger that guards rows is asked here.
  const tables = [...(await listColumns(client)).keys()].filter((name) => ours(migrations).tables.includes(name));
  await client.query(`truncate ${tables.map((name) => client.escapeIdentifier(name)).join(", ")}`);
}

export async function applyMigrations(
  client: pg.Client,
  migrations: Migration[],
  { after, upTo }: { after: number; upTo: number },
): Promise<void> {
  for (const migration of migrations) {
    if (migration.version > after && migration.version <= upTo) await applyInside(client, migration);
  }
}

/** Everything that migrations make, and nothing else that may stand beside it. */
export async function dropSchema(client: pg.Client, migrations: Migration[]): Promise<void> {
  const { tables, functions } = ours(migrations);
  const list = [...tables, "schema_migrations"].map((name) => client.escapeIdentifier(name));
  await client.query(`drop table if exists ${list.join(", ")}`);
  for (const name of functions) await client.query(`drop function if exists ${client.escapeIdentifier(name)}`);
}

function ours(migrations: Migration[]): { tables: string[]; functions: string[] } {
  const find = (pattern: RegExp) => [
    ...new Set(migrations.flatMap(({ sql }) => [...sql.matchAll(pattern)].map(([, name = ""]) => name))),
  ];
  return {
    tables: find(/\bcreate table (?:if not exists )?(\w+)/gi),
    functions: find(/\bcreate (?:or replace )?function (\w+)/gi),
  };
}
