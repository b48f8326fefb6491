import type { McpClient } from "../../applications/application.ts";
import type { SpendingLimits } from "../../contract/spending.ts";

/** What the person consented to, and where they go back to. */
export interface SignInRequest {
  readonly applicationId: string;
  readonly userId: string;
  readonly redirectUri: string;
  readonly state: string | null;
  readonly codeChallenge: string | null;
  /** The program that the person agreed to; null for the application itself. */
  readonly client: McpClient | null;
  /** What the person chose at consent. */
  readonly approval: "never" | "commits";
  readonly spendingLimits: SpendingLimits | null;
}

/** The OAuth error that the person goes back with. */
export type Refusal = "access_denied" | "temporarily_unavailable";

export interface SignInAttempt extends SignInRequest {
  readonly id: string;
  /** Null while it is in progress. `credentials`: the sign-in is saved, and the person may store credentials. */
  readonly outcome: "code" | "credentials" | Refusal | null;
}

/** Shared by all processes: a page may be served by another process than its socket. */
export interface SignInAttemptStore {
  /** Also deletes attempts that expired more than `memoryMs` ago. Times are by the database's clock. */
  insert(request: SignInRequest, times: { lifetimeMs: number; memoryMs: number }): Promise<{ id: string }>;
  /** An attempt of this person that has not expired, whether it has ended or not. */
  find(id: string, userId: string): Promise<SignInAttempt | null>;
  /** From now on only this ticket opens the socket. */
  setTicket(id: string, ticketHash: Buffer): Promise<void>;
  /** Replaces the ticket with the next one; false when it is not the current one. */
  spendTicket(id: string, ticketHash: Buffer, nextHash: Buffer): Promise<boolean>;
  /** Only the first outcome counts: false when the attempt had already ended. A successful one ends in `OAuthStore.grantCode`. */
  conclude(id: string, outcome: Refusal): Promise<boolean>;
  /** After a successful one: the person is asked for credentials before they go back. */
  beginCredentials(id: string): Promise<void>;
  /** The person goes back: false when they have done so already. */
  endCredentials(id: string): Promise<boolean>;
}
