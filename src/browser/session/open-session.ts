import type { Page } from "playwright-core";
import { withTimeout } from "../../lib/waiting.ts";
import { EMPTY_NODE, type Observation, walk } from "../observation/observation.ts";
import type { PageView } from "../observation/page-observer.ts";
import { StaleElement } from "../observation/pin-element.ts";
import { type BrowserState, captureState } from "../state/browser-state.ts";
import type { BrowserSession, Mark } from "./browser-session.ts";
import { Lifeline } from "./lifeline.ts";
import { navigate, navigateBack } from "./navigate.ts";
import { followBrowser, openSessionContext, type SessionContext, VIEWPORT } from "./session-context.ts";
import { DEFAULT_LIMITS, type RunningBrowser, type SessionLimits, type SessionOptions } from "./session-options.ts";
import { observeTab, stopPendingDocument, unlessHanging, waitUntilSettled } from "./settle.ts";
import type { OpenTab } from "./tabs.ts";
import { VerificationBrowser } from "./verification-browser.ts";

interface OpenOptions {
  /** Ended with everything it has left behind when the session is. */
  readonly running: RunningBrowser;
  readonly options: SessionOptions;
  readonly limits: Partial<SessionLimits>;
  /** Another browser of the same kind, for a look with other eyes. */
  readonly borrow: () => Promise<RunningBrowser>;
}

/** Who opens it gives the browser away: when this fails, ending it is still the caller's. */
export async function openSession(given: OpenOptions, signal: AbortSignal): Promise<BrowserSession> {
  const { running, options } = given;
  const limits = { ...DEFAULT_LIMITS, ...given.limits };
  const lifeline = new Lifeline();
  followBrowser(running, lifeline);
  const opening = openSessionContext({ ...running, options, lifeline, limits });
  try {
    return new Session(await lifeline.until(opening, signal), given);
  } catch (error) {
    // It may still come about, without anybody to close it.
    opening.then(
      (world) => world[Symbol.asyncDispose](),
      () => {},
    );
    throw error;
  }
}

class Session implements BrowserSession {
  readonly #world: SessionContext;
  readonly #given: OpenOptions;
  readonly #secondEyes: VerificationBrowser;
  #observations = 0;
  #newest: { tab: OpenTab; observation: Observation } | null = null;
  #isSettling = false;
  #ending: Promise<void> | null = null;

  constructor(world: SessionContext, given: OpenOptions) {
    this.#world = world;
    this.#given = given;
    this.#secondEyes = new VerificationBrowser({ run: world, options: given.options, borrow: given.borrow });
  }

