import { readdir, readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { type Browser, chromium } from "playwright-core";
import { locateBrowser } from "../../src/browser/pool/locate-browser.ts";
import { readEnvironment } from "../../src/config/env.ts";

/** Launches the browser that the service would use, with or without a sandbox as the service does. */
export async function launchBrowser(): Promise<Browser> {
  // The benchmark closes its browsers itself when it is interrupted.
  const signals = { handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false };
  return chromium.launch({ ...(await readLaunchOptions()), ...signals });
}

export async function readLaunchOptions(): Promise<{
  executablePath: string;
  args: string[];
  chromiumSandbox: boolean;
}> {
  const isRoot = process.getuid?.() === 0;
  const args = isRoot ? ["--no-sandbox", "--disable-gpu"] : [];
  return { executablePath: await findBrowserPath(), args, chromiumSandbox: !isRoot };
}

export async function findBrowserPath(): Promise<string> {
  const { ERRAND_BROWSER_PATH: explicitPath = null, PATH: searchPath = "" } = readEnvironment();
  const located = await locateBrowser({ explicitPath, searchPath });
  if (located === null) throw new Error("No browser found. Run scripts/bootstrap --browser.");
  return located.path;
}

/** What all browsers of one process use at one moment. */
export interface BrowserMemory {
  megabytes: number;
  browsers: number;
}

const SAMPLE_EVERY_MS = 100;

/** Whether this system reports the proportional set size (PSS) of a process: private memory plus its share of the rest. */
export async function canMeasureMemory(): Promise<boolean> {
  return (await readPss(process.pid)) !== null;
}

/** Samples the browsers that the process has started until the work is done. The work can also request a sample. */
export async function sampleMemory(
  parentPid: number,
  work: (sample: () => Promise<void>) => Promise<unknown>,
): Promise<BrowserMemory[]> {
  const over = new AbortController();
  const samples: BrowserMemory[] = [];
  const sample = async () => {
    samples.push(await readBrowserMemory(parentPid));
  };
  const working = work(sample).finally(() => over.abort());
  // A failure surfaces at the await below; until then it must not count as unhandled.
  working.catch(() => {});
  while (!over.signal.aborted) {
    await sample();
    await sleep(SAMPLE_EVERY_MS, undefined, { signal: over.signal }).catch(() => {});
  }
  await working;
  return samples;
}

export function findPeak(samples: readonly BrowserMemory[]): BrowserMemory {
  const none: BrowserMemory = { megabytes: 0, browsers: 0 };
  return samples.reduce((peak, sample) => (sample.megabytes > peak.megabytes ? sample : peak), none);
}

/** For each process, the number of its browsers that are still running. */
export async function countBrowsers(parentPids: number[]): Promise<number[]> {
  const children = await listChildren();
  return Promise.all(
    parentPids.map(async (pid) => {
      const areBrowsers = await Promise.all((children.get(pid) ?? []).map(isBrowser));
      return areBrowsers.filter(Boolean).length;
    }),
  );
}

async function readBrowserMemory(parentPid: number): Promise<BrowserMemory> {
  const children = await listChildren();
  const browsers: number[] = [];
  for (const pid of children.get(parentPid) ?? []) if (await isBrowser(pid)) browsers.push(pid);
  const pids = browsers.flatMap((pid) => [pid, ...listDescendants(pid, children)]);
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
  // State and parent follow the name, which is in parentheses and may contain anything.
  return stat === null ? null : Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
}

/** Playwright controls every browser that it starts through a pipe. */
async function isBrowser(pid: number): Promise<boolean> {
  const command = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
  return command.split("\0").includes("--remote-debugging-pipe");
}

function listDescendants(pid: number, children: ReadonlyMap<number, readonly number[]>): number[] {
  return (children.get(pid) ?? []).flatMap((child) => [child, ...listDescendants(child, children)]);
}

/** In kilobytes; null if the process has ended or the system does not report it. */
async function readPss(pid: number): Promise<number | null> {
  const rollup = await readFile(`/proc/${pid}/smaps_rollup`, "utf8").catch(() => "");
  const [, kilobytes] = /^Pss:\s+(\d+) kB/m.exec(rollup) ?? [];
  return kilobytes === undefined ? null : Number(kilobytes);
}
