import type { Browser } from "playwright-core";

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
