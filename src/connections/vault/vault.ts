import type { SavedSignIn, SealedSignIn, WrappedKey } from "./saved-sign-in.ts";

/** Seals saved sign-ins, each for one connection only. */
export interface Vault {
  /** Throws SignInTooLarge for a site that keeps more than can be saved. */
  seal(connectionId: string, signIn: SavedSignIn): SealedSignIn;
  /** Throws SignInUnreadable for one that was changed, was sealed for another connection, or whose key is not there. */
  open(connectionId: string, sealed: SealedSignIn): SavedSignIn;
  /** The same data key under the newest master key; null when it is under that already. Throws SignInUnreadable. */
  rewrap(connectionId: string, wrapped: WrappedKey): WrappedKey | null;
}

/** The saved sign-in is there and cannot be opened. `message` says what an operator can do; nothing of the content. */
export class SignInUnreadable extends Error {
  override readonly name = "SignInUnreadable";
}

/** The site keeps too much in the browser. `message` says so to a person. */
export class SignInTooLarge extends Error {
  override readonly name = "SignInTooLarge";
}
