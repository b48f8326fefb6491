import { Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import { OverloadedError } from "../lib/errors.ts";
import { CONNECTION_LIMITS, createSocketGroup } from "../lib/postgres-connection.ts";
import { countFailure, countFailures } from "./database-metrics.ts";
import type { Schema } from "./sql/schema.ts";

/** The one pool of a process: Kysely for what is composed, `prepared` for the few statements that are hot. */
export interface Database extends AsyncDisposable {
  kysely: Kysely<Schema>;
  pool: pg.Pool;
}

interface DatabaseOptions {
  connectionString: string;
  poolSize: number;
  onError(error: Error): void;
}

const STATEMENT_TIMEOUT_MS = 30_000;
/** For what takes milliseconds: one that takes so long has no server at its other end any more. */
export const QUICK_TIMEOUT_MS = 10_000;

export function openDatabase({ connectionString, poolSize, onError }: DatabaseOptions): Database {
  const sockets = createSocketGroup();
  const pool = new BoundedPool({
    ...CONNECTION_LIMITS,
    connectionString,
    stream: sockets.open,
    max: poolSize,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    // A server that has gone silent does not keep its own time limit.
    query_timeout: STATEMENT_TIMEOUT_MS + 5_000,
    application_name: `errand ${process.pid}`,
    types: { getTypeParser },
  });
  // An idle connection that breaks is replaced by the pool; without a listener it would end the process.
  let isClosing = false;
  pool.on("error", (error) => {
    // The server may be stopped, by us or by others, while it still takes leave of a connection that we have closed.
    if (!isClosing) onError(error);
  });
  // Likewise one that breaks while it is lent out: whoever has it hears of it with their statement.
  pool.on("connect", (client) => client.on("error", () => {}));
  const kysely = new Kysely<Schema>({
    dialect: new PostgresDialect({ pool }),
    log: (event) => (event.level === "error" ? countFailure(event.error) : undefined),
  });
  return {
    kysely,
    pool,
    async [Symbol.asyncDispose]() {
      isClosing = true;
      await kysely.destroy();
      // Kysely closes no pool that it has never used itself.
      if (!pool.ending) await pool.end();
      await sockets.end();
    },
  };
}

/** How look-ups that every request makes are put together. */
export const LOOKUP_BATCHES = { maxKeys: 100, maxConcurrent: 2, maxWaiting: 5_000 };

/** Parsed and planned once per connection. `name` must be the text's own. */
export function prepared(pool: Pick<pg.Pool, "query">, name: string, text: string, timeoutMs = QUICK_TIMEOUT_MS) {
  return async <Row extends pg.QueryResultRow>(values: unknown[]): Promise<Row[]> =>
    (await countFailures(pool.query<Row>(withStatementTimeout(timeoutMs, { name, text, values })))).rows;
}

/** The same statement, with a time limit of its own. */
export function withStatementTimeout(timeoutMs: number, statement: pg.QueryConfig): pg.QueryConfig {
  // The driver knows it for single statements, its types do not.
  const limited: pg.QueryConfig & { query_timeout: number } = { ...statement, query_timeout: timeoutMs };
  return limited;
}

export function isUniqueViolation(error: unknown, index: string): boolean {
  return error instanceof pg.DatabaseError && error.code === "23505" && error.constraint === index;
}

const CONNECTION_LOST_CODES =
  /^(ECONN(REFUSED|RESET|ABORTED)|EPIPE|ENOENT|ETIMEDOUT|EHOSTUNREACH|ENET(UNREACH|DOWN)|ENOTFOUND|EAI_AGAIN)$/;
const CONNECTION_LOST_SQLSTATE = /^(08|57P|25P03)/;
/** It is there, but does not want to, or no longer: too long, too much, no room, no such database. */
const REFUSED_SQLSTATE = /^(57014|53|3D000)/;
const CONNECTION_LOST_MESSAGE =
  /Connection terminated|Query read timeout|timeout exceeded when trying to connect|timeout expired|Client has encountered a connection error|before secure TLS connection was established|error establishing an SSL connection/;

const SOCKET_CALLS: ReadonlySet<string> = new Set(["connect", "read", "write", "getaddrinfo"]);

/** Whether the database could not be reached, or not in time: the caller may try again later. */
export function isUnavailable(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isUnavailable);
  if (error instanceof OverloadedError) return true;
  return isConnectionLost(error) || (error instanceof pg.DatabaseError && REFUSED_SQLSTATE.test(error.code ?? ""));
}

/** Whether nothing came back from the database, so that nobody knows what has become of what was asked for. */
export function isConnectionLost(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isConnectionLost);
  if (!(error instanceof Error)) return false;
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  if (error instanceof pg.DatabaseError) return CONNECTION_LOST_SQLSTATE.test(code);
  return (CONNECTION_LOST_CODES.test(code) && isSocketError(error)) || CONNECTION_LOST_MESSAGE.test(error.message);
}

/** A file that is missing says ENOENT as well. */
function isSocketError(error: Error): boolean {
  return "syscall" in error && SOCKET_CALLS.has(String(error.syscall));
}

// Balances and counts are far below 2^53, so int8 arrives as a number.
function getTypeParser(oid: number, format?: string) {
  if (oid === pg.types.builtins.INT8) return Number;
  return pg.types.getTypeParser(oid, format as "text");
}

type Callback = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  done: (release?: unknown) => void,
) => void;

/** About as many as are answered before they would have waited too long anyway. */
const MAX_WAITING_PER_CONNECTION = 100;

/** A pool with a limit on how many wait for one of its connections: whoever comes then is told so at once. */
class BoundedPool extends pg.Pool {
  override connect(): Promise<pg.PoolClient>;
  override connect(callback: Callback): void;
  override connect(callback?: Callback): Promise<pg.PoolClient> | undefined {
    if (this.idleCount === 0 && this.waitingCount >= this.options.max * MAX_WAITING_PER_CONNECTION) {
      const error = new OverloadedError("database connections");
      if (callback === undefined) return Promise.reject(error);
      callback(error, undefined, () => {});
      return undefined;
    }
    if (callback === undefined) return super.connect();
    super.connect(callback);
    return undefined;
  }
}

/** Asks whether the database answers, on a connection of its own: a pool that is busy is no reason to say it does not. */
interface DatabaseProbe extends AsyncDisposable {
  check(): Promise<void>;
}

const PROBE_TIMEOUT_MS = 2_000;
const PROBE_IDLE_MS = 60_000;

export function createDatabaseProbe({ pool }: Pick<Database, "pool">): DatabaseProbe {
  const own = new pg.Pool({
    ...pool.options,
    max: 1,
    connectionTimeoutMillis: PROBE_TIMEOUT_MS,
    idleTimeoutMillis: PROBE_IDLE_MS,
    application_name: `errand probe ${process.pid}`,
  });
  // One that breaks while nobody asks is made anew for the next who does.
  own.on("error", () => {});
  // And one that breaks while it is asked tells whoever waits for the answer.
  own.on("connect", (client) => client.on("error", () => {}));
  let asking: Promise<unknown> | null = null;
  return {
    async check() {
      asking ??= own.query(withStatementTimeout(PROBE_TIMEOUT_MS, { text: "select 1" })).finally(() => {
        asking = null;
      });
      await asking;
    },
    [Symbol.asyncDispose]: () => own.end(),
  };
}
