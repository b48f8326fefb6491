import type { Observation, ObservedNode, PendingDialog } from "../observation/observation.ts";
import type { PinnedElement } from "../observation/pin-element.ts";
import type { BrowserState } from "../state/browser-state.ts";
import type { NetworkRecord } from "./network-record.ts";
import type { PageInput } from "./person-input.ts";
import type { RequestGate } from "./write-interceptor.ts";

/** A file that a page made the browser download. It is quarantined and never opened. */
export interface QuarantinedDownload {
  /** The name that the site suggested, sanitized. */
  readonly name: string;
  readonly url: string;
  readonly path: string;
  readonly bytes: number;
  /** Why the file was not kept (too large, too many, aborted); null when it was. */
  readonly refusal: string | null;
}

/** What happened in the browser since a mark. */
export interface SessionEvents {
  readonly requests: readonly NetworkRecord[];
  readonly downloads: readonly QuarantinedDownload[];
  /** Dialogs that opened, and how they were answered (null: still open). */
  readonly dialogs: readonly { readonly dialog: PendingDialog; readonly answer: "accepted" | "dismissed" | null }[];
  /** Ids of tabs that were opened. */
  readonly openedTabs: readonly string[];
  /** Hosts that the proxy refused, as "host:port". */
  readonly refusedHosts: readonly string[];
}

/** What was scrolled. */
export interface Scrolled {
  readonly what: "page" | "area";
  /** Whether it can be scrolled further in the same direction. */
  readonly goesOn: boolean;
}

/** What the current tab shows. */
export interface SessionPicture {
  /** Size of the viewport in CSS pixels. */
  readonly width: number;
  readonly height: number;
  readonly jpeg: Buffer;
  readonly url: string;
}

/** Somebody watches the session until this is disposed. */
export interface SessionWatch extends Disposable {
  /** A person's input into the current tab. Inputs are applied in order; one that the page cannot take is dropped. */
  input(input: PageInput): void;
}

/** A page to load again. */
export interface PageToRead {
  readonly url: string;
  /** Whether it shows what is expected of it. Without it, what it shows at rest is enough. */
  readonly isReady?: (root: ObservedNode) => boolean;
  /** In the run, what is expected came some time after the page. */
  readonly cameLate?: boolean;
  /** For what a page shows only after clicks, such as the items of a menu. */
  readonly clicks?: {
    readonly expected: number;
    /** How much of what is expected the page shows. */
    readonly count: (root: ObservedNode) => number;
    /** The ref of what to click next; null when nothing is left. */
    readonly next: (root: ObservedNode) => string | null;
    /** Whether it is still the page after a click. A tab may change the fragment of its URL. */
    readonly isHere: (url: string) => boolean;
  };
}

type FreshObservation =
  | { readonly status: number | null; readonly observation: Observation }
  | { readonly failure: PolicyRefusal | NavigationFailed };

/** The local storage, session storage and databases with which pages are read again: the sign-in is always the one of the run. */
export type StorageToUse = "of the run" | "before the run";

/** What of an origin's storage is not as it was when the session began. */
export interface StoredChange {
  readonly origin: string;
  /** The keys of local and session storage, and the databases with their stores. In memory only: they may hold personal data. */
  readonly entries: readonly {
    readonly name: string;
    /** Null when it was not there. */
    readonly before: string | null;
    readonly now: string | null;
  }[];
}

/** A moment in the session; `since(mark)` returns what happened after it. */
export type Mark = number & { readonly __mark: unique symbol };

/** The browser of one execution. Every method throws SessionLost once the browser has crashed, hangs or is closed. */
export interface BrowserSession extends AsyncDisposable {
  /** The refs of earlier observations are no longer valid afterwards. */
  observe(signal: AbortSignal): Promise<Observation>;
  /** The element behind a ref of the latest observation; StaleElement when it is gone or has changed. */
  pin(ref: string): Promise<PinnedElement>;

  mark(): Mark;
  since(mark: Mark): SessionEvents;

  /** http and https only; PolicyRefusal otherwise. Returns the status of the main document, null without one. */
  goto(url: string, signal: AbortSignal): Promise<number | null>;
  back(signal: AbortSignal): Promise<void>;
  press(keys: string): Promise<void>;
  /** Scrolls the page, or else the area that a person would scroll. Null when nothing scrolls any further. */
  scrollBy(screens: number): Promise<Scrolled | null>;
  switchTab(tabId: string): Promise<void>;
  closeTab(tabId: string): Promise<void>;

  readonly dialog: PendingDialog | null;
  answerDialog(answer: { accept: boolean; text?: string }): Promise<void>;

  /**
   * Runs an action and waits for its consequences: navigations, requests, changes of the page. Returns early when a
   * dialog opens, because it blocks the page. The wait is bounded, because some pages never settle.
   */
  settle<Result>(action: () => Promise<Result>, signal: AbortSignal): Promise<Result | null>;

  /** The viewport; secrets that a field shows in clear text are covered. Null when the page cannot be captured. */
  screenshot(): Promise<{ data: Buffer; contentType: string } | null>;
  /** Pictures of the current tab as it changes, at most five a second, until disposed. Secrets are covered as in screenshots. */
  watch(onPicture: (picture: SessionPicture) => void): SessionWatch;

  /**
   * Opens the URLs with the same sign-in in a verification context, whose writes are blocked, and observes them. Observes
   * again for some seconds while a page is loading, or is not ready yet for the caller. The results are in the same order.
   */
  observeForVerification(
    pages: readonly PageToRead[],
    signal: AbortSignal,
    storage?: StorageToUse,
  ): Promise<readonly FreshObservation[]>;
  /** What pages have put into the storage of their origins since the session began, or changed there. */
  findStoredChanges(): Promise<readonly StoredChange[]>;
  /** Opens a verification context in the background: it will be used soon. */
  prepareVerification(): void;

  /** The current sign-in state, to open another session with. Bounded in time. */
  captureState(): Promise<BrowserState>;

  /** From now on, every request to the site that may change something, and every page, needs this decision to leave. */
  setGate(gate: RequestGate): void;

  /** Whether the URL may be opened. */
  allows(url: string): boolean;
  /** Every URL that a tab has shown, in order, without repetition. */
  visited(): readonly string[];
  /** All requests that may change something, oldest first. */
  writes(): readonly NetworkRecord[];
}

/** Refused: outside the allowed hosts, a change in read-only mode, or not an http or https URL. */
export class PolicyRefusal extends Error {
  override readonly name = "PolicyRefusal";
}

/** The browser crashed, hangs or was closed. The session cannot be used any more. */
export class SessionLost extends Error {
  override readonly name = "SessionLost";
}

/** The URL could not be opened: no such host, no connection, no response. The message says which. */
export class NavigationFailed extends Error {
  override readonly name = "NavigationFailed";
}
