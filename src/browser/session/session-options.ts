import type { Browser } from "playwright-core";
import type { Clock } from "../../lib/clock.ts";
import type { BrowserState } from "../state/browser-state.ts";

export interface SessionOptions {
  /** Hosts of this run in the form of `parseHostRule`, or "public" for every host at a public address. */
  readonly allowedHosts: readonly string[] | "public";
  /** Hosts that may be at a private address. */
  readonly privateHosts: readonly string[];
  /** In "read_only" nothing that may change something leaves the browser. */
  readonly access: "all" | "read_only";
  /** The user's saved sign-in. */
  readonly state?: BrowserState;
  readonly downloads: { readonly maxFiles: number; readonly maxBytes: number };
  readonly clock: Clock;
}

/** How long and how much. Nobody but a test has a reason to choose others. */
export interface SessionLimits {
  /** A page that leaves a trivial question unanswered for so long hangs. */
  readonly hangMs: number;
  /** For a context and its first tab. */
  readonly openMs: number;
  /** The longest wait for a page to come to rest. */
  readonly restMs: number;
  /** The same while a document or a request that may change something is still on its way. */
  readonly busyRestMs: number;
  /** For the first byte of a document. */
  readonly navigationMs: number;
  /** For reading a page, however large. */
  readonly lookMs: number;
  readonly screenshotMs: number;
  readonly maxTabs: number;
  readonly maxDialogs: number;
  /** Requests that may change something. All of them are kept, so their number has to end somewhere. */
  readonly maxWrites: number;
  /** The newest requests that only read; older ones are forgotten. */
  readonly maxReads: number;
}

export const DEFAULT_LIMITS: SessionLimits = {
  hangMs: 10_000,
  openMs: 20_000,
  restMs: 5_000,
  busyRestMs: 30_000,
  navigationMs: 30_000,
  lookMs: 60_000,
  screenshotMs: 3_000,
  maxTabs: 20,
  maxDialogs: 100,
  maxWrites: 10_000,
  maxReads: 5_000,
};

/** A browser for one session. Disposing of it ends everything that the session left in it. */
export interface RunningBrowser extends AsyncDisposable {
  readonly browser: Browser;
  /** Where the browser itself puts what it downloads. */
  readonly downloadsFolder: string;
  /** Whether nobody else uses this browser. */
  readonly isExclusive: boolean;
  /** Why it was ended before its time; null when that is not known. */
  explainEnd(): string | null;
}
