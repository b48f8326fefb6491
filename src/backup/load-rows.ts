import { pipeline } from "node:stream/promises";
import type pg from "pg";
import { from as copyFrom } from "pg-copy-streams";
import type { TableContent } from "./format.ts";

/** Loads the rows of one table; throws unless they are as many as there should be. */
export async function loadRows(client: pg.Client, table: TableContent, rows: AsyncIterable<Buffer>): Promise<void> {
  const name = client.escapeIdentifier(table.name);
  const columns = table.columns.map((column) => client.escapeIdentifier(column)).join(", ");
  const copy = client.query(copyFrom(`copy ${name} (${columns}) from stdin`));
  await pipeline(rows, copy);
  if (copy.rowCount !== table.rows)
    throw new Error(`${copy.rowCount} rows of ${table.name} were restored, but the backup has ${table.rows}`);
}

/** New rows are counted on from the highest of the restored ones. */
export async function advanceCounters(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ table: string; column: string; counter: string }>(
    `select * from (
       select relname as table, attname as column, pg_get_serial_sequence(quote_ident(relname), attname) as counter
       from pg_class join pg_attribute on attrelid = pg_class.oid
       where relnamespace = current_schema()::regnamespace and relkind = 'r' and attnum > 0 and not attisdropped
     ) as columns where counter is not null`,
  );
  for (const { table, column, counter } of rows) {
    const highest = `max(${client.escapeIdentifier(column)})`;
    const from = client.escapeIdentifier(table);
    await client.query(`select setval($1, ${highest}) from ${from} having ${highest} is not null`, [counter]);
  }
}
