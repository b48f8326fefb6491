import type { TotpSecret } from "../../lib/totp.ts";
import type { KeyStore, SealedSignIn } from "./saved-sign-in.ts";

/** With what Errand signs a user in again by itself. Never leaves the server, except to the site. */
export interface Credentials {
  readonly userName: string;
  readonly password: string;
  /** Null when the site asks for no one-time code. */
  readonly totp: TotpSecret | null;
  /**
   * Host patterns of the pages on which they may be entered, as the user agreed to them. They are sealed with the rest: an
   * application that changes its sign-in URL later does not get the password on another host.
   */
  readonly hosts: readonly string[];
  /** Whether those pages must have been loaded over https. */
  readonly isHttpsOnly: boolean;
}

/** Why signing in with stored credentials failed. */
export const RENEWAL_FAILURES = {
  rejected: "The site did not accept the user name or password, or wanted something else besides, such as a captcha.",
  code_required: "The site asked for a one-time code, and no one-time code secret is stored.",
  code_rejected: "The site did not accept the one-time code.",
  unknown_form: "No sign-in form was recognized on the site's sign-in page.",
  other_site: "The sign-in form is on a page where the password may not be entered.",
  not_signed_in: "The form was sent, but the site did not show that the user is signed in.",
  signed_out_again: "The site signed the user out again right after.",
  unreadable: "The stored credentials cannot be decrypted.",
  interrupted: "The sign-in was interrupted.",
} as const;
export type RenewalFailure = keyof typeof RENEWAL_FAILURES;

export interface StoredCredentials extends SealedSignIn {
  /** Changes with every save. */
  readonly revision: string;
}

/** Credentials belong to a saved sign-in: they are deleted with it, and when the user signs in by hand again. */
export interface CredentialStore extends KeyStore {
  /** Replaces previous ones. False, with nothing written, when the connection has no saved sign-in. */
  save(connectionId: string, sealed: SealedSignIn): Promise<boolean>;
  delete(connectionId: string): Promise<boolean>;
  /**
   * The credentials for one try. They count as failed from now on, until `endTry`: if the process dies, nobody tries a second
   * time. Null when there are none, or when the last try failed.
   */
  beginTry(connectionId: string): Promise<StoredCredentials | null>;
  /** `untried`: nothing was sent to the site, so another try may follow. Does nothing when they were replaced meanwhile. */
  endTry(connectionId: string, revision: string, result: TryResult): Promise<void>;
}

export type TryResult = "renewed" | "untried" | RenewalFailure;
