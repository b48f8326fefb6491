import type { BrowserContext, Cookie, Page } from "playwright-core";
import type { PageView } from "../observation/page-observer.ts";
import type { RunningBrowser } from "../running-browser.ts";
import { NavigationFailed, SessionLost } from "./browser-session.ts";
import { Lifeline } from "./lifeline.ts";
import { navigate } from "./navigate.ts";
import type { SessionOptions } from "./session-options.ts";
import { look } from "./unless-hanging.ts";
import { followBrowser, openWorld, type World } from "./world.ts";

interface RereadOptions {
  readonly run: World;
  readonly options: SessionOptions;
  /** A browser that nobody uses. */
  readonly borrow: () => Promise<RunningBrowser>;
}

/**
 * A look with the run's sign-in from a browser of its own, in which nothing may be written: so whatever the page opens
 * or starts there (pop-ups, workers) is behind the same guard, and nothing of it shows in the run's tabs or records.
 */
export async function rereadPage(
  { run, options, borrow }: RereadOptions,
  url: string,
  signal: AbortSignal,
): Promise<{ status: number | null; view: PageView }> {
  await using running = await borrow();
  const storageState = await run.context.storageState({ indexedDB: true });
  const sessionStorage = await readSessionStorage((await run.tabs.current()).page);
  const lifeline = new Lifeline();
  followBrowser(running, lifeline);
  try {
    await using second = await openWorld({
      ...running,
      options: { ...options, storageState, access: "read_only", downloads: { maxFiles: 0, maxBytes: 0 } },
      lifeline,
      // Nobody is there to answer a dialog.
      limits: { ...run.limits, maxDialogs: 0 },
    });
    await second.context.addInitScript(restoreSessionStorage, sessionStorage);
    const tab = await second.tabs.current();
    const status = await navigate(second, url, signal);
    const view = await look(second, tab, signal);
    if (view === null) throw new NavigationFailed(`${url} could not be read again. It stands still.`);
    await takeOverCookies(run.context, storageState.cookies, await second.context.cookies());
    return { status, view };
  } catch (error) {
    if (!(error instanceof SessionLost)) throw error;
    // What happens to this look does not end the run.
    throw new NavigationFailed(`${url} could not be read again. ${error.message}`, { cause: error });
  }
}

interface StoredSession {
  origin: string;
  entries: [key: string, value: string][];
}

/** Some sites keep their sign-in where only the tab itself sees it. */
async function readSessionStorage(page: Page): Promise<StoredSession> {
  return page
    .evaluate(() => ({ origin: location.origin, entries: Object.entries({ ...sessionStorage }) }))
    .catch(() => ({ origin: "", entries: [] }));
}

function restoreSessionStorage({ origin, entries }: StoredSession): void {
  if (location.origin !== origin || sessionStorage.length > 0) return;
  for (const [key, value] of entries) sessionStorage.setItem(key, value);
}

/** A site may have renewed the sign-in while it was looked at; the old one would be void now. */
async function takeOverCookies(context: BrowserContext, before: readonly Cookie[], after: readonly Cookie[]) {
  const known = new Set(before.map((cookie) => JSON.stringify(cookie)));
  const renewed = after.filter((cookie) => !known.has(JSON.stringify(cookie)));
  if (renewed.length > 0) await context.addCookies(renewed);
}
