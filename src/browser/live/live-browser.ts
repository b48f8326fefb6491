import type { Clock } from "../../lib/clock.ts";
import type { SiteView } from "../observation/site-view.ts";
import type { BrowserState } from "../state/browser-state.ts";

/** A browser in which a person acts by hand and sees pictures of it. Nothing of what happens in it is recorded. */
export interface LiveBrowser extends AsyncDisposable {
  /** Carried out in the order in which they come. One that the page cannot take any more is dropped. */
  input(input: LiveInput): void;
  /** The current page as it is now. */
  look(signal: AbortSignal): Promise<SiteView>;
  /** Opens an address anew in the current tab and looks at it. NavigationFailed when it cannot be opened. */
  revisit(url: string, signal: AbortSignal): Promise<SiteView>;
  /** The same address as somebody sees it whom the site does not know. */
  visitAsStranger(url: string, signal: AbortSignal): Promise<SiteView>;
  capture(): Promise<BrowserState>;
}

export interface LiveOptions {
  readonly url: string;
  readonly viewport: Viewport;
  readonly isTouch: boolean;
  readonly listener: LiveListener;
  /** Hosts that may be at a private address. */
  readonly privateHosts: readonly string[];
  readonly clock: Clock;
}

export interface Viewport {
  readonly width: number;
  readonly height: number;
}

/** None of these may throw. */
export interface LiveListener {
  onFrame(frame: LiveFrame): void;
  onPage(page: LivePage): void;
  onField(field: LiveField | null): void;
  onDialog(dialog: LiveDialog | null): void;
  onChoices(choices: LiveChoices | null): void;
  /** The page has come to rest after going somewhere or changing much. */
  onRest(): void;
  /** The browser is gone, with what a person can be told. Nothing follows. */
  onLost(reason: string): void;
}

export interface LiveFrame {
  /** Of the viewport that it shows, in CSS pixels. */
  readonly width: number;
  readonly height: number;
  readonly jpeg: Buffer;
}

export interface LivePage {
  readonly url: string;
  readonly title: string;
  readonly isSecure: boolean;
  readonly isLoading: boolean;
  readonly canGoBack: boolean;
  readonly tabs: readonly { readonly id: string; readonly title: string; readonly isCurrent: boolean }[];
  /** Why the page could not be opened, in words; null when it could. */
  readonly failure: string | null;
}

/** The field that has the keyboard; never what stands in it. */
export interface LiveField {
  readonly kind: "text" | "password" | "email" | "tel" | "numeric" | "url" | "search";
  readonly label: string;
}

export interface LiveDialog {
  readonly kind: "alert" | "confirm" | "prompt" | "beforeunload";
  readonly message: string;
  readonly defaultText: string;
}

/** A drop-down list, which pictures do not show. */
export interface LiveChoices {
  readonly label: string;
  readonly options: readonly { readonly label: string; readonly isChosen: boolean; readonly isDisabled: boolean }[];
}

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
