import type { Application, McpClient } from "../applications/application.ts";
import { hashAccessToken, mintAccessToken } from "../connections/connections.ts";
import type { SavedSignIn, SealedSignIn } from "../connections/vault/saved-sign-in.ts";
import { SignInUnreadable, type Vault } from "../connections/vault/vault.ts";
import type { TokenResponse } from "../contract/oauth.ts";
import type { SpendingLimits } from "../contract/spending.ts";
import { sha256 } from "../lib/hash.ts";
import { mintSecret } from "../lib/secret-token.ts";
import { type AuthorizationRequest, matchesChallenge, readAuthorizationRequest } from "./authorization.ts";
import { authenticateClient } from "./client-authentication.ts";
import type { LoadClientDocument } from "./client-document.ts";
import { hashMcpToken, isClientUrl, type McpTokenStore, mintMcpToken } from "./mcp-tokens.ts";
import { OAuthError, type Parameters, readParameters, requireParameter } from "./protocol.ts";

export interface OAuth {
  readAuthorizationRequest(raw: Record<string, unknown>): Promise<AuthorizationRequest>;
  /** When the user last signed in to the application's site by hand; null without a usable saved sign-in. */
  findSignIn(applicationId: string, userId: string): Promise<{ signedInAt: Date } | null>;
  /** What the user chose at their last consent. */
  findChoices(applicationId: string, userId: string): Promise<ConsentChoices>;
  /**
   * Called when the user has consented: creates the connection and a code, with the sign-in they have just made, the saved
   * one, or none. Null when there is no readable saved sign-in, or when the sign-in attempt had already ended.
   */
  grant(request: Consent, signIn: NewSignIn | "saved" | "none"): Promise<{ code: string } | null>;
  /** The token endpoint: exchanges a code for an access token. */
  exchange(authorization: string | undefined, rawForm: Record<string, unknown>): Promise<TokenResponse>;
  /** The revocation endpoint: revokes a token of this client; any other token is ignored. */
  revoke(authorization: string | undefined, rawForm: Record<string, unknown>): Promise<void>;
}

/** Who consented to what, and where the code goes. */
interface Consent extends ConsentChoices {
  readonly applicationId: string;
  readonly userId: string;
  readonly redirectUri: string;
  readonly codeChallenge: string | null;
  /** The program that the user agreed to; null for the application itself. */
  readonly client: McpClient | null;
}

interface ConsentChoices {
  /** `commits`: the user wants to be asked before anything is bought, sent, published or deleted. */
  readonly approval: "never" | "commits";
  readonly spendingLimits: SpendingLimits | null;
}

interface NewSignIn extends SavedSignIn {
  /** The attempt ends in the transaction that stores the code. */
  readonly attemptId: string;
}

interface OAuthDependencies {
  applications: {
    find(id: string): Promise<Application | null>;
    findForMcpClients(): Promise<Application | null>;
    listSecretHashes(applicationId: string): Promise<Buffer[]>;
  };
  loadClientDocument: LoadClientDocument;
  publicUrl: string;
  mcpTokens: Pick<McpTokenStore, "revoke">;
  store: OAuthStore;
  vault: Pick<Vault, "seal" | "open">;
}

const CODE_PREFIX = "errand_ac_";
const CODE_LIFETIME_MS = 5 * 60_000;
// Used codes are kept for a while after they expire, so that a late second use still revokes the token.
const CODE_MEMORY_MS = 24 * 60 * 60_000;

export function createOAuth(dependencies: OAuthDependencies): OAuth {
  const { applications, store, vault, mcpTokens } = dependencies;

  /** An unreadable sign-in counts as none: signing in again repairs it. */
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

  async function identifyClient(authorization: string | undefined, form: Parameters): Promise<IdentifiedClient> {
    const { client_id: clientId } = form;
    if (authorization === undefined && clientId !== undefined && isClientUrl(clientId)) {
      if (form["client_secret"] !== undefined) throw new OAuthError("invalid_client", "This client has no secret.");
      return { applicationId: null, clientId };
    }
    const { id } = await authenticateClient(applications, authorization, form);
    return { applicationId: id, clientId: id };
  }

  return {
    readAuthorizationRequest: (raw) => readAuthorizationRequest(dependencies, raw),

    findSignIn,

    findChoices: (applicationId, userId) => store.findChoices(applicationId, userId),

    async grant({ applicationId, userId, redirectUri, codeChallenge, client, approval, spendingLimits }, signIn) {
      if (signIn === "saved" && (await findSignIn(applicationId, userId)) === null) return null;
      const code = mintSecret(CODE_PREFIX);
      const isGranted = await store.grantCode({
        applicationId,
        userId,
        codeHash: sha256(code),
        redirectUri,
        codeChallenge,
        client,
        approval,
        spendingLimits,
        lifetimeMs: CODE_LIFETIME_MS,
        memoryMs: CODE_MEMORY_MS,
        signIn:
          typeof signIn === "string"
            ? { kind: signIn }
            : { kind: "new", attemptId: signIn.attemptId, seal: (id) => vault.seal(id, pickSavedSignIn(signIn)) },
      });
      return isGranted ? { code } : null;
    },

    async exchange(authorization, rawForm) {
      const form = readParameters(rawForm);
      const client = await identifyClient(authorization, form);
      if (requireParameter(form, "grant_type") !== "authorization_code") {
        throw new OAuthError("unsupported_grant_type", "grant_type must be authorization_code.");
      }
      const code = requireParameter(form, "code");
      const redirectUri = requireParameter(form, "redirect_uri");
      const request = { client, redirectUri, verifier: form["code_verifier"], resource: form["resource"] };
      const minted = { api: mintAccessToken(), mcp: mintMcpToken() };
      const exchanged = await store.exchangeCode(sha256(code), (stored) =>
        decideExchange(stored, request, (stored.client === null ? minted.api : minted.mcp).tokenHash),
      );
      if (exchanged === null) {
        throw new OAuthError(
          "invalid_grant",
          "The code is unknown, expired, already used, or was not issued for this client, redirect_uri and code_verifier.",
        );
      }
      return {
        access_token: (exchanged.client === null ? minted.api : minted.mcp).token,
        token_type: "Bearer",
        connection_id: exchanged.connectionId,
        user_id: exchanged.userId,
      };
    },

    async revoke(authorization, rawForm) {
      const form = readParameters(rawForm);
      const client = await identifyClient(authorization, form);
      const token = requireParameter(form, "token");
      const tokenHash = hashAccessToken(token);
      if (tokenHash !== null && client.applicationId !== null) await store.revokeToken(tokenHash, client.applicationId);
      const mcpTokenHash = hashMcpToken(token);
      if (mcpTokenHash !== null) await mcpTokens.revoke(mcpTokenHash, client);
    },
  };
}

