import type { BrowserContext, Cookie } from "playwright-core";
import { withTimeout } from "../../lib/waiting.ts";
import type { PageView } from "../observation/page-observer.ts";
import { type BrowserState, captureState } from "../state/browser-state.ts";
import { NavigationFailed, PolicyRefusal, SessionLost } from "./browser-session.ts";
import { Lifeline } from "./lifeline.ts";
import { navigate } from "./navigate.ts";
import { followBrowser, openSessionContext, type SessionContext } from "./session-context.ts";
import type { RunningBrowser, SessionOptions } from "./session-options.ts";
import { observeTab, waitUntilSettled } from "./settle.ts";
import { interceptWrites } from "./write-interceptor.ts";

interface VerificationBrowserOptions {
  readonly run: SessionContext;
  readonly options: SessionOptions;
  /** A browser that nobody uses. */
  readonly borrow: () => Promise<RunningBrowser>;
}

/** A browser in which nothing may be written. */
interface BlockedBrowser {
  readonly running: RunningBrowser;
  readonly lifeline: Lifeline;
}

/**
 * Looks with the run's sign-in from a browser of its own, in which nothing may be written: so whatever a page opens or
 * starts there (pop-ups, workers) is behind the same guard, and nothing of it shows in the run's tabs or records. The
 * browser is opened for the first look and serves them all; each look finds it as the run's is at that moment, whatever
 * the pages of an earlier look have stored.
 */
export class VerificationBrowser implements AsyncDisposable {
  readonly #options: VerificationBrowserOptions;
  #opening: Promise<BlockedBrowser> | null = null;
  #isClosed = false;

  constructor(options: VerificationBrowserOptions) {
    this.#options = options;
  }

  async reread(url: string, signal: AbortSignal): Promise<{ status: number | null; view: PageView }> {
    try {
      return await this.#reread(url, signal);
    } catch (error) {
      // Its browser may have ended for reasons that have nothing to do with the page, and looking again changes nothing.
      const isLost = error instanceof NavigationFailed && error.cause instanceof SessionLost;
      if (!isLost || this.#isClosed || signal.aborted) throw error;
      return await this.#reread(url, signal);
    }
  }

  async #reread(url: string, signal: AbortSignal): Promise<{ status: number | null; view: PageView }> {
    const { run, options } = this.#options;
    const given = options.state ?? null;
    const { state } = await captureState({ context: run.context, pages: run.tabs.pages(), given });
    this.#opening ??= this.#open();
    try {
      await using world = await this.#openWorld(await this.#opening, state);
      // Whatever the page opens beside it, this is where it is looked at.
      const tab = await world.tabs.current();
      const since = world.timeline.mark();
      const status = await navigate(world, url, signal);
      await waitUntilSettled(world, since, signal);
      const view = await observeTab(world, tab, signal);
      if (view === null) throw new NavigationFailed(`${url} could not be read again. It stands still.`);
      await copyRenewedCookies(run.context, state.storage.cookies, await world.context.cookies());
      return { status, view };
    } catch (error) {
      // A look that went wrong may have left anything behind: the next one gets another browser.
      if (!(error instanceof PolicyRefusal)) await this.#close();
      if (!(error instanceof SessionLost)) throw error;
      // What happens to this look does not end the run.
      throw new NavigationFailed(`${url} could not be read again. ${error.message}`, { cause: error });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    await this.#close();
  }

  async #open(): Promise<BlockedBrowser> {
    await using stack = new AsyncDisposableStack();
    const { run, borrow } = this.#options;
    const running = stack.use(await borrow());
    const lifeline = new Lifeline();
    followBrowser(running, lifeline);
    // What is held back is nobody's side effect.
    const tap = { holdsBack: true, onWrite: () => () => {} };
    if (running.isExclusive) {
      const tapping = interceptWrites(running.browser, tap).then(() => true);
      const isTapped = await lifeline.until(withTimeout(tapping, run.limits.openMs));
      if (isTapped === null) throw lifeline.lose("The browser hangs: nothing can be held back in it.");
    }
    if (this.#isClosed) throw new SessionLost("The session was closed.");
    stack.move();
    return { running, lifeline };
  }

  #openWorld({ running, lifeline }: BlockedBrowser, state: BrowserState): Promise<SessionContext> {
    const { run, options } = this.#options;
    return openSessionContext({
      ...running,
      isTapped: true,
      options: { ...options, state, access: "read_only", downloads: { maxFiles: 0, maxBytes: 0 } },
      lifeline,
      // Nobody is there to answer a dialog.
      limits: { ...run.limits, maxDialogs: 0 },
    });
  }

  async #close(): Promise<void> {
    const opening = this.#opening;
    this.#opening = null;
    // One that could not be opened has closed itself.
    const browser = await opening?.catch(() => null);
    await browser?.running[Symbol.asyncDispose]();
  }
}

/** A site may have renewed the sign-in while it was looked at; the old one would be void now. */
async function copyRenewedCookies(context: BrowserContext, before: readonly Cookie[], after: readonly Cookie[]) {
  const known = new Set(before.map((cookie) => JSON.stringify(cookie)));
  const renewed = after.filter((cookie) => !known.has(JSON.stringify(cookie)));
  if (renewed.length > 0) await context.addCookies(renewed);
}
