import type { ClientBase } from "pg";

/** Ordered so that every row comes after the rows it refers to. */
export const BACKED_UP_TABLES = [
  "users",
  "credentials",
  "owners",
  "applications",
  "application_secrets",
  "owner_keys",
  "former_applications",
  "connections",
  "access_tokens",
  "mcp_tokens",
  "saved_sign_ins",
  "sign_in_credentials",
  "executions",
  "execution_events",
  "execution_artifacts",
  "recipes",
  "recipe_versions",
  "recipe_days",
  "recipe_drafts",
  "credit_entries",
  "spending_entries",
  "webhook_settings",
  "webhook_endpoints",
  "webhook_deliveries",
  "webhook_attempts",
] as const;

/** All other tables, with the reason why they are excluded. */
export const EXCLUDED_TABLES: Readonly<Record<string, string>> = {
  schema_migrations: "created by the migrations, which the header lists",
  sessions: "a restore would reopen sessions that were ended since; people sign in again instead",
  verifications: "short-lived and valid once; a restore would make a used one valid again",
  authorization_codes: "short-lived and valid once; a restore would make a used one valid again",
  sign_in_attempts: "short-lived, and their browser is gone",
  live_viewers: "last for seconds, while a run is watched",
  live_pictures: "last for seconds, while a run is watched",
  live_controls: "last for seconds, while a person has taken over a run",
  live_inputs: "last for seconds, while a person has taken over a run",
  interactions: "short-lived, and the run that asked is gone; the events say what was decided",
};

export interface TableColumns {
  name: string;
  /** Writable columns, in order. */
  columns: string[];
}

/** The tables of the current schema. */
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

/** Makes COPY write and read values the same way everywhere, and removes time limits. */
export async function prepareCopying(client: ClientBase): Promise<void> {
  await client.query(`
    set client_encoding = 'UTF8';
    set datestyle = 'ISO, YMD';
    set intervalstyle = 'postgres';
    set extra_float_digits = 3;
    set statement_timeout = 0;
    set idle_in_transaction_session_timeout = 0`);
}
