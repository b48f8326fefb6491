import type { Application } from "../../applications/application.ts";
import type { ServiceMessage, ViewerMessage } from "../../contract/live-view.ts";
import type { LiveFrame } from "./live-browser.ts";

/** What a person has agreed to, and where they go back to. */
export interface SignInRequest {
  readonly applicationId: string;
  readonly userId: string;
  readonly redirectUri: string;
  readonly state: string | null;
  readonly codeChallenge: string | null;
}

/** Sign-ins by hand in a live browser, from consent until the person goes back to the application. */
export interface SignIns extends AsyncDisposable {
  begin(request: SignInRequest): Promise<{ id: string }>;
  /** For the page of one that is under way, with a new ticket for its socket; null when there is no such one for this person. */
  open(id: string, userId: string): Promise<OpenSignIn | null>;
  /** Spends the ticket and lets the viewer watch and act; null when id, person and ticket do not belong together. */
  join(id: string, userId: string, ticket: string, viewer: Viewer): Promise<ViewerSession | null>;
  /** Gives up; where the person goes now, or null when there is no such one under way for them. */
  cancel(id: string, userId: string): Promise<{ to: string } | null>;
}

interface OpenSignIn {
  readonly application: Application;
  readonly ticket: string;
  readonly redirectUri: string;
}

/** The person's page at the other end of a socket. Calls after `close` do nothing. */
export interface Viewer {
  send(message: ServiceMessage): void;
  sendFrame(number: number, frame: LiveFrame): void;
  /** Whether the person is still signed in to this service: on a shared computer another may have taken their place. */
  isSignedIn(): Promise<boolean>;
  /** Somebody else has taken the seat, or it is over; `over` has been sent then. */
  close(reason: "over" | "replaced"): void;
}

/** A viewer's place. Messages have been checked against the contract. */
export interface ViewerSession {
  receive(message: ViewerMessage): void;
  /** The socket has gone; it may come back within a minute. */
  leave(): void;
}

/** With what the person goes back when it did not succeed. */
export type Refusal = "access_denied" | "temporarily_unavailable";

export interface SignInAttempt extends SignInRequest {
  readonly id: string;
  /** Null while it is under way. */
  readonly outcome: "code" | Refusal | null;
}

/** Every process sees them, so that a page may be served by another one than its socket. */
export interface SignInAttemptStore {
  /** Forgets those that expired longer ago than they are remembered. All by the clock of the store. */
  insert(request: SignInRequest, times: { lifetimeMs: number; memoryMs: number }): Promise<{ id: string }>;
  /** One of this person's that has not expired, ended or not. */
  find(id: string, userId: string): Promise<SignInAttempt | null>;
  /** From here on only this ticket opens the socket. */
  setTicket(id: string, ticketHash: Buffer): Promise<void>;
  /** Replaces the ticket by the next one; false when it is not the one that counts. */
  spendTicket(id: string, ticketHash: Buffer, nextHash: Buffer): Promise<boolean>;
  /** Only the first one counts: false when it had ended already. One that succeeds ends together with its code. */
  conclude(id: string, outcome: Refusal): Promise<boolean>;
}
