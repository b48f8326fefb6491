import type { LiveListener, LivePage } from "./live-browser.ts";
import type { LiveTabs } from "./live-tabs.ts";

/** Reports changes of the current page, at a limited rate. */
export class PageReport {
  readonly #onPage: (page: LivePage) => void;
  readonly #debounce: Debounce;
  #reported = "";

  constructor(tabs: () => LiveTabs | null, onPage: (page: LivePage) => void) {
    this.#onPage = onPage;
    this.#debounce = new Debounce(() => this.#report(tabs()), { quietMs: 20, maxMs: 50 });
  }

  request(): void {
    this.#debounce.request();
  }

  cancel(): void {
    this.#debounce.cancel();
  }

  #report(tabs: LiveTabs | null): void {
    const tab = tabs?.current ?? null;
    if (tab === null || tabs === null) return;
    const { url, title, isSecure, isLoading, canGoBack, failure } = tab;
    const page: LivePage = { url, title, isSecure, isLoading, canGoBack, tabs: tabs.list(), failure };
    const text = JSON.stringify(page);
    if (text === this.#reported) return;
    this.#reported = text;
    this.#onPage(page);
  }
}

/** Calls the work once after `quietMs` without requests, and at most `maxMs` after the first one. */
export class Debounce {
  readonly #work: () => void;
  readonly #quietMs: number;
  readonly #maxMs: number;
  #timer: NodeJS.Timeout | undefined;
  #firstMs: number | null = null;

  constructor(work: () => void, { quietMs, maxMs }: { quietMs: number; maxMs: number }) {
    this.#work = work;
    this.#quietMs = quietMs;
    this.#maxMs = maxMs;
  }

  request(): void {
    const nowMs = performance.now();
    this.#firstMs ??= nowMs;
    clearTimeout(this.#timer);
    const leftMs = this.#firstMs + this.#maxMs - nowMs;
    this.#timer = setTimeout(() => this.#run(), Math.max(0, Math.min(this.#quietMs, leftMs)));
  }

  cancel(): void {
    clearTimeout(this.#timer);
    this.#firstMs = null;
  }

  #run(): void {
    this.#firstMs = null;
    this.#work();
  }
}

/** The same listener, but silent once the session is over: pages still send events while they are closing. */
export function muteWhenOver(listener: LiveListener, isOver: () => boolean): LiveListener {
  return {
    onFrame: (frame) => isOver() || listener.onFrame(frame),
    onPage: (page) => isOver() || listener.onPage(page),
    onField: (field) => isOver() || listener.onField(field),
    onDialog: (dialog) => isOver() || listener.onDialog(dialog),
    onChoices: (choices) => isOver() || listener.onChoices(choices),
    onSettled: () => isOver() || listener.onSettled(),
    onLost: (reason) => isOver() || listener.onLost(reason),
  };
}
