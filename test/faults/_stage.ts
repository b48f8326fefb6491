import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { createOperations } from "../../src/app/operations.ts";
import { isUnavailable, openDatabase } from "../../src/storage/database.ts";
import { migrate } from "../../src/storage/migrations.ts";
import { type BrowserGate, createBrowserGate } from "./_browser-gate.ts";
import { type Clients, createClients, type Seat } from "./_clients.ts";
import { type Caught, startFaultProxy } from "./_fault-proxy.ts";
import { type Member, startMember } from "./_member.ts";
import { type KillablePostgres, startKillablePostgres } from "./_postgres.ts";
import { type FaultSite, startFaultSite } from "./_site.ts";
import { type FaultModel, startFaultModel } from "./environment/fault-model.ts";
import { createJumpingClock, type JumpingClock } from "./environment/jumping-clock.ts";

/** The whole service as real processes on its own PostgreSQL, with access to everything that can be broken. */
export interface Stage extends AsyncDisposable {
  readonly dataDir: string;
  readonly leaseMs: number;
  readonly postgres: KillablePostgres;
  readonly site: FaultSite;
  readonly browsers: BrowserGate;
  readonly model: FaultModel;
  /** The wall clock of all processes. */
  readonly clock: JumpingClock;
  readonly api: Member;
  readonly workers: readonly Member[];
  readonly clients: Clients;
  readonly seats: readonly Seat[];
  /** Queries PostgreSQL directly, independent of all processes and faults, and waits while it is down. */
  query: Query;
  /** Catches the next matching statement of any worker. */
  trapWorkers(wanted: Parameters<Member["proxy"]["setTrap"]>[0]): WorkerTrap;
  restartPostgres(): Promise<void>;
  /** Restarts killed processes. */
  reviveAll(): Promise<void>;
}

type Query = <Row extends pg.QueryResultRow>(text: string, values?: unknown[]) => Promise<Row[]>;

interface WorkerTrap extends Disposable {
  readonly caught: Promise<{ worker: Member; statement: Caught }>;
}

interface StageOptions {
  leaseSeconds: number;
  workerCount: number;
  /** Additional settings of the processes. */
  env?: Record<string, string>;
}

const SEATS = 4;
const CREDITS = 1_000_000;
const QUERY_PATIENCE_MS = 60_000;
const LIMITS = {
  ERRAND_RATE_BURST: "1000000",
  ERRAND_CREATES_PER_MINUTE: "10000000",
  ERRAND_READS_PER_MINUTE: "10000000",
};

export async function openStage({ leaseSeconds, workerCount, env = {} }: StageOptions): Promise<Stage> {
  await using parts = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "errand-faults-"));
  parts.defer(() => rm(folder, { recursive: true, force: true }));
  const dataDir = join(folder, "data");
  const [postgres, site, browsers] = await Promise.all([
    startKillablePostgres(folder),
    startFaultSite(),
    createBrowserGate(folder),
  ]);
  const clock = createJumpingClock(folder);
  const model = parts.use(await startFaultModel());
  parts.use(postgres);
  parts.use(site);
  await migrate(postgres.url(postgres.port()));
  const seats = await connectSeats(postgres.url(postgres.port()));
  const own = parts.use(await startFaultProxy(postgres.port()));
  const pool = new pg.Pool({ connectionString: postgres.url(own.port), max: 4 });
  // It breaks whenever PostgreSQL is killed.
  pool.on("error", () => {});
  parts.defer(() => pool.end());

  const envFor = (proxyPort: number) => ({
    DATABASE_URL: postgres.url(proxyPort),
    ERRAND_DATA_DIR: dataDir,
    ERRAND_ALLOW_HOSTS: site.host,
    ERRAND_LEASE_SECONDS: String(leaseSeconds),
    ERRAND_BROWSER_PATH: browsers.path,
    ERRAND_SHUTDOWN_SECONDS: "2",
    ...clock.env,
    ...model.env,
    ...LIMITS,
    ...env,
  });
  const start = async (role: Member["role"], concurrency: number) =>
    parts.use(
      await startMember(role, {
        upstreamPort: postgres.port(),
        envFor: (port) => ({ ...envFor(port), ERRAND_CONCURRENCY: String(concurrency) }),
      }),
    );
  // The first one creates the secret key that the others share.
  const api = await start("api", 1);
  // One with a concurrency of two, and others with one: each keeps as many browsers ready.
  const workers = await Promise.all(Array.from({ length: workerCount }, (_, index) => start("worker", index ? 1 : 2)));
  const members = [api, ...workers];
  const clients = createClients({ apiUrl: api.url, site });

  const owned = parts.move();
  return {
    dataDir,
    leaseMs: leaseSeconds * 1_000,
    postgres,
    site,
    browsers,
    clock,
    model,
    api,
    workers,
    clients,
    seats,
    query: (text, values) => askPatiently(pool, text, values),
    trapWorkers(wanted) {
      const traps = workers.map(({ proxy }) => proxy.setTrap(wanted));
      const disarm = () => {
        for (const trap of traps) trap[Symbol.dispose]();
      };
      const catches = workers.map(async (worker, index) => ({ worker, statement: await traps[index]?.caught }));
      const caught = Promise.race(catches).then(({ worker, statement }) => {
        disarm();
        if (statement === undefined) throw new Error("a trap is missing");
        return { worker, statement };
      });
      return { caught, [Symbol.dispose]: disarm };
    },
    async restartPostgres() {
      await postgres.restart();
      for (const { proxy } of [...members, { proxy: own }]) proxy.setUpstream(postgres.port());
    },
    async reviveAll() {
      await Promise.all(members.map((member) => member.revive()));
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function connectSeats(connectionString: string): Promise<Seat[]> {
  await using database = openDatabase({ connectionString, poolSize: 1, onError: () => {} });
  const { applications, people, connections, credits } = createOperations(database);
  const { application } = await applications.register({
    name: "Faults",
    type: "public",
    redirectUris: [],
  });
  await credits.grant(application.ownerId, CREDITS);
  const seats: Seat[] = [];
  for (let index = 0; index < SEATS; index += 1) {
    const person = await people.findOrCreate(`user-${index}@example.com`);
    const { accessToken, connection } = await connections.connect(application.id, person.id);
    // Far above what is ordered, so that only the entries matter.
    const limit = "update connections set spending_currency = 'EUR', spending_per_month = 1000000000 where id = $1";
    await database.pool.query(limit, [connection.id]);
    seats.push({ applicationId: application.id, connectionId: connection.id, token: accessToken });
  }
  return seats;
}

async function askPatiently<Row extends pg.QueryResultRow>(
  pool: pg.Pool,
  text: string,
  values?: unknown[],
): Promise<Row[]> {
  const deadline = performance.now() + QUERY_PATIENCE_MS;
  for (;;) {
    try {
      return (await pool.query<Row>(text, values)).rows;
    } catch (error) {
      if (!isUnavailable(error) || performance.now() > deadline) throw error;
      await sleep(100);
    }
  }
}
