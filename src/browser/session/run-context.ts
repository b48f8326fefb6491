import type { Browser } from "playwright-core";
import { type ConfinedContext, type ConfinedContextOptions, openConfinedContext } from "../egress/confined-context.ts";
import type { EgressProxy } from "../egress/egress-proxy.ts";
import { OPEN_SHADOW_ROOTS } from "../observation/open-shadow-roots.ts";
import { REMEMBER_LISTENERS } from "../observation/remember-listeners.ts";

export const VIEWPORT = { width: 1280, height: 800 };
const ACTION_TIMEOUT_MS = 10_000;

type VariedOption = "storageState" | "serviceWorkers" | "viewport" | "hasTouch" | "isMobile" | "acceptDownloads";

/** A context as all of ours are: one language, one time zone, and the run's proxy as its only way out. */
export async function openRunContext(
  browser: Browser,
  proxy: EgressProxy,
  options: Pick<ConfinedContextOptions, VariedOption>,
): Promise<ConfinedContext> {
  const confined = await openConfinedContext(browser, proxy, {
    viewport: VIEWPORT,
    locale: "en-US",
    timezoneId: "UTC",
    userAgent: await readUserAgent(browser),
    ...options,
  });
  const { context } = confined;
  context.setDefaultTimeout(ACTION_TIMEOUT_MS);
  await context.addInitScript(OPEN_SHADOW_ROOTS);
  await context.addInitScript(REMEMBER_LISTENERS);
  return confined;
}

/** Without the word "Headless", by which many sites turn away whoever comes without a screen. */
async function readUserAgent(browser: Browser): Promise<string> {
  const session = await browser.newBrowserCDPSession();
  const { userAgent } = await session.send("Browser.getVersion");
  await session.detach();
  return userAgent.replace("HeadlessChrome/", "Chrome/");
}
