import type { CDPSession, Page } from "playwright-core";
import { withTimeout } from "../../lib/waiting.ts";
import { EMPTY_NODE, type Observation } from "../observation/observation.ts";
import type { PageView } from "../observation/page-observer.ts";
import { withNotices } from "../observation/passing-notices.ts";
import { StaleElement } from "../observation/pin-element.ts";
import type { BrowserState } from "../state/browser-state.ts";
import type {
  BrowserSession,
  Mark,
  PageToRead,
  SessionPicture,
  SessionWatch,
  StorageToUse,
  StoredChange,
} from "./browser-session.ts";
import { observeTab, unlessHanging } from "./hanging-page.ts";
import { Lifeline } from "./lifeline.ts";
import { navigate, navigateBack } from "./navigate.ts";
import { scrollPage } from "./scroll-page.ts";
import { followBrowser, openSessionContext, type SessionContext, VIEWPORT } from "./session-context.ts";
import { DEFAULT_LIMITS, type RunningBrowser, type SessionLimits, type SessionOptions } from "./session-options.ts";
import { SessionView } from "./session-view.ts";
import { stopPendingDocument, waitUntilSettled } from "./settle.ts";
import type { OpenTab } from "./tabs.ts";
import { VerificationContexts } from "./verification-contexts.ts";
import type { RequestGate } from "./write-interceptor.ts";

interface OpenOptions {
  /** Disposed of with the session. */
  readonly running: RunningBrowser;
  readonly options: SessionOptions;
  readonly limits: Partial<SessionLimits>;
}

/** The session owns the browser. When opening fails, the caller still has to dispose of it. */
export async function openSession(given: OpenOptions, signal: AbortSignal): Promise<BrowserSession> {
  const { running, options } = given;
  const limits = { ...DEFAULT_LIMITS, ...given.limits };
  const lifeline = new Lifeline();
  followBrowser(running, lifeline);
  const opening = openSessionContext({ ...running, options, lifeline, limits });
  try {
    return new Session(await lifeline.unlessLost(opening, signal), given);
  } catch (error) {
    // It may still succeed later, when nobody is left to close it.
    opening.then(
      (context) => context[Symbol.asyncDispose](),
      () => {},
    );
    throw error;
  }
}

class Session implements BrowserSession {
  readonly #context: SessionContext;
  readonly #given: OpenOptions;
  readonly #verification: VerificationContexts;
  #observations = 0;
  #newest: { tab: OpenTab; observation: Observation } | null = null;
  #isSettling = false;
  readonly #views = new Set<SessionView>();
  #ending: Promise<void> | null = null;

  constructor(context: SessionContext, given: OpenOptions) {
    this.#context = context;
    this.#given = given;
    this.#verification = new VerificationContexts({ session: context, ...given });
  }

