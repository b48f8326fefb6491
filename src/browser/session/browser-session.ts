import type { Observation, PendingDialog } from "../observation/observation.ts";
import type { PinnedElement } from "../observation/pin-element.ts";
import type { BrowserState } from "../state/browser-state.ts";
import type { NetworkRecord } from "./network-record.ts";

/** A file that a page made the browser download: kept apart, never opened. */
export interface QuarantinedDownload {
  /** The name the site suggested, made harmless. */
  readonly name: string;
  readonly url: string;
  readonly path: string;
  readonly bytes: number;
  /** Null when it was kept; else why it was not (too large, too many, broken off). */
  readonly refusal: string | null;
}

/** What happened in the browser since a moment. */
export interface SessionEvents {
  readonly requests: readonly NetworkRecord[];
  readonly downloads: readonly QuarantinedDownload[];
  /** Dialogs that opened, and how each was answered (null: still open). */
  readonly dialogs: readonly { readonly dialog: PendingDialog; readonly answer: "accepted" | "dismissed" | null }[];
  /** Ids of tabs that were opened. */
  readonly openedTabs: readonly string[];
  /** Hosts that the allow-list refused, as "host:port". */
  readonly refusedHosts: readonly string[];
}

/** A moment in the session, to ask later what has happened since. */
export type Mark = number & { readonly __mark: unique symbol };

/** The browser of one run. Every method throws SessionLost once the browser has crashed, hangs or is closed. */
export interface BrowserSession extends AsyncDisposable {
  /** The only thing that takes snapshots, because another snapshot would make all refs stale. */
  observe(signal: AbortSignal): Promise<Observation>;
  /** The element behind a ref of the newest observation; StaleElement when it is gone or is not what it was any more. */
  pin(ref: string): Promise<PinnedElement>;

  mark(): Mark;
  since(mark: Mark): SessionEvents;

  /** http and https only; PolicyRefusal otherwise. Answers the status of the main document, null when there was none. */
  goto(url: string, signal: AbortSignal): Promise<number | null>;
  back(signal: AbortSignal): Promise<void>;
  press(keys: string): Promise<void>;
  scrollBy(deltaY: number): Promise<void>;
  switchTab(tabId: string): Promise<void>;
  closeTab(tabId: string): Promise<void>;

  readonly dialog: PendingDialog | null;
  answerDialog(answer: { accept: boolean; text?: string }): Promise<void>;

  /**
   * Runs an action and waits for what it set off: navigations it began, requests it made, the page coming to rest. It
   * returns early when a dialog opens, for the page stands still then. Waiting ends by itself after a while, because some
   * pages never rest.
   */
  settle<Result>(action: () => Promise<Result>, signal: AbortSignal): Promise<Result | null>;

  /** What is seen now; secrets that a field shows in clear are covered. Null when the page cannot be drawn. */
  screenshot(): Promise<{ data: Buffer; contentType: string } | null>;

  /**
   * A second look with other eyes: a new tab with the same sign-in, in which nothing that changes anything gets out. The
   * run's own tab is left as it is.
   */
  reread(url: string, signal: AbortSignal): Promise<{ status: number | null; observation: Observation }>;

  /** Everything by which sites know the user now, to be given to another session. Bounded in time. */
  captureState(): Promise<BrowserState>;

  /** Whether the allow-list lets this run open the address. */
  allows(url: string): boolean;
  /** Every address that a tab showed, in order, without repetition. */
  visited(): readonly string[];
  /** All requests of the run that may change something, oldest first. */
  writes(): readonly NetworkRecord[];
}

/** It would have left the allowed hosts, changed something in read-only mode, or opened what is no web page. */
export class PolicyRefusal extends Error {
  override readonly name = "PolicyRefusal";
}

/** The browser crashed, hangs or was closed. Nothing more can be done with it. */
export class SessionLost extends Error {
  override readonly name = "SessionLost";
}

/** The address could not be opened: no such host, no connection, no answer. The message says which. */
export class NavigationFailed extends Error {
  override readonly name = "NavigationFailed";
}
