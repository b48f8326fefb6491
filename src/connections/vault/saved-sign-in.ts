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
