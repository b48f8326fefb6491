import type { SealedSignIn } from "../connections/vault/saved-sign-in.ts";

export interface StoredCode {
  connectionId: string;
  applicationId: string;
  userId: string;
  redirectUri: string;
  codeChallenge: string | null;
  /** By the database's clock: those of several machines differ, and may jump. */
  isExpired: boolean;
  isUsed: boolean;
}

export interface OAuthStore {
  /** The user's saved sign-in, if there is one and the connection is active. */
  findSignIn(applicationId: string, userId: string): Promise<FoundSignIn | null>;

  /**
   * Connects the user, saves the sign-in and stores a code for the connection, in one transaction. Forgets the connection's
   * stale codes. False, and nothing is done, when it was to rest on a saved sign-in and there is none, or when the attempt
   * to make a new one had ended.
   */
  grantCode(grant: {
    applicationId: string;
    userId: string;
    codeHash: Buffer;
    redirectUri: string;
    codeChallenge: string | null;
    lifetimeMs: number;
    /** For how long it is remembered after that. */
    memoryMs: number;
    signIn: GrantedSignIn;
  }): Promise<boolean>;

  /**
   * Locks the code, asks `decide`, and carries out the answer in the same transaction. Of concurrent exchanges of
   * one code, each sees what the one before it did.
   */
  exchangeCode(codeHash: Buffer, decide: (code: StoredCode) => CodeDecision): Promise<StoredCode | null>;

  /** Revokes the token if it belongs to this application. */
  revokeToken(tokenHash: Buffer, applicationId: string): Promise<void>;
}

/** By what runs of the connection will be known to the site. */
type GrantedSignIn =
  /** The application has no sign-in address: consent is enough. */
  | { kind: "none" }
  /** What was saved before. */
  | { kind: "saved" }
  | { kind: "new"; attemptId: string; seal(connectionId: string): SealedSignIn };

export interface FoundSignIn {
  connectionId: string;
  /** When the user last signed in by hand. */
  signedInAt: Date;
  sealed: SealedSignIn;
}

export type CodeDecision =
  | { do: "refuse" }
  /** Revokes the token that the code issued. */
  | { do: "revoke" }
  /** Marks the code used and makes this the connection's only live token. */
  | { do: "issue"; tokenHash: Buffer };
