import type { Browser, BrowserContext, Page } from "playwright-core";
import { systemClock } from "../../lib/clock.ts";
import { withTimeout } from "../../lib/waiting.ts";
import { type ConfinedContext, type ConfinedContextOptions, openConfinedContext } from "../egress/confined-context.ts";
import { type EgressProxy, startEgressProxy } from "../egress/egress-proxy.ts";
import { OPEN_SHADOW_ROOTS, RECORD_LISTENERS } from "../observation/in-page/init-scripts.ts";
import { KEEP_SCANNER } from "../observation/read-page.ts";
import { seedStorage } from "../state/browser-state.ts";
import { Dialogs } from "./dialogs.ts";
import { Downloads } from "./downloads.ts";
import type { Lifeline } from "./lifeline.ts";
import { LongPolls } from "./long-polls.ts";
import { NetworkRecorder } from "./network-recorder.ts";
import { isGraphqlQuery } from "./read-request.ts";
import type { BlankContext, RunningBrowser, SessionLimits, SessionOptions } from "./session-options.ts";
import { Tabs } from "./tabs.ts";
import { Timeline } from "./timeline.ts";
import { createUrlPolicy, RefusedHosts, type UrlPolicy } from "./url-policy.ts";
import {
  blockWebSockets,
  blockWrites,
  filterWebSockets,
  gateContext,
  type InterceptedWrite,
  type IsBlocked,
  type IsFrameAllowed,
  interceptWrites,
  type RequestGate,
  type WriteInterceptor,
} from "./write-interceptor.ts";

interface SessionContextOptions {
  readonly browser: Browser;
  readonly options: SessionOptions;
  readonly lifeline: Lifeline;
  readonly limits: SessionLimits;
  readonly downloadsFolder: string;
  /** Whether only this session uses the browser. */
  readonly isExclusive: boolean;
  /** A context that was opened in advance; null when there is none left. */
  readonly takeBlank?: (() => BlankContext | null) | undefined;
  /** What intercepts the writes of the browser already. */
  readonly interceptor?: WriteInterceptor | null;
  /** Which writes a read-only context blocks: all but GraphQL queries without it. */
  readonly isBlocked?: IsBlocked;
  /** Which WebSocket messages a read-only context sends: without it, it has no WebSockets. */
  readonly isFrameAllowed?: IsFrameAllowed;
}

/** A browser context behind its own egress proxy, with everything that records what happens in it. */
export interface SessionContext extends AsyncDisposable {
  readonly browserContext: BrowserContext;
  readonly timeline: Timeline;
  readonly policy: UrlPolicy;
  readonly refused: RefusedHosts;
  readonly network: NetworkRecorder;
  readonly longPolls: LongPolls;
  readonly tabs: Tabs;
  readonly dialogs: Dialogs;
  readonly downloads: Downloads;
  /** Null in a browser that other sessions use as well. */
  readonly interceptor: WriteInterceptor | null;
  readonly lifeline: Lifeline;
  readonly limits: SessionLimits;
}

/** The session is lost when its browser ends. */
export function followBrowser({ browser, explainEnd }: RunningBrowser, lifeline: Lifeline): void {
  browser.once("disconnected", () => {
    lifeline.lose(explainEnd() ?? "The browser crashed or was killed.");
  });
  if (!browser.isConnected()) lifeline.lose("The browser ended before it was used.");
}

export async function openSessionContext(given: SessionContextOptions): Promise<SessionContext> {
  const { options, lifeline, limits } = given;
  const { allowedHosts, privateHosts, clock } = options;
  const timeline = new Timeline();
  const refused = new RefusedHosts(timeline);
  const onRefused = refused.add.bind(refused);
  const rules = { allowedHosts, privateHosts, onRefused };
  const blank = storageOf(options) === null ? (given.takeBlank?.() ?? null) : null;
  blank?.proxy.setRules(rules);
  const proxy = blank?.proxy ?? (await startEgressProxy({ ...rules, clock }));
  try {
    // DevTools calls may never settle when the browser ends or hangs.
    const opening = openBehindProxy(proxy, blank, given, timeline, refused);
    const opened = await lifeline.unlessLost(withTimeout(opening, limits.openMs));
    return opened ?? (await abandonOpening(opening, lifeline));
  } catch (error) {
    await proxy[Symbol.asyncDispose]();
    throw error;
  }
}

/** What a context must be opened with: later, the storage of origins that the run does not visit could not be read again. */
function storageOf({ state }: SessionOptions) {
  return state === undefined || state.storage.origins.length === 0 ? null : state.storage;
}

/** It may still succeed later, when nobody is left to close it. */
async function abandonOpening(opening: Promise<SessionContext>, lifeline: Lifeline): Promise<never> {
  opening.then(
    (context) => context[Symbol.asyncDispose](),
    () => {},
  );
  throw lifeline.lose("The browser hangs. It cannot open a page.");
}

