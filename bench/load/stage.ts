import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findFreePort } from "../../src/lib/free-port.ts";
import { type Database, openDatabase } from "../../src/storage/database.ts";
import { joinEmbeddedServer } from "../../src/storage/embedded/server.ts";
import { migrate } from "../../src/storage/migrations.ts";
import { type Connected, connectUsers } from "../harness/connected.ts";
import { SERVICE_ENV, startLoadSite, startService } from "../harness/processes.ts";

/** Several api processes and any number of workers on one PostgreSQL by `DATABASE_URL`, in a temporary folder. */
export interface LoadStage extends AsyncDisposable {
  database: Database;
  apis: LoadProcess[];
  siteUrl: string;
  /** More than the concurrent executions, because a connection runs its executions one after the other. */
  connections: Connected[];
  startWorkers(count: number): Promise<{ workers: LoadProcess[] } & AsyncDisposable>;
}

export interface LoadProcess {
  name: string;
  pid: number;
  port: number;
  /** The port that serves `/metrics`. */
  metricsPort: number;
}

interface LoadStageOptions {
  apis: number;
  concurrency: number;
  connections: number;
  signal: AbortSignal;
  onProgress(text: string): void;
}

export async function openLoadStage(options: LoadStageOptions): Promise<LoadStage> {
  const { signal, onProgress } = options;
  await using parts = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), "errand-bench-"));
  parts.defer(() => rm(dataDir, { recursive: true, force: true }));
  const { connectionString } = parts.use(await joinEmbeddedServer(dataDir, onProgress));
  await migrate(connectionString);
  const site = parts.use(await startLoadSite());
  const host = `127.0.0.1:${site.port}`;
  const env = {
    ...SERVICE_ENV,
    ERRAND_DEMO: "false",
    ERRAND_SECRET_KEY: "a key for the benchmark and nothing else",
    DATABASE_URL: connectionString,
    ERRAND_DATA_DIR: dataDir,
    ERRAND_ALLOW_HOSTS: host,
    ERRAND_CONCURRENCY: String(options.concurrency),
  };

  async function start(role: "api" | "worker", number: number, into: AsyncDisposableStack): Promise<LoadProcess> {
    signal.throwIfAborted();
    const name = `${role} ${number}`;
    const workerPort = await findFreePort();
    const own = { ...env, ERRAND_WORKER_PORT: String(workerPort) };
    const logFile = join(dataDir, `${role}-${number}.log`);
    const server = into.use(await startService({ env: own, logFile, roles: role }));
    return { name, pid: server.pid, port: server.port, metricsPort: role === "api" ? server.port : workerPort };
  }

  onProgress(`Starting ${options.apis} api ${options.apis === 1 ? "process" : "processes"}`);
  const apis: LoadProcess[] = [];
  for (let number = 1; number <= options.apis; number += 1) apis.push(await start("api", number, parts));
  const database = parts.use(openDatabase({ connectionString, poolSize: 2, onError: () => {} }));
  const connections = await connectUsers(database, options.connections);
  const owned = parts.move();
  return {
    database,
    apis,
    siteUrl: `http://${host}/`,
    connections,
    async startWorkers(count) {
      await using started = new AsyncDisposableStack();
      onProgress(`Starting ${count} worker ${count === 1 ? "process" : "processes"}`);
      const workers: LoadProcess[] = [];
      for (let number = 1; number <= count; number += 1) workers.push(await start("worker", number, started));
      const stopping = started.move();
      return { workers, [Symbol.asyncDispose]: () => stopping.disposeAsync() };
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
