import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { findFreePort } from "../../lib/free-port.ts";
import { type Cluster, DATABASE, prepareCluster, ROLE } from "./cluster.ts";
import { isRunning } from "./process-state.ts";

/**
 * The PostgreSQL of one data directory. Whoever comes first starts it, everybody shares it, whoever leaves last
 * stops it: the service and the command line are equals here. One that was orphaned by a kill -9 is simply shared.
 */
export interface EmbeddedServer extends AsyncDisposable {
  connectionString: string;
  /** Claims the data directory for one service; the holder's name when another has it. */
  claim(name: string): Promise<{ holder: string } | null>;
}

interface Postmaster {
  pid: number;
  port: number;
}

const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 20_000;
const CLAIM_TIMEOUT_MS = 3_000;
const POLL_MS = 50;

// Advisory locks. Everybody present holds the first one shared; the last to leave gets it exclusively.
const PRESENCE = 7_305_222;
const SERVICE = 7_305_223;

export async function joinEmbeddedServer(
  dataDir: string,
  onProgress: (message: string) => void,
): Promise<EmbeddedServer> {
  const cluster = await prepareCluster(dataDir, onProgress);
  const deadline = Date.now() + START_TIMEOUT_MS;
  for (;;) {
    const postmaster = await findPostmaster(cluster);
    const failure = postmaster === null ? await spawnPostmaster(cluster, onProgress) : null;
    const presence = postmaster === null ? null : await enter(cluster, postmaster);
    if (postmaster !== null && presence !== null) return createHandle(cluster, postmaster, presence);
    if (Date.now() > deadline) {
      throw new Error(`The embedded PostgreSQL did not start. ${failure ?? ""}Its log: ${logFile(cluster)}`);
    }
    await sleep(POLL_MS);
  }
}

function createHandle(cluster: Cluster, postmaster: Postmaster, presence: pg.Client): EmbeddedServer {
  return {
    connectionString: connectionString(cluster, postmaster),
    claim: (name) => claim(presence, name),
    async [Symbol.asyncDispose]() {
      if (await isLastPresent(presence)) await stop(cluster, postmaster, presence);
      else await presence.end().catch(ignoreLostConnection);
    },
  };
}

/** Connects and registers as present; null while the server is starting or stopping. */
async function enter(cluster: Cluster, postmaster: Postmaster): Promise<pg.Client | null> {
  const client = new pg.Client({
    connectionString: connectionString(cluster, postmaster),
    application_name: `errand presence ${process.pid}`,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
  });
  client.on("error", ignoreLostConnection);
  try {
    await client.connect();
    const { rows } = await client.query("select pg_try_advisory_lock_shared($1) as entered", [PRESENCE]);
    if (rows[0]?.entered === true) return client;
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code?.startsWith("28")) throw error;
  }
  await client.end().catch(ignoreLostConnection);
  return null;
}

async function claim(presence: pg.Client, name: string): Promise<{ holder: string } | null> {
  // The session of a service that was just killed may take a moment to end.
  const deadline = Date.now() + CLAIM_TIMEOUT_MS;
  for (;;) {
    const { rows } = await presence.query("select pg_try_advisory_lock($1) as claimed", [SERVICE]);
    if (rows[0]?.claimed === true) {
      await presence.query("select set_config('application_name', $1, false)", [name]);
      return null;
    }
    if (Date.now() > deadline) break;
    await sleep(POLL_MS);
  }
  const { rows } = await presence.query<{ application_name: string }>(
    `select application_name from pg_stat_activity join pg_locks using (pid)
     where locktype = 'advisory' and objid = $1 and granted and mode = 'ExclusiveLock'`,
    [SERVICE],
  );
  return { holder: rows[0]?.application_name ?? "another process" };
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

async function stop(cluster: Cluster, postmaster: Postmaster, presence: pg.Client): Promise<void> {
  // "Smart": refuses newcomers, who then start a server of their own, and waits for sessions to end.
  signal(postmaster.pid, "SIGTERM");
  await presence.end().catch(ignoreLostConnection);
  const deadline = Date.now() + STOP_TIMEOUT_MS;
  while ((await readPostmaster(cluster))?.pid === postmaster.pid && (await isRunning(postmaster.pid))) {
    if (Date.now() > deadline) signal(postmaster.pid, "SIGINT");
    await sleep(POLL_MS);
  }
}

async function findPostmaster(cluster: Cluster): Promise<Postmaster | null> {
  const postmaster = await readPostmaster(cluster);
  return postmaster !== null && (await isRunning(postmaster.pid)) ? postmaster : null;
}

async function readPostmaster(cluster: Cluster): Promise<Postmaster | null> {
  const lines = await readFile(join(cluster.dir, "postmaster.pid"), "utf8").then(
    (text) => text.split("\n"),
    () => [],
  );
  const [pid, , , port] = lines.map(Number);
  return pid !== undefined && port !== undefined && pid > 0 && port > 0 ? { pid, port } : null;
}

/** Starts a server and waits until it accepts, gives up, or another one has taken its place. */
async function spawnPostmaster(cluster: Cluster, onProgress: (message: string) => void): Promise<string | null> {
  onProgress("Starting the database");
  await removeZombieLock(cluster);
  const { file, args, env } = cluster.runAs.command(cluster.binaries.postgres, [
    "-D",
    cluster.dir,
    "-p",
    String(await findFreePort()),
    "-c",
    "listen_addresses=127.0.0.1",
    "-c",
    "unix_socket_directories=",
    "-c",
    "max_connections=200",
  ]);
  const log = openSync(logFile(cluster), "a", 0o600);
  // A process group of its own: Ctrl-C in the terminal must stop the service first, and the database after it.
  const child = spawn(file, args, { detached: true, env, stdio: ["ignore", log, log], cwd: join(cluster.dir, "..") });
  closeSync(log);
  child.unref();
  let failure: string | null = null;
  child.once("error", (error) => {
    failure = `${error.message}. `;
  });
  child.once("exit", (code) => {
    failure ??= `It ended with exit code ${code}. `;
  });
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (failure === null && Date.now() < deadline) {
    const status = await readFile(join(cluster.dir, "postmaster.pid"), "utf8").catch(() => "");
    if (/^ready\s*$/m.test(status)) break;
    await sleep(POLL_MS);
  }
  return failure;
}

/** A killed server whose parent never collected it looks alive to PostgreSQL, which then refuses to start. */
async function removeZombieLock(cluster: Cluster): Promise<void> {
  const postmaster = await readPostmaster(cluster);
  if (postmaster === null || (await isRunning(postmaster.pid))) return;
  await rm(join(cluster.dir, "postmaster.pid"), { force: true });
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

function connectionString({ password }: Cluster, { port }: Postmaster): string {
  return `postgresql://${ROLE}:${password}@127.0.0.1:${port}/${DATABASE}`;
}

function logFile(cluster: Cluster): string {
  return join(cluster.dir, "../server.log");
}

// The presence connection only marks that we are here; when it breaks, the pool's own errors tell the story.
function ignoreLostConnection(): void {}
