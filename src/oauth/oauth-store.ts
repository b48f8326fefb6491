export interface StoredCode {
  connectionId: string;
  applicationId: string;
  userId: string;
  redirectUri: string;
  codeChallenge: string | null;
  expiresAt: Date;
  usedAt: Date | null;
}

export interface OAuthStore {
  /** Connects the user and stores a code for the connection, in one transaction. Forgets the connection's stale codes. */
  grantCode(grant: {
    applicationId: string;
    userId: string;
    codeHash: Buffer;
    redirectUri: string;
    codeChallenge: string | null;
    expiresAt: Date;
    staleBefore: Date;
  }): Promise<void>;

  /**
   * Locks the code, asks `decide`, and carries out the answer in the same transaction. Of concurrent exchanges of
   * one code, each sees what the one before it did.
   */
  exchangeCode(codeHash: Buffer, decide: (code: StoredCode) => CodeDecision): Promise<StoredCode | null>;

  /** Revokes the token if it belongs to this application. */
  revokeToken(tokenHash: Buffer, applicationId: string): Promise<void>;
}

export type CodeDecision =
  | { do: "refuse" }
  /** Revokes the token that the code issued. */
  | { do: "revoke" }
  /** Marks the code used and makes this the connection's only live token. */
  | { do: "issue"; tokenHash: Buffer; usedAt: Date };
