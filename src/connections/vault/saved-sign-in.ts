/** The browser state that makes a site recognize the person: cookies, local and session storage, IndexedDB. Opaque here. */
export type SavedState = Readonly<Record<string, unknown>>;

/** How to check whether the person is still signed in. */
export interface Probe {
  readonly url: string;
  /** A text that only signed-in users see on that page. */
  readonly mustSee: string | null;
  /** A text that only signed-out visitors see on that page. */
  readonly mustNotSee: string | null;
}

export interface SavedSignIn {
  readonly state: SavedState;
  readonly probe: Probe;
}

/** The data key of a saved sign-in as it is stored. */
export interface WrappedKey {
  /** The master key that wraps the data key. */
  readonly keyId: string;
  readonly wrappedKey: Buffer;
}

/** A saved sign-in as it is stored: it opens only with the master key and only for its own connection. */
export interface SealedSignIn extends WrappedKey {
  readonly ciphertext: Buffer;
}

export interface StoredSignIn extends SealedSignIn {
  /** Changes with every save. */
  readonly revision: string;
  readonly signedInAt: Date;
  readonly checkedAt: Date;
}

/** The wrapped data key of one stored sign-in, without the content. */
export interface StoredKey extends WrappedKey {
  readonly connectionId: string;
  readonly revision: string;
}

/** Who may write a saved sign-in: the run that holds the connection, or the check in progress. */
export type SignInHolder =
  | { readonly kind: "run"; readonly executionId: string; readonly fence: number }
  | { readonly kind: "check"; readonly expiresAt: Date };

/** Things that are sealed for a connection, as the rotation of the master key sees them. */
export interface KeyStore {
  /** A page of the keys that are not wrapped by this master key, ordered by connection. */
  listNotWrappedBy(otherThan: string, after: string | null, limit: number): Promise<StoredKey[]>;
  /**
   * Changes only the wrapping and keeps the revisions, so that a run in progress can still renew. Returns how many were
   * rewrapped; the others were replaced or deleted in the meantime.
   */
  rewrap(keys: readonly StoredKey[]): Promise<number>;
  /** How many each master key wraps; keys without any are left out. */
  countByKey(): Promise<{ keyId: string; count: number }[]>;
}

export interface SignInStore extends KeyStore {
  find(connectionId: string): Promise<StoredSignIn | null>;
  /**
   * Saves a new sign-in in place of any previous one, and makes the connection active. Stored credentials are deleted: they
   * may be those of another account. Throws when the connection was deleted.
   */
  save(connectionId: string, sealed: SealedSignIn): Promise<void>;
  /**
   * Replaces the sign-in that was read with its refreshed state. False, with nothing written, when it was replaced or deleted
   * in the meantime, or when the holder lost its lease.
   */
  renew(connectionId: string, revision: string, sealed: SealedSignIn, holder: SignInHolder): Promise<boolean>;
  /**
   * Deletes the sign-in, sets the connection to REAUTHORIZATION_REQUIRED, cancels its queued executions and requests
   * cancellation of a running one. False when there was no saved sign-in.
   */
  delete(connectionId: string): Promise<boolean>;
  /**
   * Connections due for a check: active, last checked longer ago than this, and nothing running. Those unchecked for longest
   * come first.
   */
  listDue(uncheckedForMs: number, limit: number): Promise<string[]>;
  /** Keeps executions of the connection from starting until it expires; null when one is running or another check is. */
  beginCheck(connectionId: string, forMs: number): Promise<{ expiresAt: Date; signIn: StoredSignIn } | null>;
  /**
   * Ends the check and records its time, whatever the result; `isSignedOut` sets REAUTHORIZATION_REQUIRED. Does nothing when
   * the person has signed in again in the meantime, or when another check has started.
   */
  endCheck(connectionId: string, expiresAt: Date, isSignedOut: boolean): Promise<void>;
}
