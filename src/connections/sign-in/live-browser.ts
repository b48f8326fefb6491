import type { LiveChoices, LiveDialog, LiveField, LiveInput, LivePage } from "../../contract/live-view.ts";
import type { SavedState } from "../vault/saved-sign-in.ts";

/**
 * A browser in which a person signs in by hand. Nothing of what happens in it is recorded. What cannot be looked at rejects; an
 * error named NavigationFailed says why in words for the person.
 */
export interface LiveBrowser extends AsyncDisposable {
  /** Carried out in the order in which they come. One that the page cannot take any more is dropped. */
  input(input: LiveInput): void;
  /** The current page as it is now. */
  look(signal: AbortSignal): Promise<SiteView>;
  /** Opens an address anew in the current tab and looks at it. */
  revisit(url: string, signal: AbortSignal): Promise<SiteView>;
  /** The same address as somebody sees it whom the site does not know. */
  visitAsStranger(url: string, signal: AbortSignal): Promise<SiteView>;
  /** Everything by which the site knows the person. */
  capture(): Promise<SavedState>;
}

export interface LiveFrame {
  readonly width: number;
  readonly height: number;
  readonly jpeg: Buffer;
}

/** What the browser tells by itself. None of these may throw. */
interface LiveListener {
  /** Only the newest counts. */
  onFrame(frame: LiveFrame): void;
  onPage(page: LivePage): void;
  onField(field: LiveField | null): void;
  onDialog(dialog: LiveDialog | null): void;
  onChoices(choices: LiveChoices | null): void;
  /** The page has come to rest after going somewhere or changing much: a look may be worth while. */
  onRest(): void;
  /** The browser is gone, with what a person can be told. */
  onLost(reason: string): void;
}

interface LiveBrowserOptions {
  readonly url: string;
  readonly viewport: { readonly width: number; readonly height: number };
  readonly isTouch: boolean;
  readonly listener: LiveListener;
}

/** Rejects when no browser can be had. That the site does not answer is told by `onPage`. */
export type OpenLiveBrowser = (options: LiveBrowserOptions, signal: AbortSignal) => Promise<LiveBrowser>;

/** What of a page tells whether the site knows the person. */
export interface SiteView {
  /** After redirects. */
  readonly url: string;
  readonly title: string;
  /** Of the document, when it is known. */
  readonly status: number | null;
  /** One that asks for a password there is; not one for choosing a new password. */
  readonly hasPasswordField: boolean;
  /** One for a one-time code: the site is not done with asking who they are. */
  readonly hasCodeField: boolean;
  /** The names of links, buttons and menu entries. */
  readonly controls: readonly string[];
  /** Everything that can be read there. */
  readonly text: string;
}
