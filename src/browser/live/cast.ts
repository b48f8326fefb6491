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
/** The picture that was dropped may have been the last one: when none follows, another is asked for. */
const QUIET_MS = 100;

/** Pictures of one page at a time. */
export class Cast {
  readonly #onFrame: (frame: LiveFrame) => void;
  #page: Page | null = null;
  #viewport: Viewport = { width: 0, height: 0 };
  #held = 0;
  #renewal: NodeJS.Timeout | undefined;

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
    clearTimeout(this.#renewal);
    const page = this.#page;
    this.#page = null;
    page?.screencast.stop().catch(() => {});
  }

  async #hold(): Promise<void> {
    clearTimeout(this.#renewal);
    this.#held += 1;
    if (this.#held >= IN_FLIGHT - 1) this.#renewal = setTimeout(() => this.#renew(), QUIET_MS);
    await new Promise((resolve) => setTimeout(resolve, HOLD_MS));
    this.#held -= 1;
  }

  #renew(): void {
    if (this.#page !== null) this.show(this.#page, this.#viewport);
  }
}
