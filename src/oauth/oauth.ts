import type { Application } from "../applications/application.ts";
import { hashAccessToken, mintAccessToken } from "../connections/access-token.ts";
import type { SavedSignIn } from "../connections/vault/saved-sign-in.ts";
import { SignInUnreadable, type Vault } from "../connections/vault/vault.ts";
import type { TokenResponse } from "../contract/oauth.ts";
import { sha256 } from "../lib/hash.ts";
import { mintSecret } from "../lib/secret-token.ts";
import { type AuthorizationRequest, readAuthorizationRequest } from "./authorization-request.ts";
import { authenticateClient } from "./client-authentication.ts";
import { OAuthError } from "./oauth-error.ts";
import type { CodeDecision, OAuthStore, StoredCode } from "./oauth-store.ts";
import { readParameters, requireParameter } from "./parameters.ts";
import { provesChallenge } from "./pkce.ts";

export interface OAuth {
  readAuthorizationRequest(raw: Record<string, unknown>): Promise<AuthorizationRequest>;
  /** When the user last signed in to the application's site by hand, if runs can rest on that. */
  findSignIn(applicationId: string, userId: string): Promise<{ signedInAt: Date } | null>;
  /**
   * The user agreed: connects them and makes a code, with the sign-in that they have just made, the one that is saved, or
   * none at all. Null when it was to be a saved one and there is none that can be opened, or when the attempt to sign in
   * had ended.
   */
  grant(request: Agreement, signIn: NewSignIn | "saved" | "none"): Promise<{ code: string } | null>;
  /** Spec §4.1. */
  exchange(authorization: string | undefined, rawForm: Record<string, unknown>): Promise<TokenResponse>;
  /** Spec §4.2. */
  revoke(authorization: string | undefined, rawForm: Record<string, unknown>): Promise<void>;
}

/** Who agreed to what, and where the code goes. */
interface Agreement {
  readonly applicationId: string;
  readonly userId: string;
  readonly redirectUri: string;
  readonly codeChallenge: string | null;
}

interface NewSignIn extends SavedSignIn {
  /** Ends with the code. */
  readonly attemptId: string;
}

interface OAuthDependencies {
  applications: {
    find(id: string): Promise<Application | null>;
    listSecretHashes(applicationId: string): Promise<Buffer[]>;
  };
  store: OAuthStore;
  vault: Pick<Vault, "seal" | "open">;
}

const CODE_PREFIX = "errand_ac_";
const CODE_LIFETIME_MS = 5 * 60_000;
// A used code is remembered for a while after it expired, so that a late second use still revokes.
const CODE_MEMORY_MS = 24 * 60 * 60_000;

export function createOAuth({ applications, store, vault }: OAuthDependencies): OAuth {
  /** One that cannot be opened is as good as none: signing in again repairs it. */
  async function findSignIn(applicationId: string, userId: string): Promise<{ signedInAt: Date } | null> {
    const found = await store.findSignIn(applicationId, userId);
    if (found === null) return null;
    try {
      vault.open(found.connectionId, found.sealed);
      return { signedInAt: found.signedInAt };
    } catch (error) {
      if (error instanceof SignInUnreadable) return null;
      throw error;
    }
  }

  return {
    readAuthorizationRequest: (raw) => readAuthorizationRequest(applications.find, raw),

    findSignIn,

    async grant({ applicationId, userId, redirectUri, codeChallenge }, signIn) {
      if (signIn === "saved" && (await findSignIn(applicationId, userId)) === null) return null;
      const code = mintSecret(CODE_PREFIX);
      const isGranted = await store.grantCode({
        applicationId,
        userId,
        codeHash: sha256(code),
        redirectUri,
        codeChallenge,
        lifetimeMs: CODE_LIFETIME_MS,
        memoryMs: CODE_MEMORY_MS,
        signIn:
          typeof signIn === "string"
            ? { kind: signIn }
            : { kind: "new", attemptId: signIn.attemptId, seal: (id) => vault.seal(id, pickSaved(signIn)) },
      });
      return isGranted ? { code } : null;
    },

    async exchange(authorization, rawForm) {
      const form = readParameters(rawForm);
      const application = await authenticateClient(applications, authorization, form);
      if (requireParameter(form, "grant_type") !== "authorization_code") {
        throw new OAuthError("unsupported_grant_type", "The only grant_type is authorization_code.");
      }
      const code = requireParameter(form, "code");
      const redirectUri = requireParameter(form, "redirect_uri");
      const { token, tokenHash } = mintAccessToken();
      const exchanged = await store.exchangeCode(sha256(code), (stored) =>
        decide(stored, { application, redirectUri, verifier: form["code_verifier"], tokenHash }),
      );
      if (exchanged === null) {
        throw new OAuthError(
          "invalid_grant",
          "The code is unknown, expired, already used, or was not issued for this client, redirect_uri and code_verifier.",
        );
      }
      return {
        access_token: token,
        token_type: "Bearer",
        connection_id: exchanged.connectionId,
        user_id: exchanged.userId,
      };
    },

    async revoke(authorization, rawForm) {
      const form = readParameters(rawForm);
      const application = await authenticateClient(applications, authorization, form);
      const tokenHash = hashAccessToken(requireParameter(form, "token"));
      if (tokenHash !== null) await store.revokeToken(tokenHash, application.id);
    },
  };
}

function pickSaved({ state, probe }: SavedSignIn): SavedSignIn {
  return { state, probe };
}

interface Exchange {
  application: Application;
  redirectUri: string;
  verifier: string | undefined;
  tokenHash: Buffer;
}

/** Who cannot prove that the code is theirs neither spends it nor, once it is spent, revokes anything by it. */
function decide(code: StoredCode, { application, redirectUri, verifier, tokenHash }: Exchange): CodeDecision {
  const isTheirs =
    code.applicationId === application.id &&
    code.redirectUri === redirectUri &&
    provesChallenge(code.codeChallenge, verifier);
  if (!isTheirs) return { do: "refuse" };
  if (code.isUsed) return { do: "revoke" };
  return code.isExpired ? { do: "refuse" } : { do: "issue", tokenHash };
}
