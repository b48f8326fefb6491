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
  /** Until then it is asked last. */
  downUntilMs: number;
}

const DOWN_MS = 30_000;

/** Connects to whichever of these browsers has the least to do; one that does not answer is passed over. */
export function createRemoteBrowsers(cdpUrls: readonly string[], logger: Logger): () => Promise<RunningBrowser> {
  for (const cdpUrl of cdpUrls) assertLocal(cdpUrl);
  const places = cdpUrls.map((cdpUrl): RemoteBrowser => ({ cdpUrl, sessions: 0, downUntilMs: 0 }));

  return async () => {
    const failures: unknown[] = [];
    for (const place of sortByLoad(places)) {
      // Counted from here on, so that those who come together do not all choose the same one.
      place.sessions += 1;
      try {
        const running = await connectToBrowser(place.cdpUrl);
        place.downUntilMs = 0;
        return releaseOnDispose(running, place);
      } catch (error) {
        place.sessions -= 1;
        place.downUntilMs = performance.now() + DOWN_MS;
        failures.push(error);
        const { host } = new URL(place.cdpUrl);
        if (places.length > 1) logger.warn({ browser: host, reason: describeError(error) }, "a browser is passed over");
      }
    }
    throw failures.length === 1 ? failures[0] : new Error(describeError(new AggregateError(failures)));
  };
}

function sortByLoad(places: readonly RemoteBrowser[]): RemoteBrowser[] {
  const nowMs = performance.now();
  const isDown = ({ downUntilMs }: RemoteBrowser) => Number(downUntilMs > nowMs);
  return places.toSorted((a, b) => isDown(a) - isDown(b) || a.sessions - b.sessions);
}

function releaseOnDispose(running: RunningBrowser, place: RemoteBrowser): RunningBrowser {
  let hasLeft = false;
  return {
    ...running,
    async [Symbol.asyncDispose]() {
      if (!hasLeft) place.sessions -= 1;
      hasLeft = true;
      await running[Symbol.asyncDispose]();
    },
  };
}

const CONNECT_TIMEOUT_MS = 15_000;
const CLOSE_TIMEOUT_MS = 5_000;

/**
 * The allow-list is a proxy on this machine's loopback: a browser elsewhere cannot reach it, and would be free to go
 * where it likes if it were started without it.
 */
function assertLocal(cdpUrl: string): void {
  const url = URL.parse(cdpUrl);
  if (url === null || !/^(https?|wss?):$/.test(url.protocol)) {
    throw new Error(`ERRAND_BROWSER_CDP_URL is no http or ws address: ${cdpUrl}`);
  }
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  const isLoopback = isIP(host) === 0 ? host === "localhost" : addressKind(host) === "loopback";
  if (isLoopback) return;
  throw new Error(
    `The browser at ${url.host} is not on this machine, so the list of allowed hosts could not hold for it. ` +
      "Start a browser on this machine and give its loopback address, or let Errand start one itself.",
  );
}

/**
 * A browser that somebody else started, for one session: a connection of its own, and a context of its own that goes
 * when the connection does. The process stays.
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

/** What goes around a proxy can only be closed when a browser starts, so it is asked how it was started. */
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
    throw new Error(`The browser must be started so that nothing gets around the proxy. It lacks: ${quoted}`);
  } catch (error) {
    await browser.close();
    throw new Error(`The browser at ERRAND_BROWSER_CDP_URL cannot be used. ${describeError(error)}`, { cause: error });
  }
}

/** Ends the contexts of this connection, then the connection, and waits for neither for long. */
async function disconnect(browser: Browser): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, CLOSE_TIMEOUT_MS);
  await Promise.race([browser.close(), late]);
  clearTimeout(timer);
}
