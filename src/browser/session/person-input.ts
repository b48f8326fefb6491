/** Input into the page, in CSS pixels of its viewport. */
export type PageInput = PointerInput | WheelInput | TouchInput | KeyInput | TextInput | PasteInput;

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
  /** All fingers that still touch the screen. */
  readonly points: readonly { readonly id: number; readonly x: number; readonly y: number }[];
  readonly modifiers: Modifiers;
}

export interface KeyInput {
  readonly type: "key";
  readonly kind: "down" | "up";
  /** `KeyboardEvent.key`. */
  readonly key: string;
  readonly code: string;
  readonly modifiers: Modifiers;
  readonly isRepeat: boolean;
}

/** Text that was not typed with single keys, for example by an input method. */
export interface TextInput {
  readonly type: "text";
  readonly text: string;
}

interface PasteInput {
  readonly type: "paste";
  readonly text: string;
}
