import type { CDPSession } from "playwright-core";
import type { PageInput, PointerInput, TextInput, TouchInput } from "../live-input.ts";
import { guessCode } from "./key-codes.ts";
import { isCharacter, toKeyEvent } from "./key-event.ts";

/** Where input goes: a tab, as far as its pages have been prepared for it. */
export interface InputTarget {
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
      await write(session, input);
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
async function write(session: CDPSession, { text }: TextInput): Promise<void> {
  if (text === "\n" || text === "\r") return strike(session, "Enter", "Enter");
  if (isCharacter(text)) return strike(session, text, guessCode(text));
  if (text !== "") await session.send("Input.insertText", { text });
}

async function strike(session: CDPSession, key: string, code: string): Promise<void> {
  for (const kind of ["down", "up"] as const) {
    const event = toKeyEvent({ type: "key", kind, key, code, modifiers: 0, isRepeat: false });
    await session.send("Input.dispatchKeyEvent", event);
  }
}
