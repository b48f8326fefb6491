import type { BrowserContext } from "playwright-core";
import { abortable, withTimeout } from "../../lib/waiting.ts";
import { type EgressProxy, startEgressProxy } from "../egress/egress-proxy.ts";
import type { SiteView } from "../observation/site-view.ts";
import { NavigationFailed, SessionLost } from "../session/browser-session.ts";
import { stopLoading } from "../session/navigate.ts";
import { dispatchInput, InputQueue } from "../session/page-input.ts";
import type { PageInput } from "../session/person-input.ts";
import { openBrowserContext } from "../session/session-context.ts";
import type { RunningBrowser } from "../session/session-options.ts";
import { type BrowserState, captureState, seedStorage } from "../state/browser-state.ts";
import { ProxyFailures } from "./failure-messages.ts";
import {
  type ControlInput,
  isControl,
  type LiveBrowser,
  type LiveInput,
  type LiveListener,
  type LiveOptions,
  type Viewport,
} from "./live-browser.ts";
import { LiveDialogs } from "./live-dialogs.ts";
import { Debounce, muteWhenOver, PageReport } from "./live-reports.ts";
import type { LiveTab } from "./live-tab.ts";
import { LiveTabs } from "./live-tabs.ts";
import { Screencast } from "./screencast.ts";
import { type EnteredForm, enterSignIn, type SignInEntry } from "./sign-in-form.ts";
import { NoPageSent, openUrl, viewSite, visitIn, waitForLoad } from "./visit.ts";

interface OpenLiveOptions {
  /** Disposed of with the live browser, also when opening fails. */
  readonly running: RunningBrowser;
  readonly options: LiveOptions;
}

export async function openLive({ running, options }: OpenLiveOptions, signal: AbortSignal): Promise<LiveBrowser> {
  const { privateHosts, clock } = options;
  const failures = new ProxyFailures();
  const proxy = await startEgressProxy({
    allowedHosts: "public",
    privateHosts,
    clock,
    onRefused: (entry) => failures.addRefusal(entry),
    onFailed: (destination, error) => failures.addFailure(destination, error),
  });
  const session = new LiveSession({ running, options, proxy, failures });
  try {
    await abortable(session.open(), signal);
    return session;
  } catch (error) {
    await session[Symbol.asyncDispose]();
    throw error;
  }
}

interface LiveSessionOptions extends OpenLiveOptions {
  readonly proxy: EgressProxy;
  readonly failures: ProxyFailures;
}

const BLANK = "about:blank";
const MAX_TABS = 8;
const NAVIGATION_MS = 30_000;
const VISIT_MS = 15_000;
const CLOSE_MS = 2_000;
/** A page that does not respond for this long counts as hanging. */
const HANG_MS = 3_000;
const DISMISS_MS = 500;
const SETTLED = { quietMs: 500, maxMs: 3_000 };

interface Opened {
  readonly context: BrowserContext;
  readonly tabs: LiveTabs;
  readonly dialogs: LiveDialogs;
}

class LiveSession implements LiveBrowser {
  readonly #given: LiveSessionOptions;
  readonly #screencast: Screencast;
  readonly #queue = new InputQueue((input) => this.#dispatch(input));
  readonly #listener: LiveListener;
  readonly #settled: Debounce;
  readonly #report: PageReport;
  #viewport: Viewport;
  #opened: Opened | null = null;
  /** Whether a new tab is still empty because its navigation has not begun. Nothing is reported then. */
  #isOpening = false;
  #isOver = false;
  readonly #fitting = new Set<LiveTab>();
  readonly #inProgress = new Set<"back" | "reload">();

