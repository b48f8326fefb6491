import type { BrowserContext } from "playwright-core";

type StorageState = Awaited<ReturnType<BrowserContext["storageState"]>>;

/** Everything by which a site knows a person again. Plain JSON. */
export type BrowserState = {
  /** Cookies, and per origin local storage and databases. */
  readonly storage: StorageState;
  /** What tabs keep for themselves, per origin; Playwright's own state leaves it out. */
  readonly sessionStorage: readonly SessionStorageOf[];
};

export type SessionStorageOf = {
  readonly origin: string;
  readonly entries: readonly (readonly [key: string, value: string])[];
};
