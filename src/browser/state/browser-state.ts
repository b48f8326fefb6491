import type { BrowserContext, Frame, Page } from "playwright-core";
import { withTimeout } from "../../lib/waiting.ts";

type StorageState = Awaited<ReturnType<BrowserContext["storageState"]>>;

/** The browser state that keeps a person signed in. Plain JSON. */
export type BrowserState = {
  /** Cookies, and per origin local storage and IndexedDB. */
  readonly storage: StorageState;
  /** Session storage per origin, which Playwright's state lacks. */
  readonly sessionStorage: readonly SessionStorageOf[];
};

type SessionStorageOf = {
  readonly origin: string;
  readonly entries: readonly (readonly [key: string, value: string])[];
};

type Storage = BrowserState["storage"];

interface CapturedState {
  readonly state: BrowserState;
  /** IndexedDB is missing: it was too large or could not be read. */
  readonly isWithoutDatabases: boolean;
}

interface CaptureOptions {
  readonly context: BrowserContext;
  /** When two tabs show the same origin, the first wins. */
  readonly pages: readonly Page[];
  /** The state that the context was opened with. Parts that cannot be read now are taken from it. */
  readonly given: BrowserState | null;
}

const MAX_BYTES = 6 * 1024 * 1024;
/** Playwright runs script in every page, which never returns from one that hangs. Databases may also be large. */
const WHOLE_TIMEOUT_MS = 4_000;
const PART_TIMEOUT_MS = 2_000;

export async function captureState({ context, pages, given }: CaptureOptions): Promise<CapturedState> {
  const [{ storage, isWithoutDatabases }, sessionStorage] = await Promise.all([
    readStorage(context, given),
    readSessionStorage(pages, given?.sessionStorage ?? []),
  ]);
  const state: BrowserState = { storage, sessionStorage };
  if (Buffer.byteLength(JSON.stringify(state)) <= MAX_BYTES) return { state, isWithoutDatabases };
  return { state: { storage: withoutDatabases(storage), sessionStorage }, isWithoutDatabases: true };
}

interface ReadStorage {
  readonly storage: Storage;
  readonly isWithoutDatabases: boolean;
}

async function readStorage(context: BrowserContext, given: BrowserState | null): Promise<ReadStorage> {
  const whole = await attempt(context.storageState({ indexedDB: true }), WHOLE_TIMEOUT_MS);
  if (whole !== null) return { storage: whole, isWithoutDatabases: false };
  // IndexedDB can hold values that cannot be serialized. The rest is still captured.
  const part = await attempt(context.storageState(), PART_TIMEOUT_MS);
  if (part !== null) return { storage: part, isWithoutDatabases: true };
  // Cookies come from the browser process, so they can be read while pages hang.
  const cookies = await withTimeout(context.cookies(), PART_TIMEOUT_MS);
  if (cookies === null) throw new Error("The browser does not respond, so its state cannot be read.");
  return { storage: { cookies, origins: given?.storage.origins ?? [] }, isWithoutDatabases: true };
}

/** Null when it fails or takes too long. */
function attempt(reading: Promise<Storage>, timeoutMs: number): Promise<Storage | null> {
  return withTimeout(
    reading.catch(() => null),
    timeoutMs,
  );
}

function withoutDatabases(storage: Storage): Storage {
  const origins = storage.origins.map(({ origin, localStorage }) => ({ origin, localStorage }));
  return { ...storage, origins: origins.filter(({ localStorage }) => localStorage.length > 0) };
}

const FRAME_TIMEOUT_MS = 1_500;

/** The session storage of every origin in an open tab or frame; of other origins as it was given. */
async function readSessionStorage(
  pages: readonly Page[],
  given: readonly SessionStorageOf[],
): Promise<SessionStorageOf[]> {
  const open = pages.filter((page) => !page.isClosed());
  const framed = open.flatMap((page) => page.frames().filter((frame) => frame !== page.mainFrame()));
  const read = await Promise.all([...open.map((page) => page.mainFrame()), ...framed].map(readFrame));
  const byOrigin = new Map<string, SessionStorageOf>();
  for (const stored of [...read, ...given]) {
    if (stored !== null && !byOrigin.has(stored.origin)) byOrigin.set(stored.origin, stored);
  }
  return [...byOrigin.values()].filter(({ entries }) => entries.length > 0);
}

/** Null for a frame that does not respond or has no storage. */
async function readFrame(frame: Frame): Promise<SessionStorageOf | null> {
  if (!/^https?:/.test(frame.url())) return null;
  const reading = frame.evaluate(() => ({ origin: location.origin, entries: Object.entries({ ...sessionStorage }) }));
  return withTimeout(
    reading.catch(() => null),
    FRAME_TIMEOUT_MS,
  );
}

/**
 * Gives a context that was opened without a state this one. Only databases need a page of each origin, which costs almost as
 * much as opening the context.
 */
export async function restoreState(context: BrowserContext, { storage, sessionStorage }: BrowserState): Promise<void> {
  if (storage.origins.some(hasDatabases)) {
    await context.setStorageState(storage);
    await seedStorage(context, sessionStorage);
    return;
  }
  if (storage.cookies.length > 0) await context.addCookies(storage.cookies);
  const seeds = new Map<string, Seed>(sessionStorage.map((each) => [each.origin, each]));
  for (const { origin, localStorage } of storage.origins) {
    const local = localStorage.map(({ name, value }) => [name, value] as const);
    seeds.set(origin, { origin, entries: seeds.get(origin)?.entries ?? [], local });
  }
  await seedStorage(context, [...seeds.values()]);
}

function hasDatabases(origin: Storage["origins"][number] & { readonly indexedDB?: readonly unknown[] }): boolean {
  return (origin.indexedDB ?? []).length > 0;
}

interface Seed extends SessionStorageOf {
  /** Entries of local storage. */
  readonly local?: SessionStorageOf["entries"];
}

/**
 * Restores the storage of each origin, once: a site that clears it to sign the person out must find it empty when it is
 * opened again. Between the first document and the removal of the init script, a second document of the origin would
 * still get it.
 */
export async function seedStorage(context: BrowserContext, stored: readonly Seed[]): Promise<AsyncDisposable> {
  const seeds = new Map<string, AsyncDisposable>();
  for (const each of stored) seeds.set(each.origin, await context.addInitScript(restore, each));

  async function remove(origin: string): Promise<void> {
    const seed = seeds.get(origin);
    seeds.delete(origin);
    if (seeds.size === 0) context.off("framenavigated", onNavigated);
    await seed?.[Symbol.asyncDispose]();
  }

  function onNavigated(frame: Frame): void {
    const origin = URL.parse(frame.url())?.origin ?? "";
    // Fails only when the context is gone, and then there is nothing to remove.
    remove(origin).catch(() => {});
  }

  if (seeds.size > 0) context.on("framenavigated", onNavigated);
  return {
    async [Symbol.asyncDispose]() {
      for (const origin of [...seeds.keys()]) await remove(origin);
    },
  };
}

/** Runs in every new document. Storage that a tab inherited from its opener is not replaced. */
function restore({ origin, entries, local = [] }: Seed): void {
  if (location.origin !== origin) return;
  try {
    if (sessionStorage.length === 0) for (const [key, value] of entries) sessionStorage.setItem(key, value);
    if (localStorage.length === 0) for (const [key, value] of local) localStorage.setItem(key, value);
  } catch {
    // Sandboxed frames have no storage.
  }
}
