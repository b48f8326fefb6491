import type { BrowserContext, Page } from "playwright-core";
import type { Tab } from "../observation/observation.ts";
import { createPageObserver, type PageObserver } from "../observation/page-observer.ts";
import type { Mark } from "./browser-session.ts";
import type { Lifeline } from "./lifeline.ts";
import type { SessionLimits } from "./session-options.ts";
import { isAfter, Pulse, type Timeline } from "./timeline.ts";

/** An open tab, with the observer of its page. */
export interface OpenTab {
  readonly id: string;
  readonly page: Page;
  readonly observer: PageObserver;
  readonly openedAt: number;
  title: string;
}

interface TabsOptions {
  timeline: Timeline;
  lifeline: Lifeline;
  limits: SessionLimits;
  /** Called for each new tab. */
  onOpened: (page: Page) => void;
}

/** The tabs of a session. The newest is current until another is chosen; when it closes, the one before it is. */
export class Tabs {
  readonly #context: BrowserContext;
  readonly #options: TabsOptions;
  readonly #open: OpenTab[] = [];
  readonly #openings: { at: number; id: string }[] = [];
  readonly #visited = new Set<string>();
  /** Least recently used first. */
  readonly #recent: OpenTab[] = [];
  #count = 0;
  #replacement: Promise<void> = Promise.resolve();
  #isClosing = false;
  /** Another tab may have become current. */
  readonly switched = new Pulse();

  constructor(context: BrowserContext, first: Page, options: TabsOptions) {
    this.#context = context;
    this.#options = options;
    this.#add(first);
    context.on("page", (page) => this.#add(page));
  }

  /** There is always a current tab: when the last one closes, an empty one replaces it. */
  async current(): Promise<OpenTab> {
    const { lifeline } = this.#options;
    for (;;) {
      const tab = this.#recent.at(-1);
      if (tab !== undefined) return tab;
      await lifeline.unlessLost(this.#replacement);
    }
  }

  list(): Tab[] {
    const current = this.#recent.at(-1);
    return this.#open.map((tab) => {
      return { id: tab.id, url: tab.page.url(), title: tab.title, isCurrent: tab === current };
    });
  }

  /** Most recently used first, so the current one is the first. */
  pages(): Page[] {
    return this.#recent.map(({ page }) => page).reverse();
  }

  find(id: string): OpenTab | null {
    return this.#open.find((tab) => tab.id === id) ?? null;
  }

  choose(tab: OpenTab): void {
    const left = this.#recent.at(-1);
    this.#removeRecent(tab);
    this.#recent.push(tab);
    if (left !== undefined && left !== tab) void this.#updateTitle(left);
    this.switched.fire();
  }

  openedSince(mark: Mark): string[] {
    return this.#openings.filter(({ at }) => isAfter(at, mark)).map(({ id }) => id);
  }

  visited(): string[] {
    return [...this.#visited];
  }

  /** From now on a last tab that closes is not replaced. */
  stop(): void {
    this.#isClosing = true;
  }

  #add(page: Page): void {
    const { timeline, limits, onOpened } = this.#options;
    if (this.#open.length >= limits.maxTabs) {
      closeQuietly(page);
      return;
    }
    this.#count += 1;
    const tab: OpenTab = {
      id: `t${this.#count}`,
      page,
      observer: createPageObserver(page),
      openedAt: timeline.next(),
      title: "",
    };
    this.#open.push(tab);
    this.#openings.push({ at: tab.openedAt, id: tab.id });
    this.choose(tab);
    page.on("close", () => this.#remove(tab));
    page.on("crash", () => this.#handleCrash(tab));
    page.on("framenavigated", (frame) => {
      if (frame === page.mainFrame()) this.#handleNavigation(tab, frame.url());
    });
    page.on("load", () => void this.#updateTitle(tab));
    onOpened(page);
    this.#handleNavigation(tab, page.url());
  }

  /** The previous tab becomes current: usually the one that opened this tab. */
  #remove(tab: OpenTab): void {
    this.#open.splice(this.#open.indexOf(tab), 1);
    this.#removeRecent(tab);
    if (this.#open.length === 0 && !this.#isClosing && !this.#options.lifeline.isLost)
      this.#replacement = this.#openEmpty();
  }

  async #openEmpty(): Promise<void> {
    try {
      await this.#context.newPage();
    } catch (cause) {
      this.#options.lifeline.lose("The browser cannot open a new tab.", { cause });
    }
  }

  #removeRecent(tab: OpenTab): void {
    const index = this.#recent.indexOf(tab);
    if (index >= 0) this.#recent.splice(index, 1);
    this.switched.fire();
  }

  #handleCrash(tab: OpenTab): void {
    if (tab === this.#recent.at(-1)) this.#options.lifeline.lose(`The page crashed: ${tab.page.url()}`);
    else closeQuietly(tab.page);
  }

  #handleNavigation(tab: OpenTab, url: string): void {
    if (/^https?:/.test(url)) this.#visited.add(url);
    // Other schemes (blob:, data:) have no host that the policy could check.
    else if (!/^(about:blank|about:srcdoc|chrome-error:|$)/.test(url)) leave(tab.page);
  }

  /** An observation has the title of the current tab. */
  async #updateTitle(tab: OpenTab): Promise<void> {
    if (tab === this.#recent.at(-1)) return;
    tab.title = await tab.page.title().catch(() => tab.title);
  }
}

function leave(page: Page): void {
  page.goto("about:blank").catch(() => closeQuietly(page));
}

function closeQuietly(page: Page): void {
  page.close().catch(() => {});
}
