import type { LiveChoices, LiveDialog, LiveField, LiveInput, LivePage } from "../../contract/live-view.ts";
import type { SavedState } from "../vault/saved-sign-in.ts";

/**
 * A browser in which a person signs in by hand. Nothing that happens in it is recorded. Methods reject when a page cannot be
 * read; the message of an error named NavigationFailed is for the person.
 */
export interface LiveBrowser extends AsyncDisposable {
  /** Inputs are applied in order. One that the page can no longer take is dropped. */
  input(input: LiveInput): void;
  /** The current page as it is now. */
  view(signal: AbortSignal): Promise<SiteView>;
  /** Reloads a URL in the current tab and reads it. */
  visit(url: string, signal: AbortSignal): Promise<SiteView>;
  /** The same URL as a signed-out visitor sees it. */
  visitSignedOut(url: string, signal: AbortSignal): Promise<SiteView>;
  /**
   * Enters values into the sign-in form of the current page, if it shows one, submits it and waits for the site to respond.
   * Nothing is entered unless all that the form asks for is given and the page's URL is allowed.
   */
  enterSignIn(entry: SignInEntry, signal: AbortSignal): Promise<EnteredForm>;
  /** The browser state to save. */
  capture(): Promise<SavedState>;
}

export interface SignInEntry {
  /** Null: not to be entered (again). */
  readonly values: {
    readonly userName: string | null;
    readonly password: string | null;
    readonly code: (() => Promise<string>) | null;
  };
  readonly mayEnter: (url: string) => boolean;
  /** Whether the page with this URL belongs to the sign-in: a user name is asked for alone only there. */
  readonly isSignInPage: (url: string) => boolean;
  /** Whether a button with this label submits a step of a sign-in. */
  readonly isSubmitLabel: (label: string) => boolean;
}

interface EnteredForm {
  /** What the page asks for; empty when it shows no sign-in form. */
  readonly asked: readonly ("userName" | "password" | "code")[];
  /** Whether it was entered and sent. False when a value was not given, or when the page is not allowed. */
  readonly isSent: boolean;
  readonly isAllowed: boolean;
}

export interface LiveFrame {
  readonly width: number;
  readonly height: number;
  readonly jpeg: Buffer;
}

/** Events of the browser. The callbacks must not throw. */
export interface LiveListener {
  /** Only the newest counts. */
  onFrame(frame: LiveFrame): void;
  onPage(page: LivePage): void;
  onField(field: LiveField | null): void;
  onDialog(dialog: LiveDialog | null): void;
  onChoices(choices: LiveChoices | null): void;
  /** The page has settled after a navigation or a large change. */
  onSettled(): void;
  /** The browser is gone; `reason` is for the person. */
  onLost(reason: string): void;
}

interface LiveBrowserOptions {
  readonly url: string;
  /** The application's own hosts. Other hosts can be opened only at public addresses. */
  readonly siteHosts: readonly string[];
  readonly viewport: { readonly width: number; readonly height: number };
  readonly isTouch: boolean;
  readonly listener: LiveListener;
  /** A sign-in to start with; without it, nobody is signed in. */
  readonly state?: SavedState;
}

/** Rejects when no browser is available. An unreachable site is reported by `onPage`. */
export type OpenLiveBrowser = (options: LiveBrowserOptions, signal: AbortSignal) => Promise<LiveBrowser>;

/** What a page shows about whether the person is signed in. */
export interface SiteView {
  /** After redirects. */
  readonly url: string;
  readonly title: string;
  /** HTTP status of the document, when known. */
  readonly status: number | null;
  /** A field for the current password, not one for choosing a new password. */
  readonly hasPasswordField: boolean;
  /** A field for a one-time code: the sign-in is not complete. */
  readonly hasCodeField: boolean;
  /** Accessible names of links, buttons and menu items. */
  readonly controls: readonly string[];
  /** All visible text. */
  readonly text: string;
}
