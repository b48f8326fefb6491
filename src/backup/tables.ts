import type { ClientBase } from "pg";

/** In an order in which every row finds the rows that it refers to. */
export const BACKED_UP_TABLES = [
  "users",
  "credentials",
  "owners",
  "applications",
  "application_secrets",
  "former_applications",
  "connections",
  "access_tokens",
  "saved_sign_ins",
  "executions",
  "execution_events",
  "execution_artifacts",
  "credit_entries",
  "webhook_settings",
  "webhook_endpoints",
  "webhook_deliveries",
  "webhook_attempts",
] as const;

/** Every other table of ours, with the reason why a backup is without it. */
export const EXCLUDED_TABLES: Readonly<Record<string, string>> = {
  schema_migrations: "made by the migrations; the backup names them itself",
  sessions: "restored, a session that was ended since the backup would be open again: people sign in once more",
  verifications: "short-lived, and spent when they are used: restored, a used one could be used again",
  authorization_codes: "live for minutes, and work once: restored, a used one could be used again",
  sign_in_attempts: "live for minutes, and their browser is gone",
};

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

/** So that values are written and read in one way, and nothing is broken off for taking long. */
export async function prepareCopying(client: ClientBase): Promise<void> {
  await client.query(`
    set client_encoding = 'UTF8';
    set datestyle = 'ISO, YMD';
    set intervalstyle = 'postgres';
    set extra_float_digits = 3;
    set statement_timeout = 0;
    set idle_in_transaction_session_timeout = 0`);
}
