import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createOperations } from "../src/app/operations.ts";
import { SETTINGS } from "../src/config/settings.ts";
import { findFreePort } from "../src/lib/free-port.ts";
import { type Database, openDatabase } from "../src/storage/database.ts";
import { joinEmbeddedServer } from "../src/storage/embedded/server.ts";
import { migrate } from "../src/storage/migrations.ts";
import { type Server, startLoadSite, startService } from "./_child.ts";
import type { Connected } from "./_seed.ts";

/** Several api processes and any number of workers on one PostgreSQL, by its address, in a temporary folder. */
export interface LoadStage extends AsyncDisposable {
  database: Database;
  apis: LoadProcess[];
  siteUrl: string;
  /** More than run at the same time: a connection runs one after the other. */
  connections: Connected[];
  startWorkers(count: number): Promise<{ workers: LoadProcess[] } & AsyncDisposable>;
}

export interface LoadProcess {
  name: string;
  pid: number;
  port: number;
  /** Where it answers `/metrics`. */
  metricsPort: number;
}

interface LoadStageOptions {
  apis: number;
  concurrency: number;
  connections: number;
  signal: AbortSignal;
  onProgress(text: string): void;
}

const PLENTY_OF_CREDITS = 1_000_000_000;
const SECRET_KEY = "a key for the benchmark and nothing else";

/** Limits that no measurement reaches; everything else is the default, whatever this machine's environment says. */
const ENV: Record<string, string> = {
  ...Object.fromEntries(Object.values(SETTINGS).map(({ env }) => [env, ""])),
  ERRAND_PORT: "0",
  ERRAND_DEMO: "false",
  ERRAND_SECRET_KEY: SECRET_KEY,
  ERRAND_CREATES_PER_MINUTE: "10000000",
  ERRAND_READS_PER_MINUTE: "10000000",
  ERRAND_RATE_BURST: "1000000",
};

export async function setLoadStage(options: LoadStageOptions): Promise<LoadStage> {
  const { signal, onProgress } = options;
  await using parts = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), "errand-bench-"));
  parts.defer(() => rm(dataDir, { recursive: true, force: true }));
  const { connectionString } = parts.use(await joinEmbeddedServer(dataDir, onProgress));
  await migrate(connectionString);
  const site = parts.use(await startLoadSite());
  const host = `127.0.0.1:${site.port}`;
  const env = {
    ...ENV,
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
    const server: Server = into.use(await startService(own, join(dataDir, `${role}-${number}.log`), role));
    return { name, pid: server.pid, port: server.port, metricsPort: role === "api" ? server.port : workerPort };
  }

  onProgress(`Starting ${options.apis} api ${options.apis === 1 ? "process" : "processes"}`);
  const apis: LoadProcess[] = [];
  for (let number = 1; number <= options.apis; number += 1) apis.push(await start("api", number, parts));
  const database = parts.use(openDatabase({ connectionString, poolSize: 2, onError: () => {} }));
  const connections = await connectMany(database, options.connections);
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

async function connectMany(database: Database, count: number): Promise<Connected[]> {
  const { applications, people, connections, credits } = createOperations(database);
  const { application } = await applications.register({
    name: "Benchmark",
    type: "public",
    redirectUris: [],
  });
  await credits.grant(application.ownerId, PLENTY_OF_CREDITS);
  const connected: Connected[] = [];
  for (let number = 1; number <= count; number += 1) {
    const person = await people.findOrCreate(`client-${number}@example.com`);
    const { connection, accessToken } = await connections.connect(application.id, person.id);
    connected.push({ applicationId: application.id, connectionId: connection.id, token: accessToken });
  }
  return connected;
}
