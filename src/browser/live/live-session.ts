import type { BrowserContext } from "playwright-core";
import { abortable, withTimeout } from "../../lib/waiting.ts";
import { startEgressProxy } from "../egress/egress-proxy.ts";
import type { SiteView } from "../observation/site-view.ts";
import { NavigationFailed, SessionLost } from "../session/browser-session.ts";
import { stopLoading } from "../session/navigate.ts";
import { openBrowserContext } from "../session/session-context.ts";
import type { RunningBrowser } from "../session/session-options.ts";
import { type BrowserState, captureState } from "../state/browser-state.ts";
import { ProxyFailures } from "./failure-messages.ts";
import {
  type ControlInput,
  isControl,
  type LiveBrowser,
  type LiveInput,
  type LiveListener,
  type LiveOptions,
  type PageInput,
  type Viewport,
} from "./live-browser.ts";
import { LiveDialogs } from "./live-dialogs.ts";
import { Debounce, muteWhenOver, PageReport } from "./live-reports.ts";
import type { LiveTab } from "./live-tab.ts";
import { LiveTabs } from "./live-tabs.ts";
import { dispatchInput, InputQueue } from "./page-input.ts";
import { Screencast } from "./screencast.ts";
import { FILE, NO_PAGE, openUrl, viewSite, visitIn, waitForRest } from "./visit.ts";

interface LiveSessionOptions {
  readonly running: RunningBrowser;
  readonly options: LiveOptions;
  readonly verdicts: ProxyFailures;
  readonly openContext: (viewport: Viewport) => Promise<BrowserContext>;
}

const BLANK = "about:blank";
const MAX_TABS = 8;
const NAVIGATION_MS = 30_000;
const VISIT_MS = 15_000;
const CLOSE_MS = 2_000;
const STANDING_STILL_MS = 3_000;
const REST = { quietMs: 500, maxMs: 3_000 };

interface Opened {
  readonly context: BrowserContext;
  readonly tabs: LiveTabs;
  readonly dialogs: LiveDialogs;
}

/** The browser of one person, from its first page to its end. */
class LiveSession implements AsyncDisposable {
  readonly #given: LiveSessionOptions;
  readonly #cast: Screencast;
  readonly #queue = new InputQueue((input) => this.#dispatch(input));
  readonly #listener: LiveListener;
  readonly #rest: Debounce;
  readonly #report: PageReport;
  #viewport: Viewport;
  #opened: Opened | null = null;
  /** While a tab of ours is empty because it has not been told yet where to go, there is nothing to tell of it. */
  #isOpening = false;
  #isOver = false;
  readonly #fitting = new Set<LiveTab>();
  readonly #underWay = new Set<"back" | "reload">();

