import type { CDPSession, Frame, Page } from "playwright-core";
import { withTimeout } from "../../lib/waiting.ts";
import type { LiveChoices, LiveField } from "./live-browser.ts";
import { CHOOSE, OFFER_PASTE, SEND, WATCH_SOURCE, type WatchMessage } from "./watch-script.ts";

const WORLD = "errand-watch";
const PASTE_TIMEOUT_MS = 1_000;

export interface WatchListener {
  onField(field: LiveField | null): void;
  onChoices(choices: LiveChoices | null): void;
  onChanged(isLarge: boolean): void;
}

/** The world of a watching script: one per document. */
interface WatchContext {
  readonly session: CDPSession;
  readonly contextId: number;
}

/** Watches the documents of a tab from inside: which field has the keyboard, what changes, lists that want to open. */
export class PageWatch {
  readonly #page: Page;
  readonly #listener: WatchListener;
  readonly #framed = new WeakSet<Frame>();
  #main: WatchContext | null = null;
  #focused: WatchContext | null = null;
  #offering: WatchContext | null = null;

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
    if (place !== null) await evaluateIn(place, `${CHOOSE}(${JSON.stringify(index)})`);
  }

  /** What is left to insert. */
  async offerPaste(text: string): Promise<string> {
    const place = this.#focused ?? this.#main;
    if (place === null) return text;
    const left = await withTimeout(evaluateIn(place, `${OFFER_PASTE}(${JSON.stringify(text)})`), PASTE_TIMEOUT_MS);
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
      if (name === SEND) this.#receive(JSON.parse(payload) as WatchMessage, { session, contextId: executionContextId });
    });
    session.on("Runtime.executionContextDestroyed", ({ executionContextId }) => {
      this.#forget({ session, contextId: executionContextId });
    });
    await session.send("Runtime.enable");
    await session.send("Page.enable");
    await session.send("Runtime.addBinding", { name: SEND, executionContextName: WORLD });
    await session.send("Page.addScriptToEvaluateOnNewDocument", {
      source: WATCH_SOURCE,
      worldName: WORLD,
      runImmediately: true,
    });
  }

  #receive(note: WatchMessage, place: WatchContext): void {
    switch (note.type) {
      case "field":
        // A frame that has lost the keyboard may say so after the next has it.
        if (note.field === null && !isSameContext(this.#focused, place)) return;
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

  #forget(place: WatchContext): void {
    if (isSameContext(this.#main, place)) this.#main = null;
    if (isSameContext(this.#offering, place)) {
      this.#offering = null;
      this.#listener.onChoices(null);
    }
    if (!isSameContext(this.#focused, place)) return;
    this.#focused = null;
    this.#listener.onField(null);
  }
}

function isSameContext(a: WatchContext | null, b: WatchContext): boolean {
  return a !== null && a.session === b.session && a.contextId === b.contextId;
}

async function evaluateIn({ session, contextId }: WatchContext, expression: string): Promise<unknown> {
  const { result } = await session.send("Runtime.evaluate", { expression, contextId, returnByValue: true });
  return result.value;
}
