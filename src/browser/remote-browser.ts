import { isIP } from "node:net";
import type { Browser } from "playwright-core";
import { addressKind } from "../lib/address-kind.ts";
import { describeError } from "../lib/describe-error.ts";
import { createBrowserFolder } from "./browser-folder.ts";
import { VISIBILITY_ARGUMENTS } from "./browser-process.ts";
import { EGRESS_ARGUMENTS } from "./egress/launch-arguments.ts";
import type { RunningBrowser } from "./running-browser.ts";

const CONNECT_TIMEOUT_MS = 15_000;
const CLOSE_TIMEOUT_MS = 5_000;

/**
 * The allow-list is a proxy on this machine's loopback: a browser elsewhere cannot reach it, and would be free to go
 * where it likes if it were started without it.
 */
export function assertOnThisMachine(cdpUrl: string): void {
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
export async function connectToBrowser(cdpUrl: string): Promise<RunningBrowser> {
  assertOnThisMachine(cdpUrl);
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
