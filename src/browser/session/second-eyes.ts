import type { BrowserContext, Cookie } from "playwright-core";
import type { PageView } from "../observation/page-observer.ts";
import type { RunningBrowser } from "../running-browser.ts";
import { captureState } from "../state/capture-state.ts";
import { seedSessionStorage } from "../state/seed-session-storage.ts";
import { NavigationFailed, PolicyRefusal, SessionLost } from "./browser-session.ts";
import { Lifeline } from "./lifeline.ts";
import { navigate } from "./navigate.ts";
import type { SessionOptions } from "./session-options.ts";
import { comeToRest } from "./settle.ts";
import type { OpenTab } from "./tabs.ts";
import { look } from "./unless-hanging.ts";
import { followBrowser, openWorld, type World } from "./world.ts";

interface SecondEyesOptions {
  readonly run: World;
  readonly options: SessionOptions;
  /** A browser that nobody uses. */
  readonly borrow: () => Promise<RunningBrowser>;
}

interface Opened extends AsyncDisposable {
  readonly world: World;
}

/**
 * Looks with the run's sign-in from a browser of its own, in which nothing may be written: so whatever a page opens or
 * starts there (pop-ups, workers) is behind the same guard, and nothing of it shows in the run's tabs or records. The
 * browser is opened for the first look and serves them all.
 */
export class SecondEyes implements AsyncDisposable {
  readonly #options: SecondEyesOptions;
  #opening: Promise<Opened> | null = null;
  #isClosed = false;

  constructor(options: SecondEyesOptions) {
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
      const { world } = await this.#opening;
      const tab = await openNewTab(world);
      await world.context.setStorageState(state.storage);
      await using _seeds = await seedSessionStorage(world.context, state.sessionStorage);
      const since = world.timeline.mark();
      const status = await navigate(world, url, signal);
      await comeToRest(world, since, signal);
      const view = await look(world, tab, signal);
      if (view === null) throw new NavigationFailed(`${url} could not be read again. It stands still.`);
      await takeOverCookies(run.context, state.storage.cookies, await world.context.cookies());
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

  async #open(): Promise<Opened> {
    const { run, options, borrow } = this.#options;
    // Each look brings its own.
    const { state: _given, ...withoutState } = options;
    await using stack = new AsyncDisposableStack();
    const running = stack.use(await borrow());
    const lifeline = new Lifeline();
    followBrowser(running, lifeline);
    const world = stack.use(
      await openWorld({
        ...running,
        options: { ...withoutState, access: "read_only", downloads: { maxFiles: 0, maxBytes: 0 } },
        lifeline,
        // Nobody is there to answer a dialog.
        limits: { ...run.limits, maxDialogs: 0 },
      }),
    );
    if (this.#isClosed) throw new SessionLost("The session was closed.");
    const owned = stack.move();
    return { world, [Symbol.asyncDispose]: () => owned.disposeAsync() };
  }

  async #close(): Promise<void> {
    const opening = this.#opening;
    this.#opening = null;
    // One that could not be opened has closed itself.
    const opened = await opening?.catch(() => null);
    await opened?.[Symbol.asyncDispose]();
  }
}

/** A page that is still open holds its databases, and a tab its session storage: they could not be replaced. */
async function openNewTab({ context, tabs }: World): Promise<OpenTab> {
  for (const page of context.pages()) await page.close();
  return tabs.current();
}

/** A site may have renewed the sign-in while it was looked at; the old one would be void now. */
async function takeOverCookies(context: BrowserContext, before: readonly Cookie[], after: readonly Cookie[]) {
  const known = new Set(before.map((cookie) => JSON.stringify(cookie)));
  const renewed = after.filter((cookie) => !known.has(JSON.stringify(cookie)));
  if (renewed.length > 0) await context.addCookies(renewed);
}
