import type { BrowserContext, Cookie } from "playwright-core";
import { withTimeout } from "../../lib/waiting.ts";
import type { PageView } from "../observation/page-observer.ts";
import { type BrowserState, captureState } from "../state/browser-state.ts";
import { NavigationFailed, PolicyRefusal, SessionLost } from "./browser-session.ts";
import { Lifeline } from "./lifeline.ts";
import { navigate } from "./navigate.ts";
import { isGraphqlQuery, isNamedAsRead } from "./read-request.ts";
import { followBrowser, openSessionContext, type SessionContext } from "./session-context.ts";
import type { RunningBrowser, SessionOptions } from "./session-options.ts";
import { observeTab, waitUntilSettled } from "./settle.ts";
import { type IsBlocked, interceptWrites } from "./write-interceptor.ts";

interface VerificationBrowserOptions {
  /** The session whose sign-in is used. */
  readonly session: SessionContext;
  readonly options: SessionOptions;
  /** Provides an unused browser. */
  readonly borrow: () => Promise<RunningBrowser>;
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
 * the current state of the session.
 */
export class VerificationBrowser implements AsyncDisposable {
  readonly #options: VerificationBrowserOptions;
  #opening: Promise<BlockedBrowser> | null = null;
  #isClosed = false;

  constructor(options: VerificationBrowserOptions) {
    this.#options = options;
  }

  async observe(url: string, signal: AbortSignal): Promise<{ status: number | null; view: PageView }> {
    try {
      return await this.#observe(url, signal);
    } catch (error) {
      // The browser may have ended for reasons that have nothing to do with the page. Observing again is safe.
      const isLost = error instanceof NavigationFailed && error.cause instanceof SessionLost;
      if (!isLost || this.#isClosed || signal.aborted) throw error;
      return await this.#observe(url, signal);
    }
  }

  async #observe(url: string, signal: AbortSignal): Promise<{ status: number | null; view: PageView }> {
    const { session, options } = this.#options;
    const { browserContext, tabs } = session;
    const { state } = await captureState({
      context: browserContext,
      pages: tabs.pages(),
      given: options.state ?? null,
    });
    this.#opening ??= this.#open();
    try {
      await using context = await this.#openContext(await this.#opening, state);
      // The page may open others. This tab is the one to observe.
      const tab = await context.tabs.current();
      const since = context.timeline.mark();
      const status = await navigate(context, url, signal);
      await waitUntilSettled(context, since, signal);
      const view = await observeTab(context, tab, signal);
      if (view === null) throw new NavigationFailed(`${url} could not be read again. A dialog blocks it.`);
      await copyRenewedCookies(browserContext, state.storage.cookies, await context.browserContext.cookies());
      return { status, view };
    } catch (error) {
      // A failed observation may have left the browser in any state, so the next one gets another browser.
      if (!(error instanceof PolicyRefusal)) await this.#close();
      if (!(error instanceof SessionLost)) throw error;
      // Losing this browser does not end the session.
      throw new NavigationFailed(`${url} could not be read again. ${error.message}`, { cause: error });
    }
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
      const intercepting = interceptWrites(running.browser, { isBlocked: this.#isBlocked, onWrite: () => () => {} });
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
      isFrameAllowed: (to, message) => session.network.hasSentFrame(to, message),
      options: { ...options, state, access: "read_only", downloads: { maxFiles: 0, maxBytes: 0 } },
      lifeline,
      // Nobody answers dialogs here, so all are dismissed.
      limits: { ...session.limits, maxDialogs: 0 },
    });
  }

  /** Many applications read with POST. Only what is known to read passes, so that loading a page again changes nothing. */
  readonly #isBlocked: IsBlocked = (write) => {
    if (isGraphqlQuery(write)) return false;
    const times = this.#options.session.network.countAccepted(write);
    return times < (isNamedAsRead(write) ? 1 : MIN_REPETITIONS);
  };

  async #close(): Promise<void> {
    const opening = this.#opening;
    this.#opening = null;
    // A browser that failed to open has closed itself.
    const browser = await opening?.catch(() => null);
    await browser?.running[Symbol.asyncDispose]();
  }
}

/** What the pages of the run have sent by themselves so often, word for word, changes nothing when it is sent once more. */
const MIN_REPETITIONS = 2;

/** The site may have renewed the sign-in, which makes the old cookies of the session invalid. */
async function copyRenewedCookies(context: BrowserContext, before: readonly Cookie[], after: readonly Cookie[]) {
  const known = new Set(before.map((cookie) => JSON.stringify(cookie)));
  const renewed = after.filter((cookie) => !known.has(JSON.stringify(cookie)));
  if (renewed.length > 0) await context.addCookies(renewed);
}
