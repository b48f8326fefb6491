import { isIP } from "node:net";
import type { Browser } from "playwright-core";
import { describeError } from "../../lib/errors.ts";
import type { Logger } from "../../lib/logger.ts";
import { addressKind } from "../../lib/network-address.ts";
import { EGRESS_ARGUMENTS } from "../egress/confined-context.ts";
import type { RunningBrowser } from "../session/session-options.ts";
import { createBrowserFolder, VISIBILITY_ARGUMENTS } from "./browser-process.ts";

interface RemoteBrowser {
  readonly cdpUrl: string;
  sessions: number;
  /** Until then it is tried last. */
  downUntilMs: number;
}

const DOWN_MS = 30_000;

/** Connects to the browser with the fewest sessions. One that cannot be reached is skipped. */
export function createRemoteBrowsers(cdpUrls: readonly string[], logger: Logger): () => Promise<RunningBrowser> {
  for (const cdpUrl of cdpUrls) assertLocal(cdpUrl);
  const browsers = cdpUrls.map((cdpUrl): RemoteBrowser => ({ cdpUrl, sessions: 0, downUntilMs: 0 }));

  return async () => {
    const failures: unknown[] = [];
    for (const remote of sortByLoad(browsers)) {
      // Counted before connecting, so that concurrent callers do not all choose the same browser.
      remote.sessions += 1;
      try {
        const running = await connectToBrowser(remote.cdpUrl);
        remote.downUntilMs = 0;
        return releaseOnDispose(running, remote);
      } catch (error) {
        remote.sessions -= 1;
        remote.downUntilMs = performance.now() + DOWN_MS;
        failures.push(error);
        const { host } = new URL(remote.cdpUrl);
        if (browsers.length > 1)
          logger.warn({ browser: host, reason: describeError(error) }, "remote browser unavailable");
      }
    }
    throw failures.length === 1 ? failures[0] : new Error(describeError(new AggregateError(failures)));
  };
}

function sortByLoad(browsers: readonly RemoteBrowser[]): RemoteBrowser[] {
  const nowMs = performance.now();
  const isDown = ({ downUntilMs }: RemoteBrowser) => Number(downUntilMs > nowMs);
  return browsers.toSorted((a, b) => isDown(a) - isDown(b) || a.sessions - b.sessions);
}

function releaseOnDispose(running: RunningBrowser, remote: RemoteBrowser): RunningBrowser {
  let isReleased = false;
  return {
    ...running,
    async [Symbol.asyncDispose]() {
      if (!isReleased) remote.sessions -= 1;
      isReleased = true;
      await running[Symbol.asyncDispose]();
    },
  };
}

const CONNECT_TIMEOUT_MS = 15_000;
const CLOSE_TIMEOUT_MS = 5_000;

/** The egress proxy listens on the loopback interface, so a browser on another machine could not be confined by it. */
function assertLocal(cdpUrl: string): void {
  const url = URL.parse(cdpUrl);
  if (url === null || !/^(https?|wss?):$/.test(url.protocol)) {
    throw new Error(`ERRAND_BROWSER_CDP_URL is not an http or ws URL: ${cdpUrl}`);
  }
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  const isLoopback = isIP(host) === 0 ? host === "localhost" : addressKind(host) === "loopback";
  if (isLoopback) return;
  throw new Error(
    `The browser at ${url.host} is not on this machine, so its network access cannot be restricted. ` +
      "Start a browser on this machine and use its loopback address, or let Errand start one.",
  );
}

/**
 * Connects to a running browser for one session. The session has its own connection and context, which end with
 * it. The process stays.
 */
async function connectToBrowser(cdpUrl: string): Promise<RunningBrowser> {
  assertLocal(cdpUrl);
  const folder = await createBrowserFolder();
  try {
    const { chromium } = await import("playwright-core");
    const browser = await chromium.connectOverCDP(cdpUrl, {
      isLocal: true,
      noDefaults: true,
      artifactsDir: folder.downloads,
      timeout: CONNECT_TIMEOUT_MS,
    });
    await assertConfined(browser);
    return {
      browser,
      downloadsFolder: folder.downloads,
      isExclusive: false,
      explainEnd: () => null,
      async [Symbol.asyncDispose]() {
        await disconnect(browser);
        await folder[Symbol.asyncDispose]();
      },
    };
  } catch (error) {
    await folder[Symbol.asyncDispose]();
    throw error;
  }
}

/** The switches that close the ways around the proxy only work at start, so the command line is checked. */
async function assertConfined(browser: Browser): Promise<void> {
  try {
    const session = await browser.newBrowserCDPSession();
    const { commandLine } = await session.send("SystemInfo.getInfo");
    await session.detach();
    const missing = [...EGRESS_ARGUMENTS, ...VISIBILITY_ARGUMENTS].filter(
      (argument) => !commandLine.includes(argument),
    );
    if (missing.length === 0) return;
    const quoted = missing.map((argument) => (argument.includes(" ") ? `"${argument}"` : argument)).join(" ");
    throw new Error(`Restart it with these switches, without which traffic could bypass the proxy: ${quoted}`);
  } catch (error) {
    await browser.close();
    throw new Error(`The browser at ERRAND_BROWSER_CDP_URL cannot be used. ${describeError(error)}`, { cause: error });
  }
}

/** Closes the contexts of this connection, then the connection. Does not wait long for either. */
async function disconnect(browser: Browser): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, CLOSE_TIMEOUT_MS);
  await Promise.race([browser.close(), late]);
  clearTimeout(timer);
}
