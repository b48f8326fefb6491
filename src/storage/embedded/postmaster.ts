import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { readFile, readlink, realpath, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { findFreePort } from "../../lib/free-port.ts";
import type { Cluster } from "./cluster.ts";

/** PostgreSQL's main process, as its lock file in the cluster names it. */
export interface Postmaster {
  pid: number;
  port: number;
}

const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 30_000;
const POLL_MS = 50;
const LOG_END_LINES = 5;

/** The one that serves the cluster now, ready or not; null when none does. */
export async function findPostmaster(cluster: Cluster): Promise<Postmaster | null> {
  const postmaster = await readLockFile(cluster);
  return postmaster !== null && (await servesCluster(postmaster, cluster)) ? postmaster : null;
}

/** Where the last one listened, whether or not it still runs: PostgreSQL notes how it was started. */
export async function findLastPort(cluster: Cluster): Promise<number | null> {
  const command = await readFile(join(cluster.dir, "postmaster.opts"), "utf8").catch(() => "");
  const [, port] = /"-p" "(\d+)"/.exec(command) ?? [];
  return port === undefined ? null : Number(port);
}

/** Starts one, on any free port if it is null, and waits until it accepts connections; whether it got there. */
export async function startPostmaster(cluster: Cluster, port: number | null = null): Promise<boolean> {
  await removeForeignLock(cluster);
  const { file, args, env } = cluster.runAs.command(cluster.binaries.postgres, [
    ...["-D", cluster.dir],
    ...["-p", String(port ?? (await findFreePort()))],
    ...["-c", "listen_addresses=127.0.0.1"],
    ...["-c", "unix_socket_directories="],
    ...["-c", "max_connections=200"],
  ]);
  // In the data directory, which is ours: in one that the user postgres owns, a link could lead us elsewhere.
  const log = openSync(logFile(cluster), "a", 0o600);
  // A process group of its own: Ctrl-C in the terminal must stop the service first, and the database after it.
  const child = spawn(file, args, { detached: true, env, stdio: ["ignore", log, log], cwd: join(cluster.dir, "..") });
  closeSync(log);
  child.unref();
  const { promise: ended, resolve } = Promise.withResolvers<"ended">();
  child.once("error", () => resolve("ended")).once("exit", () => resolve("ended"));
  const deadline = performance.now() + START_TIMEOUT_MS;
  while (performance.now() < deadline) {
    if (/^ready\s*$/m.test(await readLockText(cluster))) return true;
    if ((await Promise.race([ended, sleep(POLL_MS)])) === "ended") return false;
  }
  return false;
}

/** "Fast": refuses newcomers from now on, ends all sessions, and leaves a cluster that needs no recovery. */
export async function stopPostmaster(cluster: Cluster, { pid }: Postmaster): Promise<void> {
  try {
    process.kill(pid, "SIGINT");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
  const deadline = performance.now() + STOP_TIMEOUT_MS;
  while ((await findPostmaster(cluster))?.pid === pid) {
    if (performance.now() > deadline) throw new Error(`The embedded PostgreSQL (process ${pid}) did not stop.`);
    await sleep(POLL_MS);
  }
}

/** Why it did not start, in its own words. */
export async function describeFailure(cluster: Cluster): Promise<string> {
  const log = await readFile(logFile(cluster), "utf8").catch(() => "(there is no log)");
  return `The end of its log, ${logFile(cluster)}:\n${log.trim().split("\n").slice(-LOG_END_LINES).join("\n")}`;
}

async function readLockFile(cluster: Cluster): Promise<Postmaster | null> {
  const [pid, , , port] = (await readLockText(cluster)).split("\n").map(Number);
  return pid !== undefined && port !== undefined && pid > 0 && port > 0 ? { pid, port } : null;
}

function readLockText(cluster: Cluster): Promise<string> {
  return readFile(lockFile(cluster), "utf8").catch(() => "");
}

/** Numbers are used again: after a crash the one in the lock file may be anybody's. PostgreSQL works in its cluster. */
async function servesCluster({ pid }: Postmaster, { dir }: Cluster): Promise<boolean> {
  if ((await readProcessState(pid)) !== "running") return false;
  // Linux only; elsewhere a running process is taken for the server.
  const workingDir = await readlink(`/proc/${pid}/cwd`).catch(() => null);
  return workingDir === null || workingDir === (await realpath(dir));
}

/**
 * PostgreSQL takes any process with the number in the lock for its own and refuses to start: a killed server that its
 * parent never collected, or a stranger. A lock whose process is gone is left to PostgreSQL, which also checks that
 * nobody still uses the shared memory.
 */
async function removeForeignLock(cluster: Cluster): Promise<void> {
  const postmaster = await readLockFile(cluster);
  if (postmaster === null || (await readProcessState(postmaster.pid)) === "gone") return;
  if (!(await servesCluster(postmaster, cluster))) await rm(lockFile(cluster), { force: true });
}

function lockFile(cluster: Cluster): string {
  return join(cluster.dir, "postmaster.pid");
}

function logFile(cluster: Cluster): string {
  return join(cluster.dir, "../../postgres.log");
}

/** A zombie has ended but was not collected by its parent: signals still reach it. */
async function readProcessState(pid: number): Promise<"running" | "zombie" | "gone"> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPERM") return "gone";
  }
  // Linux only; elsewhere the file is missing, and init collects orphans.
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  return /^\d+ \(.*\) [ZX] /s.test(stat) ? "zombie" : "running";
}
