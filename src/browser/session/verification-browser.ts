import { setTimeout as sleep } from "node:timers/promises";
import type { Page } from "playwright-core";
import { withTimeout } from "../../lib/waiting.ts";
import { type ObservedNode, textOf, walk } from "../observation/observation.ts";
import type { PageView } from "../observation/page-observer.ts";
import { type BrowserState, captureState } from "../state/browser-state.ts";
import { NavigationFailed, PolicyRefusal, SessionLost } from "./browser-session.ts";
import { Lifeline } from "./lifeline.ts";
import { navigate } from "./navigate.ts";
import type { NetworkRecord } from "./network-record.ts";
import { isGraphqlQuery, isNamedAsRead } from "./read-request.ts";
import { followBrowser, openSessionContext, type SessionContext } from "./session-context.ts";
import type { RunningBrowser, SessionOptions } from "./session-options.ts";
import { observeTab, waitUntilSettled } from "./settle.ts";
import {
  holdRequests,
  isNamedAsRenewal,
  isStoredSignIn,
  isStoredSignInRequest,
  type PendingEntries,
  returnSignIn,
  withPending,
} from "./shared-sign-in.ts";
import { readPolledMessages, readSocketMessage } from "./socket-messages.ts";
import type { OpenTab } from "./tabs.ts";
import { blockWrites, type IsBlocked, type IsFrameAllowed, interceptWrites } from "./write-interceptor.ts";

interface VerificationBrowserOptions {
  /** The session whose sign-in is used. */
  readonly session: SessionContext;
  readonly options: SessionOptions;
  /** Provides an unused browser. */
  readonly borrow: () => Promise<RunningBrowser>;
}

const MAX_SIGN_INS = 3;

/** Longer than it takes to close a session. */
const ENDING_MS = 3_000;

type IsReady = (root: ObservedNode) => boolean;

interface Loaded {
  readonly status: number | null;
  readonly view: PageView;
}

/** A browser whose writes are blocked. */
interface BlockedBrowser {
  readonly running: RunningBrowser;
  readonly lifeline: Lifeline;
}

/**
 * Observes pages with the sign-in of a session, in a second browser whose writes are blocked. Everything that a page
 * opens or starts there (pop-ups, workers) is blocked as well, and nothing of it shows in the tabs or records of the
 * session. The browser is opened for the first observation and then reused; each observation gets a new context with
 * the current state of the session, and returns what the site has replaced of it.
 */
export class VerificationBrowser implements AsyncDisposable {
  readonly #options: VerificationBrowserOptions;
  #opening: Promise<BlockedBrowser> | null = null;
  #isClosed = false;
  /** Whether the site has replaced cookies of the saved sign-in; true as well without a saved one, when nobody knows. */
  #isReplaced = false;
  readonly #pending: PendingEntries = new Map();
  /** The sign-in that the newest page was opened with, and the messages by which pages have used it. */
  #signIn: { readonly state: BrowserState; readonly messages: Set<string> } | null = null;

  constructor(options: VerificationBrowserOptions) {
    this.#options = options;
  }

  async observe(url: string, signal: AbortSignal, isReady: IsReady = () => true): Promise<Loaded> {
    try {
      return await this.#observe(url, signal, isReady);
    } catch (error) {
      // The browser may have ended for reasons that have nothing to do with the page. Observing again is safe.
      const isLost = error instanceof NavigationFailed && error.cause instanceof SessionLost;
      if (!isLost || this.#isClosed || signal.aborted) throw error;
      return await this.#observe(url, signal, isReady);
    }
  }

  async #observe(url: string, signal: AbortSignal, isReady: IsReady): Promise<Loaded> {
    this.#opening ??= this.#open();
    try {
      const browser = await this.#opening;
      await using _held = await this.#hold(this.#options.session);
      const state = await this.#capture();
      this.#signIn = { state, messages: new Set() };
      await using context = await this.#openContext(browser, state);
      // The page may open others. This tab is the one to observe.
      const tab = await context.tabs.current();
      try {
        return await load(context, tab, url, { isReady, signal });
      } finally {
        // Not released: the context closes now, and must not use what it has returned.
        await this.#hold(context);
        await this.#return(state, tab.page);
      }
    } catch (error) {
      // A failed observation may have left the browser in any state, so the next one gets another browser.
      if (!(error instanceof PolicyRefusal)) await this.#close();
      if (!(error instanceof SessionLost)) throw error;
      // Losing this browser does not end the session.
      throw new NavigationFailed(`${url} could not be read again. ${error.message}`, { cause: error });
    }
  }

