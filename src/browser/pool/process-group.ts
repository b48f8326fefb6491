import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";

const POLL_MS = 10;
const END_TIMEOUT_MS = 5_000;

/**
 * The process group of a process. Playwright starts a browser as the leader of a new group, often behind a wrapper
 * script, and the children of the browser stay in it.
 */
export async function findProcessGroup(pid: number): Promise<number> {
  const status = readStatus(pid);
  const group =
    status?.group ?? Number((await promisify(execFile)("ps", ["-o", "pgid=", "-p", String(pid)])).stdout.trim());
  // Killing our own group or that of init would be a catastrophe.
  if (!Number.isInteger(group) || group <= 1 || group === process.pid) {
    throw new Error(`Cannot determine the process group of the browser (process ${pid}).`);
  }
  return group;
}

/** Kills the process groups of all processes whose command line contains the text. */
export async function killProcessesMentioning(text: string): Promise<void> {
  for (const pid of listProcIds()) {
    const command = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
    const status = command.includes(text) ? readStatus(pid) : null;
    // Browsers lead their own groups. Never kill the group of this process.
    if (status !== null && !status.isZombie && status.group !== readStatus(process.pid)?.group) {
      await killProcessGroup(status.group);
    }
  }
}

/** Kills every process of the group and waits until they are gone. */
export async function killProcessGroup(group: number): Promise<void> {
  const deadline = performance.now() + END_TIMEOUT_MS;
  let members: number[] | null = null;
  while (signalGroup(group) && performance.now() < deadline) {
    await delay(POLL_MS);
    members ??= listProcIds().filter((pid) => readStatus(pid)?.group === group);
    // In a container without an init process nothing reaps orphans, so zombies stay in the group. Without /proc there is
    // no list of members, and only the signal shows when they are gone.
    if (members.length > 0 && members.every((pid) => hasEnded(pid, group))) return;
  }
}

/** False when the group has no process left that a signal could reach. */
function signalGroup(group: number): boolean {
  try {
    process.kill(-group, "SIGKILL");
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // macOS reports EPERM when only zombies are left.
    if (code === "ESRCH" || code === "EPERM") return false;
    throw error;
  }
}

function hasEnded(pid: number, group: number): boolean {
  const status = readStatus(pid);
  return status === null || status.isZombie || status.group !== group;
}

function readStatus(pid: number): { group: number; isZombie: boolean } | null {
  const stat = readProc(`${pid}/stat`);
  if (stat === null) return null;
  // After the name in parentheses, which may contain anything: state, parent, group.
  const [state = "", , group] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return { group: Number(group), isZombie: "ZX".includes(state) };
}

/*
 * Files in /proc are read synchronously: they are in memory, so reading one takes less time than dispatching it to a
 * thread. The exception is `cmdline`, which may have to wait for the other process.
 */

/** Null when it cannot be read, mostly because the process has ended. */
export function readProc(path: string): string | null {
  return attempt(() => readFileSync(`/proc/${path}`, "utf8"));
}

/** The entries with a number for a name: processes, or the threads of a process. */
export function listProcIds(path = ""): number[] {
  const names = attempt(() => readdirSync(`/proc/${path}`)) ?? [];
  return names.filter((name) => /^\d+$/.test(name)).map(Number);
}

/** Null for any error: the process has ended, belongs to another user, or no more files can be opened. */
function attempt<Read>(read: () => Read): Read | null {
  try {
    return read();
  } catch {
    return null;
  }
}
