import type { BrowserContext, Cookie, Frame, Page, Route } from "playwright-core";
import { withTimeout } from "../../lib/waiting.ts";
import type { BrowserState } from "../state/browser-state.ts";
import type { NetworkRecorder } from "./network-recorder.ts";
import { toWords, type UnsafeRequest } from "./read-request.ts";
import { readSocketMessage, type SocketMessage } from "./socket-messages.ts";

/**
 * One sign-in that two contexts use in turn. Many sites replace it while it is used and invalidate the previous one: session
 * cookies that work once, refresh tokens that work once. So the run pauses while the verification context has the sign-in,
 * and gets back whatever was replaced.
 */

const FRAME_TIMEOUT_MS = 1_500;

/**
 * Holds back what the pages of a context send until it is disposed of. The browser adds cookies when it is sent. A page that
 * hangs cannot be told to wait, and sends nothing.
 */
export async function holdRequests(context: BrowserContext, network: NetworkRecorder): Promise<AsyncDisposable> {
  const wasQuiet = network.changed.quietMs >= QUIET_TICKS * TICK_MS;
  const released = Promise.withResolvers<void>();
  let held = 0;
  const hold = async (route: Route) => {
    if (["fetch", "xhr"].includes(route.request().resourceType())) held += 1;
    await released.promise;
    // The page may be gone by now.
    await route.fallback().catch(() => {});
  };
  const routing = context.route("**", hold).catch(() => {});
  await withTimeout(routing, MAX_WAIT_MS);
  await waitUntilQuiet(() => network.countOpen() - held, wasQuiet ? 1 : QUIET_TICKS);
  return {
    async [Symbol.asyncDispose]() {
      released.resolve();
      const ending = routing.then(() => context.unroute("**", hold)).catch(() => {});
      await withTimeout(ending, MAX_WAIT_MS);
    },
  };
}

const MAX_WAIT_MS = 1_000;
const TICK_MS = 30;
/** A request that left just before is reported a moment later. One is enough for pages that have been quiet as long. */
const QUIET_TICKS = 4;

/** What is on its way may still replace the sign-in. */
async function waitUntilQuiet(countOnTheWay: () => number, ticks: number): Promise<void> {
  const deadlineMs = performance.now() + MAX_WAIT_MS;
  for (let quiet = 0; quiet < ticks && performance.now() < deadlineMs; ) {
    await new Promise((resolve) => setTimeout(resolve, TICK_MS));
    quiet = countOnTheWay() > 0 ? 0 : quiet + 1;
  }
}

/** A key of local or session storage whose token was replaced. */
interface RenewedEntry {
  readonly origin: string;
  readonly area: "local" | "session";
  readonly key: string;
  /** Null when there was none. */
  readonly before: string | null;
  readonly after: string;
}

/** What was replaced and could not be put into an open page, by origin, area and key. */
export type PendingEntries = Map<string, RenewedEntry>;

interface SignInToReturn {
  /** What the page was given. */
  readonly given: BrowserState;
  /** The state of the context that the sign-in is from. An entry that the page was given otherwise is not passed on. */
  readonly current: BrowserState;
  readonly page: Page;
}

/** Passes on what the site has replaced in `page` to the context that the sign-in is from. */
export async function returnSignIn(
  { given, current, page }: SignInToReturn,
  to: { context: BrowserContext; pages: readonly Page[]; pending: PendingEntries },
): Promise<void> {
  await returnCookies(given.storage.cookies, await page.context().cookies(), to.context);
  const frames = page.frames().filter((frame) => /^https?:/.test(frame.url()));
  const renewed = (await Promise.all(frames.map((frame) => findRenewed(frame, given)))).flat();
  for (const entry of renewed.filter((each) => readEntry(current, each) === each.before)) {
    const open = to.pages.filter((each) => !each.isClosed()).flatMap((each) => each.frames());
    const own = open.filter((frame) => URL.parse(frame.url())?.origin === entry.origin);
    const isTaken = (await Promise.all(own.map((frame) => putEntry(frame, entry)))).includes(true);
    if (isTaken) continue;
    const key = JSON.stringify([entry.origin, entry.area, entry.key]);
    const waiting = to.pending.get(key);
    // Replaced twice: the context still has what it had before the first time.
    to.pending.set(key, waiting?.after === entry.before ? { ...entry, before: waiting.before } : entry);
  }
}