  /**
   * The sign-in as it is now, including what was renewed here. The pages of the session cannot replace it for a moment, because
   * most sessions end then.
   */
  async captureState(): Promise<BrowserState> {
    const held = await this.#hold(this.#options.session);
    setTimeout(() => void held[Symbol.asyncDispose](), ENDING_MS).unref();
    return await this.#capture();
  }

  async #capture(): Promise<BrowserState> {
    const { session, options } = this.#options;
    const { browserContext: context, tabs } = session;
    const { state } = await captureState({ context, pages: tabs.pages(), given: options.state ?? null });
    return withPending(state, this.#pending);
  }

  /** Where the site replaces the sign-in, nothing may use it while it is read or is with the other browser. */
  async #hold({ browserContext, network }: SessionContext): Promise<AsyncDisposable> {
    const { options } = this.#options;
    const cookies = await browserContext.cookies();
    const values = new Set(cookies.map(({ value }) => value));
    this.#isReplaced ||= options.state?.storage.cookies.every(({ value }) => values.has(value)) !== true;
    if (!this.#isReplaced || cookies.length === 0) return new AsyncDisposableStack();
    return holdRequests(browserContext, () => network.countOpen());
  }

  /** A page that hangs does not say what it has stored. */
  async #return(given: BrowserState, page: Page): Promise<void> {
    const { browserContext: context, tabs, lifeline, limits } = this.#options.session;
    const returning = returnSignIn(given, page, { context, pages: tabs.pages(), pending: this.#pending });
    await lifeline.unlessLost(
      withTimeout(
        returning.catch(() => {}),
        limits.hangMs,
      ),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    await this.#close();
  }

  async #open(): Promise<BlockedBrowser> {
    await using stack = new AsyncDisposableStack();
    const { session, borrow } = this.#options;
    const running = stack.use(await borrow());
    const lifeline = new Lifeline();
    followBrowser(running, lifeline);
    if (running.isExclusive) {
      // Blocked writes are not side effects of the session, so they are not recorded.
      const intercepting = interceptWrites(running.browser, {
        gate: blockWrites(this.#isBlocked),
        isStrict: true,
        onWrite: () => () => {},
      });
      const isBlocking = await lifeline.unlessLost(
        withTimeout(
          intercepting.then(() => true),
          session.limits.openMs,
        ),
      );
      if (isBlocking === null) throw lifeline.lose("The browser hangs. Its writes cannot be blocked.");
    }
    if (this.#isClosed) throw new SessionLost("The session was closed.");
    stack.move();
    return { running, lifeline };
  }

  #openContext({ running, lifeline }: BlockedBrowser, state: BrowserState): Promise<SessionContext> {
    const { session, options } = this.#options;
    return openSessionContext({
      ...running,
      isIntercepted: true,
      isBlocked: this.#isBlocked,
      isFrameAllowed: this.#isFrameAllowed,
      options: { ...options, state, access: "read_only", downloads: { maxFiles: 0, maxBytes: 0 } },
      lifeline,
      // Nobody answers dialogs here, so all are dismissed.
      limits: { ...session.limits, maxDialogs: 0 },
    });
  }

  /** Many applications read with POST. Only what is known to read passes, so that loading a page again changes nothing. */
  readonly #isBlocked: IsBlocked = (write) => {
    const { sentBefore } = this.#options.session.network;
    if (isGraphqlQuery(write) || (isNamedAsRenewal(write) && sentBefore.hasAccepted(write))) return false;
    const messages = readPolledMessages(write);
    if (messages !== null) return !messages.every((message) => this.#isFrameAllowed(write.url, message));
    if (isNamedAsRead(write) ? sentBefore.isSent(write) : sentBefore.isSentByVisiting(write)) return false;
    return !this.#signsIn(write.body, (state) => isStoredSignInRequest(write, state));
  };

  readonly #isFrameAllowed: IsFrameAllowed = (to, message) => {
    if (this.#options.session.network.sentBefore.mayRepeat(to, message)) return true;
    if (typeof message !== "string") return false;
    return this.#signsIn(message, (state) => isStoredSignIn(readSocketMessage(message), state));
  };

  /** A page signs in once, or once for each of a few connections. */
  #signsIn(text: string | null, isSignIn: (state: BrowserState) => boolean): boolean {
    if (this.#signIn === null || text === null) return false;
    const { state, messages } = this.#signIn;
    if (!messages.has(text) && (messages.size >= MAX_SIGN_INS || !isSignIn(state))) return false;
    messages.add(text);
    return true;
  }

  async #close(): Promise<void> {
    const opening = this.#opening;
    this.#opening = null;
    // A browser that failed to open has closed itself.
    const browser = await opening?.catch(() => null);
    await browser?.running[Symbol.asyncDispose]();
  }
}

/** An application may be ready long after its page has come to rest. */
const LOADING_DELAYS_MS = [300, 700, 1_500, 3_000, 4_500];
/** Of these, for a page that shows something else already: there it may always say so. */
const PARTIAL_DELAYS = 3;

async function load(
  context: SessionContext,
  tab: OpenTab,
  url: string,
  { isReady, signal }: { readonly isReady: IsReady; readonly signal: AbortSignal },
): Promise<Loaded> {
  const since = context.timeline.mark();
  const status = await navigate(context, url, signal);
  await waitUntilSettled(context, since, signal);
  let view = await observeTab(context, tab, signal);
  for (const [index, delayMs] of LOADING_DELAYS_MS.entries()) {
    const loading = view === null ? "none" : findLoading(view, context.network.since(since), isReady);
    if (loading === "none" || (loading === "part" && index >= PARTIAL_DELAYS)) break;
    await sleep(delayMs, undefined, { signal });
    view = await observeTab(context, tab, signal);
  }
  if (view === null) throw new NavigationFailed(`${url} could not be read again. A dialog blocks it.`);
  return { status, view };
}

const LOADING_TEXT = /^(?:loading|please wait|fetching|connecting|authori[sz]ing)\b[^.]{0,40}[.…]*$/i;
const LITTLE_TEXT = 100;
/** What the pages of applications load, and simple pages do not. */
const APPLICATION_TYPES: ReadonlySet<string> = new Set(["script", "fetch", "xhr", "websocket"]);

/** Whether the page, or a part of it, says that it is loading, or it is an application that shows nothing yet. */
function findLoading(
  { root }: PageView,
  requests: readonly NetworkRecord[],
  isReady: IsReady,
): "page" | "part" | "none" {
  const isLittle = textOf(root).length <= LITTLE_TEXT;
  const says = (isSaying: (node: ObservedNode) => boolean) => walk(root).some(({ node }) => isSaying(node));
  if (says(({ name }) => LOADING_TEXT.test(name))) return isLittle ? "page" : "part";
  const isEmpty = !says(({ ref }) => ref !== null);
  const isApplication = requests.some(({ resourceType }) => APPLICATION_TYPES.has(resourceType));
  if (isApplication && !isReady(root)) return "page";
  return isLittle && ((isEmpty && isApplication) || says(({ role }) => role === "progressbar")) ? "page" : "none";
}
