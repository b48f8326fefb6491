import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { readdirSync, readFileSync } from "node:fs";
import { afterAll } from "vitest";
import { databaseCreated } from "./database.ts";

/** What one test file used, without PostgreSQL, which all share. `npm test -- --times` prints it. */
export interface FileCost {
  /** Processor time of the test worker, and of every process that it started. */
  workerCpuMs: number;
  otherCpuMs: number;
  browsers: number;
  processes: number;
  databases: number;
}

declare module "vitest" {
  interface TaskMeta {
    cost?: FileCost;
  }
}

/** Of `getconf CLK_TCK`, which is 100 on every Linux. */
const MS_PER_TICK = 10;

const started = { browsers: 0, processes: 0, databases: 0 };

function countProcess(message: unknown): void {
  const { process: child } = message as { process: { spawnfile?: string } };
  // The name is not set yet.
  queueMicrotask(() => {
    if (/chrom/i.test(child.spawnfile ?? "")) started.browsers += 1;
    else started.processes += 1;
  });
}

function countDatabase(): void {
  started.databases += 1;
}

subscribe("child_process", countProcess);
subscribe(databaseCreated.name, countDatabase);

const before = readCpu();

// biome-ignore lint/correctness/noEmptyPattern: Vitest reads the names of fixtures from it
afterAll(({}, file) => {
  unsubscribe("child_process", countProcess);
  unsubscribe(databaseCreated.name, countDatabase);
  const after = readCpu();
  file.meta.cost = {
    workerCpuMs: after.worker - before.worker,
    otherCpuMs: Math.max(0, after.others - before.others),
    ...started,
  };
});

/** Including processes that have ended, as far as their parent has waited for them. Linux only; elsewhere others are 0. */
function readCpu(): { worker: number; others: number } {
  const { user, system } = process.cpuUsage();
  const processes = listProcesses();
  const childrenOf = Map.groupBy(processes.values(), ({ parent }) => parent);
  let others = processes.get(process.pid)?.endedMs ?? 0;
  const open = [...(childrenOf.get(process.pid) ?? [])];
  for (let child = open.pop(); child !== undefined; child = open.pop()) {
    others += child.ownMs + child.endedMs;
    open.push(...(childrenOf.get(child.pid) ?? []));
  }
  return { worker: (user + system) / 1000, others };
}

interface ProcessTimes {
  pid: number;
  parent: number;
  ownMs: number;
  /** Of its children that have ended. */
  endedMs: number;
}

function listProcesses(): Map<number, ProcessTimes> {
  const times = new Map<number, ProcessTimes>();
  if (process.platform !== "linux") return times;
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const stat = readStat(name);
    if (stat === null) continue;
    // Fields 4 and 14 to 17 of proc(5); the second may contain blanks.
    const fields = stat
      .slice(stat.lastIndexOf(")") + 2)
      .split(" ")
      .map(Number);
    const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15);
    times.set(Number(name), {
      pid: Number(name),
      parent: fields[1] ?? 0,
      ownMs: (user + system) * MS_PER_TICK,
      endedMs: (endedUser + endedSystem) * MS_PER_TICK,
    });
  }
  return times;
}

function readStat(pid: string): string | null {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8");
  } catch {
    // It has just ended.
    return null;
  }
}