function readEntry({ storage, sessionStorage }: BrowserState, { origin, area, key }: RenewedEntry): string | null {
  const local = storage.origins.find((each) => each.origin === origin)?.localStorage ?? [];
  const session = sessionStorage.find((each) => each.origin === origin)?.entries ?? [];
  const found =
    area === "local" ? local.find(({ name }) => name === key)?.value : session.find(([name]) => name === key)?.[1];
  return found ?? null;
}

/** Cookies that the run itself has changed in the meantime stay. A cookie that is gone is not passed on: it may be a sign-out. */
async function returnCookies(
  given: readonly Cookie[],
  after: readonly Cookie[],
  context: BrowserContext,
): Promise<void> {
  const nameOf = ({ name, domain, path }: Cookie) => JSON.stringify([name, domain, path]);
  const before = new Map(given.map((cookie) => [nameOf(cookie), cookie]));
  const current = new Map((await context.cookies()).map((cookie) => [nameOf(cookie), cookie]));
  const renewed = after.filter((cookie) => {
    const name = nameOf(cookie);
    const isNew = JSON.stringify(before.get(name)) !== JSON.stringify(cookie);
    return isNew && current.get(name)?.value === before.get(name)?.value;
  });
  if (renewed.length > 0) await context.addCookies(renewed);
}

/** The entries of a frame's storage that hold a token which the state did not have. */
async function findRenewed(frame: Frame, given: BrowserState): Promise<RenewedEntry[]> {
  const read = await withTimeout(
    frame
      .evaluate(() => ({
        origin: location.origin,
        local: Object.entries({ ...localStorage }),
        session: Object.entries({ ...sessionStorage }),
      }))
      .catch(() => null),
    FRAME_TIMEOUT_MS,
  );
  if (read === null) return [];
  const { origin } = read;
  const local = given.storage.origins.find((each) => each.origin === origin)?.localStorage ?? [];
  const session = given.sessionStorage.find((each) => each.origin === origin)?.entries ?? [];
  const known = { local: new Map(local.map(({ name, value }) => [name, value])), session: new Map(session) };
  return (["local", "session"] as const).flatMap((area) =>
    read[area].flatMap(([key, after]): RenewedEntry[] => {
      const before = known[area].get(key) ?? null;
      return holdsNewToken(before ?? "", after) ? [{ origin, area, key, before, after }] : [];
    }),
  );
}

const TOKEN = /[\w\-.~+/=]{16,}/g;

/** The parts of a text that may be tokens. */
export function findTokens(text: string): string[] {
  return (text.match(TOKEN) ?? []).filter((token) => /\d/.test(token) && /[a-z]/i.test(token));
}

/** A state without a token is no renewal: the page may have signed out. */
export function holdsNewToken(before: string, after: string): boolean {
  return after !== before && findTokens(after).some((token) => !before.includes(token));
}

/** Whether pages keep a token in their storage: they may replace it at any time. */
export function holdsToken({ storage, sessionStorage }: BrowserState): boolean {
  const values = [
    ...storage.origins.flatMap(({ localStorage }) => localStorage.map(({ value }) => value)),
    ...sessionStorage.flatMap(({ entries }) => entries.map(([, value]) => value)),
  ];
  return values.some((value) => holdsNewToken("", value));
}

/** As if another tab had done it. False when the frame does not respond, or has changed the entry itself. */
async function putEntry(frame: Frame, entry: RenewedEntry): Promise<boolean> {
  const putting = frame.evaluate(({ area, key, before, after }) => {
    const storage = area === "local" ? localStorage : sessionStorage;
    if (storage.getItem(key) !== before) return storage.getItem(key) === after;
    storage.setItem(key, after);
    const change = { key, oldValue: before, newValue: after, storageArea: storage, url: location.href };
    dispatchEvent(new StorageEvent("storage", change));
    return true;
  }, entry);
  return (
    (await withTimeout(
      putting.catch(() => false),
      FRAME_TIMEOUT_MS,
    )) ?? false
  );
}

