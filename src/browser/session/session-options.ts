import type { Browser, BrowserContext, Page } from "playwright-core";
import type { Clock } from "../../lib/clock.ts";
import type { EgressProxy } from "../egress/egress-proxy.ts";
import type { BrowserState } from "../state/browser-state.ts";

export interface SessionOptions {
  /** Hosts in the form of `parseHostRule`, or "public" for every host at a public address. */
  readonly allowedHosts: readonly string[] | "public";
  /** Hosts that may be at a private address. */
  readonly privateHosts: readonly string[];
  /** With "read_only" no request that may change something leaves the browser. */
  readonly access: "all" | "read_only";
  /** The user's saved sign-in. */
  readonly state?: BrowserState;
  readonly downloads: { readonly maxFiles: number; readonly maxBytes: number };
  readonly clock: Clock;
}

/** Only tests override these. */
export interface SessionLimits {
  /** A page that does not respond for this long counts as hanging. */
  readonly hangMs: number;
  /** For a context and its first tab. */
  readonly openMs: number;
  /** The longest wait for a page to settle. */
  readonly settleMs: number;
  /** The same while a document or a request that may change something is pending. */
  readonly busySettleMs: number;
  /** For the first byte of a document. */
  readonly navigationMs: number;
  /** For reading a page, however large. */
  readonly observeMs: number;
  readonly screenshotMs: number;
  readonly maxTabs: number;
  readonly maxDialogs: number;
  /** Requests that may change something. All of them are kept, so their number is limited. */
  readonly maxWrites: number;
  /** The newest requests that only read; older ones are dropped. */
  readonly maxReads: number;
}

export const DEFAULT_LIMITS: SessionLimits = {
  hangMs: 10_000,
  openMs: 20_000,
  settleMs: 5_000,
  busySettleMs: 30_000,
  navigationMs: 30_000,
  observeMs: 60_000,
  screenshotMs: 3_000,
  maxTabs: 20,
  maxDialogs: 100,
  maxWrites: 10_000,
  maxReads: 5_000,
};

/**
 * A context that was opened in advance, with its proxy and first tab. Its proxy refuses everything until a session takes it.
 * The browser disposes of it.
 */
export interface BlankContext {
  readonly proxy: EgressProxy;
  readonly context: BrowserContext;
  readonly page: Page;
}

/** A browser for one session. Disposing of it removes everything that the session left in it. */
export interface RunningBrowser extends AsyncDisposable {
  readonly browser: Browser;
  /** Where the browser writes downloads. */
  readonly downloadsFolder: string;
  /** Whether only this session uses the browser. */
  readonly isExclusive: boolean;
  /** A context that was opened in advance; null when there is none left. */
  takeBlank?(): BlankContext | null;
  /** Why the browser was stopped prematurely; null when unknown. */
  explainEnd(): string | null;
}
