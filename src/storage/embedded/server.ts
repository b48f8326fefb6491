import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "../../lib/logger.ts";
import { type Cluster, prepareCluster } from "./cluster.ts";
import { keepPresence } from "./keep-presence.ts";
import { describeFailure, findLastPort, findPostmaster, startPostmaster } from "./postmaster.ts";
import { connectionString, enter, type Presence } from "./presence.ts";

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
  const presence = await join(cluster, onProgress);
  return {
    connectionString: connectionString(cluster, presence.postmaster),
    ...keepPresence(cluster, presence, logger),
  };
}

async function join(cluster: Cluster, onProgress: (message: string) => void): Promise<Presence> {
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
    const presence = await enter(cluster, postmaster);
    if (presence !== null) return presence;
    await sleep(POLL_MS);
  }
  throw new Error(`The embedded PostgreSQL did not start. ${await describeFailure(cluster)}`);
}
