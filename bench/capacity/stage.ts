import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Database, openDatabase } from "../../src/storage/database.ts";
import { joinEmbeddedServer } from "../../src/storage/embedded/server.ts";
import { migrate } from "../../src/storage/migrations.ts";
import { PLENTY_OF_CREDITS } from "../harness/connected.ts";
import { CpuRecording } from "../harness/cpu.ts";
import type { Report, RunShape, Start, ToChild } from "./protocol.ts";

/** One PostgreSQL, simulated workers and their clients. */
export interface CapacityStage extends AsyncDisposable {
  database: Database;
  /** Starts more workers and clients, so that `runs` executions run at the same time. */
  grow(runs: number): Promise<void>;
  /** What was done since the last reports. */
  takeReports(): Promise<Report[]>;
  countRunning(): Promise<number>;
  /** What the sessions of PostgreSQL do now that have a statement to execute. "CPU" means that they wait for nothing. */
  listActivity(): Promise<string[]>;
  recordUse(): Promise<() => Promise<Use>>;
}

interface Use {
  transactions: number;
  walMb: number;
  cpuSeconds: { postgres: number; workers: number; clients: number; idle: number };
}

interface Member {
  kind: "workers" | "clients";
  child: ChildProcess;
}

/** In one worker process. A real one has a browser for each, and so far fewer. */
const RUNS_PER_WORKER = 2_000;
const CLIENTS_PER_PROCESS = 5_000;
const OWNERS = 100;
const STOP_MS = 10_000;

export async function openCapacityStage(
  shape: RunShape,
  maxRuns: number,
  onProgress: (text: string) => void,
): Promise<CapacityStage> {
  await using parts = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), "errand-bench-"));
  parts.defer(() => rm(dataDir, { recursive: true, force: true }));
  const { connectionString } = parts.use(await joinEmbeddedServer(dataDir, onProgress));
  await migrate(connectionString);
  const database = parts.use(openDatabase({ connectionString, poolSize: 2, onError: () => {} }));
  const countClients = (runs: number) => Math.ceil(runs * (1 + shape.pollSeconds / shape.runSeconds));
  onProgress(`Connecting ${countClients(maxRuns).toLocaleString("en")} users`);
  const connectionIds = await connectInBulk(database, countClients(maxRuns));
  const members: Member[] = [];
  parts.defer(async () => {
    await Promise.all(members.map(({ child }) => stop(child)));
  });

  async function start(kind: Member["kind"], file: string, more: Pick<Start, "concurrency" | "connectionIds">) {
    const child = fork(join(import.meta.dirname, file));
    members.push({ kind, child });
    send(child, { kind: "start", start: { connectionString, dataDir, shape, ...more } });
    await once(child, "message");
  }

  const pidsOf = (kind: Member["kind"]) =>
    members.filter((one) => one.kind === kind).map(({ child }) => child.pid ?? 0);
  let runs = 0;
  const owned = parts.move();
  return {
    database,

    async grow(wanted) {
      for (let from = runs; from < wanted; from += RUNS_PER_WORKER) {
        const concurrency = Math.min(RUNS_PER_WORKER, wanted - from);
        await start("workers", "simulated-worker.ts", { concurrency, connectionIds: [] });
      }
      // A client learns late that its run has ended, so more of them keep all runs going.
      const clients = countClients(wanted);
      for (let from = countClients(runs); from < clients; from += CLIENTS_PER_PROCESS) {
        const ids = connectionIds.slice(from, Math.min(clients, from + CLIENTS_PER_PROCESS));
        await start("clients", "clients.ts", { concurrency: 0, connectionIds: ids });
      }
      runs = wanted;
    },

    takeReports: () => Promise.all(members.map(({ child }) => takeReport(child))),

    async countRunning() {
      const text = "select count(*) as count from executions where status = 'RUNNING'";
      return (await database.pool.query<{ count: number }>(text)).rows[0]?.count ?? 0;
    },

    async listActivity() {
      const { rows } = await database.pool.query<{ activity: string }>(
        `select coalesce(wait_event_type || ': ' || wait_event, 'CPU') as "activity" from pg_stat_activity
         where backend_type = 'client backend' and state = 'active' and pid <> pg_backend_pid()`,
      );
      return rows.map(({ activity }) => activity);
    },

    async recordUse() {
      const postgres = new CpuRecording([await findPostmaster(database)]);
      const workers = new CpuRecording(pidsOf("workers"));
      const clients = new CpuRecording(pidsOf("clients"));
      const before = await readStatistics(database);
      const idleBefore = await readIdleSeconds();
      return async () => {
        const after = await readStatistics(database);
        return {
          transactions: after.transactions - before.transactions,
          walMb: (after.walBytes - before.walBytes) / 1_000_000,
          cpuSeconds: {
            postgres: postgres.read().postgres,
            workers: workers.read().node,
            clients: clients.read().node,
            idle: (await readIdleSeconds()) - idleBefore,
          },
        };
      };
    },

    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** One connection for each run: a connection runs its executions one after the other. */
async function connectInBulk({ pool }: Database, count: number): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(
    `with owner as (
       insert into owners (balance) select $2::bigint from generate_series(1, $3::int) returning id
     ), entry as (
       insert into credit_entries (owner_id, kind, credits) select id, 'grant', $2 from owner
     ), application as (
       insert into applications (owner_id, name, type) select id, 'Benchmark', 'public' from owner returning id
     ), numbered as (
       select id, row_number() over () as number from application
     ), person as (
       insert into users (name, email)
       select 'Client', 'client-' || n || '@example.com' from generate_series(1, $1::int) as n returning id
     ), counted as (
       select id, row_number() over () as number from person
     )
     insert into connections (application_id, user_id)
     select numbered.id, counted.id from counted join numbered on numbered.number = 1 + counted.number % $3::int
     returning id`,
    [count, PLENTY_OF_CREDITS, OWNERS],
  );
  await pool.query("vacuum analyze");
  return rows.map(({ id }) => id);
}

async function readStatistics({ pool }: Database): Promise<{ transactions: number; walBytes: number }> {
  const { rows } = await pool.query<{ transactions: number; walBytes: number }>(
    `select sum(xact_commit + xact_rollback)::float8 as "transactions",
       (pg_current_wal_lsn() - '0/0'::pg_lsn)::float8 as "walBytes"
     from pg_stat_database`,
  );
  return rows[0] ?? { transactions: 0, walBytes: 0 };
}

/** Of all cores, since the start of the machine. */
async function readIdleSeconds(): Promise<number> {
  const [line = ""] = (await readFile("/proc/stat", "utf8")).split("\n");
  // Idle, and idle while a disk is busy, in hundredths of a second: see proc_stat(5).
  const [idle = 0, waiting = 0] = line.trim().split(/\s+/).slice(4, 6).map(Number);
  return (idle + waiting) / 100;
}

async function findPostmaster({ pool }: Database): Promise<number> {
  const { rows } = await pool.query<{ pid: number }>("select pg_backend_pid() as pid");
  const status = await readFile(`/proc/${rows[0]?.pid}/status`, "utf8");
  return Number(/^PPid:\s+(\d+)/m.exec(status)?.[1]);
}

async function takeReport(child: ChildProcess): Promise<Report> {
  const replied = once(child, "message");
  send(child, { kind: "report" });
  return ((await replied) as [Report])[0];
}

function send(child: ChildProcess, message: ToChild): void {
  child.send(message);
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  const killing = setTimeout(() => child.kill("SIGKILL"), STOP_MS);
  if (child.connected) send(child, { kind: "stop" });
  await exited;
  clearTimeout(killing);
}
