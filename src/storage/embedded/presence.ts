import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { type Cluster, DATABASE, ROLE } from "./cluster.ts";
import type { Postmaster } from "./postmaster.ts";

/** A connection that marks this process as a user of the server for as long as it is open. */
export interface Presence {
  postmaster: Postmaster;
  client: pg.Client;
  /** Resolves when the connection has ended, for whatever reason. */
  ended: Promise<void>;
}

const CLAIM_TIMEOUT_MS = 3_000;
const RESPONSE_TIMEOUT_MS = 10_000;
const POLL_MS = 50;

// Advisory locks. Every process holds the first one shared; the last one to leave gets it exclusively.
const PRESENCE_LOCK = 7_305_222;
const SERVICE_LOCK = 7_305_223;

/** Connects and registers this process. Null while the server is starting or stopping. */
export async function registerPresence(cluster: Cluster, postmaster: Postmaster): Promise<Presence | null> {
  const presence = await connect(cluster, postmaster);
  if (presence === null) return null;
  try {
    const { rows } = await presence.client.query("select pg_try_advisory_lock_shared($1) as registered", [
      PRESENCE_LOCK,
    ]);
    // The last process releases its lock only after the server has begun to stop, and a stopping server accepts no new
    // connections: a second connection proves that this one is not stopping.
    const probe = rows[0]?.registered === true ? await connect(cluster, postmaster) : null;
    if (probe !== null) await endPresence(probe);
    if (probe !== null) return presence;
  } catch (error) {
    if (!isStartingOrStopping(error)) throw error;
  }
  await endPresence(presence);
  return null;
}

/** Claims the data directory for a service. Returns the holder if another one has it. */
export async function claimDataDirectory({ client }: Presence, name: string): Promise<{ holder: string } | null> {
  // The session of a service that was just killed takes a moment to end.
  const deadline = performance.now() + CLAIM_TIMEOUT_MS;
  while (performance.now() < deadline) {
    const { rows } = await client.query("select pg_try_advisory_lock($1) as claimed", [SERVICE_LOCK]);
    if (rows[0]?.claimed === true) {
      await client.query("select set_config('application_name', $1, false)", [name]);
      return null;
    }
    await sleep(POLL_MS);
  }
  const { rows } = await client.query<{ application_name: string }>(
    `select application_name from pg_stat_activity join pg_locks using (pid)
     where locktype = 'advisory' and objid = $1 and granted and mode = 'ExclusiveLock'`,
    [SERVICE_LOCK],
  );
  return { holder: rows[0]?.application_name ?? "another process" };
}

/** Whether a service is running on the data directory. */
export async function isDataDirectoryClaimed({ client }: Presence): Promise<boolean> {
  const { rows } = await client.query("select pg_try_advisory_lock($1) as free", [SERVICE_LOCK]);
  if (rows[0]?.free === true) await client.query("select pg_advisory_unlock($1)", [SERVICE_LOCK]);
  return rows[0]?.free !== true;
}

/** Whether this is the last process, and no other can register any more. Null if the connection is broken. */
export async function isLastPresent({ client }: Presence): Promise<boolean | null> {
  try {
    await client.query("select pg_advisory_unlock_shared($1)", [PRESENCE_LOCK]);
    const { rows } = await client.query("select pg_try_advisory_lock($1) as alone", [PRESENCE_LOCK]);
    return rows[0]?.alone === true;
  } catch {
    return null;
  }
}

export async function endPresence({ client }: Presence): Promise<void> {
  await client.end().catch(ignoreLostConnection);
}

export function connectionString({ password }: Cluster, { port }: Postmaster): string {
  return `postgresql://${ROLE}:${password}@127.0.0.1:${port}/${DATABASE}`;
}

/** Null while the server accepts no connections. */
async function connect(cluster: Cluster, postmaster: Postmaster): Promise<Presence | null> {
  const client = new pg.Client({
    connectionString: connectionString(cluster, postmaster),
    application_name: `errand presence ${process.pid}`,
    connectionTimeoutMillis: 5_000,
    query_timeout: RESPONSE_TIMEOUT_MS,
    keepAlive: true,
  });
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  client.on("end", resolve);
  // An "end" event follows.
  client.on("error", ignoreLostConnection);
  try {
    await client.connect();
    return { postmaster, client, ended };
  } catch (error) {
    if (isStartingOrStopping(error)) return null;
    throw error;
  }
}

/** As opposed to a server that rejects us. */
function isStartingOrStopping(error: unknown): boolean {
  return !(error instanceof pg.DatabaseError) || /^57P/.test(error.code ?? "");
}

function ignoreLostConnection(): void {}
