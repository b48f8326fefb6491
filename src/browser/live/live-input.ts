/** What a person does in the picture of a page, in CSS pixels of its viewport. */
export type PageInput = PointerInput | WheelInput | TouchInput | KeyInput | TextInput | PasteInput;

/** What is done to the browser around the page: it works also while the page stands still. */
export type ControlInput =
  | { readonly type: "resize"; readonly width: number; readonly height: number }
  | { readonly type: "back" }
  | { readonly type: "reload" }
  | { readonly type: "choose_tab"; readonly id: string }
  | { readonly type: "close_tab"; readonly id: string }
  | { readonly type: "answer_dialog"; readonly accept: boolean; readonly text: string }
  | { readonly type: "choose"; readonly index: number | null };

export type LiveInput = PageInput | ControlInput;

const CONTROLS: ReadonlySet<LiveInput["type"]> = new Set([
  "resize",
  "back",
  "reload",
  "choose_tab",
  "close_tab",
  "answer_dialog",
  "choose",
] satisfies ControlInput["type"][]);

export function isControl(input: LiveInput): input is ControlInput {
  return CONTROLS.has(input.type);
}

/** Alt 1, Control 2, Meta 4, Shift 8, as in the DevTools protocol. */
type Modifiers = number;

export interface PointerInput {
  readonly type: "pointer";
  readonly kind: "move" | "down" | "up";
  readonly x: number;
  readonly y: number;
  readonly button: "none" | "left" | "middle" | "right";
  readonly buttons: number;
  readonly clicks: number;
  readonly modifiers: Modifiers;
}

interface WheelInput {
  readonly type: "wheel";
  readonly x: number;
  readonly y: number;
  readonly dx: number;
  readonly dy: number;
  readonly modifiers: Modifiers;
}

export interface TouchInput {
  readonly type: "touch";
  readonly kind: "start" | "move" | "end" | "cancel";
  /** All fingers that are still down. */
  readonly points: readonly { readonly id: number; readonly x: number; readonly y: number }[];
  readonly modifiers: Modifiers;
}

export interface KeyInput {
  readonly type: "key";
  readonly kind: "down" | "up";
  /** `KeyboardEvent.key`: with one character, what it writes. */
  readonly key: string;
  readonly code: string;
  readonly modifiers: Modifiers;
  readonly isRepeat: boolean;
}

/** What no single key wrote. */
export interface TextInput {
  readonly type: "text";
  readonly text: string;
}

interface PasteInput {
  readonly type: "paste";
  readonly text: string;
}
