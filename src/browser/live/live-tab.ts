import { setTimeout as delay } from "node:timers/promises";
import type { CDPSession, Page, Request, Response } from "playwright-core";
import { withTimeout } from "../../lib/waiting.ts";
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
  readonly failures: ProxyFailures;
  /** URL, title, loading state or failure has changed. */
  onChanged(tab: LiveTab): void;
  /** It has navigated, or much of it has changed. */
  onActivity(tab: LiveTab): void;
  onField(tab: LiveTab): void;
  onChoices(tab: LiveTab, choices: LiveChoices | null): void;
}

const CRASHED = "The page has crashed. Reload to open it again.";
const BLANK = "about:blank";
const ERROR_PAGE = "chrome-error:";
const HISTORY_ATTEMPTS = 5;
const HISTORY_PAUSE_MS = 100;
const WATCH_TIMEOUT_MS = 2_000;

/** One tab, with what is known about its page without running script in it: the page may hang. */
export class LiveTab {
  readonly id: string;
  readonly page: Page;
  readonly observer: PageObserver;
  readonly watch: PageWatch;
  /** Rejects when the tab is gone before it could be attached to. */
  readonly session: Promise<CDPSession>;
  /** Resolves when the watch script runs, or after a limit: a page that hangs cannot be watched, but can be left. */
  readonly watched: Promise<unknown>;
  readonly #events: TabEvents;
  title = "";
  isLoading: boolean;
  canGoBack = false;
  failure: string | null = null;
  field: LiveField | null = null;
  isCrashed = false;
  /** HTTP status of the current document. */
  status: number | null = null;
  /** Whether the current document is the result of a form. */
  isFromForm = false;
  #expected: string | null = null;
  #attempted: string | null = null;
  #response: { status: number | null; failure: string | null; isFromForm: boolean } | null = null;

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
    this.session = page.context().newCDPSession(page);
    const watching = this.session.then((session) => this.watch.start(session));
    this.watched = withTimeout(
      watching.catch(() => {}),
      WATCH_TIMEOUT_MS,
    );
    // A popup may have its content before the listeners are attached.
    this.#leaveHostless();
    void this.#refresh();
  }

  get url(): string {
    if (this.#expected !== null && this.page.url() === BLANK) return this.#expected;
    return this.failure === null ? this.page.url() : (this.#attempted ?? this.page.url());
  }

  get isSecure(): boolean {
    return this.failure === null && this.page.url().startsWith("https:");
  }

  /** Shows this URL already while the tab is still empty. Only for tabs that no page has opened. */
  expect(url: string): void {
    this.#expected = url;
    this.isLoading = true;
    this.#events.onChanged(this);
  }

  /** For failures that Chromium does not report. */
  fail(message: string): void {
    this.failure = message;
    this.isLoading = false;
    this.#events.onChanged(this);
  }

  async goBack(): Promise<void> {
    const session = await this.session;
    const { previous } = await readHistory(session);
    if (previous === null) return;
    await session.send("Page.navigateToHistoryEntry", { entryId: previous.id });
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
      if (isDocumentRequest(page, request)) this.#handleFailure(request);
    });
    page.on("framenavigated", (frame) => {
      if (frame === page.mainFrame()) this.#handleNavigation();
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
    this.#response = null;
    this.#attempted = request.url();
    this.isLoading = true;
    this.#events.onChanged(this);
  }

  #receive(response: Response): void {
    const isFromForm = response.request().method() !== "GET";
    this.#response = { status: response.status(), failure: this.#describe(response), isFromForm };
  }

  #describe(response: Response): string | null {
    if (isFromProxy(response.headers())) return this.#events.failures.describeResponse(response.url());
    return asksForHttpAuthentication(response) ? HTTP_AUTHENTICATION : null;
  }

  #handleFailure(request: Request): void {
    this.isLoading = false;
    const error = request.failure()?.errorText ?? "";
    // A download, a response without content, or another navigation: the current page stays.
    if (/ERR_ABORTED/.test(error)) this.#events.onChanged(this);
    else {
      const message = this.#response?.failure ?? this.#events.failures.describeError(request.url(), error);
      this.#response = { status: null, failure: message, isFromForm: false };
      this.fail(message);
    }
  }

  #handleNavigation(): void {
    const { page } = this;
    if (!page.url().startsWith(ERROR_PAGE)) this.failure = this.#response?.failure ?? null;
    if (this.#response !== null) {
      this.status = this.#response.status;
      this.isFromForm = this.#response.isFromForm;
    }
    if (page.url() !== BLANK) this.#expected = null;
    this.#leaveHostless();
    void this.#refresh();
    this.#events.onActivity(this);
  }

  /** Pages without a host (blob:, data:) are not allowed in a sign-in. */
  #leaveHostless(): void {
    const { page } = this;
    if (!/^(https?:|about:blank|chrome-error:|$)/.test(page.url())) page.goto(BLANK).catch(() => {});
  }

  /** Title and history come from the browser process, so this works while the page hangs. */
  async #refresh(): Promise<void> {
    this.#events.onChanged(this);
    try {
      const session = await this.session;
      const { title, previous } = await readHistory(session);
      this.title = title;
      this.canGoBack = previous !== null;
      this.#events.onChanged(this);
    } catch {
      // The tab is gone.
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
  // Fails for a moment between two documents.
  await delay(HISTORY_PAUSE_MS);
  return readHistory(session, attempt + 1);
}
