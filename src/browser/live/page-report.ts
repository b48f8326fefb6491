import { Debounce } from "./debounce.ts";
import type { LivePage } from "./live-browser.ts";
import type { LiveTabs } from "./live-tabs.ts";

/** Tells of the current page what has changed, not more often than anybody could read it. */
export class PageReport {
  readonly #onPage: (page: LivePage) => void;
  readonly #soon: Debounce;
  #told = "";

  constructor(tabs: () => LiveTabs | null, onPage: (page: LivePage) => void) {
    this.#onPage = onPage;
    this.#soon = new Debounce(() => this.#tell(tabs()), { quietMs: 20, maxMs: 50 });
  }

  request(): void {
    this.#soon.request();
  }

  cancel(): void {
    this.#soon.cancel();
  }

  #tell(tabs: LiveTabs | null): void {
    const tab = tabs?.current ?? null;
    if (tab === null || tabs === null) return;
    const { url, title, isSecure, isLoading, canGoBack, failure } = tab;
    const page: LivePage = { url, title, isSecure, isLoading, canGoBack, tabs: tabs.list(), failure };
    const text = JSON.stringify(page);
    if (text === this.#told) return;
    this.#told = text;
    this.#onPage(page);
  }
}
