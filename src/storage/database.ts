import { Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import { OverloadedError } from "../lib/errors.ts";
import { CONNECTION_LIMITS, createSocketGroup } from "../lib/postgres-connection.ts";
import { countFailure, countFailures } from "./database-metrics.ts";
import type { Schema } from "./sql/schema.ts";

/** The connection pool of a process, with Kysely for composed queries and `prepared` for frequent statements. */
export interface Database extends AsyncDisposable {
  kysely: Kysely<Schema>;
  pool: pg.Pool;
}

interface DatabaseOptions {
  connectionString: string;
  poolSize: number;
  /** The connections go through a pooler in transaction mode: no session settings, no named statements. */
  isPooled?: boolean;
  onError(error: Error): void;
}

const STATEMENT_TIMEOUT_MS = 30_000;
/** For statements that take milliseconds. After this long, the server is considered gone. */
export const QUICK_TIMEOUT_MS = 10_000;

export function openDatabase({ connectionString, poolSize, isPooled = false, onError }: DatabaseOptions): Database {
  const sockets = createSocketGroup();
  const { options, idle_in_transaction_session_timeout, ...limits } = CONNECTION_LIMITS;
  const pool = new BoundedPool({
    ...limits,
    ...(isPooled ? {} : { options, idle_in_transaction_session_timeout, statement_timeout: STATEMENT_TIMEOUT_MS }),
    connectionString,
    stream: sockets.open,
    max: poolSize,
    // The server cannot enforce its own limit when it no longer responds.
    query_timeout: STATEMENT_TIMEOUT_MS + 5_000,
    application_name: `errand ${process.pid}`,
    types: { getTypeParser },
  });
  // The pool replaces idle connections that break. Without a listener the error would end the process.
  let isClosing = false;
  pool.on("error", (error) => {
    // While closing, the server may stop before it has ended a connection that we have closed.
    if (!isClosing) onError(error);
  });
  // The same for connections in use: there, the running statement fails.
  pool.on("connect", (client) => client.on("error", () => {}));
  if (isPooled) pool.on("connect", leaveOutNames);
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
      // Kysely does not close a pool that it has never used.
      if (!pool.ending) await pool.end();
      await sockets.end();
    },
  };
}

/** A named statement exists on one connection of the server only, and the next one may go to another. */
function leaveOutNames(client: pg.PoolClient): void {
  const query = client.query.bind(client) as (...args: unknown[]) => unknown;
  const withoutName = (statement: unknown) =>
    typeof statement === "object" && statement !== null && "name" in statement
      ? { ...statement, name: undefined }
      : statement;
  client.query = ((statement: unknown, ...rest: unknown[]) =>
    query(withoutName(statement), ...rest)) as typeof client.query;
}

/** How lookups that every request makes are batched. */
export const LOOKUP_BATCHES = { maxKeys: 100, maxConcurrent: 2, maxWaiting: 5_000 };

/** A statement that is parsed and planned once per connection. Each text needs its own `name`. */
export function prepared(pool: Pick<pg.Pool, "query">, name: string, text: string, timeoutMs = QUICK_TIMEOUT_MS) {
  return async <Row extends pg.QueryResultRow>(values: unknown[]): Promise<Row[]> =>
    (await countFailures(pool.query<Row>(withStatementTimeout(timeoutMs, { name, text, values })))).rows;
}

/** The same statement with its own timeout. */
export function withStatementTimeout(timeoutMs: number, statement: pg.QueryConfig): pg.QueryConfig {
  // The driver supports it for single statements; its types do not say so.
  const limited: pg.QueryConfig & { query_timeout: number } = { ...statement, query_timeout: timeoutMs };
  return limited;
}

export function isUniqueViolation(error: unknown, index: string): boolean {
  return error instanceof pg.DatabaseError && error.code === "23505" && error.constraint === index;
}

const CONNECTION_LOST_CODES =
  /^(ECONN(REFUSED|RESET|ABORTED)|EPIPE|ENOENT|ETIMEDOUT|EHOSTUNREACH|ENET(UNREACH|DOWN)|ENOTFOUND|EAI_AGAIN)$/;
const CONNECTION_LOST_SQLSTATE = /^(08|57P|25P03)/;
/** The server responded but cannot execute: timeout, too many connections, disk full, no such database. */
const REFUSED_SQLSTATE = /^(57014|53|3D000)/;
const CONNECTION_LOST_MESSAGE =
  /Connection terminated|Query read timeout|timeout exceeded when trying to connect|timeout expired|Client has encountered a connection error|before secure TLS connection was established|error establishing an SSL connection/;

const SOCKET_CALLS: ReadonlySet<string> = new Set(["connect", "read", "write", "getaddrinfo"]);

/** Whether the database could not be reached, or not in time. The caller may retry later. */
export function isUnavailable(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isUnavailable);
  if (error instanceof OverloadedError) return true;
  return isConnectionLost(error) || (error instanceof pg.DatabaseError && REFUSED_SQLSTATE.test(error.code ?? ""));
}

/** Whether there was no response from the database, so that it is unknown whether the statement was executed. */
export function isConnectionLost(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isConnectionLost);
  if (!(error instanceof Error)) return false;
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  if (error instanceof pg.DatabaseError) return CONNECTION_LOST_SQLSTATE.test(code);
  return (CONNECTION_LOST_CODES.test(code) && isSocketError(error)) || CONNECTION_LOST_MESSAGE.test(error.message);
}

/** Errors of the file system use some of the same codes, such as ENOENT. */
function isSocketError(error: Error): boolean {
  return "syscall" in error && SOCKET_CALLS.has(String(error.syscall));
}

// Balances and counts are far below 2^53, so int8 is parsed as a number.
function getTypeParser(oid: number, format?: string) {
  if (oid === pg.types.builtins.INT8) return Number;
  return pg.types.getTypeParser(oid, format as "text");
}

type Callback = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  done: (release?: unknown) => void,
) => void;

/** More than this would wait too long anyway. */
const MAX_WAITING_PER_CONNECTION = 100;

/** A pool that limits how many requests wait for a connection. Above the limit they fail immediately. */
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

/** Checks that the database responds. It has its own connection: a busy pool does not mean that the database is down. */
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
  // A connection that breaks while idle is replaced at the next check.
  own.on("error", () => {});
  // One that breaks during a check makes the check fail.
  own.on("connect", (client) => client.on("error", () => {}));
  let checking: Promise<unknown> | null = null;
  return {
    async check() {
      checking ??= own.query(withStatementTimeout(PROBE_TIMEOUT_MS, { text: "select 1" })).finally(() => {
        checking = null;
      });
      await checking;
    },
    [Symbol.asyncDispose]: () => own.end(),
  };
}
