import type { Page } from "playwright-core";
import type { LiveFrame, Viewport } from "./live-browser.ts";

/** Text stays crisp. Higher quality makes frames larger without a visible gain. */
const QUALITY = 80;
/**
 * Chromium has at most this many unacknowledged frames and drops further ones. Each is acknowledged with a delay, so that
 * a page that changes all the time produces 40 frames a second and not 60.
 */
const IN_FLIGHT = 5;
const HOLD_MS = 125;
/**
 * After this many frames in quick succession one may have been dropped, possibly the last one. When no frame follows,
 * another is requested.
 */
const MANY = IN_FLIGHT - 1;
const QUIET_MS = 100;

/** Frames of one page at a time. */
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

  /** The first frame comes at once, even if the page does not change. */
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
    // Fails when the page is closing. The next tab is shown then.
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
      // This process may have been busy, so frames that arrived meanwhile are handled first.
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
