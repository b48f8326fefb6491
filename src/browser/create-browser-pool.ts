import { describeError } from "../lib/describe-error.ts";
import type { Logger } from "../lib/logger.ts";
import { removeLeftFolders } from "./browser-folder.ts";
import type { BrowserPool } from "./browser-pool.ts";
import { startBrowserProcess } from "./browser-process.ts";
import { assertOnThisMachine, connectToBrowser } from "./remote-browser.ts";
import type { RunningBrowser } from "./running-browser.ts";
import type { BrowserSession } from "./session/browser-session.ts";
import { openSession } from "./session/open-session.ts";
import type { SessionLimits } from "./session/session-limits.ts";
import type { SessionOptions } from "./session/session-options.ts";
import { keepBrowsersWarm, type WarmBrowsers } from "./warm-browsers.ts";

/** A program to start, or the DevTools address of a browser that runs on this machine. */
export type BrowserSource = { readonly executablePath: string } | { readonly cdpUrl: string };

export type BrowserPoolOptions = BrowserSource & {
  /** How many processes to have ready. A browser that is connected to is not kept ready. */
  readonly warm: number;
  readonly logger: Logger;
  readonly limits?: Partial<SessionLimits>;
};

export async function createBrowserPool(options: BrowserPoolOptions): Promise<BrowserPool> {
  const { logger, limits = {} } = options;
  if ("cdpUrl" in options) assertOnThisMachine(options.cdpUrl);
  await removeLeftFolders();
  const start = "cdpUrl" in options ? () => connectToBrowser(options.cdpUrl) : () => startProcess(options);
  const count = "cdpUrl" in options ? 0 : options.warm;
  const warm: WarmBrowsers = keepBrowsersWarm({ count, start, logger });
  const inUse = new Set<RunningBrowser>();
  const openings = new Set<Promise<BrowserSession>>();
  let isClosed = false;

  async function open(sessionOptions: SessionOptions, signal: AbortSignal): Promise<BrowserSession> {
    signal.throwIfAborted();
    const running = warm.take() ?? (await start());
    inUse.add(running);
    const end = () => giveBack(running);
    try {
      signal.throwIfAborted();
      if (isClosed) throw new Error("The service is stopping: no more browsers are opened.");
      return await openSession({ running, end, options: sessionOptions, limits, logger }, signal);
    } catch (error) {
      await end();
      throw error;
    }
  }

  async function giveBack(running: RunningBrowser): Promise<void> {
    await running[Symbol.asyncDispose]();
    inUse.delete(running);
  }

  return {
    openSession(sessionOptions, signal) {
      const opening = open(sessionOptions, signal).finally(() => openings.delete(opening));
      openings.add(opening);
      return opening;
    },
    async checkReady() {
      if (warm.readyCount > 0) return;
      await using _started = await start();
    },
    async [Symbol.asyncDispose]() {
      isClosed = true;
      await warm[Symbol.asyncDispose]();
      await Promise.all([...inUse].map(giveBack));
      await Promise.allSettled(openings);
    },
  };
}

async function startProcess({ executablePath }: { executablePath: string }): Promise<RunningBrowser> {
  try {
    return await startBrowserProcess(executablePath);
  } catch (error) {
    const advice = "Run scripts/bootstrap --browser, or set ERRAND_BROWSER_PATH to a Chromium or Chrome that starts.";
    throw new Error(`The browser ${executablePath} does not start. ${advice} It said: ${describeError(error)}`, {
      cause: error,
    });
  }
}
