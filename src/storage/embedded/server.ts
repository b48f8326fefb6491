import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { type Cluster, DATABASE, prepareCluster, ROLE } from "./cluster.ts";
import { describeFailure, findPostmaster, type Postmaster, startPostmaster, stopPostmaster } from "./postmaster.ts";

/**
 * The PostgreSQL of one data directory. Whoever comes first starts it, everybody shares it, whoever leaves last
 * stops it: the service and the command line are equals here. One that was orphaned by a kill -9 is simply shared.
 */
export interface EmbeddedServer extends AsyncDisposable {
  connectionString: string;
  /** Claims the data directory for one service; the holder's name when another has it. */
  claim(name: string): Promise<{ holder: string } | null>;
  /** Whether a service runs on the data directory now. */
  isClaimed(): Promise<boolean>;
}

const JOIN_TIMEOUT_MS = 60_000;
const CLAIM_TIMEOUT_MS = 3_000;
const POLL_MS = 50;
const MAX_FAILURES = 3;

// Advisory locks. Everybody present holds the first one shared; the last to leave gets it exclusively.
const PRESENCE = 7_305_222;
const SERVICE = 7_305_223;

export async function joinEmbeddedServer(
  dataDir: string,
  onProgress: (message: string) => void,
): Promise<EmbeddedServer> {
  const cluster = await prepareCluster(dataDir, onProgress);
  const deadline = performance.now() + JOIN_TIMEOUT_MS;
  let failures = 0;
  while (performance.now() < deadline && failures < MAX_FAILURES) {
    const postmaster = await findPostmaster(cluster);
    if (postmaster === null) {
      onProgress("Starting the database");
      // One that loses against another starter fails as well: the next look finds the winner.
      if (!(await startPostmaster(cluster))) failures += 1;
      continue;
    }
    const presence = await enter(cluster, postmaster);
    if (presence !== null) return createHandle(cluster, postmaster, presence);
    await sleep(POLL_MS);
  }
  throw new Error(`The embedded PostgreSQL did not start. ${await describeFailure(cluster)}`);
}

function createHandle(cluster: Cluster, postmaster: Postmaster, presence: pg.Client): EmbeddedServer {
  return {
    connectionString: connectionString(cluster, postmaster),
    claim: (name) => claim(presence, name),
    isClaimed: () => isClaimed(presence),
    async [Symbol.asyncDispose]() {
      if (await isLastPresent(presence)) await stopPostmaster(cluster, postmaster);
      await presence.end().catch(ignoreLostConnection);
    },
  };
}

/** Connects and registers as present; null while the server is starting or stopping. */
async function enter(cluster: Cluster, postmaster: Postmaster): Promise<pg.Client | null> {
  const client = await connect(cluster, postmaster);
  if (client === null) return null;
  try {
    const { rows } = await client.query("select pg_try_advisory_lock_shared($1) as entered", [PRESENCE]);
    // The last to leave lets go of its lock only after the server has begun to stop, and a server that stops takes
    // no newcomers: a second connection proves that we are not in one.
    const probe = rows[0]?.entered === true ? await connect(cluster, postmaster) : null;
    await probe?.end();
    if (probe !== null) return client;
  } catch (error) {
    if (!isStartingOrStopping(error)) throw error;
  }
  await client.end().catch(ignoreLostConnection);
  return null;
}

/** Null when the server is not taking connections at the moment. */
async function connect(cluster: Cluster, postmaster: Postmaster): Promise<pg.Client | null> {
  const client = new pg.Client({
    connectionString: connectionString(cluster, postmaster),
    application_name: `errand presence ${process.pid}`,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
  });
  client.on("error", ignoreLostConnection);
  try {
    await client.connect();
    return client;
  } catch (error) {
    if (isStartingOrStopping(error)) return null;
    throw error;
  }
}

/** As opposed to a server that answers and does not want us. */
function isStartingOrStopping(error: unknown): boolean {
  return !(error instanceof pg.DatabaseError) || /^57P/.test(error.code ?? "");
}

async function claim(presence: pg.Client, name: string): Promise<{ holder: string } | null> {
  // The session of a service that was just killed may take a moment to end.
  const deadline = performance.now() + CLAIM_TIMEOUT_MS;
  while (performance.now() < deadline) {
    const { rows } = await presence.query("select pg_try_advisory_lock($1) as claimed", [SERVICE]);
    if (rows[0]?.claimed === true) {
      await presence.query("select set_config('application_name', $1, false)", [name]);
      return null;
    }
    await sleep(POLL_MS);
  }
  const { rows } = await presence.query<{ application_name: string }>(
    `select application_name from pg_stat_activity join pg_locks using (pid)
     where locktype = 'advisory' and objid = $1 and granted and mode = 'ExclusiveLock'`,
    [SERVICE],
  );
  return { holder: rows[0]?.application_name ?? "another process" };
}

async function isClaimed(presence: pg.Client): Promise<boolean> {
  const { rows } = await presence.query("select pg_try_advisory_lock($1) as free", [SERVICE]);
  if (rows[0]?.free === true) await presence.query("select pg_advisory_unlock($1)", [SERVICE]);
  return rows[0]?.free !== true;
}

async function isLastPresent(presence: pg.Client): Promise<boolean> {
  try {
    await presence.query("select pg_advisory_unlock_shared($1)", [PRESENCE]);
    const { rows } = await presence.query("select pg_try_advisory_lock($1) as alone", [PRESENCE]);
    return rows[0]?.alone === true;
  } catch {
    return false; // The server is gone already.
  }
}

function connectionString({ password }: Cluster, { port }: Postmaster): string {
  return `postgresql://${ROLE}:${password}@127.0.0.1:${port}/${DATABASE}`;
}

// The presence connection only marks that we are here; when it breaks, the pool's own errors tell the story.
function ignoreLostConnection(): void {}
