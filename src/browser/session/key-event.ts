import type { KeyInput } from "./person-input.ts";

const ALT = 1;
const CONTROL = 2;
const META = 4;
const SHIFT = 8;

/** The used part of DevTools' `Input.dispatchKeyEvent`. */
interface KeyEvent {
  readonly type: "keyDown" | "rawKeyDown" | "keyUp";
  readonly key: string;
  readonly code: string;
  readonly modifiers: number;
  readonly windowsVirtualKeyCode: number;
  readonly location: number;
  readonly isKeypad: boolean;
  readonly autoRepeat: boolean;
  readonly text?: string;
  readonly unmodifiedText?: string;
  readonly commands?: string[];
}

/** Command on the viewer's Mac becomes Control, which this browser expects. */
export function toKeyEvent(input: KeyInput): KeyEvent {
  const isMeta = input.key === "Meta";
  const key = isMeta ? "Control" : input.key;
  const code = isMeta ? "ControlLeft" : input.code;
  const pressed = input.modifiers & META ? (input.modifiers & ~META) | CONTROL : input.modifiers;
  const text = input.kind === "down" ? textOf(key, code, pressed) : "";
  // A character that is typed with Alt (AltGr, Option) is not a shortcut.
  const modifiers = isCharacter(text) ? pressed & SHIFT : pressed;
  return {
    type: input.kind === "up" ? "keyUp" : text === "" ? "rawKeyDown" : "keyDown",
    key,
    code,
    modifiers,
    windowsVirtualKeyCode: keyCodeOf(key, code),
    location: locationOf(code),
    isKeypad: code.startsWith("Numpad"),
    autoRepeat: input.isRepeat,
    ...(text === "" ? {} : { text, unmodifiedText: text }),
    ...commandsOf(key, modifiers),
  };
}

/** Whether one key event can carry the text. Other text has to be inserted. */
export function isCharacter(text: string): boolean {
  return text.length === 1 && text >= " " && text !== "\u007f";
}

function textOf(key: string, code: string, modifiers: number): string {
  if (key === "Enter") return "\r";
  if (!isCharacter(key)) return "";
  if ((modifiers & (CONTROL | ALT)) === 0) return key;
  // Alt with the key's own letter is a shortcut. Any other character is text.
  const isOwn = code.toLowerCase().endsWith(key.toLowerCase()) || code === "Space";
  return modifiers & ALT && !isOwn ? key : "";
}

function locationOf(code: string): number {
  if (code.startsWith("Numpad")) return 3;
  if (/^(Shift|Control|Alt|Meta)Left$/.test(code)) return 1;
  return /^(Shift|Control|Alt|Meta)Right$/.test(code) ? 2 : 0;
}

/** Chromium on macOS needs these shortcuts as editing commands. */
const COMMANDS: Readonly<Record<string, string>> = { a: "selectAll", z: "undo", y: "redo" };

function commandsOf(key: string, modifiers: number): { commands?: string[] } {
  const command = COMMANDS[key.toLowerCase()];
  return modifiers === CONTROL && command !== undefined ? { commands: [command] } : {};
}

/** Windows virtual key codes: sites read them as `keyCode`, and Chromium uses them for keys that type nothing. */
const NAMED: Readonly<Record<string, number>> = {
  Backspace: 8,
  Tab: 9,
  Enter: 13,
  Shift: 16,
  Control: 17,
  Alt: 18,
  Pause: 19,
  CapsLock: 20,
  Escape: 27,
  " ": 32,
  PageUp: 33,
  PageDown: 34,
  End: 35,
  Home: 36,
  ArrowLeft: 37,
  ArrowUp: 38,
  ArrowRight: 39,
  ArrowDown: 40,
  Insert: 45,
  Delete: 46,
  ContextMenu: 93,
};

const PUNCTUATION: Readonly<Record<string, number>> = {
  Semicolon: 186,
  Equal: 187,
  Comma: 188,
  Minus: 189,
  Period: 190,
  Slash: 191,
  Backquote: 192,
  BracketLeft: 219,
  Backslash: 220,
  BracketRight: 221,
  Quote: 222,
};

/** Letters and digits by the typed character, so that Ctrl+A follows the keyboard layout of the person. */
function keyCodeOf(key: string, code: string): number {
  const named = NAMED[key];
  if (named !== undefined) return named;
  if (/^[a-z0-9]$/i.test(key)) return key.toUpperCase().charCodeAt(0);
  const [, functionKey] = /^F(\d{1,2})$/.exec(key) ?? [];
  if (functionKey !== undefined) return 111 + Number(functionKey);
  const [, place] = /^(?:Key|Digit)([A-Z0-9])$/.exec(code) ?? [];
  return place?.charCodeAt(0) ?? PUNCTUATION[code] ?? 0;
}

/** The `code` of a character on most keyboards; empty when unknown. */
export function guessCode(character: string): string {
  if (/^[a-z]$/i.test(character)) return `Key${character.toUpperCase()}`;
  if (/^\d$/.test(character)) return `Digit${character}`;
  return character === " " ? "Space" : "";
}