  constructor(given: LiveSessionOptions) {
    this.#given = given;
    this.#viewport = toEven(given.options.viewport);
    const listener = muteWhenOver(given.options.listener, () => this.#isOver);
    this.#listener = listener;
    this.#screencast = new Screencast((frame) => listener.onFrame(frame));
    this.#settled = new Debounce(() => listener.onSettled(), SETTLED);
    this.#report = new PageReport(
      () => (this.#isOpening ? null : (this.#opened?.tabs ?? null)),
      (page) => listener.onPage(page),
    );
  }

  /** Returns when the first tab exists. The outcome of its navigation is reported to the listener. */
  async open(): Promise<void> {
    const { running, options, failures } = this.#given;
    running.browser.once("disconnected", () => this.#lose());
    const context = await this.#openContext(options.state);
    const tabs = new LiveTabs({
      context,
      maxTabs: MAX_TABS,
      onSwitched: (tab) => this.#show(tab),
      onNone: () => void this.#openTab(options.url).catch(() => this.#lose()),
      events: {
        failures,
        onChanged: () => this.#report.request(),
        onActivity: (tab) => {
          if (tab === tabs.current) this.#settled.request();
        },
        onField: (tab) => {
          if (tab === tabs.current) this.#listener.onField(tab.field);
        },
        onChoices: (tab, choices) => {
          if (tab === tabs.current) this.#listener.onChoices(choices);
        },
      },
    });
    const dialogs = new LiveDialogs(context, (dialog) => {
      // Pending input was meant for the page without the dialog, so it is dropped.
      this.#queue.interrupt();
      this.#listener.onDialog(dialog);
    });
    this.#opened = { context, tabs, dialogs };
    await this.#openTab(options.url);
  }

  input(input: LiveInput): void {
    if (this.#isOver || this.#opened === null) return;
    if (isControl(input)) this.#control(input, this.#opened).catch(ignoreGone);
    else if (!this.#opened.dialogs.isOpen) this.#queue.push(input);
  }

  async view(signal: AbortSignal): Promise<SiteView> {
    const { tab, dialogs } = this.#getOpened();
    if (dialogs.isOpen) throw new NavigationFailed("The site shows a dialog. Answer it first.");
    if (tab.failure !== null) throw new NavigationFailed(tab.failure);
    try {
      return await viewSite({ observer: tab.observer, status: () => tab.status }, signal);
    } catch (error) {
      if (!tab.page.isClosed() || signal.aborted) throw error;
    }
    // The tab was closed meanwhile. Another one is current now, or the browser is gone.
    return this.view(signal);
  }

  async visit(url: string, signal: AbortSignal): Promise<SiteView> {
    const { dialogs, tab } = await this.#prepareVisit();
    dialogs.allowsLeaving = true;
    try {
      await openUrl(tab.page, url, { failures: this.#given.failures, timeoutMs: VISIT_MS, signal });
    } finally {
      dialogs.allowsLeaving = false;
    }
    await waitForLoad(tab.page, signal);
    return this.view(signal);
  }

  async visitSignedOut(url: string, signal: AbortSignal): Promise<SiteView> {
    this.#getOpened();
    const context = await this.#openContext();
    try {
      return await visitIn(context, url, { failures: this.#given.failures, timeoutMs: VISIT_MS, signal });
    } finally {
      await withTimeout(context.close().catch(ignoreGone), CLOSE_MS);
    }
  }

  async enterSignIn(entry: SignInEntry, signal: AbortSignal): Promise<EnteredForm> {
    const { tab, dialogs } = this.#getOpened();
    // A page that shows a dialog does not respond.
    const dismissing = setInterval(() => dialogs.answer(false, ""), DISMISS_MS);
    try {
      const entered = await abortable(enterSignIn(tab.page, entry, signal), signal);
      if (entered.isSent) await waitForLoad(tab.page, signal);
      return entered;
    } finally {
      clearInterval(dismissing);
    }
  }

  async capture(): Promise<BrowserState> {
    const { context, tabs, dialogs } = this.#getOpened();
    dialogs.answer(false, "");
    const { state } = await captureState({ context, pages: tabs.pages(), given: this.#given.options.state ?? null });
    return state;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { running, proxy } = this.#given;
    // Closed last, and also when the browser cannot be ended.
    await using _proxy = proxy;
    this.#end();
    await running[Symbol.asyncDispose]();
  }

  async #openContext(state?: BrowserState): Promise<BrowserContext> {
    const { running, proxy, options } = this.#given;
    const settings = {
      viewport: this.#viewport,
      hasTouch: options.isTouch,
      isMobile: options.isTouch,
      acceptDownloads: false,
      ...(state === undefined ? {} : { storageState: state.storage }),
    };
    const { context, page } = await openBrowserContext(running.browser, proxy, settings, async (opened) => {
      if (state !== undefined) await seedStorage(opened, state.sessionStorage);
    });
    await page.close();
    return context;
  }

  #getOpened() {
    const tab = this.#opened?.tabs.current ?? null;
    if (this.#isOver || this.#opened === null) throw new SessionLost("The browser has closed.");
    if (tab === null) throw new NavigationFailed("No page is open.");
    return { ...this.#opened, tab };
  }

  async #prepareVisit() {
    const { tab, dialogs } = this.#getOpened();
    dialogs.answer(false, "");
    if (tab.isCrashed) await this.#replace(tab, BLANK);
    return this.#getOpened();
  }

  async #openTab(url: string): Promise<void> {
    if (this.#isOver || this.#opened === null) return;
    this.#isOpening = true;
    try {
      const page = await this.#opened.context.newPage();
      const tab = this.#opened.tabs.current;
      if (tab?.page !== page || url === BLANK) return;
      tab.expect(url);
      void this.#goto(tab, url);
    } finally {
      this.#isOpening = false;
      this.#report.request();
    }
  }

  async #goto(tab: LiveTab, url: string): Promise<void> {
    const { signal } = new AbortController();
    try {
      await openUrl(tab.page, url, { failures: this.#given.failures, timeoutMs: NAVIGATION_MS, signal });
    } catch (error) {
      if (!(error instanceof NavigationFailed) || this.#isOver) return;
      // The tab still shows its previous page.
      if (error instanceof NoPageSent && tab.page.url() !== BLANK) return;
      tab.fail(error.message);
    }
  }

  #show(tab: LiveTab): void {
    if (this.#isOver) return;
    this.#queue.interrupt();
    this.#screencast.show(tab.page, this.#viewport);
    tab.page.bringToFront().catch(ignoreGone);
    this.#fit(tab).catch(ignoreGone);
    this.#listener.onChoices(null);
    this.#listener.onField(tab.field);
    this.#report.request();
    this.#settled.request();
  }

  /** Resizes the current tab. Background tabs keep their size until they are shown. The newest size wins. */
  async #fit(tab: LiveTab): Promise<void> {
    const isCurrent = () => tab === this.#opened?.tabs.current && !this.#isOver;
    if (this.#fitting.has(tab) || this.#hasSize(tab)) return;
    this.#fitting.add(tab);
    try {
      while (isCurrent() && !this.#hasSize(tab)) await tab.page.setViewportSize(this.#viewport);
    } finally {
      this.#fitting.delete(tab);
    }
    if (isCurrent()) this.#screencast.show(tab.page, this.#viewport);
  }

  #hasSize({ page }: LiveTab): boolean {
    const size = page.viewportSize();
    return size?.width === this.#viewport.width && size.height === this.#viewport.height;
  }

  async #dispatch(input: PageInput): Promise<void> {
    const tab = this.#opened?.tabs.current;
    if (!tab || tab.isCrashed) return;
    await tab.watched;
    const session = await tab.session;
    await dispatchInput({ session, offerPaste: (text) => tab.watch.offerPaste(text) }, input);
  }

  async #control(input: ControlInput, { tabs, dialogs }: Opened): Promise<void> {
    const { current } = tabs;
    switch (input.type) {
      case "answer_dialog":
        return dialogs.answer(input.accept, input.text);
      case "choose":
        this.#listener.onChoices(null);
        return current?.watch.choose(input.index);
      case "choose_tab": {
        const tab = tabs.find(input.id);
        return tab === null ? undefined : tabs.choose(tab);
      }
      case "close_tab":
        return tabs.find(input.id)?.page.close();
      case "resize":
        this.#viewport = toEven(input);
        return current === null ? undefined : this.#fit(current);
      case "back":
        return this.#once("back", async () => current?.goBack());
      case "reload":
        return this.#once("reload", async () => (current === null ? undefined : this.#reload(current)));
    }
  }

  /** Ignores repeated requests while one is in progress. */
  async #once(what: "back" | "reload", work: () => Promise<void>): Promise<void> {
    if (this.#inProgress.has(what)) return;
    this.#inProgress.add(what);
    try {
      await withTimeout(work(), NAVIGATION_MS);
    } finally {
      this.#inProgress.delete(what);
    }
  }

  /** Never sends a form again: a page that is the result of a form is requested with GET. */
  async #reload(tab: LiveTab): Promise<void> {
    if (tab.isCrashed || !(await this.#isResponding(tab))) await this.#replace(tab, tab.url);
    else if (tab.isFromForm || tab.failure !== null) await this.#goto(tab, tab.url);
    else await (await tab.session).send("Page.reload");
  }

  /** A page that hangs would not load a new document either. One that is blocked by a dialog would. */
  async #isResponding(tab: LiveTab): Promise<boolean> {
    if (this.#opened?.dialogs.isOpen === true) return true;
    // While a document is pending, Chromium runs no script in the page.
    await stopLoading(tab.page);
    const ping = (await tab.session).send("Runtime.evaluate", { expression: "1" });
    return (await withTimeout(ping, HANG_MS)) !== null || tab.page.isClosed();
  }

  /** A page that has crashed or hangs cannot be used again. */
  async #replace(lost: LiveTab, url: string): Promise<void> {
    lost.isCrashed = true;
    await this.#openTab(url);
    await lost.page.close();
  }

  #lose(): void {
    this.#listener.onLost("The browser has closed unexpectedly.");
    this.#end();
  }

  #end(): void {
    this.#isOver = true;
    this.#queue.interrupt();
    this.#settled.cancel();
    this.#report.cancel();
    this.#screencast.stop();
  }
}

/** Screencast frames have even sides. A viewport with odd sides would be scaled, and blurred. */
function toEven({ width, height }: Viewport): Viewport {
  return { width: width - (width % 2), height: height - (height % 2) };
}

/** The tab is gone by now. */
function ignoreGone(): void {}
