import type { Clock } from "../../lib/clock.ts";
import type { SiteView } from "../observation/site-view.ts";
import type { BrowserState } from "../state/browser-state.ts";
import type { LiveInput } from "./live-input.ts";

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
