import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { readFile, readlink, realpath, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { findFreePort } from "../../lib/free-port.ts";
import type { Cluster } from "./cluster.ts";

/** PostgreSQL's main process, as recorded in the lock file of the cluster. */
export interface Postmaster {
  pid: number;
  port: number;
}

const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 30_000;
const POLL_MS = 50;
const LOG_END_LINES = 5;

/** The process that serves the cluster now, ready or not. Null if there is none. */
export async function findPostmaster(cluster: Cluster): Promise<Postmaster | null> {
  const postmaster = await readLockFile(cluster);
  return postmaster !== null && (await servesCluster(postmaster, cluster)) ? postmaster : null;
}

/** The port of the last server, running or not. PostgreSQL records its command line. */
export async function findLastPort(cluster: Cluster): Promise<number | null> {
  const command = await readFile(join(cluster.dir, "postmaster.opts"), "utf8").catch(() => "");
  const [, port] = /"-p" "(\d+)"/.exec(command) ?? [];
  return port === undefined ? null : Number(port);
}

/** Starts a server, on any free port if `port` is null. Resolves to true once it accepts connections, to false if it failed. */
export async function startPostmaster(cluster: Cluster, port: number | null = null): Promise<boolean> {
  await removeForeignLock(cluster);
  const { file, args, env } = cluster.runAs.command(cluster.binaries.postgres, [
    ...["-D", cluster.dir],
    ...["-p", String(port ?? (await findFreePort()))],
    ...["-c", "listen_addresses=127.0.0.1"],
    ...["-c", "unix_socket_directories="],
    ...["-c", "max_connections=200"],
  ]);
  // In the data directory, which we own: in a folder of the user postgres, a symbolic link could redirect the log.
  const log = openSync(logFile(cluster), "a", 0o600);
  // A separate process group: Ctrl-C in the terminal must stop the service first and the database after it.
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

/** A "fast" shutdown: rejects new connections, ends all sessions, and leaves a cluster that needs no recovery. */
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

/** The end of the server's log, as the reason why it did not start. */
export async function describeFailure(cluster: Cluster): Promise<string> {
  const log = await readFile(logFile(cluster), "utf8").catch(() => "(no log)");
  return `The end of its log, ${logFile(cluster)}:\n${log.trim().split("\n").slice(-LOG_END_LINES).join("\n")}`;
}

async function readLockFile(cluster: Cluster): Promise<Postmaster | null> {
  const [pid, , , port] = (await readLockText(cluster)).split("\n").map(Number);
  return pid !== undefined && port !== undefined && pid > 0 && port > 0 ? { pid, port } : null;
}

function readLockText(cluster: Cluster): Promise<string> {
  return readFile(lockFile(cluster), "utf8").catch(() => "");
}

/** After a crash another process may have the pid of the lock file. PostgreSQL's working directory is its cluster. */
async function servesCluster({ pid }: Postmaster, { dir }: Cluster): Promise<boolean> {
  if ((await readProcessState(pid)) !== "running") return false;
  // Linux only. Elsewhere any running process is taken for the server.
  const workingDir = await readlink(`/proc/${pid}/cwd`).catch(() => null);
  return workingDir === null || workingDir === (await realpath(dir));
}

/**
 * PostgreSQL refuses to start if any process has the pid of the lock file, even a zombie or an unrelated one. A lock whose
 * process is gone is left to PostgreSQL, which also checks that the shared memory is no longer in use.
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

/** A zombie has ended, but its parent has not reaped it: it still accepts signals. */
async function readProcessState(pid: number): Promise<"running" | "zombie" | "gone"> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPERM") return "gone";
  }
  // Linux only. Elsewhere the file does not exist, and init reaps orphans.
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  return /^\d+ \(.*\) [ZX] /s.test(stat) ? "zombie" : "running";
}
