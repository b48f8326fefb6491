import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";

const POLL_MS = 10;
const END_TIMEOUT_MS = 5_000;

/**
 * The group that a process belongs to. Browsers are started as leaders of a new one, often behind a wrapper script, and
 * their children stay in it.
 */
export async function findProcessGroup(pid: number): Promise<number> {
  const status = readStatus(pid);
  const group =
    status?.group ?? Number((await promisify(execFile)("ps", ["-o", "pgid=", "-p", String(pid)])).stdout.trim());
  // Ours or init's would be a catastrophe to kill.
  if (!Number.isInteger(group) || group <= 1 || group === process.pid) {
    throw new Error(`The process group of the browser (${pid}) cannot be told.`);
  }
  return group;
}

/** Kills the groups of all processes whose command line has this in it. */
export async function killProcessesMentioning(text: string): Promise<void> {
  for (const pid of listProcIds()) {
    const command = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
    const status = command.includes(text) ? readStatus(pid) : null;
    // Started by us, they lead groups of their own: ours is never among them.
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
    // Where orphans are collected late or never (a container without an init), ended processes stay on the list. Without
    // /proc there are no members to ask, and only the signal tells.
    if (members.length > 0 && members.every((pid) => hasEnded(pid, group))) return;
  }
}

/** False when the group has no process any more that a signal could reach. */
function signalGroup(group: number): boolean {
  try {
    process.kill(-group, "SIGKILL");
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // macOS says EPERM when only zombies are left.
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
  // After the name in brackets, which may contain anything: state, parent, group.
  const [state = "", , group] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return { group: Number(group), isZombie: "ZX".includes(state) };
}

/*
 * Linux tells of its processes in files that are memory: reading one is over before a thread could have been found to do it
 * (but for `cmdline`, for which the other process may have to be waited for). Where there is no /proc, there is nothing to
 * read.
 */

/** Null when it cannot be read: mostly there is no such process any more. */
export function readProc(path: string): string | null {
  return attempt(() => readFileSync(`/proc/${path}`, "utf8"));
}

/** Those in it that have a number for a name: processes, or the threads of one. */
export function listProcIds(path = ""): number[] {
  const names = attempt(() => readdirSync(`/proc/${path}`)) ?? [];
  return names.filter((name) => /^\d+$/.test(name)).map(Number);
}

/** Whatever the reason: it has ended, is somebody else's, or no more files can be opened. Who asks lives without an answer. */
function attempt<Read>(read: () => Read): Read | null {
  try {
    return read();
  } catch {
    return null;
  }
}
