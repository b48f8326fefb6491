import { cpus } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { describeError } from "../../lib/errors.ts";
import type { Logger } from "../../lib/logger.ts";
import type { RunningBrowser } from "../session/session-options.ts";
import { countBrowsers } from "./browser-metrics.ts";

interface WarmOptions {
  /** How many to keep ready. */
  count: number;
  start: () => Promise<RunningBrowser>;
  logger: Logger;
}

/** Browsers that are started before they are needed. */
export interface WarmBrowsers extends AsyncDisposable {
  /** A running browser, or null. Its replacement is started a little later, when the machine is not busy. */
  take(): RunningBrowser | null;
  readonly readyCount: number;
}

/** A session is busiest at its beginning. Starting a replacement at the same time would slow both down. */
const REPLACE_AFTER_MS = 3_000;
/** While runs need all cores, a replacement waits: a start takes as much of them as a page. */
const MIN_IDLE_SHARE = 0.25;
const RECHECK_MS = 1_000;
const MAX_WAIT_MS = 30_000;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

export function keepBrowsersWarm({ count, start, logger }: WarmOptions): WarmBrowsers {
  const ready = new Set<RunningBrowser>();
  const endings = new Set<Promise<void>>();
  const closing = new AbortController();
  let failures = 0;
  let filling: Promise<void> | null = null;
  let refill: NodeJS.Timeout | undefined;

  function fill(): void {
    filling ??= startMissing().finally(() => {
      filling = null;
      if (ready.size < count && !closing.signal.aborted) fill();
    });
  }

  function refillAfter(delayMs: number, deadlineMs: number): void {
    const before = readCores();
    clearTimeout(refill);
    refill = setTimeout(() => {
      const now = readCores();
      const idleShare = (now.idleMs - before.idleMs) / (now.totalMs - before.totalMs);
      if (idleShare < MIN_IDLE_SHARE && performance.now() < deadlineMs) refillAfter(RECHECK_MS, deadlineMs);
      else fill();
    }, delayMs);
    refill.unref();
  }

  /** One at a time, because concurrent starts slow each other down. Failures delay the next attempt. */
  async function startMissing(): Promise<void> {
    while (ready.size < count && !closing.signal.aborted) {
      try {
        if (failures > 0) await delay(pauseMs(failures), undefined, { signal: closing.signal, ref: false });
        add(await start());
      } catch (error) {
        if (closing.signal.aborted) return;
        failures += 1;
        logger.warn({ error: describeError(error), failures }, "browser could not be started in advance; retrying");
      }
    }
  }

  function add(warm: RunningBrowser): void {
    if (closing.signal.aborted) {
      end(warm);
      return;
    }
    ready.add(warm);
    countBrowsers("warm", 1);
    logger.debug({ ready: ready.size }, "browser ready");
    if (warm.browser.isConnected()) warm.browser.once("disconnected", () => replace(warm));
    else replace(warm);
  }

  function replace(ended: RunningBrowser): void {
    if (!ready.delete(ended)) return;
    countBrowsers("warm", -1);
    failures += 1;
    logger.warn({ failures }, "idle browser ended; replacing it");
    end(ended);
    fill();
  }

  function end(browser: RunningBrowser): void {
    const ending = Promise.resolve(browser[Symbol.asyncDispose]())
      .catch((error: unknown) => logger.error({ error: describeError(error) }, "browser could not be cleaned up"))
      .finally(() => endings.delete(ending));
    endings.add(ending);
  }

  fill();
  return {
    get readyCount() {
      return ready.size;
    },
    take() {
      const [browser] = ready;
      if (browser === undefined) return null;
      ready.delete(browser);
      countBrowsers("warm", -1);
      failures = 0;
      refillAfter(REPLACE_AFTER_MS, performance.now() + MAX_WAIT_MS);
      return browser;
    },
    async [Symbol.asyncDispose]() {
      closing.abort();
      clearTimeout(refill);
      await filling;
      for (const browser of ready) {
        countBrowsers("warm", -1);
        end(browser);
      }
      ready.clear();
      await Promise.all(endings);
    },
  };
}

/** The time of all cores since the machine was started. */
function readCores(): { idleMs: number; totalMs: number } {
  const times = cpus().map((core) => core.times);
  const add = (values: number[]) => values.reduce((sum, value) => sum + value, 0);
  return { idleMs: add(times.map(({ idle }) => idle)), totalMs: add(times.flatMap((each) => Object.values(each))) };
}

function pauseMs(failures: number): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS);
}
