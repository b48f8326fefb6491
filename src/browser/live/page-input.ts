import type { CDPSession } from "playwright-core";
import { withTimeout } from "../../lib/waiting.ts";
import { guessCode, isCharacter, toKeyEvent } from "./key-event.ts";
import type { PageInput, PointerInput, TextInput, TouchInput } from "./live-browser.ts";

const MAX_WAITING = 500;
/** A page may be busy for a while without losing what is typed; one that stands still for longer loses it. */
const PATIENCE_MS = 10_000;

/** Hands what a person does to the page, one after the other. */
export class InputQueue {
  readonly #dispatch: (input: PageInput) => Promise<void>;
  readonly #waiting: PageInput[] = [];
  #isBusy = false;
  #interruption = Promise.withResolvers<void>();

  /** What fails was meant for a page that has gone. */
  constructor(dispatch: (input: PageInput) => Promise<void>) {
    this.#dispatch = dispatch;
  }

  push(input: PageInput): void {
    const last = this.#waiting.at(-1);
    const merged = last === undefined ? null : merge(last, input);
    if (merged !== null) this.#waiting[this.#waiting.length - 1] = merged;
    else if (this.#waiting.length < MAX_WAITING) this.#waiting.push(input);
    if (!this.#isBusy) void this.#work();
  }

  /** What waits is dropped, and what is under way is not waited for: it was meant for what was shown before. */
  interrupt(): void {
    this.#waiting.length = 0;
    this.#interruption.resolve();
    this.#interruption = Promise.withResolvers<void>();
  }

  async #work(): Promise<void> {
    this.#isBusy = true;
    for (let input = this.#waiting.shift(); input !== undefined; input = this.#waiting.shift()) {
      const taken = this.#dispatch(input).then(
        () => true,
        () => true,
      );
      const isTaken = await withTimeout(
        Promise.race([taken, this.#interruption.promise.then(() => true)]),
        PATIENCE_MS,
      );
      if (isTaken === null) this.#waiting.length = 0;
    }
    this.#isBusy = false;
  }
}

/** A move that nobody has seen yet is overtaken by the next; turns of the wheel add up. */
function merge(last: PageInput, next: PageInput): PageInput | null {
  if (last.type === "pointer" && next.type === "pointer") {
    return last.kind === "move" && next.kind === "move" && last.buttons === next.buttons ? next : null;
  }
  if (last.type === "wheel" && next.type === "wheel" && last.modifiers === next.modifiers) {
    return { ...next, dx: last.dx + next.dx, dy: last.dy + next.dy };
  }
  const areMoves = last.type === "touch" && next.type === "touch" && last.kind === "move" && next.kind === "move";
  return areMoves && last.points.length === next.points.length ? next : null;
}

/** Where input goes: a tab, as far as its pages have been prepared for it. */
interface InputTarget {
  readonly session: CDPSession;
  /** Lets the page take a paste into its own hands; answers what is left to insert. */
  offerPaste(text: string): Promise<string>;
}

/** Ends when the page has taken it, which it does not while it stands still. */
export async function dispatchInput(target: InputTarget, input: PageInput): Promise<void> {
  const { session } = target;
  switch (input.type) {
    case "pointer":
      await session.send("Input.dispatchMouseEvent", toMouseEvent(input));
      return;
    case "wheel": {
      const { x, y, dx, dy, modifiers } = input;
      await session.send("Input.dispatchMouseEvent", { type: "mouseWheel", x, y, deltaX: dx, deltaY: dy, modifiers });
      return;
    }
    case "touch":
      await session.send("Input.dispatchTouchEvent", toTouchEvent(input));
      return;
    case "key":
      await pressKey(session, input);
      return;
    case "text":
      await typeText(session, input);
      return;
    case "paste": {
      const text = await target.offerPaste(input.text);
      if (text !== "") await session.send("Input.insertText", { text });
      return;
    }
  }
}

const MOUSE_EVENTS = { move: "mouseMoved", down: "mousePressed", up: "mouseReleased" } as const;

function toMouseEvent({ kind, x, y, button, buttons, clicks, modifiers }: PointerInput) {
  return { type: MOUSE_EVENTS[kind], x, y, button, buttons, clickCount: clicks, modifiers };
}

function toTouchEvent({ kind, points, modifiers }: TouchInput) {
  const touchPoints = points.map(({ id, x, y }) => ({ id, x, y }));
  if (kind === "cancel") return { type: "touchCancel" as const, touchPoints: [], modifiers };
  if (touchPoints.length === 0) return { type: "touchEnd" as const, touchPoints, modifiers };
  // One finger of several that is lifted is told by its absence.
  return { type: kind === "start" ? ("touchStart" as const) : ("touchMove" as const), touchPoints, modifiers };
}

async function pressKey(session: CDPSession, input: Extract<PageInput, { type: "key" }>): Promise<void> {
  const isBeyondKeys = [...input.key].length === 1 && input.key.length > 1;
  if (!isBeyondKeys) await session.send("Input.dispatchKeyEvent", toKeyEvent(input));
  else if (input.kind === "down") await session.send("Input.insertText", { text: input.key });
}

/** One character as a key, because fields for one-time codes listen to keys. */
async function typeText(session: CDPSession, { text }: TextInput): Promise<void> {
  if (text === "\n" || text === "\r") return typeKey(session, "Enter", "Enter");
  if (isCharacter(text)) return typeKey(session, text, guessCode(text));
  if (text !== "") await session.send("Input.insertText", { text });
}

async function typeKey(session: CDPSession, key: string, code: string): Promise<void> {
  for (const kind of ["down", "up"] as const) {
    const event = toKeyEvent({ type: "key", kind, key, code, modifiers: 0, isRepeat: false });
    await session.send("Input.dispatchKeyEvent", event);
  }
}
