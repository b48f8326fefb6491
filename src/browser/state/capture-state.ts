import type { BrowserContext, Page } from "playwright-core";
import { inTime } from "../../lib/in-time.ts";
import type { BrowserState } from "./browser-state.ts";
import { readSessionStorage } from "./read-session-storage.ts";

type Storage = BrowserState["storage"];

export interface CapturedState {
  readonly state: BrowserState;
  /** The databases of its origins could not be taken along: too large, or not to be read. */
  readonly isWithoutDatabases: boolean;
}

interface CaptureOptions {
  readonly context: BrowserContext;
  /** Where two tabs show the same origin, the first counts. */
  readonly pages: readonly Page[];
  /** What the context was opened with. What is not to be seen now stays as it was then. */
  readonly given: BrowserState | null;
}

const MAX_BYTES = 6 * 1024 * 1024;
/** Playwright asks every page, and one whose script stands still never answers. Databases may also just be large. */
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
  // A database can hold what cannot be written down; that must not cost the rest.
  const part = await attempt(context.storageState(), PART_TIMEOUT_MS);
  if (part !== null) return { storage: part, isWithoutDatabases: true };
  // Cookies are asked of the browser, not of its pages.
  const cookies = await inTime(context.cookies(), PART_TIMEOUT_MS);
  if (cookies === null) throw new Error("The browser does not say what it has stored.");
  return { storage: { cookies, origins: given?.storage.origins ?? [] }, isWithoutDatabases: true };
}

/** Null when it fails or takes too long. */
function attempt(reading: Promise<Storage>, timeoutMs: number): Promise<Storage | null> {
  return inTime(
    reading.catch(() => null),
    timeoutMs,
  );
}

function withoutDatabases(storage: Storage): Storage {
  const origins = storage.origins.map(({ origin, localStorage }) => ({ origin, localStorage }));
  return { ...storage, origins: origins.filter(({ localStorage }) => localStorage.length > 0) };
}
