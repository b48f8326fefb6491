import type { BrowserContext, Page } from "playwright-core";
import { LiveTab, type TabEvents } from "./live-tab.ts";

interface LiveTabsOptions {
  readonly context: BrowserContext;
  readonly events: TabEvents;
  readonly maxTabs: number;
  /** Another tab has become current. */
  onSwitched(tab: LiveTab): void;
  /** The last one was closed. */
  onNone(): void;
}

/** The newest tab is current until another is chosen; when it closes, the one before it is. */
export class LiveTabs {
  readonly #options: LiveTabsOptions;
  readonly #open: LiveTab[] = [];
  /** Least recently used first. */
  readonly #recent: LiveTab[] = [];
  #count = 0;

  constructor(options: LiveTabsOptions) {
    this.#options = options;
    options.context.on("page", (page) => this.#add(page));
  }

  get current(): LiveTab | null {
    return this.#recent.at(-1) ?? null;
  }

  list(): { id: string; title: string; isCurrent: boolean }[] {
    const { current } = this;
    return this.#open.map((tab) => ({ id: tab.id, title: tab.title, isCurrent: tab === current }));
  }

  /** Most recently used first, so the current one is the first. */
  pages(): Page[] {
    return this.#recent.map(({ page }) => page).reverse();
  }

  find(id: string): LiveTab | null {
    return this.#open.find((tab) => tab.id === id) ?? null;
  }

  choose(tab: LiveTab): void {
    if (tab === this.current) return;
    this.#removeRecent(tab);
    this.#recent.push(tab);
    this.#options.onSwitched(tab);
  }

  #add(page: Page): void {
    const { events, maxTabs } = this.#options;
    if (this.#open.filter(({ isCrashed }) => !isCrashed).length >= maxTabs) {
      page.close().catch(() => {});
      return;
    }
    this.#count += 1;
    const tab = new LiveTab(`t${this.#count}`, page, events);
    this.#open.push(tab);
    page.on("close", () => this.#remove(tab));
    this.choose(tab);
  }

  #remove(tab: LiveTab): void {
    const wasCurrent = tab === this.current;
    this.#open.splice(this.#open.indexOf(tab), 1);
    this.#removeRecent(tab);
    const { current } = this;
    if (current === null) this.#options.onNone();
    else if (wasCurrent) this.#options.onSwitched(current);
    else this.#options.events.onChanged(current);
  }

  #removeRecent(tab: LiveTab): void {
    const index = this.#recent.indexOf(tab);
    if (index >= 0) this.#recent.splice(index, 1);
  }
}
