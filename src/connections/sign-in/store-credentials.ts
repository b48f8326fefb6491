import type { Application } from "../../applications/application.ts";
import type { Clock } from "../../lib/clock.ts";
import { CallerError, type ErrorDetail } from "../../lib/errors.ts";
import { isStorableText } from "../../lib/storable.ts";
import { computeTotp, parseTotpSecret } from "../../lib/totp.ts";
import type { CredentialStore } from "../vault/credentials.ts";
import type { Vault } from "../vault/vault.ts";
import { whereToEnter } from "./renew-sign-in.ts";

/** Credentials that users store, so that an expired sign-in renews itself. Nothing can read them but a renewal. */
export interface SignInCredentials {
  /**
   * Replaces previous ones. Returns the current one-time code, for the user to compare with their authenticator app; null
   * without a secret. Throws CallerError with what to do.
   */
  store(connection: { id: string; applicationId: string }, entry: CredentialEntry): Promise<{ code: string | null }>;
  /** False when there were none. */
  delete(connectionId: string): Promise<boolean>;
}

/** As it was typed. */
export interface CredentialEntry {
  readonly userName: string;
  readonly password: string;
  /** In base32, or an otpauth:// URI; empty when the site asks for no one-time code. */
  readonly totpSecret: string;
}

interface SignInCredentialsDependencies {
  readonly applications: { find(id: string): Promise<Application | null> };
  readonly store: Pick<CredentialStore, "save" | "delete">;
  readonly vault: Pick<Vault, "sealCredentials">;
  readonly clock: Clock;
}

const MAX_CREDENTIAL_CHARACTERS = 500;

export function createSignInCredentials(dependencies: SignInCredentialsDependencies): SignInCredentials {
  const { applications, store, vault, clock } = dependencies;

  return {
    async store({ id, applicationId }, entry) {
      const application = await applications.find(applicationId);
      if (application === null || application.signInUrl === null || !application.storedCredentials) {
        throw new CallerError("INVALID_REQUEST", NOT_ALLOWED);
      }
      const userName = entry.userName.trim();
      const totp = entry.totpSecret.trim() === "" ? null : parseTotpSecret(entry.totpSecret);
      const details = [
        findTextProblem("user_name", userName),
        findTextProblem("password", entry.password),
        totp === null && entry.totpSecret.trim() !== "" ? { path: "totp_secret", message: NO_TOTP_SECRET } : null,
      ].filter((detail): detail is ErrorDetail => detail !== null);
      const [first] = details;
      if (first !== undefined) {
        throw new CallerError("INVALID_REQUEST", `${NAMES[first.path]} ${first.message}. Nothing was saved.`, {
          details,
        });
      }
      const credentials = { userName, password: entry.password, totp, ...whereToEnter(application) };
      if (!(await store.save(id, vault.sealCredentials(id, credentials)))) {
        throw new CallerError("INVALID_REQUEST", NO_SIGN_IN);
      }
      return { code: totp && computeTotp(totp, clock.now().getTime()) };
    },

    delete: (connectionId) => store.delete(connectionId),
  };
}

const NOT_ALLOWED =
  "This application does not allow stored credentials. Its owner can allow them in its settings in the console. Nothing was saved.";
const NO_SIGN_IN =
  "There is no saved sign-in that the credentials could renew. Sign in first, or import a sign-in. Nothing was saved.";
const NO_TOTP_SECRET =
  "must be the secret that the site shows when you set up an authenticator app: letters and digits, or a link that begins with otpauth://totp/";
const NAMES: Readonly<Record<string, string>> = {
  user_name: "The user name",
  password: "The password",
  totp_secret: "The one-time code secret",
};

/** The value is not repeated. */
function findTextProblem(path: string, text: string): ErrorDetail | null {
  const isFine = text !== "" && text.length <= MAX_CREDENTIAL_CHARACTERS && isStorableText(text);
  return isFine ? null : { path, message: `must have 1 to ${MAX_CREDENTIAL_CHARACTERS} characters` };
}
