import type { CDPSession } from "playwright-core";
import { withTimeout } from "../../lib/waiting.ts";
import { guessCode, isCharacter, toKeyEvent } from "./key-event.ts";
import type { PageInput, PointerInput, TextInput, TouchInput } from "./person-input.ts";

const MAX_PENDING = 500;
/** Input for a page that is busy for longer than this is dropped. */
const DISPATCH_TIMEOUT_MS = 10_000;

/** Applies the input of a person to the page, one after another. */
export class InputQueue {
  readonly #dispatch: (input: PageInput) => Promise<void>;
  readonly #pending: PageInput[] = [];
  #isBusy = false;
  #interruption = Promise.withResolvers<void>();

  /** Failures of `dispatch` are ignored: the page is gone. */
  constructor(dispatch: (input: PageInput) => Promise<void>) {
    this.#dispatch = dispatch;
  }

  push(input: PageInput): void {
    const last = this.#pending.at(-1);
    const merged = last === undefined ? null : merge(last, input);
    if (merged !== null) this.#pending[this.#pending.length - 1] = merged;
    else if (this.#pending.length < MAX_PENDING) this.#pending.push(input);
    if (!this.#isBusy) void this.#work();
  }

  /** Drops pending input and stops waiting for the current one: it was meant for what was shown before. */
  interrupt(): void {
    this.#pending.length = 0;
    this.#interruption.resolve();
    this.#interruption = Promise.withResolvers<void>();
  }

  async #work(): Promise<void> {
    this.#isBusy = true;
    for (let input = this.#pending.shift(); input !== undefined; input = this.#pending.shift()) {
      const taken = this.#dispatch(input).then(
        () => true,
        () => true,
      );
      const isTaken = await withTimeout(
        Promise.race([taken, this.#interruption.promise.then(() => true)]),
        DISPATCH_TIMEOUT_MS,
      );
      if (isTaken === null) this.#pending.length = 0;
    }
    this.#isBusy = false;
  }
}

/** A pending move is replaced by the next one. Wheel movements add up. */
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

/** The tab that gets the input. */
interface InputTarget {
  readonly session: CDPSession;
  /** Lets the page handle the paste itself. Returns the text that is left to insert. */
  offerPaste(text: string): Promise<string>;
}

/** Resolves when the page has handled the input; never while it hangs. */
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
  // A lifted finger is missing from the points.
  return { type: kind === "start" ? ("touchStart" as const) : ("touchMove" as const), touchPoints, modifiers };
}

async function pressKey(session: CDPSession, input: Extract<PageInput, { type: "key" }>): Promise<void> {
  const isBeyondBmp = [...input.key].length === 1 && input.key.length > 1;
  if (!isBeyondBmp) await session.send("Input.dispatchKeyEvent", toKeyEvent(input));
  else if (input.kind === "down") await session.send("Input.insertText", { text: input.key });
}

/** A single character is typed as a key, because fields for one-time codes listen to key events. */
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
