import { appendFile, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { type Cluster, DATABASE, prepareCluster, ROLE } from "../../src/storage/embedded/cluster.ts";
import { findPostmaster, startPostmaster, stopPostmaster } from "../../src/storage/embedded/postmaster.ts";

/** A separate PostgreSQL that may be killed. */
export interface KillablePostgres extends AsyncDisposable {
  port(): number;
  /** The URL with this port: PostgreSQL's own, or that of a proxy in front of it. */
  url(port: number): string;
  postmasterPid(): number;
  /** The processes that serve connections. */
  listBackends(): Promise<number[]>;
  /** Restarts it after its end, on another port. */
  restart(): Promise<void>;
}

const RESTART_TIMEOUT_MS = 30_000;
const POLL_MS = 50;
/** Written data survives the end of a process without reaching the disk; only a power failure would lose it. */
const SETTINGS = ["fsync = off", "full_page_writes = off", "autovacuum = off", "log_min_messages = fatal"];

export async function startKillablePostgres(dataDir: string): Promise<KillablePostgres> {
  const cluster = await prepareCluster(dataDir, () => {});
  await appendFile(join(cluster.dir, "postgresql.conf"), `\n${SETTINGS.join("\n")}\n`);
  let postmaster = await start(cluster);
  const url = (port: number) => `postgresql://${ROLE}:${cluster.password}@127.0.0.1:${port}/${DATABASE}`;
  return {
    port: () => postmaster.port,
    url,
    postmasterPid: () => postmaster.pid,
    listBackends: () => listBackends(postmaster.pid),
    async restart() {
      postmaster = await start(cluster);
    },
    async [Symbol.asyncDispose]() {
      const running = await findPostmaster(cluster);
      if (running !== null) await stopPostmaster(cluster, running);
    },
  };
}

/** The first attempts after a kill may fail, until the remaining child processes have noticed it. */
async function start(cluster: Cluster): Promise<{ pid: number; port: number }> {
  const deadline = performance.now() + RESTART_TIMEOUT_MS;
  while (performance.now() < deadline) {
    const postmaster = (await startPostmaster(cluster)) ? await findPostmaster(cluster) : null;
    if (postmaster !== null && (await answers(cluster, postmaster.port))) return postmaster;
    await sleep(POLL_MS);
  }
  throw new Error("PostgreSQL did not start again");
}

async function answers({ password }: Cluster, port: number): Promise<boolean> {
  const client = new pg.Client({ host: "127.0.0.1", port, user: ROLE, password, database: DATABASE });
  client.on("error", () => {});
  try {
    await client.connect();
    await client.end();
    return true;
  } catch {
    return false;
  }
}

/** Their process titles are "postgres: <role> <database> …". */
async function listBackends(postmasterPid: number): Promise<number[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
  const isBackend = async (pid: number) => {
    const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
    if (stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1] !== String(postmasterPid)) return false;
    return (await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")).includes(`postgres: ${ROLE} ${DATABASE}`);
  };
  const flags = await Promise.all(pids.map(isBackend));
  return pids.filter((_pid, index) => flags[index]);
}
