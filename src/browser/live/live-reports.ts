import type { LiveListener, LivePage } from "./live-browser.ts";
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

/** Calls once after a quiet moment, and not later than so long after the first request. */
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

/** The same listener, told nothing any more once it is over: pages go on telling while they are being closed. */
export function muteWhenOver(listener: LiveListener, isOver: () => boolean): LiveListener {
  return {
    onFrame: (frame) => isOver() || listener.onFrame(frame),
    onPage: (page) => isOver() || listener.onPage(page),
    onField: (field) => isOver() || listener.onField(field),
    onDialog: (dialog) => isOver() || listener.onDialog(dialog),
    onChoices: (choices) => isOver() || listener.onChoices(choices),
    onRest: () => isOver() || listener.onRest(),
    onLost: (reason) => isOver() || listener.onLost(reason),
  };
}
