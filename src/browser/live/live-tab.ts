import type { CDPSession, Page, Request, Response } from "playwright-core";
import { createPageObserver, type PageObserver } from "../observation/page-observer.ts";
import { isFromProxy } from "../session/network-recorder.ts";
import { describeNetworkError, type ProxyVerdicts } from "./describe-failure.ts";
import { isDocumentRequest } from "./document-request.ts";
import type { LiveChoices, LiveField } from "./live-browser.ts";
import { PageWatch } from "./watch/page-watch.ts";

export interface TabEvents {
  readonly verdicts: ProxyVerdicts;
  /** What is told of it has changed. */
  onChanged(tab: LiveTab): void;
  /** It went somewhere, or much of it changed. */
  onActivity(tab: LiveTab): void;
  onField(tab: LiveTab): void;
  onChoices(tab: LiveTab, choices: LiveChoices | null): void;
}

const CRASHED = "The page has crashed. Reload to open it again.";
const ERROR_PAGE = "chrome-error:";

/** One tab, and what is known of the page in it without asking the page: it may stand still. */
export class LiveTab {
  readonly id: string;
  readonly page: Page;
  readonly observer: PageObserver;
  readonly watch: PageWatch;
  /** Fails when the tab has gone before it could be attached to. */
  readonly session: Promise<CDPSession>;
  readonly #events: TabEvents;
  title = "";
  isLoading: boolean;
  canGoBack = false;
  failure: string | null = null;
  field: LiveField | null = null;
  isCrashed = false;
  /** Of the document that is shown. */
  status: number | null = null;
  /** Whether the document that is shown was the answer to a form. */
  isFromForm = false;
  #attempted: string | null = null;
  #answer: { status: number | null; failure: string | null; isFromForm: boolean } | null = null;

  constructor(id: string, page: Page, events: TabEvents) {
    this.id = id;
    this.page = page;
    this.#events = events;
    this.observer = createPageObserver(page);
    this.watch = new PageWatch(page, {
      onField: (field) => {
        this.field = field;
        events.onField(this);
      },
      onChoices: (choices) => events.onChoices(this, choices),
      onChanged: (isLarge) => {
        void this.#refresh();
        if (isLarge) events.onActivity(this);
      },
    });
    this.isLoading = page.url() !== "about:blank";
    this.#listen();
    this.session = this.#attach();
    void this.#refresh();
  }

  get url(): string {
    return this.failure === null ? this.page.url() : (this.#attempted ?? this.page.url());
  }

  get isSecure(): boolean {
    return this.failure === null && this.page.url().startsWith("https:");
  }

  /** Told from outside, for what Chromium takes no notice of. */
  fail(words: string): void {
    this.failure = words;
    this.isLoading = false;
    this.#events.onChanged(this);
  }

  async goBack(): Promise<void> {
    const session = await this.session;
    const { currentIndex, entries } = await session.send("Page.getNavigationHistory");
    const previous = entries[currentIndex - 1];
    if (previous === undefined || !isWebAddress(previous.url)) return;
    await session.send("Page.navigateToHistoryEntry", { entryId: previous.id });
  }

  async #attach(): Promise<CDPSession> {
    const session = await this.page.context().newCDPSession(this.page);
    // Not waited for: a page that stands still is not watched, but can be left.
    this.watch.start(session).catch(() => {});
    return session;
  }

  #listen(): void {
    const { page } = this;
    page.on("request", (request) => {
      if (isDocumentRequest(page, request)) this.#begin(request);
    });
    page.on("response", (response) => {
      if (isDocumentRequest(page, response.request())) this.#receive(response);
    });
    page.on("requestfailed", (request) => {
      if (isDocumentRequest(page, request)) this.#breakOff(request);
    });
    page.on("framenavigated", (frame) => {
      if (frame === page.mainFrame()) this.#arrive();
    });
    page.on("domcontentloaded", () => void this.#refresh());
    page.on("load", () => {
      this.isLoading = false;
      void this.#refresh();
      this.#events.onActivity(this);
    });
    page.on("crash", () => {
      this.isCrashed = true;
      this.#attempted = page.url();
      this.fail(CRASHED);
    });
  }

  #begin(request: Request): void {
    this.#answer = null;
    this.#attempted = request.url();
    this.#events.verdicts.forget(request.url());
    this.isLoading = true;
    this.#events.onChanged(this);
  }

  #receive(response: Response): void {
    const isFromForm = response.request().method() !== "GET";
    const words = isFromProxy(response.headers()) ? this.#events.verdicts.find(response.url()) : null;
    this.#answer = { status: response.status(), failure: words, isFromForm };
  }

  #breakOff(request: Request): void {
    this.isLoading = false;
    const error = request.failure()?.errorText ?? "";
    // A download, an answer without content, or somebody went elsewhere: what is shown stays.
    if (/ERR_ABORTED/.test(error)) this.#events.onChanged(this);
    else {
      const words = this.#events.verdicts.find(request.url()) ?? describeNetworkError(error);
      this.#answer = { status: null, failure: words, isFromForm: false };
      this.fail(words);
    }
  }

  #arrive(): void {
    const { page } = this;
    if (!page.url().startsWith(ERROR_PAGE)) this.failure = this.#answer?.failure ?? null;
    if (this.#answer !== null) {
      this.status = this.#answer.status;
      this.isFromForm = this.#answer.isFromForm;
    }
    // Content that no host answers for has no place in a sign-in.
    if (!/^(https?:|about:blank|chrome-error:|$)/.test(page.url())) page.goto("about:blank").catch(() => {});
    void this.#refresh();
    this.#events.onActivity(this);
  }

  /** The browser keeps title and history itself, so this works while the page stands still. */
  async #refresh(): Promise<void> {
    this.#events.onChanged(this);
    try {
      const session = await this.session;
      const { currentIndex, entries } = await session.send("Page.getNavigationHistory");
      this.title = entries[currentIndex]?.title ?? "";
      this.canGoBack = isWebAddress(entries[currentIndex - 1]?.url ?? "");
      this.#events.onChanged(this);
    } catch {
      // Between two documents there is no history; it is asked again when the next has come.
    }
  }
}

function isWebAddress(url: string): boolean {
  return /^https?:/.test(url);
}
