import type { Logger } from "../../lib/logger.ts";
import { withTimeout } from "../../lib/waiting.ts";
import type { EgressProxy } from "../egress/egress-proxy.ts";
import type { LiveBrowser, LiveOptions } from "../live/live-browser.ts";
import { openLive } from "../live/live-session.ts";
import { type BrowserSession, SessionLost } from "../session/browser-session.ts";
import { openSession } from "../session/open-session.ts";
import { openBlankContext } from "../session/session-context.ts";
import type { BlankContext, RunningBrowser, SessionLimits, SessionOptions } from "../session/session-options.ts";
import { countBrowsers, countStarts } from "./browser-metrics.ts";
import { createBrowserStarter, removeOrphanedFolders, unlessEnded } from "./browser-process.ts";
import type { ProcessLimits } from "./process-guard.ts";
import { createRemoteBrowsers } from "./remote-browsers.ts";
import { keepBrowsersWarm } from "./warm-browsers.ts";

/**
 * Opens browser sessions. Each session gets its own browser process, which is ended with everything it has stored,
 * so that nothing of one connection can reach another. Some processes are started in advance, each with open contexts.
 */
export interface BrowserPool extends AsyncDisposable {
  openSession(options: SessionOptions, signal: AbortSignal): Promise<BrowserSession>;
  /** Rejects when no browser is available. A site that does not respond is reported to the listener instead. */
  openLive(options: LiveOptions, signal: AbortSignal): Promise<LiveBrowser>;
  /** Throws when no browser is available. The message says what to do. */
  checkReady(): Promise<void>;
}

/** A program to start, or the DevTools URLs of browsers that run on this machine. */
type BrowserSource = { readonly executablePath: string } | { readonly cdpUrls: readonly string[] };

type BrowserPoolOptions = BrowserSource & {
  /** How many processes to start in advance. Ignored with `cdpUrls`. */
  readonly warm: number;
  readonly logger: Logger;
  readonly limits?: Partial<SessionLimits>;
  /** Limits of each browser process. Default: no memory limit. Ignored with `cdpUrls`. */
  readonly process?: ProcessLimits;
};

const UNLIMITED: ProcessLimits = { maxMemoryBytes: 0 };

export async function createBrowserPool(given: BrowserPoolOptions): Promise<BrowserPool> {
  const { logger, limits = {}, process = UNLIMITED } = given;
  const start = countStarts(
    "cdpUrls" in given
      ? createRemoteBrowsers(given.cdpUrls, logger)
      : createBrowserStarter(given.executablePath, process).start,
  );
  await removeOrphanedFolders();
  const count = "cdpUrls" in given ? 0 : given.warm;
  const warm = keepBrowsersWarm({ count, start: async () => withBlankContexts(await start()), logger });
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
      // A warm browser may have died while it was idle. Try one more.
      if (error instanceof SessionLost && mayTryAnother && !signal.aborted) return open(openWith, signal, false);
      throw error;
    }
  }

  /** The caller disposes of the browser. Closing the pool disposes of all that are left. */
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
    throw new Error("The service is stopping. No new browsers are opened.");
  }

  function startNow(): Promise<RunningBrowser> {
    const launch = start().finally(() => starting.delete(launch));
    starting.add(launch);
    return launch;
  }

  return {
    openSession: (options, signal) => {
      return open((running) => openSession({ running, options, limits }, signal), signal);
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
      // A browser that has just started finds the pool closed and ends itself.
      await Promise.allSettled(starting);
      await Promise.all([...borrowed].map((running) => running[Symbol.asyncDispose]()));
      for (const opening of opened) await opening.then((session) => session[Symbol.asyncDispose](), ignoreFailure);
    },
  };
}

/** The caller that opened the session gets the error. */
function ignoreFailure(): void {}

/** A run needs one for its pages and one for verification. */
const BLANK_CONTEXTS = 2;

/** Opens contexts in a browser that nobody uses yet: a run would wait for each as long as for its first page. */
export async function withBlankContexts(running: RunningBrowser): Promise<RunningBrowser> {
  const proxies: EgressProxy[] = [];
  const blanks = new Set<BlankContext>();
  const prepared: RunningBrowser = {
    ...running,
    takeBlank() {
      const [blank = null] = blanks;
      if (blank !== null) blanks.delete(blank);
      return blank;
    },
    async [Symbol.asyncDispose]() {
      try {
        await running[Symbol.asyncDispose]();
      } finally {
        await Promise.all(proxies.map((proxy) => proxy[Symbol.asyncDispose]()));
      }
    },
  };
  try {
    while (blanks.size < BLANK_CONTEXTS) {
      const blank = await openBlank(running);
      proxies.push(blank.proxy);
      blanks.add(blank);
      blank.page.once("crash", () => blanks.delete(blank));
      blank.page.once("close", () => blanks.delete(blank));
    }
    return prepared;
  } catch (error) {
    await prepared[Symbol.asyncDispose]();
    throw error;
  }
}

/** DevTools calls may never settle when the browser ends or hangs. */
async function openBlank({ browser }: RunningBrowser): Promise<BlankContext> {
  const opening = openBlankContext(browser);
  try {
    const opened = await withTimeout(unlessEnded(browser, opening), BLANK_TIMEOUT_MS);
    if (opened === null) throw new Error("The browser hangs. It cannot open a page.");
    return opened;
  } catch (error) {
    // It may still succeed later, when nobody is left to close it.
    opening.then(
      ({ proxy }) => proxy[Symbol.asyncDispose](),
      () => {},
    );
    throw error;
  }
}

const BLANK_TIMEOUT_MS = 20_000;

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
