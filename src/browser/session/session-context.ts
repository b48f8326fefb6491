import type { Browser, BrowserContext, Page } from "playwright-core";
import { withTimeout } from "../../lib/waiting.ts";
import { type ConfinedContext, type ConfinedContextOptions, openConfinedContext } from "../egress/confined-context.ts";
import { type EgressProxy, startEgressProxy } from "../egress/egress-proxy.ts";
import { OPEN_SHADOW_ROOTS, RECORD_LISTENERS } from "../observation/in-page/init-scripts.ts";
import { seedSessionStorage } from "../state/browser-state.ts";
import { Dialogs } from "./dialogs.ts";
import { Downloads } from "./downloads.ts";
import type { Lifeline } from "./lifeline.ts";
import { NetworkRecorder } from "./network-recorder.ts";
import type { RunningBrowser, SessionLimits, SessionOptions } from "./session-options.ts";
import { Tabs } from "./tabs.ts";
import { Timeline } from "./timeline.ts";
import { createUrlPolicy, RefusedHosts, type UrlPolicy } from "./url-policy.ts";
import { blockWebSockets, blockWrites, interceptWrites } from "./write-interceptor.ts";

const CLOSE_TIMEOUT_MS = 2_000;

interface SessionContextOptions {
  readonly browser: Browser;
  readonly options: SessionOptions;
  readonly lifeline: Lifeline;
  readonly limits: SessionLimits;
  readonly downloadsFolder: string;
  /** Whether nobody else uses this browser. */
  readonly isExclusive: boolean;
  /** Whether somebody stands already where requests leave the browser. */
  readonly isTapped?: boolean;
}

/** A context with its own way out, and everything that watches it. */
export interface SessionContext extends AsyncDisposable {
  readonly context: BrowserContext;
  readonly timeline: Timeline;
  readonly policy: UrlPolicy;
  readonly refused: RefusedHosts;
  readonly network: NetworkRecorder;
  readonly tabs: Tabs;
  readonly dialogs: Dialogs;
  readonly downloads: Downloads;
  readonly lifeline: Lifeline;
  readonly limits: SessionLimits;
}

/** A world ends with its browser. */
export function followBrowser({ browser, explainEnd }: RunningBrowser, lifeline: Lifeline): void {
  browser.once("disconnected", () => {
    lifeline.lose(explainEnd() ?? "The browser has ended: it crashed or was killed.");
  });
  if (!browser.isConnected()) lifeline.lose("The browser ended before it was used.");
}

export async function openSessionContext(world: SessionContextOptions): Promise<SessionContext> {
  const { allowedHosts, privateHosts, clock } = world.options;
  const timeline = new Timeline();
  const refused = new RefusedHosts(timeline);
  const onRefused = refused.note.bind(refused);
  const proxy = await startEgressProxy({ allowedHosts, privateHosts, clock, onRefused });
  try {
    // Some questions to a browser stay without an answer when it ends, and all of them when it hangs.
    const opening = openBehindProxy(proxy, world, timeline, refused);
    const opened = await world.lifeline.until(withTimeout(opening, world.limits.openMs));
    return opened ?? (await abandonOpening(opening, world.lifeline));
  } catch (error) {
    await proxy[Symbol.asyncDispose]();
    throw error;
  }
}

/** It may still come about, without anybody to close it. */
async function abandonOpening(opening: Promise<SessionContext>, lifeline: Lifeline): Promise<never> {
  opening.then(
    (world) => world[Symbol.asyncDispose](),
    () => {},
  );
  throw lifeline.lose("The browser hangs: no page can be opened in it.");
}

async function openBehindProxy(
  proxy: EgressProxy,
  { browser, options, lifeline, limits, downloadsFolder, isExclusive, isTapped = false }: SessionContextOptions,
  timeline: Timeline,
  refused: RefusedHosts,
): Promise<SessionContext> {
  const { access, clock, state } = options;
  const isReadOnly = access === "read_only";
  const { context, page } = await openBrowserContext(browser, proxy, {
    serviceWorkers: isReadOnly ? "block" : "allow",
    ...(state === undefined ? {} : { storageState: state.storage }),
  });
  if (state !== undefined) await seedSessionStorage(context, state.sessionStorage);
  const policy = createUrlPolicy(options);
  const network = new NetworkRecorder({ timeline, clock, policy, refused, lifeline, limits, isReadOnly });
  if (isReadOnly) await blockWebSockets(context);
  if (isReadOnly && !isExclusive) await blockWrites(context);
  if (isExclusive && !isTapped) {
    await interceptWrites(browser, { holdsBack: isReadOnly, onWrite: (write) => network.follow(write) });
  }
  const dialogs = new Dialogs(timeline, limits);
  const downloads = new Downloads({ timeline, folder: downloadsFolder, limits: options.downloads });
  for (const watcher of [network, dialogs, downloads]) watcher.watch(context);
  const onOpened = (opened: Page) => network.watchWebSockets(opened);
  const tabs = new Tabs(context, page, { timeline, lifeline, limits, onOpened });
  return {
    context,
    timeline,
    policy,
    refused,
    network,
    tabs,
    dialogs,
    downloads,
    lifeline,
    limits,
    async [Symbol.asyncDispose]() {
      tabs.stop();
      // A page that hangs does not close; it goes with its browser.
      await withTimeout(
        context.close().catch(() => {}),
        CLOSE_TIMEOUT_MS,
      );
      await proxy[Symbol.asyncDispose]();
    },
  };
}

export const VIEWPORT = { width: 1280, height: 800 };
const ACTION_TIMEOUT_MS = 10_000;

type VariedOption = "storageState" | "serviceWorkers" | "viewport" | "hasTouch" | "isMobile" | "acceptDownloads";

/** A context as all of ours are: one language, one time zone, and the run's proxy as its only way out. */
export async function openBrowserContext(
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
  await context.addInitScript(RECORD_LISTENERS);
  return confined;
}

/** Without the word "Headless", by which many sites turn away whoever comes without a screen. */
async function readUserAgent(browser: Browser): Promise<string> {
  const session = await browser.newBrowserCDPSession();
  const { userAgent } = await session.send("Browser.getVersion");
  await session.detach();
  return userAgent.replace("HeadlessChrome/", "Chrome/");
}