  constructor(given: LiveSessionOptions) {
    this.#given = given;
    this.#viewport = toEven(given.options.viewport);
    const listener = muteWhenOver(given.options.listener, () => this.#isOver);
    this.#listener = listener;
    this.#cast = new Screencast((frame) => listener.onFrame(frame));
    this.#rest = new Debounce(() => listener.onRest(), REST);
    this.#report = new PageReport(
      () => (this.#isOpening ? null : (this.#opened?.tabs ?? null)),
      (page) => listener.onPage(page),
    );
  }

  /** Ends when there is a tab; what becomes of the address in it is told later. */
  async open(): Promise<void> {
    const { running, options, openContext, verdicts } = this.#given;
    running.browser.once("disconnected", () => this.#lose());
    const context = await openContext(this.#viewport);
    const tabs = new LiveTabs({
      context,
      maxTabs: MAX_TABS,
      onSwitched: (tab) => this.#show(tab),
      onNone: () => void this.#openTab(options.url).catch(() => this.#lose()),
      events: {
        verdicts,
        onChanged: () => this.#report.request(),
        onActivity: (tab) => {
          if (tab === tabs.current) this.#rest.request();
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
      // What was under way waits for the answer, and what was to follow was not meant for what comes after it.
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

  async look(signal: AbortSignal): Promise<SiteView> {
    const { tab, dialogs } = this.#require();
    if (dialogs.isOpen) throw new NavigationFailed("The site waits for an answer.");
    if (tab.failure !== null) throw new NavigationFailed(tab.failure);
    try {
      return await viewSite({ observer: tab.observer, status: () => tab.status }, signal);
    } catch (error) {
      if (!tab.page.isClosed() || signal.aborted) throw error;
    }
    // It closed while it was looked at; another tab is current now, or the browser is gone.
    return this.look(signal);
  }

  async revisit(url: string, signal: AbortSignal): Promise<SiteView> {
    const { dialogs, tab } = await this.#prepareVisit();
    dialogs.letsLeave = true;
    try {
      await openUrl(tab.page, url, { verdicts: this.#given.verdicts, timeoutMs: VISIT_MS, signal });
    } finally {
      dialogs.letsLeave = false;
    }
    await waitForRest(tab.page, signal);
    return this.look(signal);
  }

  async visitAsStranger(url: string, signal: AbortSignal): Promise<SiteView> {
    this.#require();
    const context = await this.#given.openContext(this.#viewport);
    try {
      return await visitIn(context, url, { verdicts: this.#given.verdicts, timeoutMs: VISIT_MS, signal });
    } finally {
      await withTimeout(context.close().catch(ignoreGone), CLOSE_MS);
    }
  }

  async capture(): Promise<BrowserState> {
    const { context, tabs, dialogs } = this.#require();
    dialogs.answer(false, "");
    const { state } = await captureState({ context, pages: tabs.pages(), given: null });
    return state;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end();
    await this.#given.running[Symbol.asyncDispose]();
  }

  #require() {
    const tab = this.#opened?.tabs.current ?? null;
    if (this.#isOver || this.#opened === null) throw new SessionLost("The browser is gone.");
    if (tab === null) throw new NavigationFailed("There is no page at the moment.");
    return { ...this.#opened, tab };
  }

  async #prepareVisit() {
    const { tab, dialogs } = this.#require();
    dialogs.answer(false, "");
    if (tab.isCrashed) await this.#replace(tab, BLANK);
    return this.#require();
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
      await openUrl(tab.page, url, { verdicts: this.#given.verdicts, timeoutMs: NAVIGATION_MS, signal });
    } catch (error) {
      if (!(error instanceof NavigationFailed) || this.#isOver) return;
      // Somebody went elsewhere meanwhile, or what is shown stays.
      if ((error.message === NO_PAGE || error.message === FILE) && tab.page.url() !== BLANK) return;
      tab.fail(error.message);
    }
  }

  #show(tab: LiveTab): void {
    if (this.#isOver) return;
    this.#queue.interrupt();
    this.#cast.show(tab.page, this.#viewport);
    tab.page.bringToFront().catch(ignoreGone);
    this.#fit(tab).catch(ignoreGone);
    this.#listener.onChoices(null);
    this.#listener.onField(tab.field);
    this.#report.request();
    this.#rest.request();
  }

  /** A tab in the background keeps its size until it is shown. Of sizes that come meanwhile, the newest counts. */
  async #fit(tab: LiveTab): Promise<void> {
    const isCurrent = () => tab === this.#opened?.tabs.current && !this.#isOver;
    if (this.#fitting.has(tab) || this.#hasSize(tab)) return;
    this.#fitting.add(tab);
    try {
      while (isCurrent() && !this.#hasSize(tab)) await tab.page.setViewportSize(this.#viewport);
    } finally {
      this.#fitting.delete(tab);
    }
    if (isCurrent()) this.#cast.show(tab.page, this.#viewport);
  }

  #hasSize({ page }: LiveTab): boolean {
    const size = page.viewportSize();
    return size?.width === this.#viewport.width && size.height === this.#viewport.height;
  }

  async #dispatch(input: PageInput): Promise<void> {
    const tab = this.#opened?.tabs.current;
    if (!tab || tab.isCrashed) return;
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

  /** Whoever asks again before it is done has asked once. */
  async #once(what: "back" | "reload", work: () => Promise<void>): Promise<void> {
    if (this.#underWay.has(what)) return;
    this.#underWay.add(what);
    try {
      await withTimeout(work(), NAVIGATION_MS);
    } finally {
      this.#underWay.delete(what);
    }
  }

  /** Never sends a form again: what was the answer to one is asked for anew. */
  async #reload(tab: LiveTab): Promise<void> {
    if (tab.isCrashed || !(await this.#canGoOn(tab))) await this.#replace(tab, tab.url);
    else if (tab.isFromForm || tab.failure !== null) await this.#goto(tab, tab.url);
    else await (await tab.session).send("Page.reload");
  }

  /** A page that stands still would take no new document either. One that waits for an answer to a dialog would. */
  async #canGoOn(tab: LiveTab): Promise<boolean> {
    if (this.#opened?.dialogs.isOpen === true) return true;
    // While a document is on its way, no question reaches the page.
    await stopLoading(tab.page);
    const question = (await tab.session).send("Runtime.evaluate", { expression: "1" });
    const isAnswering = (await withTimeout(question, STANDING_STILL_MS)) !== null;
    return isAnswering || tab.page.isClosed();
  }

  /** A page that has crashed or stands still cannot be used again. */
  async #replace(lost: LiveTab, url: string): Promise<void> {
    lost.isCrashed = true;
    await this.#openTab(url);
    await lost.page.close();
  }

  #lose(): void {
    this.#listener.onLost("The browser has ended.");
    this.#end();
  }

  #end(): void {
    this.#isOver = true;
    this.#queue.interrupt();
    this.#rest.cancel();
    this.#report.cancel();
    this.#cast.stop();
  }
}

/** Pictures have even sides; a viewport with odd ones would be scaled to fit, and blurred. */
function toEven({ width, height }: Viewport): Viewport {
  return { width: width - (width % 2), height: height - (height % 2) };
}

/** It was meant for a tab that has gone in the meantime. */
function ignoreGone(): void {}

interface OpenLiveOptions {
  /** Ended with everything it has left behind when the live browser is. */
  readonly running: RunningBrowser;
  readonly options: LiveOptions;
}

/** Who opens it gives the browser away, also when this fails. */
export async function openLive({ running, options }: OpenLiveOptions, signal: AbortSignal): Promise<LiveBrowser> {
  const { privateHosts, clock } = options;
  const verdicts = new ProxyFailures();
  await using opened = new AsyncDisposableStack();
  const proxy = opened.use(
    await startEgressProxy({
      allowedHosts: "public",
      privateHosts,
      clock,
      onRefused: (entry) => verdicts.noteRefusal(entry),
      onFailed: (destination, error) => verdicts.noteFailure(destination, error),
    }),
  );
  const openContext = async (viewport: Viewport) => {
    const { context, page } = await openBrowserContext(running.browser, proxy, {
      viewport,
      hasTouch: options.isTouch,
      isMobile: options.isTouch,
      acceptDownloads: false,
    });
    await page.close();
    return context;
  };
  const session = opened.use(new LiveSession({ running, options, verdicts, openContext }));
  await abortable(session.open(), signal);
  const owned = opened.move();
  return {
    input: (input) => session.input(input),
    look: (lookSignal) => session.look(lookSignal),
    revisit: (url, visitSignal) => session.revisit(url, visitSignal),
    visitAsStranger: (url, visitSignal) => session.visitAsStranger(url, visitSignal),
    capture: () => session.capture(),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
