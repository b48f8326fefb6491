import type { CDPSession, Page } from "playwright-core";
import type { SessionPicture, SessionWatch } from "./browser-session.ts";
import { dispatchInput, InputQueue } from "./page-input.ts";
import type { PageInput } from "./person-input.ts";
import type { Tabs } from "./tabs.ts";

/** Text stays readable. A live sign-in has better pictures, because a person works in them. */
const QUALITY = 60;
const MAX_SIZE = { maxWidth: 1_280, maxHeight: 800 };
/** The next picture is allowed this long after the one before: five a second. */
const PICTURE_EVERY_MS = 200;
/** While one picture is unacknowledged Chromium drops all others, and so perhaps the last one. When none follows, it is asked again. */
const QUIET_MS = 300;

/** Pictures of the current tab of a session, as it changes. */
export class SessionView implements SessionWatch {
  readonly #tabs: Tabs;
  readonly #onPicture: (picture: SessionPicture) => void;
  #shown: PageScreencast | null = null;
  #isOver = false;
  readonly #over = Promise.withResolvers<void>();
  readonly #inputs = new InputQueue(async (input) => this.#shown?.dispatch(input));

  constructor(tabs: Tabs, onPicture: (picture: SessionPicture) => void) {
    this.#tabs = tabs;
    this.#onPicture = onPicture;
    // Rejects when the browser is lost: then there is nothing more to show.
    this.#follow().catch(() => {});
  }

  input(input: PageInput): void {
    if (!this.#isOver) this.#inputs.push(input);
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    this.#inputs.interrupt();
    this.#over.resolve();
    this.#shown?.stop();
  }

  async #follow(): Promise<void> {
    while (!this.#isOver) {
      const switched = this.#tabs.switched.next();
      const { page } = await this.#tabs.current();
      if (page !== this.#shown?.page && !this.#isOver) {
        this.#shown?.stop();
        this.#shown = new PageScreencast(page, this.#onPicture);
      }
      await Promise.race([switched, this.#over.promise]);
    }
  }
}

/** Pictures of one page. The first comes at once; then one for each change, but no more than five a second. */
class PageScreencast {
  readonly page: Page;
  readonly #onPicture: (picture: SessionPicture) => void;
  #session: CDPSession | null = null;
  #last: Buffer | null = null;
  #isAgain = false;
  #isStopped = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(page: Page, onPicture: (picture: SessionPicture) => void) {
    this.page = page;
    this.#onPicture = onPicture;
    // Fails when the page is closing. The next tab is shown then.
    this.#start().catch(() => {});
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    this.#session?.detach().catch(() => {});
  }

  async dispatch(input: PageInput): Promise<void> {
    // The page gets pasted text as if it were typed.
    if (this.#session !== null)
      await dispatchInput({ session: this.#session, offerPaste: async (text) => text }, input);
  }

  async #start(): Promise<void> {
    const session = await this.page.context().newCDPSession(this.page);
    this.#session = session;
    if (this.#isStopped) return this.stop();
    session.on("Page.screencastFrame", ({ data, sessionId, metadata: { deviceWidth, deviceHeight } }) => {
      this.#receive(Buffer.from(data, "base64"), { width: deviceWidth, height: deviceHeight });
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#acknowledge(sessionId), PICTURE_EVERY_MS);
    });
    await startScreencast(session);
  }

  #receive(jpeg: Buffer, size: { width: number; height: number }): void {
    const isNew = this.#last === null || !jpeg.equals(this.#last);
    // The same picture when asked again: nothing was dropped.
    this.#isAgain &&= !isNew;
    if (this.#isStopped || !isNew) return;
    this.#last = jpeg;
    this.#onPicture({ ...size, jpeg, url: this.page.url() });
  }

  #acknowledge(sessionId: number): void {
    this.#session?.send("Page.screencastFrameAck", { sessionId }).catch(() => {});
    if (!this.#isAgain) this.#timer = setTimeout(() => this.#askAgain(), QUIET_MS);
  }

  #askAgain(): void {
    if (this.#isStopped || this.#session === null) return;
    this.#isAgain = true;
    startScreencast(this.#session).catch(() => {});
  }
}

/** Starting again delivers the page as it is. */
async function startScreencast(session: CDPSession): Promise<void> {
  await session.send("Page.stopScreencast");
  await session.send("Page.startScreencast", { format: "jpeg", quality: QUALITY, ...MAX_SIZE, maxFramesInFlight: 1 });
}
