import type pg from "pg";
import { to as copyTo } from "pg-copy-streams";
import { CallerError } from "../lib/errors.ts";
import { readMigrations } from "../storage/migrations.ts";
import type { Header, Manifest } from "./format.ts";
import { openLongConnection } from "./long-connection.ts";
import { BACKED_UP_TABLES, listColumns, prepareCopying, type TableColumns } from "./tables.ts";

/** A consistent view of the database, unaffected by later writes. */
export interface Snapshot extends AsyncDisposable {
  migrations: Header["migrations"];
  tables: TableColumns[];
  /** The rows of one table in COPY format, one line each. */
  copy(table: TableColumns): AsyncIterable<Buffer>;
  countByKey(): Promise<Manifest["keys"]>;
  listArtifacts(): AsyncIterable<ArtifactRow>;
  /** Turns an error that came from a lost connection into one that says what it means. */
  explain(error: unknown): unknown;
}

export interface ArtifactRow {
  id: string;
  executionId: string;
  bytes: number;
  sha256: Buffer;
}

const ARTIFACTS_AT_ONCE = 500;
const FIRST_ID = "00000000-0000-0000-0000-000000000000";

export async function openSnapshot(
  connectionString: string,
  options: { signal: AbortSignal; silenceMs?: number | undefined },
): Promise<Snapshot> {
  await using disposables = new AsyncDisposableStack();
  const connection = disposables.use(
    await openLongConnection(connectionString, {
      purpose: "backup",
      consequence: "No backup was made. Try again when the database is back.",
      ...options,
    }),
  );
  const { client } = connection;
  const { migrations, columns } = await beginSnapshot(client).catch((error: unknown) => {
    throw connection.explain(error);
  });
  const tables = BACKED_UP_TABLES.flatMap((name) => columns.get(name) ?? []);
  const owned = disposables.move();
  return {
    migrations,
    tables,
    copy: (table) => copyTable(client, table),
    countByKey: () => countByKey(client, tables),
    listArtifacts: () => listArtifacts(client, columns.get("execution_artifacts")),
    explain: (error) => connection.explain(error),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function beginSnapshot(client: pg.Client) {
  await prepareCopying(client);
  await client.query("begin isolation level repeatable read, read only");
  return { migrations: await readApplied(client), columns: await listColumns(client) };
}

/** Refuses a database with unknown migrations: tables could be missing from the backup unnoticed. */
async function readApplied(client: pg.Client): Promise<Header["migrations"]> {
  const { rows: found } = await client.query<{ exists: boolean }>(
    "select to_regclass('schema_migrations') is not null as exists",
  );
  if (found[0]?.exists !== true) {
    throw new CallerError(
      "NOTHING_TO_BACK_UP",
      "There is nothing to back up: the database has no Errand tables. Check DATABASE_URL or --data-dir.",
    );
  }
  const { rows } = await client.query<Header["migrations"][number]>(
    "select version, name, checksum from schema_migrations order by version",
  );
  const known = await readMigrations();
  const unknown = rows.find(
    ({ version, checksum }) => !known.some((m) => m.version === version && m.checksum === checksum),
  );
  if (unknown === undefined) return rows;
  throw new CallerError(
    "NEWER_DATABASE",
    `The database has a migration that this version of Errand does not know (${unknown.name}). Make the backup with the version that uses this database.`,
  );
}

function copyTable(client: pg.Client, { name, columns }: TableColumns): AsyncIterable<Buffer> {
  const list = columns.map((column) => client.escapeIdentifier(column)).join(", ");
  return client.query(copyTo(`copy ${client.escapeIdentifier(name)} (${list}) to stdout`));
}

async function countByKey(client: pg.Client, tables: readonly TableColumns[]): Promise<Manifest["keys"]> {
  const hasTable = (wanted: string) => tables.some(({ name }) => name === wanted);
  const { rows } = await client.query<Manifest["keys"][number]>(
    `select key_id, count(*) filter (where kind = 'sign-in')::int as sign_ins,
       count(*) filter (where kind = 'webhook')::int as webhook_secrets
     from (
       select key_id, 'sign-in' as kind from saved_sign_ins
       ${hasTable("sign_in_credentials") ? "union all select key_id, 'credentials' from sign_in_credentials" : ""}
       ${hasTable("webhook_endpoints") ? WEBHOOK_KEYS_SQL : ""}
     ) as sealed
     where key_id is not null group by key_id order by key_id`,
  );
  return rows;
}

const WEBHOOK_KEYS_SQL = `
  union all select secret_key_id, 'webhook' from webhook_endpoints
  union all select previous_key_id, 'webhook' from webhook_endpoints`;

async function* listArtifacts(client: pg.Client, table: TableColumns | undefined): AsyncIterable<ArtifactRow> {
  const isKept = table?.columns.includes("expired_at") === true ? "expired_at is null" : "true";
  let after = FIRST_ID;
  for (;;) {
    const { rows } = await client.query<ArtifactRow>(
      `select id, execution_id as "executionId", bytes::float8 as bytes, sha256 from execution_artifacts
       where id > $1 and ${isKept} order by id limit ${ARTIFACTS_AT_ONCE}`,
      [after],
    );
    yield* rows;
    after = rows.at(-1)?.id ?? "";
    if (rows.length < ARTIFACTS_AT_ONCE) return;
  }
}
