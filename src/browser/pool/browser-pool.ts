import type { Logger } from "../../lib/logger.ts";
import type { LiveBrowser, LiveOptions } from "../live/live-browser.ts";
import { openLive } from "../live/live-session.ts";
import { type BrowserSession, SessionLost } from "../session/browser-session.ts";
import { openSession } from "../session/open-session.ts";
import type { RunningBrowser, SessionLimits, SessionOptions } from "../session/session-options.ts";
import { countBrowsers, countStarts } from "./browser-metrics.ts";
import { describeLaunchFailure, removeOrphanedFolders, startBrowserProcess } from "./browser-process.ts";
import type { ProcessLimits } from "./process-guard.ts";
import { createRemoteBrowsers } from "./remote-browsers.ts";
import { keepBrowsersWarm } from "./warm-browsers.ts";

/**
 * Browser processes that are started before they are needed. Each serves one session and is then ended with everything
 * it has left behind, so that nothing of one connection can ever reach another.
 */
export interface BrowserPool extends AsyncDisposable {
  openSession(options: SessionOptions, signal: AbortSignal): Promise<BrowserSession>;
  /** Rejects when no browser can be had; that the site does not answer is told to the listener. */
  openLive(options: LiveOptions, signal: AbortSignal): Promise<LiveBrowser>;
  /** Throws, with what to do about it, when no browser can be had. */
  checkReady(): Promise<void>;
}

/** A program to start, or the DevTools addresses of browsers that run on this machine. */
type BrowserSource = { readonly executablePath: string } | { readonly cdpUrls: readonly string[] };

type BrowserPoolOptions = BrowserSource & {
  /** How many processes to have ready. A browser that is connected to is not kept ready. */
  readonly warm: number;
  readonly logger: Logger;
  readonly limits?: Partial<SessionLimits>;
  /** Of browsers that are started here. Default: no limit to their memory. */
  readonly process?: ProcessLimits;
};

const UNLIMITED: ProcessLimits = { maxMemoryBytes: 0 };

export async function createBrowserPool(given: BrowserPoolOptions): Promise<BrowserPool> {
  const { logger, limits = {} } = given;
  const start = countStarts(
    "cdpUrls" in given ? createRemoteBrowsers(given.cdpUrls, logger) : () => startProcess(given),
  );
  await removeOrphanedFolders();
  const count = "cdpUrls" in given ? 0 : given.warm;
  const warm = keepBrowsersWarm({ count, start, logger });
  const starting = new Set<Promise<RunningBrowser>>();
  const borrowed = new Set<RunningBrowser>();
  const sessions = new Map<RunningBrowser, Promise<AsyncDisposable>>();
  let isClosed = false;

  async function open<Opened extends AsyncDisposable>(
    openWith: (running: RunningBrowser) => Promise<Opened>,
    signal: AbortSignal,
    mayTryAnother = true,
  ): Promise<Opened> {
    signal.throwIfAborted();
    const running = await borrow();
    try {
      signal.throwIfAborted();
      const opening = openWith(running);
      sessions.set(running, opening);
      return await opening;
    } catch (error) {
      await running[Symbol.asyncDispose]();
      // One that has died while it waited says nothing about the next.
      if (error instanceof SessionLost && mayTryAnother && !signal.aborted) return open(openWith, signal, false);
      throw error;
    }
  }

  /** Whoever borrows one disposes of it; whatever is left when the pool closes, goes with it. */
  async function borrow(): Promise<RunningBrowser> {
    const running = disposeOnce(warm.take() ?? (await startNow()), () => {
      borrowed.delete(running);
      sessions.delete(running);
      countBrowsers("in_use", -1);
    });
    borrowed.add(running);
    countBrowsers("in_use", 1);
    if (!isClosed) return running;
    await running[Symbol.asyncDispose]();
    throw new Error("The service is stopping: no more browsers are opened.");
  }

  function startNow(): Promise<RunningBrowser> {
    const launch = start().finally(() => starting.delete(launch));
    starting.add(launch);
    return launch;
  }

  return {
    openSession: (options, signal) => {
      return open((running) => openSession({ running, options, limits, borrow }, signal), signal);
    },
    openLive: (options, signal) => open((running) => openLive({ running, options }, signal), signal),
    async checkReady() {
      if (warm.readyCount > 0) return;
      await using _started = await start();
    },
    async [Symbol.asyncDispose]() {
      isClosed = true;
      const opened = [...sessions.values()];
      const endings = [warm, ...borrowed].map((each) => each[Symbol.asyncDispose]());
      await Promise.all(endings);
      // Whatever has just been started finds the pool closed, and ends.
      await Promise.allSettled(starting);
      await Promise.all([...borrowed].map((running) => running[Symbol.asyncDispose]()));
      for (const opening of opened) await opening.then((session) => session[Symbol.asyncDispose](), ignoreFailure);
    },
  };
}

/** Whoever opens the session is told. */
function ignoreFailure(): void {}

function disposeOnce(running: RunningBrowser, onEnded: () => void): RunningBrowser {
  let ending: Promise<void> | null = null;
  const end = async () => {
    await running[Symbol.asyncDispose]();
    onEnded();
  };
  return {
    ...running,
    [Symbol.asyncDispose]() {
      ending ??= end();
      return ending;
    },
  };
}

interface ProcessOptions {
  executablePath: string;
  process?: ProcessLimits;
}

async function startProcess({ executablePath, process = UNLIMITED }: ProcessOptions): Promise<RunningBrowser> {
  try {
    return await startBrowserProcess(executablePath, process);
  } catch (error) {
    const advice = "Run scripts/bootstrap --browser, or set ERRAND_BROWSER_PATH to a Chromium or Chrome that starts.";
    throw new Error(`The browser ${executablePath} does not start. ${advice} It said: ${describeLaunchFailure(error)}`);
  }
}