  async observe(signal: AbortSignal): Promise<Observation> {
    const { dialogs, tabs, lifeline } = this.#world;
    lifeline.throwIfLost();
    const tab = await tabs.current();
    if (dialogs.pending !== null) return this.#publish(tab, this.#recall(tab));
    const view = await observeTab(this.#world, tab, signal);
    tab.title = view?.title ?? tab.title;
    return this.#publish(tab, view ?? this.#recall(tab));
  }

  async pin(ref: string) {
    const { tabs, lifeline } = this.#world;
    lifeline.throwIfLost();
    const tab = await tabs.current();
    if (tab !== this.#newest?.tab) throw new StaleElement("The newest observation is of another tab.");
    const pinned = await unlessHanging(this.#world, tab.page, tab.observer.pin(ref));
    if (typeof pinned === "string") throw new StaleElement("The page stands still, so the element cannot be reached.");
    return pinned.result;
  }

  mark(): Mark {
    return this.#world.timeline.mark();
  }

  since(mark: Mark) {
    const { network, downloads, dialogs, tabs, refused } = this.#world;
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
    return this.#rested(() => navigate(this.#world, url, signal), signal);
  }

  async back(signal: AbortSignal): Promise<void> {
    await this.#prepare();
    await this.#rested(() => navigateBack(this.#world, signal), signal);
  }

  async press(keys: string): Promise<void> {
    const { page } = await this.#prepare();
    await unlessHanging(this.#world, page, page.keyboard.press(keys));
  }

  async scrollBy(deltaY: number): Promise<void> {
    const { page } = await this.#prepare();
    await unlessHanging(this.#world, page, scrollPage(page, deltaY));
  }

  async switchTab(tabId: string): Promise<void> {
    await this.#prepare();
    const tab = this.#getTab(tabId);
    this.#world.tabs.choose(tab);
    await unlessHanging(this.#world, tab.page, tab.page.bringToFront());
  }

  async closeTab(tabId: string): Promise<void> {
    await this.#prepare();
    await this.#world.lifeline.until(this.#getTab(tabId).page.close());
  }

  get dialog() {
    return this.#world.dialogs.pending;
  }

  async answerDialog(answer: { accept: boolean; text?: string }): Promise<void> {
    const { dialogs, lifeline } = this.#world;
    lifeline.throwIfLost();
    if (dialogs.pending === null) throw new Error("There is no dialog to answer.");
    await lifeline.until(dialogs.answer(answer));
  }

  async settle<Result>(action: () => Promise<Result>, signal: AbortSignal): Promise<Result | null> {
    const { dialogs, lifeline, timeline, tabs, limits } = this.#world;
    lifeline.throwIfLost();
    signal.throwIfAborted();
    const since = timeline.mark();
    const { page } = await tabs.current();
    const unanswered = dialogs.pending;
    // A click does not return while a dialog is open or the form that it sent is on its way.
    this.#isSettling = true;
    const acting = unlessHanging(this.#world, page, action(), { signal, maxMs: limits.busyRestMs }).finally(() => {
      this.#isSettling = false;
    });
    // An action that answers the dialog has done so by now; any other needs it out of the way.
    if (unanswered !== null && dialogs.pending === unanswered) await lifeline.until(dialogs.answer({ accept: false }));
    const outcome = await acting;
    if (outcome === "late") await stopPendingDocument(this.#world);
    else if (dialogs.pending === null) await waitUntilSettled(this.#world, since, signal);
    return typeof outcome === "string" ? null : outcome.result;
  }

  async screenshot() {
    const { tabs, dialogs, limits, lifeline } = this.#world;
    lifeline.throwIfLost();
    if (dialogs.pending !== null) return null;
    const { page } = await tabs.current();
    const taking = takeScreenshot(page, this.#newest?.observation ?? null, limits.screenshotMs);
    return lifeline.until(withTimeout(taking, limits.screenshotMs));
  }

  async reread(url: string, signal: AbortSignal) {
    await this.#prepare();
    const { status, view } = await this.#world.lifeline.until(this.#secondEyes.reread(url, signal), signal);
    this.#observations += 1;
    const tab = { id: "t0", url: view.url, title: view.title, isCurrent: true };
    return { status, observation: { ...view, number: this.#observations, tabs: [tab], dialog: null } };
  }

  async captureState(): Promise<BrowserState> {
    await this.#prepare();
    const { context, tabs, lifeline } = this.#world;
    const given = this.#given.options.state ?? null;
    const { state } = await lifeline.until(captureState({ context, pages: tabs.pages(), given }));
    return state;
  }

  allows(url: string): boolean {
    return this.#world.policy.allows(url);
  }

  visited(): readonly string[] {
    return this.#world.tabs.visited();
  }

  writes() {
    return this.#world.network.writes();
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#ending ??= this.#close();
    return this.#ending;
  }

  async #close(): Promise<void> {
    await using world = this.#world;
    world.lifeline.lose("The session was closed.");
    await Promise.all([this.#given.running[Symbol.asyncDispose](), this.#secondEyes[Symbol.asyncDispose]()]);
  }

  /** An action waits for rest itself; who goes somewhere outside of one has to be waited for here. */
  async #rested<Result>(go: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
    const since = this.#world.timeline.mark();
    const result = await go();
    if (!this.#isSettling) await waitUntilSettled(this.#world, since, signal);
    return result;
  }

  /** A dialog that was not answered is dismissed when the run goes on. */
  async #prepare(): Promise<OpenTab> {
    const { dialogs, lifeline, tabs } = this.#world;
    lifeline.throwIfLost();
    await lifeline.until(dialogs.answer({ accept: false }));
    return tabs.current();
  }

  #getTab(tabId: string): OpenTab {
    const tab = this.#world.tabs.find(tabId);
    if (tab === null) throw new StaleElement(`There is no tab ${tabId}.`);
    return tab;
  }

  #publish(tab: OpenTab, view: PageView): Observation {
    this.#observations += 1;
    const { tabs, dialogs } = this.#world;
    const observation = { ...view, number: this.#observations, tabs: tabs.list(), dialog: dialogs.pending };
    this.#newest = { tab, observation };
    return observation;
  }

  /** What was last seen of the tab, while it cannot be looked at. */
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

const QUALITY = 60;

/** JPEG: Chromium takes three times as long for WebP (34 ms against 116 ms for 1280×800 on a small machine). */
async function takeScreenshot(
  page: Page,
  observation: Observation | null,
  timeoutMs: number,
): Promise<{ data: Buffer; contentType: string } | null> {
  try {
    const data = await page.screenshot({
      type: "jpeg",
      quality: QUALITY,
      caret: "initial",
      animations: "allow",
      mask: findReadableSecrets(observation).map((ref) => page.getByRef(ref)),
      timeout: timeoutMs,
    });
    return { data, contentType: "image/jpeg" };
  } catch {
    return null;
  }
}

/** A password shows as dots by itself; other secrets, such as a code from a message, are there to be read. */
function findReadableSecrets(observation: Observation | null): string[] {
  if (observation === null) return [];
  const visits = [...walk(observation.root)];
  return visits.flatMap(({ node }) => (node.field?.isSecret && node.field.type !== "password" && node.ref) || []);
}

/** Scrolls the page, or the part of it that scrolls in its place. By script, because a wheel turns what it points at. */
async function scrollPage(page: Page, deltaY: number): Promise<void> {
  await page.evaluate(scrollInPage, deltaY);
}

function scrollInPage(deltaY: number): void {
  const root = document.scrollingElement ?? document.documentElement;
  const canScroll = (element: Element) =>
    element.scrollHeight > element.clientHeight + 1 && /auto|scroll|overlay/.test(getComputedStyle(element).overflowY);
  const isRootScrolling = root.scrollHeight > innerHeight + 1 && getComputedStyle(root).overflowY !== "hidden";
  const area = (element: Element) => element.clientWidth * element.clientHeight;
  const inner = isRootScrolling ? [] : [...document.querySelectorAll("*")].filter(canScroll);
  const [largest] = inner.toSorted((a, b) => area(b) - area(a));
  (largest ?? root).scrollBy({ top: deltaY, behavior: "instant" });
}
