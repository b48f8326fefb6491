import type { CDPSession, Frame, Page } from "playwright-core";
import { withTimeout } from "../../lib/waiting.ts";
import type { LiveChoices, LiveField } from "./live-browser.ts";
import { CHOOSE, OFFER_PASTE, SEND, WATCH_SOURCE, type WatchMessage } from "./watch-script.ts";

const ISOLATED_WORLD = "errand-watch";
const PASTE_TIMEOUT_MS = 1_000;

export interface WatchListener {
  onField(field: LiveField | null): void;
  onChoices(choices: LiveChoices | null): void;
  onChanged(isLarge: boolean): void;
}

/** The execution context of a watch script: one per document. */
interface WatchContext {
  readonly session: CDPSession;
  readonly contextId: number;
}

/** Runs a script in the documents of a tab, which reports the focused field, changes, and drop-down lists. */
export class PageWatch {
  readonly #page: Page;
  readonly #listener: WatchListener;
  readonly #watchedFrames = new WeakSet<Frame>();
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
      const isMain = name === ISOLATED_WORLD && auxData?.["frameId"] === frameTree.frame.id;
      if (isMain) this.#main = { session, contextId: id };
    });
    await this.#watch(session);
    await Promise.all(this.#page.frames().map((frame) => this.#watchFrame(frame)));
  }

  async choose(index: number | null): Promise<void> {
    const context = this.#offering;
    this.#offering = null;
    if (context !== null) await evaluateIn(context, `${CHOOSE}(${JSON.stringify(index)})`);
  }

  /** Returns the text that is left to insert. */
  async offerPaste(text: string): Promise<string> {
    const context = this.#focused ?? this.#main;
    if (context === null) return text;
    const left = await withTimeout(evaluateIn(context, `${OFFER_PASTE}(${JSON.stringify(text)})`), PASTE_TIMEOUT_MS);
    return typeof left === "string" ? left : "";
  }

  /** Cross-site frames may run in their own process, which the session of the page does not reach. */
  async #watchFrame(frame: Frame): Promise<void> {
    if (frame === this.#page.mainFrame() || this.#watchedFrames.has(frame)) return;
    const session = await this.#page
      .context()
      .newCDPSession(frame)
      .catch(() => null);
    if (session === null || this.#watchedFrames.has(frame)) return;
    this.#watchedFrames.add(frame);
    session.once("close", () => this.#watchedFrames.delete(frame));
    await this.#watch(session).catch(() => {});
  }

  async #watch(session: CDPSession): Promise<void> {
    session.on("Runtime.bindingCalled", ({ name, payload, executionContextId }) => {
      // Only our script can call the binding: pages have no access to its isolated world.
      if (name === SEND) this.#receive(JSON.parse(payload) as WatchMessage, { session, contextId: executionContextId });
    });
    session.on("Runtime.executionContextDestroyed", ({ executionContextId }) => {
      this.#forget({ session, contextId: executionContextId });
    });
    await session.send("Runtime.enable");
    await session.send("Page.enable");
    await session.send("Runtime.addBinding", { name: SEND, executionContextName: ISOLATED_WORLD });
    await session.send("Page.addScriptToEvaluateOnNewDocument", {
      source: WATCH_SOURCE,
      worldName: ISOLATED_WORLD,
      runImmediately: true,
    });
  }

  #receive(message: WatchMessage, context: WatchContext): void {
    switch (message.type) {
      case "field":
        // A frame may report that it lost the focus after the next one has it.
        if (message.field === null && !isSameContext(this.#focused, context)) return;
        this.#focused = message.field === null ? null : context;
        this.#listener.onField(message.field);
        return;
      case "choices":
        this.#offering = context;
        this.#listener.onChoices(message.choices);
        return;
      case "changed":
        this.#listener.onChanged(message.isLarge);
        return;
    }
  }

  #forget(context: WatchContext): void {
    if (isSameContext(this.#main, context)) this.#main = null;
    if (isSameContext(this.#offering, context)) {
      this.#offering = null;
      this.#listener.onChoices(null);
    }
    if (!isSameContext(this.#focused, context)) return;
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
