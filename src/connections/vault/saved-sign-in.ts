/** Everything by which a site knows a person: cookies, storage of every kind. Only a browser understands it. */
export type SavedState = Readonly<Record<string, unknown>>;

/** How to find out whether the site still knows the person. */
export interface Probe {
  readonly url: string;
  /** Something that only a person who is signed in sees there. */
  readonly mustSee: string | null;
  /** Something that only a stranger sees there. */
  readonly mustNotSee: string | null;
}

export interface SavedSignIn {
  readonly state: SavedState;
  readonly probe: Probe;
}

/** The data key of a saved sign-in as it is stored. */
export interface WrappedKey {
  /** Which master key wraps the data key. */
  readonly keyId: string;
  readonly wrappedKey: Buffer;
}

/** A saved sign-in as it is stored: opened by nobody without the master key, and for no other connection. */
export interface SealedSignIn extends WrappedKey {
  readonly ciphertext: Buffer;
}

export interface StoredSignIn extends SealedSignIn {
  /** Another one after every save. */
  readonly revision: string;
  readonly signedInAt: Date;
  readonly checkedAt: Date;
}

/** The data key of one stored sign-in, without what it opens. */
export interface StoredKey extends WrappedKey {
  readonly connectionId: string;
  readonly revision: string;
}

/** By which right somebody uses a saved sign-in: a run that it holds, or a check that it makes. */
export type SignInHolder =
  | { readonly kind: "run"; readonly executionId: string; readonly fence: number }
  | { readonly kind: "check"; readonly expiresAt: Date };

export interface SignInStore {
  find(connectionId: string): Promise<StoredSignIn | null>;
  /**
   * Replaces the sign-in that was read with what has become of it. False: it was replaced or deleted meanwhile, or the
   * holder has lost its right, and nothing was written.
   */
  renew(connectionId: string, revision: string, sealed: SealedSignIn, holder: SignInHolder): Promise<boolean>;
  /** A page of those that are not wrapped by this master key, in the order of their connections. */
  listUnder(otherThan: string, after: string | null, limit: number): Promise<StoredKey[]>;
  /**
   * Only the wrapping changes: the revisions stay, so that a run under way can still renew. Answers how many; the others
   * were replaced or deleted meanwhile.
   */
  rewrap(keys: readonly StoredKey[]): Promise<number>;
  /** How many sign-ins each master key wraps, for those that wrap any. */
  countByKey(): Promise<{ keyId: string; signIns: number }[]>;
  /**
   * Forgets the sign-in, leaves the connection as REAUTHORIZATION_REQUIRED, ends its queued executions as canceled and asks
   * a running one to stop. False: there was none.
   */
  delete(connectionId: string): Promise<boolean>;
  /**
   * Connections that are due for a check: active, with a sign-in that was last checked before, and nothing running. Those
   * that have waited longest come first.
   */
  listDue(uncheckedForMs: number, limit: number): Promise<string[]>;
  /** Keeps executions of the connection from beginning until then; null when one runs, or somebody else checks. */
  beginCheck(connectionId: string, forMs: number): Promise<{ expiresAt: Date; signIn: StoredSignIn } | null>;
  /**
   * Ends the check, which counts as one whatever came of it; `isSignedOut` marks the connection. Does nothing when the
   * person has signed in anew meanwhile, or somebody else checks by now.
   */
  endCheck(connectionId: string, expiresAt: Date, isSignedOut: boolean): Promise<void>;
}
