import type { KeyInput } from "../live-input.ts";
import { keyCodeOf } from "./key-codes.ts";

const ALT = 1;
const CONTROL = 2;
const META = 4;
const SHIFT = 8;

/** What of DevTools' `Input.dispatchKeyEvent` is used. */
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

/** A viewer's Mac says Command where this browser expects Control. */
export function toKeyEvent(input: KeyInput): KeyEvent {
  const isMeta = input.key === "Meta";
  const key = isMeta ? "Control" : input.key;
  const code = isMeta ? "ControlLeft" : input.code;
  const pressed = input.modifiers & META ? (input.modifiers & ~META) | CONTROL : input.modifiers;
  const text = input.kind === "down" ? textOf(key, code, pressed) : "";
  // A character that takes Alt to write (AltGr, Option) is no shortcut.
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

/** Only what one key event can carry; the rest has to be inserted. */
export function isCharacter(text: string): boolean {
  return text.length === 1 && text >= " " && text !== "\u007f";
}

function textOf(key: string, code: string, modifiers: number): string {
  if (key === "Enter") return "\r";
  if (!isCharacter(key)) return "";
  if ((modifiers & (CONTROL | ALT)) === 0) return key;
  // With Alt a shortcut leaves the key's own letter; whatever else comes out was meant to be written.
  const isOwn = code.toLowerCase().endsWith(key.toLowerCase()) || code === "Space";
  return modifiers & ALT && !isOwn ? key : "";
}

function locationOf(code: string): number {
  if (code.startsWith("Numpad")) return 3;
  if (/^(Shift|Control|Alt|Meta)Left$/.test(code)) return 1;
  return /^(Shift|Control|Alt|Meta)Right$/.test(code) ? 2 : 0;
}

/** A browser on a Mac does not know by itself what these are for. */
const COMMANDS: Readonly<Record<string, string>> = { a: "selectAll", z: "undo", y: "redo" };

function commandsOf(key: string, modifiers: number): { commands?: string[] } {
  const command = COMMANDS[key.toLowerCase()];
  return modifiers === CONTROL && command !== undefined ? { commands: [command] } : {};
}
