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
 * The PostgreSQL of one data directory. Whoever comes first starts it, everybody shares it, whoever leaves last
 * stops it: the service and the command line are equals here. One that was orphaned by a kill -9 is simply shared, and one
 * that breaks is started again, where it was, by those who are present.
 */
export interface EmbeddedServer extends AsyncDisposable {
  connectionString: string;
  /** Claims the data directory for one service; the holder's name when another has it. */
  claim(name: string): Promise<{ holder: string } | null>;
  /** Whether a service runs on the data directory now. */
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
      // Where it was, so that a service that waits for it finds it; elsewhere when a stranger has that port by now.
      const port = failures === 0 ? await findLastPort(cluster) : null;
      // One that loses against another starter fails as well: the next look finds the winner.
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
const LEAVE_POLL_MS = 50;

const BROKE = "the connection to the embedded database that marks this process as present broke and is made anew";
const STARTING = "the embedded database has stopped and is started again";
const ELSEWHERE = "the embedded database was started on another port: waiting until that one stops";
const TAKEN = "another service has claimed this data directory meanwhile: stop one of the two";

/**
 * Stays present until disposed, with the claim if there is one: without, the next to leave would take itself for the last and
 * stop the server. One that has stopped is started again on the port that everybody in this process knows.
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
      logger?.warn(BROKE);
      current = null;
      current = await enterAgain();
      if (current !== null && claimedAs !== null) await claimAgain(current, claimedAs);
    }
  }

  /** Null when disposed meanwhile. */
  async function enterAgain(): Promise<Presence | null> {
    const backoff = new Backoff(RETRY);
    while (!signal.aborted) {
      try {
        const presence = await enterOrStart();
        if (presence !== null) return presence;
      } catch (error) {
        logger?.warn({ err: error }, BROKE);
      }
      await backoff.wait(signal);
    }
    return null;
  }

  async function enterOrStart(): Promise<Presence | null> {
    const postmaster = await findPostmaster(cluster);
    if (postmaster === null) {
      logger?.warn(STARTING);
      // Who loses against another starter finds the winner at the next look.
      if (!(await startPostmaster(cluster, port))) logger?.warn({ reason: await describeFailure(cluster) }, STARTING);
      return null;
    }
    if (postmaster.port === port) return registerPresence(cluster, postmaster);
    logger?.warn({ port, otherPort: postmaster.port }, ELSEWHERE);
    return null;
  }

  /** The claim is free again when the other one leaves; both run until then, on one queue, as workers of many machines do. */
  async function claimAgain(presence: Presence, name: string): Promise<void> {
    while (!signal.aborted) {
      const taken = await claimDataDirectory(presence, name).catch(() => null);
      // Claimed, or broken again, which the next round notices.
      if (taken === null) return;
      logger?.error({ holder: taken.holder }, TAKEN);
      await sleep(RECLAIM_INTERVAL_MS, undefined, { signal }).catch(() => {});
    }
  }

  function getPresence(): Presence {
    if (current === null) throw new Error("the connection to the embedded database is broken");
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

/** Stops the server if nobody else is present. Who is not, because the connection broke, enters once more to find out. */
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
    if (presence === null) await sleep(LEAVE_POLL_MS);
  }
}