/** Who uses the token endpoint: an application, or a program that describes itself and has no secret. */
interface IdentifiedClient {
  applicationId: string | null;
  clientId: string;
}

function pickSavedSignIn({ state, probe }: SavedSignIn): SavedSignIn {
  return { state, probe };
}

interface Exchange {
  client: IdentifiedClient;
  redirectUri: string;
  verifier: string | undefined;
  resource: string | undefined;
}

/** A client that cannot prove the code is its own neither uses it up nor revokes the token of a used one. */
function decideExchange(
  code: StoredCode,
  { client, redirectUri, verifier, resource }: Exchange,
  tokenHash: Buffer,
): CodeDecision {
  const isForClient = isClientUrl(client.clientId)
    ? code.client?.id === client.clientId
    : code.applicationId === client.applicationId && (code.client === null || code.client.id === client.clientId);
  const isOwnCode =
    isForClient &&
    code.redirectUri === redirectUri &&
    // RFC 8707: the token is for what the user has agreed to.
    (code.client === null || resource === undefined || resource === code.client.resource) &&
    matchesChallenge(code.codeChallenge, verifier);
  if (!isOwnCode) return { do: "refuse" };
  if (code.isUsed) return { do: "revoke" };
  return code.isExpired ? { do: "refuse" } : { do: "issue", tokenHash };
}

export interface StoredCode {
  connectionId: string;
  applicationId: string;
  userId: string;
  redirectUri: string;
  codeChallenge: string | null;
  client: McpClient | null;
  /** By the database's clock: the clocks of several machines differ. */
  isExpired: boolean;
  isUsed: boolean;
}

export interface OAuthStore {
  /** The user's saved sign-in, if there is one and the connection is active. */
  findSignIn(applicationId: string, userId: string): Promise<FoundSignIn | null>;
  /** `never` and no limits without a connection. */
  findChoices(applicationId: string, userId: string): Promise<ConsentChoices>;

  /**
   * Connects the user, saves the sign-in and stores a code for the connection, in one transaction. Deletes the connection's
   * stale codes. Returns false and changes nothing when a saved sign-in is required and missing, or when the sign-in attempt
   * had already ended.
   */
  grantCode(grant: {
    applicationId: string;
    userId: string;
    codeHash: Buffer;
    redirectUri: string;
    codeChallenge: string | null;
    client: McpClient | null;
    approval: "never" | "commits";
    spendingLimits: SpendingLimits | null;
    lifetimeMs: number;
    /** How long the code is kept after it expires. */
    memoryMs: number;
    signIn: GrantedSignIn;
  }): Promise<boolean>;

  /**
   * Locks the code, calls `decide` and applies its decision in the same transaction. Concurrent exchanges of one code run one
   * after the other: each sees what the previous one did.
   */
  exchangeCode(codeHash: Buffer, decide: (code: StoredCode) => CodeDecision): Promise<StoredCode | null>;

  /** Revokes the token if it belongs to this application. */
  revokeToken(tokenHash: Buffer, applicationId: string): Promise<void>;
}

/** Which sign-in runs of the connection use. */
type GrantedSignIn =
  /** The application has no sign-in page: consent is enough. */
  | { kind: "none" }
  /** Keep the saved sign-in. */
  | { kind: "saved" }
  | { kind: "new"; attemptId: string; seal(connectionId: string): SealedSignIn };

export interface FoundSignIn {
  connectionId: string;
  /** When the user last signed in by hand. */
  signedInAt: Date;
  sealed: SealedSignIn;
}

type CodeDecision =
  | { do: "refuse" }
  /** Revokes the token that was issued for the code. */
  | { do: "revoke" }
  /** Marks the code as used and makes this the connection's only valid token. */
  | { do: "issue"; tokenHash: Buffer };