  async observe(signal: AbortSignal): Promise<Observation> {
    const { dialogs, tabs, lifeline } = this.#context;
    lifeline.throwIfLost();
    const tab = await tabs.current();
    if (dialogs.pending !== null) return this.#publish(tab, this.#recall(tab));
    const view = await observeTab(this.#context, tab, signal);
    tab.title = view?.title ?? tab.title;
    return this.#publish(tab, view === null ? this.#recall(tab) : addNotices(view));
  }

  async pin(ref: string) {
    const { tabs, lifeline } = this.#context;
    lifeline.throwIfLost();
    const tab = await tabs.current();
    if (tab !== this.#newest?.tab) throw new StaleElement("The latest observation is of another tab.");
    const pinned = await unlessHanging(this.#context, tab.page, tab.observer.pin(ref));
    if (typeof pinned === "string")
      throw new StaleElement("A dialog blocks the page, so the element cannot be reached.");
    return pinned.result;
  }

  mark(): Mark {
    return this.#context.timeline.mark();
  }

  since(mark: Mark) {
    const { network, downloads, dialogs, tabs, refused } = this.#context;
    return {
      requests: network.since(mark),
      downloads: downloads.since(mark),
      dialogs: dialogs.since(mark),
      openedTabs: tabs.openedSince(mark),
      refusedHosts: refused.since(mark),
    };
  }

  async goto(url: string, signal: AbortSignal): Promise<number | null> {
    await this.#prepare();
    return this.#settled(() => navigate(this.#context, url, signal), signal);
  }

  async back(signal: AbortSignal): Promise<void> {
    await this.#prepare();
    await this.#settled(() => navigateBack(this.#context, signal), signal);
  }

  async press(keys: string): Promise<void> {
    const { page } = await this.#prepare();
    await unlessHanging(this.#context, page, page.keyboard.press(keys));
  }

  async scrollBy(screens: number) {
    const { page } = await this.#prepare();
    const scrolled = await unlessHanging(this.#context, page, scrollPage(page, screens));
    return typeof scrolled === "string" ? null : scrolled.result;
  }

  async switchTab(tabId: string): Promise<void> {
    await this.#prepare();
    const tab = this.#getTab(tabId);
    this.#context.tabs.choose(tab);
    await unlessHanging(this.#context, tab.page, tab.page.bringToFront());
  }

  async closeTab(tabId: string): Promise<void> {
    await this.#prepare();
    await this.#context.lifeline.unlessLost(this.#getTab(tabId).page.close());
  }

  get dialog() {
    return this.#context.dialogs.pending;
  }

  async answerDialog(answer: { accept: boolean; text?: string }): Promise<void> {
    const { dialogs, lifeline } = this.#context;
    lifeline.throwIfLost();
    if (dialogs.pending === null) throw new Error("No dialog is open.");
    await lifeline.unlessLost(dialogs.answer(answer));
  }

  async settle<Result>(action: () => Promise<Result>, signal: AbortSignal): Promise<Result | null> {
    const { dialogs, lifeline, timeline, tabs, limits, network } = this.#context;
    lifeline.throwIfLost();
    signal.throwIfAborted();
    await lifeline.unlessLost(this.#verification.untilClosed(), signal);
    const since = timeline.mark();
    network.sentBefore.markAction(since);
    const { page } = await tabs.current();
    const unanswered = dialogs.pending;
    // A click does not return while a dialog is open or while a form is being submitted.
    this.#isSettling = true;
    const acting = unlessHanging(this.#context, page, action(), { signal, maxMs: limits.busySettleMs }).finally(() => {
      this.#isSettling = false;
    });
    // An action that answers the dialog has done so by now. For any other action it is dismissed.
    if (unanswered !== null && dialogs.pending === unanswered)
      await lifeline.unlessLost(dialogs.answer({ accept: false }));
    const outcome = await acting;
    if (outcome === "late") await stopPendingDocument(this.#context);
    else if (dialogs.pending === null) await waitUntilSettled(this.#context, since, signal);
    return typeof outcome === "string" ? null : outcome.result;
  }

  async screenshot() {
    const { tabs, dialogs, limits, lifeline } = this.#context;
    lifeline.throwIfLost();
    if (dialogs.pending !== null) return null;
    const { page } = await tabs.current();
    const taking = takeScreenshot(page);
    return lifeline.unlessLost(withTimeout(taking, limits.screenshotMs));
  }

  watch(onPicture: (picture: SessionPicture) => void): SessionWatch {
    const view = new SessionView(this.#context.tabs, onPicture);
    this.#views.add(view);
    return {
      input: (input) => view.input(input),
      [Symbol.dispose]: () => {
        this.#views.delete(view);
        view[Symbol.dispose]();
      },
    };
  }

  async observeForVerification(
    pages: readonly PageToRead[],
    signal: AbortSignal,
    storage: StorageToUse = "of the run",
  ) {
    await this.#prepare();
    const read = await this.#context.lifeline.unlessLost(this.#verification.observe(pages, signal, storage), signal);
    return read.map((page) => {
      if ("failure" in page) return page;
      const { notices: _notices, ...view } = page.view;
      this.#observations += 1;
      const tab = { id: "t0", url: view.url, title: view.title, isCurrent: true };
      return { status: page.status, observation: { ...view, number: this.#observations, tabs: [tab], dialog: null } };
    });
  }

  async findStoredChanges(): Promise<readonly StoredChange[]> {
    await this.#prepare();
    return await this.#context.lifeline.unlessLost(this.#verification.findStoredChanges());
  }

  prepareVerification(): void {
    this.#verification.prepare();
  }

  async captureState(): Promise<BrowserState> {
    await this.#prepare();
    return await this.#context.lifeline.unlessLost(this.#verification.captureState());
  }

  setGate(gate: RequestGate): void {
    this.#context.network.held.setGate(gate);
  }

  allows(url: string): boolean {
    return this.#context.policy.allows(url);
  }

  visited(): readonly string[] {
    return this.#context.tabs.visited();
  }

  writes() {
    return this.#context.network.writes();
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#ending ??= this.#close();
    return this.#ending;
  }

  async #close(): Promise<void> {
    await using context = this.#context;
    context.lifeline.lose("The session was closed.");
    for (const view of this.#views) view[Symbol.dispose]();
    await Promise.all([this.#given.running[Symbol.asyncDispose](), this.#verification[Symbol.asyncDispose]()]);
  }

  /** Navigates and waits until the page has settled. Inside `settle` the wait is skipped: `settle` waits itself. */
  async #settled<Result>(go: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
    const since = this.#context.timeline.mark();
    const result = await go();
    if (!this.#isSettling) await waitUntilSettled(this.#context, since, signal);
    return result;
  }

  /** Dismisses a dialog that was not answered, so that the next operation can go on. */
  async #prepare(): Promise<OpenTab> {
    const { dialogs, lifeline, tabs } = this.#context;
    lifeline.throwIfLost();
    await lifeline.unlessLost(dialogs.answer({ accept: false }));
    return tabs.current();
  }

  #getTab(tabId: string): OpenTab {
    const tab = this.#context.tabs.find(tabId);
    if (tab === null) throw new StaleElement(`Tab ${tabId} does not exist.`);
    return tab;
  }

  #publish(tab: OpenTab, view: PageView): Observation {
    this.#observations += 1;
    const { tabs, dialogs } = this.#context;
    const observation = { ...view, number: this.#observations, tabs: tabs.list(), dialog: dialogs.pending };
    this.#newest = { tab, observation };
    return observation;
  }

  /** The last view of a tab that cannot be observed now. */
  #recall(tab: OpenTab): PageView {
    if (this.#newest?.tab === tab) return this.#newest.observation;
    return {
      url: tab.page.url(),
      title: tab.title,
      root: { ...EMPTY_NODE, role: "document" },
      viewport: VIEWPORT,
      scroll: { y: 0, pageHeight: VIEWPORT.height },
      fingerprint: `unseen ${tab.page.url()}`,
    };
  }
}

function addNotices({ notices = [], ...view }: PageView): PageView {
  const root = withNotices(view.root, notices);
  if (root === view.root) return view;
  const added = root.children.slice(view.root.children.length).map(({ name }) => name);
  return { ...view, root, fingerprint: [view.fingerprint, ...added].join(" ") };
}

const QUALITY = 60;

/** JPEG, because WebP takes Chromium three times as long (116 ms instead of 34 ms for 1280×800 on a small machine). */
async function takeScreenshot(page: Page): Promise<{ data: Buffer; contentType: string } | null> {
  try {
    const data = await capture(page);
    return { data, contentType: "image/jpeg" };
  } catch {
    return null;
  }
}

/** With one message, where Playwright sends seven to prepare the page. */
async function capture(page: Page): Promise<Buffer> {
  const opened = CAPTURING.get(page) ?? page.context().newCDPSession(page);
  CAPTURING.set(page, opened);
  const session = await opened;
  const { data } = await session.send("Page.captureScreenshot", { format: "jpeg", quality: QUALITY });
  return Buffer.from(data, "base64");
}

/** One session for each page. They end with it. */
const CAPTURING = new WeakMap<Page, Promise<CDPSession>>();
