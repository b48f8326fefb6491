import { setTimeout as sleep } from "node:timers/promises";
import type { Browser } from "playwright-core";
import { inTime } from "../lib/in-time.ts";
import { endProcessGroup } from "./process-group.ts";
import { createMemoryMeter } from "./process-memory.ts";

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

export interface Guard extends Disposable {
  /** Why the browser was ended; null when it was not ended here. */
  explainEnd(): string | null;
}

/** A page can take gigabytes in a second. */
const MEASURE_MS = 250;
const PULSE_MS = 10_000;
const SILENCE_MS = 30_000;

/** Ends a browser that takes more memory than it may or does not answer any more, so that nobody waits for it for ever. */
export function guardProcess({
  browser,
  pid,
  processGroup,
  maxMemoryBytes,
  silenceMs = SILENCE_MS,
}: GuardedProcess): Guard {
  const over = new AbortController();
  let reason: string | null = null;

  async function end(why: string): Promise<void> {
    if (over.signal.aborted) return;
    reason = why;
    over.abort();
    await endProcessGroup(processGroup);
  }

  const pause = (ms: number) => sleep(ms, undefined, { signal: over.signal, ref: false }).catch(() => {});

  async function watchMemory(): Promise<void> {
    const measure = createMemoryMeter(pid);
    while (!over.signal.aborted && maxMemoryBytes > 0) {
      if (measure() > maxMemoryBytes) await end(describeGreed(maxMemoryBytes));
      await pause(MEASURE_MS);
    }
  }

  async function watchPulse(): Promise<void> {
    while (!over.signal.aborted) {
      await pause(Math.min(PULSE_MS, silenceMs));
      if (over.signal.aborted) return;
      const answer = await inTime(askForPulse(browser), silenceMs);
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
async function askForPulse(browser: Browser): Promise<"beats" | "ended"> {
  try {
    const session = await browser.newBrowserCDPSession();
    await session.send("Browser.getVersion");
    await session.detach();
    return "beats";
  } catch {
    return "ended";
  }
}

function describeGreed(maxMemoryBytes: number): string {
  const megabytes = Math.round(maxMemoryBytes / 1024 ** 2);
  return `The page took more than ${megabytes} MB of memory, so its browser was ended (ERRAND_BROWSER_MAX_MEMORY_MB).`;
}
