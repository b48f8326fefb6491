import { setTimeout as sleep } from "node:timers/promises";
import type { Browser } from "playwright-core";
import { withTimeout } from "../../lib/waiting.ts";
import { killProcessGroup, listProcIds, readProc } from "./process-group.ts";

export interface ProcessLimits {
  /** Sum over all processes of one browser; 0 for no limit. */
  readonly maxMemoryBytes: number;
  /** A browser that does not respond to a ping for this long counts as hanging. */
  readonly silenceMs?: number;
}

interface GuardedProcess extends ProcessLimits {
  readonly browser: Browser;
  /** Of the main process. */
  readonly pid: number;
  readonly processGroup: number;
}

interface ProcessGuard extends Disposable {
  /** Why the guard ended the browser; null when it did not. */
  explainEnd(): string | null;
}

/** Short, because a page can allocate gigabytes in a second. */
const MEASURE_MS = 250;
const PING_MS = 10_000;
const SILENCE_MS = 30_000;

/** Kills a browser that uses too much memory or no longer responds. */
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
      // Without a page, nothing in the browser allocates much. An empty one waits for a session.
      if (hasPages(browser) && measure() > maxMemoryBytes) await end(describeMemoryLimit(maxMemoryBytes));
      await pause(MEASURE_MS);
    }
  }

  async function watchResponses(): Promise<void> {
    while (!over.signal.aborted) {
      await pause(Math.min(PING_MS, silenceMs));
      if (over.signal.aborted) return;
      const result = await withTimeout(ping(browser), silenceMs);
      if (result === null) await end(`The browser hangs. It has not responded for ${Math.round(silenceMs / 1_000)} s.`);
    }
  }

  browser.once("disconnected", () => over.abort());
  if (!browser.isConnected()) over.abort();
  void watchMemory();
  void watchResponses();
  return { explainEnd: () => reason, [Symbol.dispose]: () => over.abort() };
}

function hasPages(browser: Browser): boolean {
  return browser.contexts().some((context) => context.pages().some((page) => page.url() !== "about:blank"));
}

/** Asks the browser process itself, which responds however busy its pages are. */
async function ping(browser: Browser): Promise<"alive" | "ended"> {
  try {
    const session = await browser.newBrowserCDPSession();
    await session.send("Browser.getVersion");
    await session.detach();
    return "alive";
  } catch {
    return "ended";
  }
}

function describeMemoryLimit(maxMemoryBytes: number): string {
  const megabytes = Math.round(maxMemoryBytes / 1024 ** 2);
  return `The page used more than ${megabytes} MB of memory, so its browser was stopped (ERRAND_BROWSER_MAX_MEMORY_MB).`;
}

/** Searching for new parents costs many times more than measuring, so not every measurement does it. */
const MEASURES_PER_SEARCH = 4;

/** Measures the private memory of a process and all its descendants in bytes; 0 where there is no /proc. */
export function createMemoryMeter(pid: number): () => number {
  /** Threads that have children or are the first of their process, as paths: in a browser only a few of many. */
  let parents: string[] = [];
  let measures = 0;
  return () => {
    if (measures % MEASURES_PER_SEARCH === 0) parents = listParents(pid);
    measures += 1;
    // A page decides when it gets a new process, so each measurement has to include the newest ones.
    const family = [pid, ...parents.flatMap(listChildren)];
    return family.reduce((sum, member) => sum + measureOne(member), 0);
  };
}

/** The kernel lists children per thread. */
function listParents(pid: number): string[] {
  return listProcIds(`${pid}/task`).flatMap((id) => {
    const thread = `${pid}/task/${id}`;
    const children = listChildren(thread);
    return children.length === 0 && id !== pid ? [] : [thread, ...children.flatMap(listParents)];
  });
}

function listChildren(thread: string): number[] {
  return (readProc(`${thread}/children`)?.match(/\d+/g) ?? []).map(Number);
}

/** Without memory that is mapped from files, which browsers share. */
function measureOne(pid: number): number {
  const counts = (readProc(`${pid}/status`) ?? "").matchAll(/^Rss(?:Anon|Shmem):\s+(\d+) kB$/gm);
  return counts.reduce((sum, [, kilobytes]) => sum + Number(kilobytes) * 1024, 0);
}
