import type { ClientBase } from "pg";

export interface TableColumns {
  name: string;
  /** Those that can be written, in their order. */
  columns: string[];
}

/** The tables in the schema that ours are made in. */
export async function listColumns(client: ClientBase): Promise<Map<string, TableColumns>> {
  const { rows } = await client.query<TableColumns>(
    `select relname as name, array_agg(attname::text order by attnum) as columns
     from pg_class join pg_attribute on attrelid = pg_class.oid
     where relnamespace = current_schema()::regnamespace and relkind = 'r'
       and attnum > 0 and not attisdropped and attgenerated = ''
     group by relname`,
  );
  return new Map(rows.map((table) => [table.name, table]));
}
