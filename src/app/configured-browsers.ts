import { countMissingBrowser } from "../browser/pool/browser-metrics.ts";
import type { BrowserPool } from "../browser/pool/browser-pool.ts";
import { locateBrowser } from "../browser/pool/locate-browser.ts";
import type { BrowserState } from "../browser/state/browser-state.ts";
import type { Config } from "../config/config.ts";
import { readEnvironment } from "../config/env.ts";
import type { OpenLiveBrowser } from "../connections/sign-in/live-browser.ts";
import type { Clock } from "../lib/clock.ts";
import { intersectHostPatterns } from "../lib/hosts.ts";
import { INSTALL_BROWSER_COMMAND } from "../lib/installation.ts";
import type { Logger } from "../lib/logger.ts";

type BrowserSettings = Pick<Config, "browserPath" | "browserCdpUrls" | "browserMaxMemoryMb">;

/**
 * The browser pool that the settings describe. It opens on first use and tries again after a failure: the service runs
 * without a browser, and finds one that is installed later.
 */
export function createConfiguredBrowsers(
  config: BrowserSettings,
  { warm, logger }: { warm: number; logger: Logger },
): BrowserPool {
  let pool: Promise<BrowserPool> | null = null;

  function open(): Promise<BrowserPool> {
    pool ??= createPool(config, warm, logger).catch((error: Error) => {
      pool = null;
      countMissingBrowser();
      throw error;
    });
    return pool;
  }

  return {
    openSession: async (options, signal) => (await open()).openSession(options, signal),
    openLive: async (options, signal) => (await open()).openLive(options, signal),
    checkReady: async () => (await open()).checkReady(),
    async [Symbol.asyncDispose]() {
      const opened = await pool?.catch(() => null);
      await opened?.[Symbol.asyncDispose]();
    },
  };
}

async function createPool(
  { browserPath, browserCdpUrls, browserMaxMemoryMb }: BrowserSettings,
  warm: number,
  logger: Logger,
): Promise<BrowserPool> {
  // Loaded lazily: Playwright takes almost half a second.
  const { createBrowserPool } = await import("../browser/pool/browser-pool.ts");
  if (browserCdpUrls.length > 0) return createBrowserPool({ cdpUrls: browserCdpUrls, warm, logger });
  const browser = await locateBrowser({ explicitPath: browserPath, searchPath: readEnvironment()["PATH"] ?? "" });
  if (browser === null) {
    throw new Error(
      `No Chrome, Chromium or headless shell found. Run ${INSTALL_BROWSER_COMMAND}, or set ERRAND_BROWSER_PATH.`,
    );
  }
  const process = { maxMemoryBytes: browserMaxMemoryMb * 1024 ** 2 };
  return createBrowserPool({ executablePath: browser.path, warm, logger, process });
}

interface LiveBrowserSource {
  pool: Pick<BrowserPool, "openLive">;
  /** Private hosts that browsers may reach. */
  privateHosts: readonly string[];
  clock: Clock;
}

/** Opens browsers in which people sign in to the site of an application. */
export function createLiveBrowserOpener({ pool, privateHosts, clock }: LiveBrowserSource): OpenLiveBrowser {
  return ({ siteHosts, state, ...live }, signal) => {
    // Whoever may register an application must not reach the private hosts that were opened for another one.
    const own = intersectHostPatterns(privateHosts, siteHosts);
    const given = state === undefined ? {} : { state: state as BrowserState };
    return pool.openLive({ ...live, ...given, privateHosts: own, clock }, signal);
  };
}
