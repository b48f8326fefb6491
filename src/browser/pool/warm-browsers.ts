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
  /** One that runs, or null. The next is started in its place a little later. */
  take(): RunningBrowser | null;
  readonly readyCount: number;
}

/** A session is busiest when it begins and when it looks again at its end: starting a browser beside it slows both down. */
const REPLACE_AFTER_MS = 3_000;
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

  /** One at a time: several at once would only slow each other down. A failure makes the next attempt wait longer. */
  async function startMissing(): Promise<void> {
    while (ready.size < count && !closing.signal.aborted) {
      try {
        if (failures > 0) await delay(pauseMs(failures), undefined, { signal: closing.signal, ref: false });
        add(await start());
      } catch (error) {
        if (closing.signal.aborted) return;
        failures += 1;
        logger.warn({ error: describeError(error), failures }, "no browser could be started in advance");
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
    logger.debug({ ready: ready.size }, "a browser waits for its session");
    if (warm.browser.isConnected()) warm.browser.once("disconnected", () => replace(warm));
    else replace(warm);
  }

  function replace(ended: RunningBrowser): void {
    if (!ready.delete(ended)) return;
    countBrowsers("warm", -1);
    failures += 1;
    logger.warn({ failures }, "a waiting browser has ended and is replaced");
    end(ended);
    fill();
  }

  function end(browser: RunningBrowser): void {
    const ending = Promise.resolve(browser[Symbol.asyncDispose]())
      .catch((error: unknown) => logger.error({ error: describeError(error) }, "a browser left something behind"))
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
      clearTimeout(refill);
      refill = setTimeout(fill, REPLACE_AFTER_MS);
      refill.unref();
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

function pauseMs(failures: number): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS);
}