async function openBehindProxy(
  proxy: EgressProxy,
  blank: BlankContext | null,
  given: SessionContextOptions,
  timeline: Timeline,
  refused: RefusedHosts,
): Promise<SessionContext> {
  const { browser, options, lifeline, limits, downloadsFolder, isExclusive } = given;
  const { isBlocked = (write) => !isGraphqlQuery(write), isFrameAllowed } = given;
  const { access, clock, state } = options;
  const isReadOnly = access === "read_only";
  const storageState = storageOf(options);
  const { context: browserContext, page } =
    blank ?? (await openBrowserContext(browser, proxy, storageState === null ? {} : { storageState }));
  if (isReadOnly) {
    await browserContext.addInitScript(blockServiceWorkers);
    await (isFrameAllowed ? filterWebSockets(browserContext, isFrameAllowed) : blockWebSockets(browserContext));
  }
  if (state !== undefined) {
    if (storageState === null) await browserContext.addCookies(state.storage.cookies);
    await seedStorage(browserContext, state.sessionStorage);
  }
  const policy = createUrlPolicy(options);
  const network = new NetworkRecorder({
    timeline,
    clock,
    policy,
    refused,
    lifeline,
    limits,
    isReadOnly,
    isFrameAllowed: isFrameAllowed ?? (() => false),
  });
  const gate: RequestGate = isReadOnly ? blockWrites(isBlocked) : (request) => network.held.decide(request);
  let interceptor = given.interceptor ?? null;
  if (!isExclusive) await gateContext(browserContext, gate);
  else if (interceptor === null) {
    const onWrite = (write: InterceptedWrite) => network.trackWrite(write);
    interceptor = await interceptWrites(browser, { gate, isStrict: isReadOnly, onWrite });
  }
  const dialogs = new Dialogs(timeline, limits);
  const downloads = new Downloads({ timeline, folder: downloadsFolder, limits: options.downloads });
  for (const watcher of [network, dialogs, downloads]) watcher.watch(browserContext);
  const onOpened = (opened: Page) => network.watchWebSockets(opened);
  const tabs = new Tabs(browserContext, page, { timeline, lifeline, limits, onOpened });
  return {
    browserContext,
    timeline,
    policy,
    refused,
    network,
    longPolls: new LongPolls(),
    tabs,
    dialogs,
    downloads,
    interceptor,
    lifeline,
    limits,
    async [Symbol.asyncDispose]() {
      tabs.stop();
      // A page that hangs does not close. It ends with its browser.
      await withTimeout(
        browserContext.close().catch(() => {}),
        CLOSE_TIMEOUT_MS,
      );
      await proxy[Symbol.asyncDispose]();
    },
  };
}

const CLOSE_TIMEOUT_MS = 2_000;

export const VIEWPORT = { width: 1280, height: 800 };
const ACTION_TIMEOUT_MS = 10_000;

type VariedOption = "storageState" | "viewport" | "hasTouch" | "isMobile" | "acceptDownloads";

/** Opens a context that nothing leaves until it is taken. */
export async function openBlankContext(browser: Browser): Promise<BlankContext> {
  const proxy = await startEgressProxy({ allowedHosts: [], privateHosts: [], clock: systemClock });
  try {
    return { proxy, ...(await openBrowserContext(browser, proxy)) };
  } catch (error) {
    await proxy[Symbol.asyncDispose]();
    throw error;
  }
}

/** Runs in the page. Service workers keep running after their page has closed. */
function blockServiceWorkers(): void {
  if ("ServiceWorkerContainer" in globalThis)
    ServiceWorkerContainer.prototype.register = async () => undefined as unknown as ServiceWorkerRegistration;
}

/** Opens a context with the common settings: language, time zone, user agent, init scripts, and its proxy. */
export async function openBrowserContext(
  browser: Browser,
  proxy: EgressProxy,
  options: Pick<ConfinedContextOptions, VariedOption> = {},
  prepare: (context: BrowserContext) => Promise<void> = async () => {},
): Promise<ConfinedContext> {
  const userAgent = await readUserAgent(browser);
  const settings = { viewport: VIEWPORT, locale: "en-US", timezoneId: "UTC", userAgent, ...options };
  return await openConfinedContext(browser, proxy, settings, async (context) => {
    context.setDefaultTimeout(ACTION_TIMEOUT_MS);
    await context.addInitScript([OPEN_SHADOW_ROOTS, RECORD_LISTENERS, KEEP_SCANNER].join("\n"));
    await prepare(context);
  });
}

/** Without the word "Headless", because many sites reject headless browsers by it. */
async function readUserAgent(browser: Browser): Promise<string> {
  const session = await browser.newBrowserCDPSession();
  const { userAgent } = await session.send("Browser.getVersion");
  await session.detach();
  return userAgent.replace("HeadlessChrome/", "Chrome/");
}
