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
