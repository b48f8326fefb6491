import type { Cookie } from "playwright-core";
import { withTimeout } from "../../lib/waiting.ts";
import { type BrowserState, captureState, restoreState } from "../state/browser-state.ts";
import {
  type Mark,
  NavigationFailed,
  type PageToRead,
  SessionLost,
  type StorageToUse,
  type StoredChange,
} from "./browser-session.ts";
import { withEarlierStorage } from "./earlier-storage.ts";
import { Lifeline } from "./lifeline.ts";
import { loadPage, type ReadPage } from "./load-page.ts";
import { isGraphqlQuery, isNamedAsRead } from "./read-request.ts";
import { followBrowser, openSessionContext, type SessionContext } from "./session-context.ts";
import type { RunningBrowser, SessionOptions } from "./session-options.ts";
import {
  holdRequests,
  holdsToken,
  isNamedAsRenewal,
  isStoredSignIn,
  isStoredSignInRequest,
  type PendingEntries,
  returnSignIn,
  withPending,
} from "./shared-sign-in.ts";
import { readPolledMessages, readSocketMessage } from "./socket-messages.ts";
import { findStoredChanges } from "./stored-changes.ts";
import { blockWrites, type IsBlocked, type IsFrameAllowed } from "./write-interceptor.ts";

interface Reading {
  readonly read: Map<PageToRead, ReadPage>;
  readonly storage: StorageToUse;
}

interface VerificationOptions {
  /** The session whose sign-in is used. */
  readonly session: SessionContext;
  /** Its browser. */
  readonly running: RunningBrowser;
  readonly options: SessionOptions;
}

const MAX_SIGN_INS = 3;
/** A context costs as much CPU time as a page, so only many pages are worth another one at the same time. */
const PAGES_PER_CONTEXT = 3;
const MAX_CONTEXTS = 3;

/** Longer than it takes to close a session. */
const ENDING_MS = 3_000;

/**
 * Observes pages with the sign-in of a session, in contexts of their own in its browser, whose writes are blocked. Everything
 * that a page opens or starts there (pop-ups, workers) is blocked as well, and nothing of it shows in the tabs or records of the
 * session. Pages that are read together share a context with the state that the session has then, as if a person opened
 * them one after the other in one tab. It returns what the site has replaced of the state.
 */
export class VerificationContexts implements AsyncDisposable {
  readonly #options: VerificationOptions;
  /** An open context without a state, for the next pages. */
  #spare: Promise<SessionContext> | null = null;
  readonly #closing = new Set<Promise<void>>();
  #isClosed = false;
  /** Whether the site replaces cookies of the sign-in while they are used. Null when nobody knows yet. */
  #isReplaced: boolean | null;
  /** Without a saved sign-in: the cookies in the middle of the run, and when that was. Null when they could not be read. */
  #earlier: Promise<{ readonly cookies: readonly Cookie[]; readonly mark: Mark } | null> | null = null;
  /** Whether several contexts can use the sign-in at the same time: nothing of it is replaced. Null when nobody knows yet. */
  #mayShare: boolean | null = null;
  readonly #pending: PendingEntries = new Map();
  /** The sign-in that the newest page was opened with, and the messages by which pages have used it. */
  #signIn: { readonly state: BrowserState; readonly messages: Set<string> } | null = null;
  /** A page has a token from before the run, which is no longer that of the sign-in. Using it might end the sign-in. */
  #hasOldToken = false;

  constructor(options: VerificationOptions) {
    this.#options = options;
    this.#isReplaced = options.options.state === undefined ? null : false;
  }

