import type { Application } from "../../applications/application.ts";
import { CallerError } from "../../lib/errors.ts";
import { createSemaphore } from "../../lib/semaphore.ts";
import type { SavedState, SignInStore } from "../vault/saved-sign-in.ts";
import { SignInTooLarge, type Vault } from "../vault/vault.ts";
import type { LiveBrowser, LiveListener, OpenLiveBrowser } from "./live-browser.ts";
import { captureSignIn, isOnSite, listSiteHosts } from "./probe.ts";

/** Sign-ins that were made elsewhere, such as by a script, and are brought here as a file. */
export interface SignInImports {
  /**
   * Opens the site with it and keeps it only if the site recognizes the user. `given` is the content of the file; `url` is a
   * page that only signed-in users see, for sites whose home page does not tell. Throws CallerError with what to do.
   */
  import(connection: { id: string; applicationId: string }, given: unknown, url: string | null): Promise<void>;
}

interface SignInImportsDependencies {
  readonly applications: { find(id: string): Promise<Application | null> };
  readonly openBrowser: OpenLiveBrowser;
  readonly signIns: Pick<SignInStore, "save">;
  readonly vault: Pick<Vault, "seal">;
  /** How many may be checked at a time in this process. */
  readonly maxLive: number;
}

const CHECK_MS = 90_000;
/** The page is opened by `visit`, which reports why it cannot be. */
const BLANK = "about:blank";
const VIEWPORT = { width: 1_280, height: 800 };
const NOTHING = () => {};
/** Nobody watches. */
const UNWATCHED: LiveListener = {
  onFrame: NOTHING,
  onPage: NOTHING,
  onField: NOTHING,
  onDialog: NOTHING,
  onChoices: NOTHING,
  onSettled: NOTHING,
  onLost: NOTHING,
};

export function createSignInImports(dependencies: SignInImportsDependencies): SignInImports {
  const { applications, openBrowser, signIns, vault, maxLive } = dependencies;
  const semaphore = createSemaphore(maxLive, 0);

  async function check(application: Application, state: SavedState, url: string) {
    const signal = AbortSignal.timeout(CHECK_MS);
    await using browser = await openUnwatched(openBrowser, application, state, signal);
    await browser.visit(url, signal);
    return await captureSignIn(browser, application, signal);
  }

  return {
    async import({ id, applicationId }, given, wantedUrl) {
      const state = readStorageState(given);
      const application = await applications.find(applicationId);
      const url = wantedUrl ?? application?.signedInUrl ?? application?.homeUrl ?? application?.signInUrl ?? null;
      if (application === null || application.signInUrl === null || url === null) throw refuse(NO_SIGN_IN_URL);
      if (!isOnSite(application, url)) {
        throw refuse(`${url} is not on a host of the application. Choose a page of the site itself.`);
      }
      try {
        const checked = await semaphore.take(() => check(application, state, url));
        if ("problem" in checked) throw refuse(`The site does not recognize this sign-in. ${checked.problem}`);
        await signIns.save(id, vault.seal(id, checked));
      } catch (error) {
        throw explain(error);
      }
    },
  };
}

/** A browser for the application's site that starts with a sign-in, and that nobody watches. */
export function openUnwatched(
  openBrowser: OpenLiveBrowser,
  application: Application,
  state: SavedState,
  signal: AbortSignal,
): Promise<LiveBrowser> {
  const siteHosts = listSiteHosts(application);
  return openBrowser({ url: BLANK, siteHosts, viewport: VIEWPORT, isTouch: false, listener: UNWATCHED, state }, signal);
}

const NO_SIGN_IN_URL = "The application has no sign-in URL, so its errands run signed out. Set one first.";

/** Other messages may quote the file or the page. */
function explain(error: unknown): unknown {
  if (error instanceof SignInTooLarge) return refuse(error.message);
  if (!(error instanceof Error)) return error;
  if (error.name === "NavigationFailed") return refuse(`The site could not be opened. ${error.message}`);
  if (error.name === "TimeoutError" || error.name === "AbortError") return refuse("The site took too long to respond.");
  return error;
}

function refuse(message: string): CallerError {
  return new CallerError("INVALID_REQUEST", `${message} Nothing was saved.`);
}

/**
 * Playwright's storage state, as `context.storageState()` returns it, and optionally `sessionStorage`, which Playwright leaves
 * out: a list of `{ origin, entries: [{ name, value }] }`. Only what is known is kept.
 */
export function readStorageState(given: unknown): SavedState {
  const cookies = readList(given, "cookies", readCookie);
  const origins = readList(given, "origins", (each) => ({
    origin: readOrigin(each),
    localStorage: readList(each, "localStorage", readEntry),
    ...(isRecord(each) && Array.isArray(each["indexedDB"]) ? { indexedDB: each["indexedDB"] } : {}),
  }));
  const sessionStorage = readList(given, "sessionStorage", (each) => ({
    origin: readOrigin(each),
    entries: readList(each, "entries", readEntry).map(({ name, value }) => [name, value]),
  }));
  if (cookies.length + origins.length + sessionStorage.length === 0) {
    throw refuse("The file has no cookies and no storage. It must be a storage state of Playwright.");
  }
  return { storage: { cookies, origins }, sessionStorage };
}

function readList<Item>(given: unknown, name: string, read: (item: unknown) => Item): Item[] {
  if (!isRecord(given)) throw refuse("The file must be a storage state of Playwright: an object in JSON.");
  const list = given[name] ?? [];
  if (!Array.isArray(list)) throw refuse(`${name} must be a list.`);
  return list.map(read);
}

function readEntry(given: unknown) {
  const { name, value } = isRecord(given) ? given : {};
  if (typeof name !== "string" || typeof value !== "string") {
    throw refuse("Each entry of a storage must have a name and a value, both texts.");
  }
  return { name, value };
}

function readOrigin(given: unknown): string {
  const origin = isRecord(given) ? given["origin"] : null;
  if (typeof origin !== "string" || URL.parse(origin)?.origin !== origin) {
    throw refuse('Each storage must name its origin, such as "https://shop.example".');
  }
  return origin;
}

const SAME_SITES: readonly unknown[] = ["Strict", "Lax", "None"];

function readCookie(given: unknown) {
  const { name, value, domain, path, expires, httpOnly, secure, sameSite } = isRecord(given) ? given : {};
  if (typeof name !== "string" || typeof value !== "string" || typeof domain !== "string") {
    throw refuse("Each cookie must have a name, a value and a domain.");
  }
  return {
    name,
    value,
    domain,
    path: typeof path === "string" ? path : "/",
    // -1: until the browser is closed.
    expires: typeof expires === "number" ? expires : -1,
    httpOnly: httpOnly === true,
    secure: secure === true,
    sameSite: SAME_SITES.includes(sameSite) ? sameSite : "Lax",
  };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
