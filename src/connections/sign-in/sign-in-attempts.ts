import type { SignInRequest } from "./sign-ins.ts";

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