  /** Opens a context with its first tab before it is needed. */
  prepare(): void {
    this.#noteCookies();
    if (this.#isClosed || this.#spare !== null) return;
    const spare = this.#openContext();
    this.#spare = spare;
    spare.catch(() => {
      if (this.#spare === spare) this.#spare = null;
    });
  }

  #noteCookies(): void {
    const { browserContext, timeline } = this.#options.session;
    if (this.#isReplaced !== null) return;
    this.#earlier ??= browserContext.cookies().then(
      (cookies) => ({ cookies, mark: timeline.mark() }),
      () => null,
    );
  }

  /** Waits for contexts that close: until then the writes of new frames are blocked. */
  async untilClosed(): Promise<void> {
    await Promise.all(this.#closing);
  }

  /** The results are in the order of the pages. */
  async observe(pages: readonly PageToRead[], signal: AbortSignal, storage: StorageToUse): Promise<ReadPage[]> {
    const read = new Map<PageToRead, ReadPage>();
    const lost = new Set<PageToRead>();
    for (let left = pages; left.length > 0; left = pages.filter((page) => !read.has(page))) {
      for (const { page, failure } of await this.#observeParts(left, { read, storage }, signal)) {
        // A page may crash for reasons that lie elsewhere. Observing it again is safe.
        const mayTryAgain = failure.cause instanceof SessionLost && !this.#isClosed && !signal.aborted;
        if (mayTryAgain && !lost.has(page)) lost.add(page);
        else read.set(page, { failure });
      }
    }
    return pages.flatMap((page) => read.get(page) ?? []);
  }

  /** Returns the pages that failed. No part is left behind when another one ends with an error. */
  async #observeParts(pages: readonly PageToRead[], reading: Reading, signal: AbortSignal) {
    const parts = this.#split(pages).map((part) => this.#observe(part, reading, signal));
    await Promise.allSettled(parts);
    return (await Promise.all(parts)).filter((failed) => failed !== null);
  }

  /** The pages by context. With many pages, the first one alone shows whether others can use the sign-in at the same time. */
  #split(pages: readonly PageToRead[]): (readonly PageToRead[])[] {
    if (pages.length <= PAGES_PER_CONTEXT || this.#mayShare === false) return [pages];
    if (this.#mayShare === null) return [pages.slice(0, 1)];
    const count = Math.min(MAX_CONTEXTS, Math.ceil(pages.length / PAGES_PER_CONTEXT));
    return Array.from({ length: count }, (_, part) => pages.filter((_page, index) => index % count === part));
  }

  /**
   * Observes pages one after the other, up to the first that fails. Where the site replaces the sign-in, one page only: it
   * returns the sign-in before the next one gets it.
   */
  async #observe(pages: readonly PageToRead[], { read, storage }: Reading, signal: AbortSignal) {
    let [page] = pages;
    try {
      const context = await this.#takeContext();
      let gating: Disposable | null = null;
      try {
        gating = await this.#gate(context);
        await using _held = await this.#hold(this.#options.session);
        const now = await this.#capture();
        const { state, hasOldToken } =
          storage === "of the run"
            ? { state: now, hasOldToken: false }
            : withEarlierStorage(now, this.#options.options.state);
        this.#hasOldToken = hasOldToken;
        await restoreState(context.browserContext, state);
        const tab = await context.tabs.current();
        try {
          for (page of pages) {
            this.#signIn = { state, messages: new Set() };
            // The storage of a site is only at hand while the tab shows one of its pages.
            if (!isSameOrigin(tab.page.url(), page.url))
              await this.#return({ given: state, current: now, page: tab.page });
            read.set(page, await loadPage(context, tab, page, signal));
            if (await this.#replaces(state, context)) break;
          }
        } finally {
          // Not released: the context closes now, and must not use what it has returned.
          await this.#hold(context);
          await this.#return({ given: state, current: now, page: tab.page });
        }
      } finally {
        this.#closeLater(context, gating);
      }
      return null;
    } catch (error) {
      if (page !== undefined && error instanceof NavigationFailed) return { page, failure: error };
      // Losing this context does not end the session.
      if (page !== undefined && error instanceof SessionLost) {
        const message = `${page.url} could not be read again. ${error.message}`;
        return { page, failure: new NavigationFailed(message, { cause: error }) };
      }
      throw error;
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

  async findStoredChanges(): Promise<StoredChange[]> {
    return findStoredChanges(this.#options.options.state, await this.#capture());
  }

  async #capture(): Promise<BrowserState> {
    const { session, options } = this.#options;
    const { browserContext: context, tabs } = session;
    const { state } = await captureState({ context, pages: tabs.pages(), given: options.state ?? null });
    return withPending(state, this.#pending);
  }

  /** Where the site may replace the sign-in, nothing may use it while it is read or is with another context. */
  async #hold({ browserContext, network }: SessionContext): Promise<AsyncDisposable> {
    const { state } = this.#options.options;
    const cookies = await browserContext.cookies();
    if (state !== undefined) this.#isReplaced ||= !areKept(state.storage.cookies, cookies);
    else await this.#compareWithEarlier(cookies);
    if (this.#isReplaced === false || cookies.length === 0) return new AsyncDisposableStack();
    return holdRequests(browserContext, network);
  }

  /** Cookies are not replaced that were there in the middle of the run and are all there are now, if a page used them since. */
  async #compareWithEarlier(cookies: readonly Cookie[]): Promise<void> {
    const earlier = await this.#earlier;
    if (earlier === null || earlier.cookies.length === 0 || earlier.cookies.length !== cookies.length) return;
    const requests = this.#options.session.network.since(earlier.mark);
    const isUsed = requests.some(
      ({ isNavigation, isFirstParty, status }) => isNavigation && isFirstParty && status !== null,
    );
    if (isUsed) this.#isReplaced ??= !areKept(earlier.cookies, cookies);
  }

  /** Whether the site has replaced the sign-in while a page used it. */
  async #replaces(given: BrowserState, { browserContext }: SessionContext): Promise<boolean> {
    if (this.#isReplaced !== true && given.storage.cookies.length > 0)
      this.#isReplaced = !areKept(given.storage.cookies, await browserContext.cookies());
    this.#mayShare = this.#isReplaced !== true && !holdsToken(given);
    return this.#isReplaced === true;
  }

  /** A page that hangs does not say what it has stored. */
  async #return(signIn: Parameters<typeof returnSignIn>[0]): Promise<void> {
    const { browserContext: context, tabs, lifeline, limits } = this.#options.session;
    const returning = returnSignIn(signIn, { context, pages: tabs.pages(), pending: this.#pending });
    await lifeline.unlessLost(
      withTimeout(
        returning.catch(() => {}),
        limits.hangMs,
      ),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    // What failed to open has closed itself.
    const spare = await this.#spare?.catch(() => null);
    this.#spare = null;
    await spare?.[Symbol.asyncDispose]();
    await this.untilClosed();
  }

  #takeContext(): Promise<SessionContext> {
    const spare = this.#spare ?? this.#openContext();
    this.#spare = null;
    return spare;
  }

  /** Blocks the writes of a context until the result is disposed of. One that other sessions see has its own gate. */
  async #gate({ interceptor, lifeline, limits }: SessionContext): Promise<Disposable | null> {
    if (interceptor === null) return null;
    const gating = interceptor.gateNewFrames(blockWrites(this.#isBlocked));
    try {
      const gated = await lifeline.unlessLost(withTimeout(gating, limits.openMs));
      if (gated === null) throw lifeline.lose("The browser hangs. Its writes cannot be blocked.");
      return gated;
    } catch (error) {
      // It may still succeed later, when nobody is left to remove the gate.
      gating.then(
        (gated) => gated[Symbol.dispose](),
        () => {},
      );
      throw error;
    }
  }

  /** Nobody waits for a context that closes, except the session's next action and its end. */
  #closeLater(context: SessionContext, gating: Disposable | null): void {
    const close = async () => {
      using _gate = gating;
      await context[Symbol.asyncDispose]();
    };
    const closing = close().finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }

  async #openContext(): Promise<SessionContext> {
    const { session, running, options } = this.#options;
    if (this.#isClosed) throw new SessionLost("The session was closed.");
    const { state: _later, ...rest } = options;
    const lifeline = new Lifeline();
    followBrowser(running, lifeline);
    return await openSessionContext({
      ...running,
      interceptor: session.interceptor,
      isBlocked: this.#isBlocked,
      isFrameAllowed: this.#isFrameAllowed,
      options: { ...rest, access: "read_only", downloads: { maxFiles: 0, maxBytes: 0 } },
      lifeline,
      // Nobody answers dialogs here, so all are dismissed.
      limits: { ...session.limits, maxDialogs: 0 },
    });
  }

  /** Many applications read with POST. Only what is known to read passes, so that loading a page again changes nothing. */
  readonly #isBlocked: IsBlocked = (write) => {
    const { sentBefore } = this.#options.session.network;
    if (isNamedAsRenewal(write) && this.#hasOldToken) return true;
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
}

function isSameOrigin(one: string, other: string): boolean {
  return !/^https?:/.test(one) || URL.parse(one)?.origin === URL.parse(other)?.origin;
}

function areKept(earlier: readonly { readonly value: string }[], cookies: readonly Cookie[]): boolean {
  const values = new Set(cookies.map(({ value }) => value));
  return earlier.every(({ value }) => values.has(value));
}