/** The state with what could not be put into an open page. */
export function withPending(state: BrowserState, pending: PendingEntries): BrowserState {
  const renew = (origin: string, area: "local" | "session", key: string, value: string): string => {
    const entry = pending.get(JSON.stringify([origin, area, key]));
    return entry?.before === value ? entry.after : value;
  };
  const origins = state.storage.origins.map((each) => ({
    ...each,
    localStorage: each.localStorage.map(({ name, value }) => ({
      name,
      value: renew(each.origin, "local", name, value),
    })),
  }));
  const sessionStorage = state.sessionStorage.map(({ origin, entries }) => ({
    origin,
    entries: entries.map(([key, value]) => [key, renew(origin, "session", key, value)] as const),
  }));
  return { storage: { ...state.storage, origins }, sessionStorage };
}

const NAMES_RENEWAL = /(?<![a-z])(?:refresh|renew)(?![a-z])|(?:refresh|renew)[_-]?(?:token|session|access)/i;
const MAX_BODY = 20_000;

/** Whether a request says that it renews a sign-in: by its URL, or by the names in a short body. */
export function isNamedAsRenewal({ url, body }: UnsafeRequest): boolean {
  const { pathname = "", search = "" } = URL.parse(url) ?? {};
  return NAMES_RENEWAL.test(pathname + search) || ((body ?? "").length <= MAX_BODY && NAMES_RENEWAL.test(body ?? ""));
}

const SIGN_IN =
  /^(?:auth|authenticat(?:e|ion)|authori[sz](?:e|ation)|login|signin|identify|handshake|hello|resume|connect(?:ion)?)$/;
/** What else the name of a sign-in may say. "auth:revoke" and "connect_account" do more. */
const BESIDE_SIGN_IN = /^(?:perform|request|start|begin|init|challenge|with|by|token|session|user|client|api|v\d+)$/;
const MAX_SIGN_IN = 8_000;
const MAX_VALUES = 12;
const ONE_WORD = /^\S{0,64}$/;

/**
 * Whether a message signs in with a token of the saved sign-in, and does nothing else: it is named so, carries such a token,
 * and beside it only single words, such as the user's name.
 */
export function isStoredSignIn({ name, data }: SocketMessage, state: BrowserState): boolean {
  if (name === null || data === undefined || !isNamedAsSignIn(name)) return false;
  if (JSON.stringify(data).length > MAX_SIGN_IN) return false;
  const values = listValues(data);
  const stored = JSON.stringify(state);
  const isToken = (value: string) =>
    (value.match(TOKEN) ?? []).some((token) => /\d/.test(token) && stored.includes(token));
  const others = values.filter((value) => !isToken(value));
  return values.length <= MAX_VALUES && others.length < values.length && others.every((value) => ONE_WORD.test(value));
}

/** The same for a request: its operation or the end of its path names it. */
export function isStoredSignInRequest({ url, body }: UnsafeRequest, state: BrowserState): boolean {
  const { name, data } = readSocketMessage(body ?? "");
  const [last = "", before = ""] = (URL.parse(url)?.pathname ?? "").split("/").reverse();
  const names = name === null ? [last, `${before}/${last}`] : [name];
  return data !== undefined && names.some((each) => isStoredSignIn({ name: each, data }, state));
}

function isNamedAsSignIn(name: string): boolean {
  const words = toWords(name.replace(/\b(sign|log)[-_ ]?in\b/i, "$1in"));
  const rest = words.filter((word) => !SIGN_IN.test(word));
  return rest.length < words.length && rest.every((word) => BESIDE_SIGN_IN.test(word));
}

function listValues(data: unknown): string[] {
  if (typeof data === "object" && data !== null) return Object.values(data).flatMap(listValues);
  return [String(data)];
}
