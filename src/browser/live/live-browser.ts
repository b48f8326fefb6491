import type { Clock } from "../../lib/clock.ts";
import type { SiteView } from "../observation/site-view.ts";
import type { PageInput } from "../session/person-input.ts";
import type { BrowserState } from "../state/browser-state.ts";
import type { EnteredForm, SignInEntry } from "./sign-in-form.ts";

/** A browser that a person uses remotely: pictures out, input in. Nothing that happens in it is recorded. */
export interface LiveBrowser extends AsyncDisposable {
  /** Inputs are applied in order. One that the page can no longer take is dropped. */
  input(input: LiveInput): void;
  /** The current page as it is now. */
  view(signal: AbortSignal): Promise<SiteView>;
  /** Opens a URL in the current tab and reads it. NavigationFailed when it cannot be opened. */
  visit(url: string, signal: AbortSignal): Promise<SiteView>;
  /** The same URL as a signed-out visitor sees it. */
  visitSignedOut(url: string, signal: AbortSignal): Promise<SiteView>;
  /**
   * Enters values into the sign-in form of the current page, if it shows one, submits it and waits for the site to respond.
   * Nothing is entered unless all that the form asks for is given and the page's URL is allowed.
   */
  enterSignIn(entry: SignInEntry, signal: AbortSignal): Promise<EnteredForm>;
  capture(): Promise<BrowserState>;
}

export interface LiveOptions {
  readonly url: string;
  readonly viewport: Viewport;
  readonly isTouch: boolean;
  readonly listener: LiveListener;
  /** What to start with; without it, an empty browser. */
  readonly state?: BrowserState;
  /** Hosts that may be at a private address. */
  readonly privateHosts: readonly string[];
  readonly clock: Clock;
}

export interface Viewport {
  readonly width: number;
  readonly height: number;
}

/** The callbacks must not throw. */
export interface LiveListener {
  onFrame(frame: LiveFrame): void;
  onPage(page: LivePage): void;
  onField(field: LiveField | null): void;
  onDialog(dialog: LiveDialog | null): void;
  onChoices(choices: LiveChoices | null): void;
  /** The page has settled after a navigation or a large change. */
  onSettled(): void;
  /** The browser is gone; `reason` is for the person. No events follow. */
  onLost(reason: string): void;
}

export interface LiveFrame {
  /** Size of the viewport in CSS pixels. */
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
  /** Why the page could not be opened, for the person; null when it could. */
  readonly failure: string | null;
}

/** The focused field, without its value. */
export interface LiveField {
  readonly kind: "text" | "password" | "email" | "tel" | "numeric" | "url" | "search";
  readonly label: string;
}

export interface LiveDialog {
  readonly kind: "alert" | "confirm" | "prompt" | "beforeunload";
  readonly message: string;
  readonly defaultText: string;
}

/** The options of a drop-down list, which the screencast does not show. */
export interface LiveChoices {
  readonly label: string;
  readonly options: readonly { readonly label: string; readonly isChosen: boolean; readonly isDisabled: boolean }[];
}

/** Input for the browser around the page. It works while the page hangs. */
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
