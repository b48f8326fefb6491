import { Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import type { Schema } from "./schema.ts";

/** The one pool of a process: Kysely for what is composed, `prepared` for the few statements that are hot. */
export interface Database extends AsyncDisposable {
  kysely: Kysely<Schema>;
  pool: pg.Pool;
}

export interface DatabaseOptions {
  connectionString: string;
  poolSize: number;
  onError(error: Error): void;
}

const CONNECT_TIMEOUT_MS = 5_000;
const STATEMENT_TIMEOUT_MS = 30_000;

export function openDatabase({ connectionString, poolSize, onError }: DatabaseOptions): Database {
  const pool = new pg.Pool({
    connectionString,
    max: poolSize,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    // A server that has gone silent does not keep its own time limit.
    query_timeout: STATEMENT_TIMEOUT_MS + 5_000,
    keepAlive: true,
    application_name: `errand ${process.pid}`,
    types: { getTypeParser },
  });
  // An idle connection that breaks is replaced by the pool; without a listener it would end the process.
  let isClosing = false;
  pool.on("error", (error) => {
    // The server may be stopped, by us or by others, while it still takes leave of a connection that we have closed.
    if (!isClosing) onError(error);
  });
  const kysely = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
  return {
    kysely,
    pool,
    async [Symbol.asyncDispose]() {
      isClosing = true;
      await kysely.destroy();
      // Kysely closes no pool that it has never used itself.
      if (!pool.ending) await pool.end();
    },
  };
}

/** How look-ups that every request makes are put together. */
export const BATCHES = { maxKeys: 100, maxUnderWay: 2 };

/** Parsed and planned once per connection. `name` must be the text's own. */
export function prepared(pool: pg.Pool, name: string, text: string) {
  return async <Row extends pg.QueryResultRow>(values: unknown[]): Promise<Row[]> =>
    (await pool.query<Row>({ name, text, values })).rows;
}

export function isUniqueViolation(error: unknown, index: string): boolean {
  return error instanceof pg.DatabaseError && error.code === "23505" && error.constraint === index;
}

const CONNECTION_LOST = /^(ECONN(REFUSED|RESET|ABORTED)|EPIPE|ENOENT|ETIMEDOUT|EHOSTUNREACH|ENOTFOUND|EAI_AGAIN)$/;
const CONNECTION_LOST_SQLSTATE = /^(08|57P|53300|3D000)/;
const CONNECTION_LOST_MESSAGE =
  /Connection terminated|Query read timeout|timeout exceeded when trying to connect|Client has encountered a connection error/;

/** Whether the database could not be reached: the caller may try again later. */
export function isUnavailable(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isUnavailable);
  if (!(error instanceof Error)) return false;
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  if (error instanceof pg.DatabaseError) return CONNECTION_LOST_SQLSTATE.test(code);
  return (CONNECTION_LOST.test(code) && "syscall" in error) || CONNECTION_LOST_MESSAGE.test(error.message);
}

// Balances and counts are far below 2^53, so int8 arrives as a number.
function getTypeParser(oid: number, format?: string) {
  if (oid === pg.types.builtins.INT8) return Number;
  return pg.types.getTypeParser(oid, format as "text");
}
