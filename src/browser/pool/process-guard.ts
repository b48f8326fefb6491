import { setTimeout as sleep } from "node:timers/promises";
import type { Browser } from "playwright-core";
import { withTimeout } from "../../lib/waiting.ts";
import { killProcessGroup, listProcIds, readProc } from "./process-group.ts";

export interface ProcessLimits {
  /** Of all processes of one browser; 0 for no limit. */
  readonly maxMemoryBytes: number;
  /** A browser that leaves a trivial question unanswered for so long hangs. */
  readonly silenceMs?: number;
}

interface GuardedProcess extends ProcessLimits {
  readonly browser: Browser;
  /** Its main process. */
  readonly pid: number;
  readonly processGroup: number;
}

interface ProcessGuard extends Disposable {
  /** Why the browser was ended; null when it was not ended here. */
  explainEnd(): string | null;
}

/** A page can take gigabytes in a second. */
const MEASURE_MS = 250;
const PING_MS = 10_000;
const SILENCE_MS = 30_000;

/** Ends a browser that takes more memory than it may or does not answer any more, so that nobody waits for it for ever. */
export function guardProcess({
  browser,
  pid,
  processGroup,
  maxMemoryBytes,
  silenceMs = SILENCE_MS,
}: GuardedProcess): ProcessGuard {
  const over = new AbortController();
  let reason: string | null = null;

  async function end(why: string): Promise<void> {
    if (over.signal.aborted) return;
    reason = why;
    over.abort();
    await killProcessGroup(processGroup);
  }

  const pause = (ms: number) => sleep(ms, undefined, { signal: over.signal, ref: false }).catch(() => {});

  async function watchMemory(): Promise<void> {
    const measure = createMemoryMeter(pid);
    while (!over.signal.aborted && maxMemoryBytes > 0) {
      if (measure() > maxMemoryBytes) await end(describeMemoryLimit(maxMemoryBytes));
      await pause(MEASURE_MS);
    }
  }

  async function watchPulse(): Promise<void> {
    while (!over.signal.aborted) {
      await pause(Math.min(PING_MS, silenceMs));
      if (over.signal.aborted) return;
      const answer = await withTimeout(ping(browser), silenceMs);
      if (answer === null) await end(`The browser hangs: it has not answered for ${Math.round(silenceMs / 1_000)} s.`);
    }
  }

  browser.once("disconnected", () => over.abort());
  if (!browser.isConnected()) over.abort();
  void watchMemory();
  void watchPulse();
  return { explainEnd: () => reason, [Symbol.dispose]: () => over.abort() };
}

/** Of the browser itself, however busy its pages are. One that has ended needs no pulse. */
async function ping(browser: Browser): Promise<"beats" | "ended"> {
  try {
    const session = await browser.newBrowserCDPSession();
    await session.send("Browser.getVersion");
    await session.detach();
    return "beats";
  } catch {
    return "ended";
  }
}

function describeMemoryLimit(maxMemoryBytes: number): string {
  const megabytes = Math.round(maxMemoryBytes / 1024 ** 2);
  return `The page took more than ${megabytes} MB of memory, so its browser was ended (ERRAND_BROWSER_MAX_MEMORY_MB).`;
}

/** How often it is looked for processes that have become parents: that takes many times what measuring them takes. */
const MEASURES_PER_SEARCH = 4;

/** What a process and everything it has started hold by themselves, in bytes; 0 where that cannot be told (no /proc). */
export function createMemoryMeter(pid: number): () => number {
  /** In a browser, few of many: itself, and those that it has start the others. */
  let parents: number[] = [];
  let measures = 0;
  return () => {
    if (measures % MEASURES_PER_SEARCH === 0) parents = [pid, ...listChildren(pid).flatMap(listParents)];
    measures += 1;
    // A page can choose when it gets a new process, so each measure has to see the newest.
    const family = [pid, ...parents.flatMap(listChildren)];
    return family.reduce((sum, member) => sum + measureOne(member), 0);
  };
}

/** It and all below it, as far as they have started something. */
function listParents(pid: number): number[] {
  const children = listChildren(pid);
  return children.length === 0 ? [] : [pid, ...children.flatMap(listParents)];
}

/** Each thread has its own. */
function listChildren(pid: number): number[] {
  const lists = listProcIds(`${pid}/task`).map((thread) => readProc(`${pid}/task/${thread}/children`) ?? "");
  return lists.flatMap((list) => list.match(/\d+/g) ?? []).map(Number);
}

/** Without what is mapped from files, which browsers share. */
function measureOne(pid: number): number {
  const counts = (readProc(`${pid}/status`) ?? "").matchAll(/^Rss(?:Anon|Shmem):\s+(\d+) kB$/gm);
  return counts.reduce((sum, [, kilobytes]) => sum + Number(kilobytes) * 1024, 0);
}
