import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type pg from "pg";
import { createOperations, type Operations } from "../../src/app/operations.ts";
import { readConfig } from "../../src/config/config.ts";
import { type Database, openDatabase, withStatementTimeout } from "../../src/storage/database.ts";
import { joinEmbeddedServer } from "../../src/storage/embedded/server.ts";
import { type Connected, PLENTY_OF_CREDITS } from "../harness/connected.ts";
import {
  type Generator,
  SERVICE_ENV,
  type Server,
  startBareRoute,
  startGenerator,
  startService,
} from "../harness/processes.ts";

/** Everything that runs during the benchmark of the API, in a temporary folder. */
export interface Stage extends AsyncDisposable {
  service: Server;
  bareRoute: Server;
  generator: Generator;
  database: Database;
  connectionString: string;
  poolSize: number;
}

const ENV = { ...SERVICE_ENV, ERRAND_MAX_QUEUED: "0" };

export async function openStage(signal: AbortSignal, onProgress: (text: string) => void): Promise<Stage> {
  await using disposables = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), "errand-bench-"));
  disposables.defer(() => rm(dataDir, { recursive: true, force: true }));
  const { connectionString } = disposables.use(await joinEmbeddedServer(dataDir, onProgress));
  signal.throwIfAborted();
  onProgress("Starting the service");
  const service = disposables.use(
    await startService({
      env: { ...ENV, ERRAND_DATA_DIR: dataDir },
      logFile: join(dataDir, "service.log"),
      roles: "api",
    }),
  );
  signal.throwIfAborted();
  const poolSize = readConfig(ENV, dataDir).databasePoolSize;
  const bareRoute = disposables.use(await startBareRoute(connectionString, poolSize));
  signal.throwIfAborted();
  const generator = disposables.use(startGenerator());
  const database = disposables.use(openDatabase({ connectionString, poolSize: 2, onError: () => {} }));
  const owned = disposables.move();
  return {
    service,
    bareRoute,
    generator,
    database,
    connectionString,
    poolSize,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

export interface Seed {
  /** Has FEW executions. */
  small: Connected;
  /** Has as many executions as the command was asked for. */
  large: Connected;
  largeSize: number;
  creator: Connected;
  /** One for each of many owners, each with SOME executions. */
  many: Connected[];
}

const SOME = 16;
export const FEW = 1_000;
const OWNERS = 32;
const SLOW_MS = 600_000;

export async function seed(
  database: Database,
  largeSize: number,
  signal: AbortSignal,
  onProgress: (text: string) => void,
): Promise<Seed> {
  const operations = createOperations(database);
  const [firstOwnerId = ""] = await listOwners(database);
  await operations.credits.grant(firstOwnerId, PLENTY_OF_CREDITS);
  const applicationId = await register(database, operations, firstOwnerId);
  const small = await connect(operations, applicationId, "small");
  const large = await connect(operations, applicationId, "large");
  const creator = await connect(operations, applicationId, "creator");
  const many = await connectManyOwners(database, operations);
  for (const one of many) await insertExecutions(database, one, SOME, signal);
  await insertExecutions(database, small, FEW, signal);
  onProgress(`Inserting ${largeSize.toLocaleString("en")} executions`);
  await insertExecutions(database, large, largeSize, signal);
  onProgress("Running vacuum analyze, so that autovacuum does not run during the measurement");
  await withoutTimeout(database, signal, (client) =>
    client.query(withStatementTimeout(SLOW_MS, { text: "vacuum analyze" })),
  );
  signal.throwIfAborted();
  return { small, large, largeSize, creator, many };
}

export async function listExecutionIds({ pool }: Database, { connectionId }: Connected): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>("select id from executions where connection_id = $1", [
    connectionId,
  ]);
  return rows.map(({ id }) => id);
}

/** `count` cursors, spread evenly over the middle half of a connection's executions. */
export async function findCursors(database: Database, connectionId: string, count: number): Promise<string[]> {
  const { rows } = await database.pool.query<{ id: string }>(
    `with numbered as (
       select id, row_number() over (order by id) as n, count(*) over () as total from executions where connection_id = $1
     )
     select id from numbered
     where n between total / 4 and total * 3 / 4 and n % greatest(1, total / 2 / $2::int) = 0 limit $2`,
    [connectionId, count],
  );
  return rows.map(({ id }) => id);
}

async function listOwners({ pool }: Database): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>("select id from owners order by id");
  return rows.map(({ id }) => id);
}

async function register(database: Database, operations: Operations, ownerId: string): Promise<string> {
  const { application } = await operations.applications.register({
    name: "Benchmark",
    type: "public",
    redirectUris: ["http://127.0.0.1/callback"],
    homeUrl: null,
    signInUrl: null,
    allowedHosts: [],
    access: "all",
    requirePkce: false,
  });
  await database.pool.query("update applications set owner_id = $2 where id = $1", [application.id, ownerId]);
  return application.id;
}

async function connect({ people, connections }: Operations, applicationId: string, name: string): Promise<Connected> {
  const person = await people.findOrCreate(`${name}@example.com`);
  const { connection, accessToken } = await connections.connect(applicationId, person.id);
  return { applicationId, connectionId: connection.id, token: accessToken };
}

async function connectManyOwners(database: Database, operations: Operations): Promise<Connected[]> {
  await database.pool.query("insert into owners (balance) select $1 from generate_series(1, $2)", [
    PLENTY_OF_CREDITS,
    OWNERS - 1,
  ]);
  const connected: Connected[] = [];
  for (const ownerId of await listOwners(database)) {
    connected.push(await connect(operations, await register(database, operations, ownerId), "creator"));
  }
  return connected;
}

/** Inserts ended executions with a result of typical size. */
async function insertExecutions(
  database: Database,
  { connectionId }: Connected,
  count: number,
  signal: AbortSignal,
): Promise<void> {
  await withoutTimeout(database, signal, (client) =>
    client.query(
      withStatementTimeout(SLOW_MS, {
        text: `insert into executions (connection_id, status, terminal_status, terminal_reason, prompt, start_url, result,
         credits, charged, last_event_id, completed_at)
       select $1, 'COMPLETED', 'verified', 'The page shows what was asked for.', 'Read the price of article ' || n || '.',
         'http://127.0.0.1/articles/' || n, json_build_object(
           'final_text', 'Article ' || n || ' costs 12.50.', 'final_url', 'http://127.0.0.1/articles/' || n,
           'final_title', 'Article ' || n, 'extracted', null,
           'evidence', json_build_object('urls', json_build_array('http://127.0.0.1/articles/' || n),
             'verifier', json_build_object('agreed', true, 'reason', 'The page shows the price.'),
             'side_effects', json_build_array())),
         1, true, 4, now()
       from generate_series(1, $2::int) as n`,
        values: [connectionId, count],
      }),
    ),
  );
}

/** Runs long statements without the statement timeout. Cancels them when interrupted. */
async function withoutTimeout(
  { pool }: Database,
  signal: AbortSignal,
  work: (client: pg.PoolClient) => Promise<unknown>,
): Promise<void> {
  signal.throwIfAborted();
  const client = await pool.connect();
  const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
  const cancel = () => void pool.query("select pg_cancel_backend($1)", [rows[0]?.pid]);
  signal.addEventListener("abort", cancel);
  try {
    await client.query("set statement_timeout = 0");
    await work(client);
  } finally {
    signal.removeEventListener("abort", cancel);
    // Not returned to the pool, where the next user expects the timeout.
    client.release(true);
  }
}
