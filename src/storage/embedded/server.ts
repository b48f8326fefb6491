import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "../../lib/logger.ts";
import { abortable, Backoff } from "../../lib/waiting.ts";
import { type Cluster, prepareCluster } from "./cluster.ts";
import { describeFailure, findLastPort, findPostmaster, startPostmaster, stopPostmaster } from "./postmaster.ts";
import {
  claimDataDirectory,
  connectionString,
  endPresence,
  isDataDirectoryClaimed,
  isLastPresent,
  type Presence,
  registerPresence,
} from "./presence.ts";

/**
 * The PostgreSQL server of a data directory. The first process starts it, all share it, and the last one stops it, whether
 * service or command. A server that was orphaned by a kill -9 is shared as well. One that crashes is started again on the
 * same port by the processes that use it.
 */
export interface EmbeddedServer extends AsyncDisposable {
  connectionString: string;
  /** Claims the data directory for a service. Returns the holder if another one has it. */
  claim(name: string): Promise<{ holder: string } | null>;
  /** Whether a service is running on the data directory. */
  isClaimed(): Promise<boolean>;
}

const JOIN_TIMEOUT_MS = 60_000;
const POLL_MS = 50;
const MAX_FAILURES = 3;

export async function joinEmbeddedServer(
  dataDir: string,
  onProgress: (message: string) => void,
  logger?: Logger,
): Promise<EmbeddedServer> {
  const cluster = await prepareCluster(dataDir, onProgress);
  const presence = await joinServer(cluster, onProgress);
  return {
    connectionString: connectionString(cluster, presence.postmaster),
    ...keepPresence(cluster, presence, logger),
  };
}

async function joinServer(cluster: Cluster, onProgress: (message: string) => void): Promise<Presence> {
  const deadline = performance.now() + JOIN_TIMEOUT_MS;
  let failures = 0;
  while (performance.now() < deadline && failures < MAX_FAILURES) {
    const postmaster = await findPostmaster(cluster);
    if (postmaster === null) {
      onProgress("Starting the database");
      // On the previous port, where a waiting service expects it; on another if that port is taken.
      const port = failures === 0 ? await findLastPort(cluster) : null;
      // Losing a race against another process counts as a failure, too. The next round finds the winner.
      if (!(await startPostmaster(cluster, port))) failures += 1;
      continue;
    }
    const presence = await registerPresence(cluster, postmaster);
    if (presence !== null) return presence;
    await sleep(POLL_MS);
  }
  throw new Error(`The embedded PostgreSQL did not start. ${await describeFailure(cluster)}`);
}

interface KeptPresence extends AsyncDisposable {
  claim(name: string): Promise<{ holder: string } | null>;
  isClaimed(): Promise<boolean>;
}

const RETRY = { firstMs: 50, maxMs: 5_000 };
const RECLAIM_INTERVAL_MS = 5_000;
const LEAVE_TIMEOUT_MS = 10_000;

const LOST = "Connection to the embedded database lost; reconnecting";
const RESTARTING = "The embedded database has stopped; starting it again";

/**
 * Keeps this process registered, and its claim, until disposed: otherwise the next process to leave would consider itself the
 * last and stop the server. A server that has stopped is started again on the port that this process already uses.
 */
function keepPresence(cluster: Cluster, first: Presence, logger?: Logger): KeptPresence {
  const { port } = first.postmaster;
  const closing = new AbortController();
  const { signal } = closing;
  let current: Presence | null = first;
  let claimedAs: string | null = null;

  async function keep(): Promise<void> {
    while (current !== null && !signal.aborted) {
      await abortable(current.ended, signal).catch(() => {});
      if (signal.aborted) return;
      logger?.warn(LOST);
      current = null;
      current = await registerAgain();
      if (current !== null && claimedAs !== null) await claimAgain(current, claimedAs);
    }
  }

  /** Null if disposed in the meantime. */
  async function registerAgain(): Promise<Presence | null> {
    const backoff = new Backoff(RETRY);
    while (!signal.aborted) {
      try {
        const presence = await registerOrStart();
        if (presence !== null) return presence;
      } catch (error) {
        logger?.warn({ err: error }, LOST);
      }
      await backoff.wait(signal);
    }
    return null;
  }

  async function registerOrStart(): Promise<Presence | null> {
    const postmaster = await findPostmaster(cluster);
    if (postmaster === null) {
      logger?.warn(RESTARTING);
      // After losing a race against another process, the next round finds the winner.
      if (!(await startPostmaster(cluster, port))) logger?.warn({ reason: await describeFailure(cluster) }, RESTARTING);
      return null;
    }
    if (postmaster.port === port) return registerPresence(cluster, postmaster);
    logger?.warn(
      { port, otherPort: postmaster.port },
      "The embedded database was started on another port; waiting for it to stop",
    );
    return null;
  }

  /** Waits until the other service stops. Until then both run on one queue, which is safe, as with several workers. */
  async function claimAgain(presence: Presence, name: string): Promise<void> {
    while (!signal.aborted) {
      const taken = await claimDataDirectory(presence, name).catch(() => null);
      // Claimed; or the connection is lost again, which the next round detects.
      if (taken === null) return;
      logger?.error({ holder: taken.holder }, "Another service has claimed this data directory. Stop one of the two.");
      await sleep(RECLAIM_INTERVAL_MS, undefined, { signal }).catch(() => {});
    }
  }

  function getPresence(): Presence {
    if (current === null) throw new Error("There is no connection to the embedded database");
    return current;
  }

  const keeping = keep();

  return {
    async claim(name) {
      const taken = await claimDataDirectory(getPresence(), name);
      if (taken === null) claimedAs = name;
      return taken;
    },

    isClaimed: async () => isDataDirectoryClaimed(getPresence()),

    async [Symbol.asyncDispose]() {
      closing.abort();
      await keeping;
      await leave(cluster, current);
    },
  };
}

/** Stops the server if this is the last process. Without a connection it has to register again to find out. */
async function leave(cluster: Cluster, kept: Presence | null): Promise<void> {
  const deadline = performance.now() + LEAVE_TIMEOUT_MS;
  let presence = kept;
  while (performance.now() < deadline) {
    if (presence !== null) {
      const isLast = await isLastPresent(presence);
      if (isLast === true) await stopPostmaster(cluster, presence.postmaster);
      await endPresence(presence);
      if (isLast !== null) return;
    }
    const postmaster = await findPostmaster(cluster);
    if (postmaster === null) return;
    presence = await registerPresence(cluster, postmaster);
    if (presence === null) await sleep(POLL_MS);
  }
}
