import type { CDPSession, Frame, Page } from "playwright-core";
import { inTime } from "../../../lib/in-time.ts";
import type { LiveChoices, LiveField } from "../live-browser.ts";
import type { Note } from "./note.ts";
import { CHOOSE, OFFER_PASTE, TELL, WATCH_SOURCE } from "./watch-source.ts";

const WORLD = "errand-watch";
const PASTE_TIMEOUT_MS = 1_000;

export interface WatchListener {
  onField(field: LiveField | null): void;
  onChoices(choices: LiveChoices | null): void;
  onChanged(isLarge: boolean): void;
}

/** The world of a watching script: one per document. */
interface Place {
  readonly session: CDPSession;
  readonly contextId: number;
}

/** Watches the documents of a tab from inside: which field has the keyboard, what changes, lists that want to open. */
export class PageWatch {
  readonly #page: Page;
  readonly #listener: WatchListener;
  readonly #framed = new WeakSet<Frame>();
  #main: Place | null = null;
  #focused: Place | null = null;
  #offering: Place | null = null;

  constructor(page: Page, listener: WatchListener) {
    this.#page = page;
    this.#listener = listener;
  }

  async start(session: CDPSession): Promise<void> {
    this.#page.on("framenavigated", (frame) => {
      if (frame !== this.#page.mainFrame()) void this.#watchFrame(frame);
    });
    const { frameTree } = await session.send("Page.getFrameTree");
    session.on("Runtime.executionContextCreated", ({ context: { id, name, auxData } }) => {
      const isMain = name === WORLD && auxData?.["frameId"] === frameTree.frame.id;
      if (isMain) this.#main = { session, contextId: id };
    });
    await this.#watch(session);
    await Promise.all(this.#page.frames().map((frame) => this.#watchFrame(frame)));
  }

  async choose(index: number | null): Promise<void> {
    const place = this.#offering;
    this.#offering = null;
    if (place !== null) await call(place, `${CHOOSE}(${JSON.stringify(index)})`);
  }

  /** What is left to insert. */
  async offerPaste(text: string): Promise<string> {
    const place = this.#focused ?? this.#main;
    if (place === null) return text;
    const left = await inTime(call(place, `${OFFER_PASTE}(${JSON.stringify(text)})`), PASTE_TIMEOUT_MS);
    return typeof left === "string" ? left : "";
  }

  /** Frames of other sites may live in a process of their own; the session of the page does not reach those. */
  async #watchFrame(frame: Frame): Promise<void> {
    if (frame === this.#page.mainFrame() || this.#framed.has(frame)) return;
    const session = await this.#page
      .context()
      .newCDPSession(frame)
      .catch(() => null);
    if (session === null || this.#framed.has(frame)) return;
    this.#framed.add(frame);
    session.once("close", () => this.#framed.delete(frame));
    await this.#watch(session).catch(() => {});
  }

  async #watch(session: CDPSession): Promise<void> {
    session.on("Runtime.bindingCalled", ({ name, payload, executionContextId }) => {
      // Written by our script: pages do not reach its world.
      if (name === TELL) this.#receive(JSON.parse(payload) as Note, { session, contextId: executionContextId });
    });
    session.on("Runtime.executionContextDestroyed", ({ executionContextId }) => {
      this.#forget({ session, contextId: executionContextId });
    });
    await session.send("Runtime.enable");
    await session.send("Page.enable");
    await session.send("Runtime.addBinding", { name: TELL, executionContextName: WORLD });
    await session.send("Page.addScriptToEvaluateOnNewDocument", {
      source: WATCH_SOURCE,
      worldName: WORLD,
      runImmediately: true,
    });
  }

  #receive(note: Note, place: Place): void {
    switch (note.type) {
      case "field":
        // A frame that has lost the keyboard may say so after the next has it.
        if (note.field === null && !isSame(this.#focused, place)) return;
        this.#focused = note.field === null ? null : place;
        this.#listener.onField(note.field);
        return;
      case "choices":
        this.#offering = place;
        this.#listener.onChoices(note.choices);
        return;
      case "changed":
        this.#listener.onChanged(note.isLarge);
        return;
    }
  }

  #forget(place: Place): void {
    if (isSame(this.#main, place)) this.#main = null;
    if (isSame(this.#offering, place)) {
      this.#offering = null;
      this.#listener.onChoices(null);
    }
    if (!isSame(this.#focused, place)) return;
    this.#focused = null;
    this.#listener.onField(null);
  }
}

function isSame(a: Place | null, b: Place): boolean {
  return a !== null && a.session === b.session && a.contextId === b.contextId;
}

async function call({ session, contextId }: Place, expression: string): Promise<unknown> {
  const { result } = await session.send("Runtime.evaluate", { expression, contextId, returnByValue: true });
  return result.value;
}
