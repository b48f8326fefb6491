import { setTimeout as delay } from "node:timers/promises";
import type { CDPSession, Page, Request, Response } from "playwright-core";
import { isFromProxy } from "../egress/proxy-response.ts";
import { createPageObserver, type PageObserver } from "../observation/page-observer.ts";
import {
  asksForHttpAuthentication,
  HTTP_AUTHENTICATION,
  isDocumentRequest,
  type ProxyFailures,
} from "./failure-messages.ts";
import type { LiveChoices, LiveField } from "./live-browser.ts";
import { PageWatch } from "./page-watch.ts";

export interface TabEvents {
  readonly verdicts: ProxyFailures;
  /** What is told of it has changed. */
  onChanged(tab: LiveTab): void;
  /** It went somewhere, or much of it changed. */
  onActivity(tab: LiveTab): void;
  onField(tab: LiveTab): void;
  onChoices(tab: LiveTab, choices: LiveChoices | null): void;
}

const CRASHED = "The page has crashed. Reload to open it again.";
const BLANK = "about:blank";
const ERROR_PAGE = "chrome-error:";
const HISTORY_ATTEMPTS = 5;
const HISTORY_PAUSE_MS = 100;

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
  #expected: string | null = null;
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
    this.isLoading = page.url() !== BLANK;
    this.#listen();
    this.session = this.#attach();
    // What a popup opened with may be there before anybody listens.
    this.#leaveForeign();
    void this.#refresh();
  }

  get url(): string {
    if (this.#expected !== null && this.page.url() === BLANK) return this.#expected;
    return this.failure === null ? this.page.url() : (this.#attempted ?? this.page.url());
  }

  get isSecure(): boolean {
    return this.failure === null && this.page.url().startsWith("https:");
  }

  /** For a tab of ours, which nobody else can write into: what its empty page waits for. */
  expect(url: string): void {
    this.#expected = url;
    this.isLoading = true;
    this.#events.onChanged(this);
  }

  /** Told from outside, for what Chromium takes no notice of. */
  fail(words: string): void {
    this.failure = words;
    this.isLoading = false;
    this.#events.onChanged(this);
  }

  async goBack(): Promise<void> {
    const session = await this.session;
    const { previous } = await readHistory(session);
    if (previous === null) return;
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
    this.isLoading = true;
    this.#events.onChanged(this);
  }

  #receive(response: Response): void {
    const isFromForm = response.request().method() !== "GET";
    this.#answer = { status: response.status(), failure: this.#describe(response), isFromForm };
  }

  #describe(response: Response): string | null {
    if (isFromProxy(response.headers())) return this.#events.verdicts.describeAnswer(response.url());
    return asksForHttpAuthentication(response) ? HTTP_AUTHENTICATION : null;
  }

  #breakOff(request: Request): void {
    this.isLoading = false;
    const error = request.failure()?.errorText ?? "";
    // A download, an answer without content, or somebody went elsewhere: what is shown stays.
    if (/ERR_ABORTED/.test(error)) this.#events.onChanged(this);
    else {
      const words = this.#answer?.failure ?? this.#events.verdicts.describeError(request.url(), error);
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
    if (page.url() !== BLANK) this.#expected = null;
    this.#leaveForeign();
    void this.#refresh();
    this.#events.onActivity(this);
  }

  /** Content that no host answers for has no place in a sign-in. */
  #leaveForeign(): void {
    const { page } = this;
    if (!/^(https?:|about:blank|chrome-error:|$)/.test(page.url())) page.goto(BLANK).catch(() => {});
  }

  /** The browser keeps title and history itself, so this works while the page stands still. */
  async #refresh(): Promise<void> {
    this.#events.onChanged(this);
    try {
      const session = await this.session;
      const { title, previous } = await readHistory(session);
      this.title = title;
      this.canGoBack = previous !== null;
      this.#events.onChanged(this);
    } catch {
      // The tab has gone.
    }
  }
}

async function readHistory(
  session: CDPSession,
  attempt = 1,
): Promise<{ title: string; previous: { id: number } | null }> {
  try {
    const { currentIndex, entries } = await session.send("Page.getNavigationHistory");
    const previous = entries[currentIndex - 1];
    const isWebPage = /^https?:/.test(previous?.url ?? "");
    return {
      title: entries[currentIndex]?.title ?? "",
      previous: isWebPage && previous !== undefined ? previous : null,
    };
  } catch (error) {
    if (attempt === HISTORY_ATTEMPTS) throw error;
  }
  // Between two documents there is none.
  await delay(HISTORY_PAUSE_MS);
  return readHistory(session, attempt + 1);
}
