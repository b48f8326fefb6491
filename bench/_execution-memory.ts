import { readdir, readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

/** The most that all browsers of one process held at the same time. */
export interface Peak {
  megabytes: number;
  browsers: number;
}

const SAMPLE_EVERY_MS = 100;

/** Whether this machine says how much memory a process has to itself, and its share of what it shares (PSS). */
export async function canMeasureMemory(): Promise<boolean> {
  return (await readPss(process.pid)) !== null;
}

/** Looks again and again at the browsers that the process has started while the work goes on, and when it asks for it. */
export async function measurePeak(
  parentPid: number,
  work: (weigh: () => Promise<void>) => Promise<unknown>,
): Promise<Peak> {
  const over = new AbortController();
  let peak: Peak = { megabytes: 0, browsers: 0 };
  const weigh = async () => {
    const now = await weighBrowsers(parentPid);
    if (now.megabytes > peak.megabytes) peak = now;
  };
  const working = work(weigh).finally(() => over.abort());
  // Reported when it is awaited; until then it must not count as unhandled.
  working.catch(() => {});
  while (!over.signal.aborted) {
    await weigh();
    await sleep(SAMPLE_EVERY_MS, undefined, { signal: over.signal }).catch(() => {});
  }
  await working;
  return peak;
}

/** How many browsers each of these processes has started that still run. */
export async function countBrowsers(parentPids: number[]): Promise<number[]> {
  const children = await listChildren();
  return Promise.all(
    parentPids.map(async (pid) => {
      const areBrowsers = await Promise.all((children.get(pid) ?? []).map(isBrowser));
      return areBrowsers.filter(Boolean).length;
    }),
  );
}

async function weighBrowsers(parentPid: number): Promise<Peak> {
  const children = await listChildren();
  const browsers: number[] = [];
  for (const pid of children.get(parentPid) ?? []) if (await isBrowser(pid)) browsers.push(pid);
  const pids = browsers.flatMap((pid) => [pid, ...descendantsOf(pid, children)]);
  const kilobytes = await Promise.all(pids.map(readPss));
  return { megabytes: kilobytes.reduce<number>((sum, each) => sum + (each ?? 0), 0) / 1024, browsers: browsers.length };
}

async function listChildren(): Promise<Map<number, number[]>> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
  const children = new Map<number, number[]>();
  for (const pid of pids) {
    const parent = await readParent(pid);
    if (parent !== null) children.set(parent, [...(children.get(parent) ?? []), pid]);
  }
  return children;
}

async function readParent(pid: number): Promise<number | null> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => null);
  // After the name in brackets, which may contain anything: state, parent.
  return stat === null ? null : Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
}

/** Playwright talks to every browser that it starts through a pipe. */
async function isBrowser(pid: number): Promise<boolean> {
  const command = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
  return command.split("\0").includes("--remote-debugging-pipe");
}

function descendantsOf(pid: number, children: ReadonlyMap<number, readonly number[]>): number[] {
  return (children.get(pid) ?? []).flatMap((child) => [child, ...descendantsOf(child, children)]);
}

/** In kilobytes; null when the process has ended, or this system does not say. */
async function readPss(pid: number): Promise<number | null> {
  const rollup = await readFile(`/proc/${pid}/smaps_rollup`, "utf8").catch(() => "");
  const [, kilobytes] = /^Pss:\s+(\d+) kB/m.exec(rollup) ?? [];
  return kilobytes === undefined ? null : Number(kilobytes);
}
