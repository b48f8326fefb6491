import type { Page } from "playwright-core";
import type { LiveFrame, Viewport } from "./live-browser.ts";

/** Text stays crisp; above it pictures grow without being seen to be better. */
const QUALITY = 80;
/**
 * Chromium has at most so many pictures on their way and drops what comes then. Each is held for a while, so that a page
 * that moves all the time costs 40 pictures a second and not 60.
 */
const IN_FLIGHT = 5;
const HOLD_MS = 125;
/**
 * Of so many in a row one may have been dropped, and that may have been the last one: when none follows, another is asked
 * for. They are counted as they come: what Chromium has on its way cannot be seen from here.
 */
const MANY = IN_FLIGHT - 1;
const QUIET_MS = 100;

/** Pictures of one page at a time. */
export class Screencast {
  readonly #onFrame: (frame: LiveFrame) => void;
  #page: Page | null = null;
  #viewport: Viewport = { width: 0, height: 0 };
  #inRow = 0;
  #quiet: NodeJS.Timeout | undefined;
  #quietForSure: NodeJS.Immediate | undefined;

  constructor(onFrame: (frame: LiveFrame) => void) {
    this.#onFrame = onFrame;
  }

  /** The first picture comes at once, also of a page that does not change. */
  show(page: Page, viewport: Viewport): void {
    this.stop();
    this.#page = page;
    this.#viewport = viewport;
    const start = page.screencast.start({
      quality: QUALITY,
      size: viewport,
      onFrame: ({ data, viewportWidth, viewportHeight }) => {
        if (this.#page !== page) return undefined;
        this.#onFrame({ width: viewportWidth, height: viewportHeight, jpeg: data });
        return this.#hold();
      },
    });
    // The page may be closing; its successor is shown then.
    start.catch(() => {});
  }

  stop(): void {
    this.#inRow = 0;
    this.#forgetQuiet();
    const page = this.#page;
    this.#page = null;
    page?.screencast.stop().catch(() => {});
  }

  async #hold(): Promise<void> {
    this.#inRow += 1;
    this.#forgetQuiet();
    this.#quiet = setTimeout(() => {
      // This process may have been the one that stood still: what came meanwhile is heard first.
      this.#quietForSure = setImmediate(() => this.#onQuiet());
    }, QUIET_MS);
    await new Promise((resolve) => setTimeout(resolve, HOLD_MS));
  }

  #forgetQuiet(): void {
    clearTimeout(this.#quiet);
    clearImmediate(this.#quietForSure);
  }

  #onQuiet(): void {
    const mayMissOne = this.#inRow >= MANY;
    this.#inRow = 0;
    if (mayMissOne && this.#page !== null) this.show(this.#page, this.#viewport);
  }
}
