import type { SavedSignIn, SealedSignIn } from "./saved-sign-in.ts";

/** Seals saved sign-ins, each for one connection only. */
export interface Vault {
  seal(connectionId: string, signIn: SavedSignIn): SealedSignIn;
  /** Throws SignInUnreadable for one that was changed, was sealed for another connection, or whose key is not there. */
  open(connectionId: string, sealed: SealedSignIn): SavedSignIn;
  /** The same sign-in under the newest master key; null when it is under that already. */
  rewrap(connectionId: string, sealed: SealedSignIn): SealedSignIn | null;
}

/** The saved sign-in is there and cannot be opened. `message` says what an operator can do; nothing of the content. */
export class SignInUnreadable extends Error {
  override readonly name = "SignInUnreadable";
}
