import type { Operations } from "./api.ts";
import { type AuthorizationRequest, OAuthError } from "./errors.ts";
import { buildUrl, isRecord, readJson, type Transport } from "./transport.ts";

export type Token = Operations["exchangeCode"]["response"];

export interface OAuthClient {
  applicationId: string;
  clientSecret: string | null;
  redirectUri: string | null;
}

/** How users connect: the authorization code flow with PKCE. */
export class OAuth {
  readonly #transport: Transport;
  readonly #client: OAuthClient;

  constructor(transport: Transport, client: OAuthClient) {
    this.#transport = transport;
    this.#client = client;
  }

  /** The link on which the user signs in and consents. Also when they have to connect again. */
  async authorizationUrl({
    redirectUri = this.#redirectUri(),
    state = randomText(),
    codeVerifier = randomText(),
    loginHint,
  }: {
    redirectUri?: string | undefined;
    state?: string | undefined;
    codeVerifier?: string | undefined;
    /** The user's email address, filled in on the sign-in page. */
    loginHint?: string | undefined;
  } = {}): Promise<AuthorizationRequest> {
    const url = buildUrl(this.#transport.options.baseUrl, "/v1/oauth/authorize", {
      response_type: "code",
      client_id: this.#client.applicationId,
      redirect_uri: redirectUri,
      state,
      code_challenge: await challengeOf(codeVerifier),
      code_challenge_method: "S256",
      login_hint: loginHint,
    });
    return { url: url.href, state, codeVerifier, redirectUri };
  }

  /**
   * Exchanges the code for the user's access token, and throws an OAuthError if the user refused or the state is not that of
   * the request. The token does not expire; a new one for the same user revokes it.
   */
  async exchange(
    /** The URL that the user came back to; a path is enough. */
    callbackUrl: string | URL,
    {
      state,
      codeVerifier,
      redirectUri = this.#redirectUri(),
    }: Pick<AuthorizationRequest, "state" | "codeVerifier"> & { redirectUri?: string },
  ): Promise<Token> {
    const query = new URL(callbackUrl, redirectUri).searchParams;
    if (query.get("state") !== state) {
      throw new OAuthError("invalid_request", "The state is not that of the request. Start again with a new link.");
    }
    const error = query.get("error");
    if (error !== null) throw new OAuthError(error, query.get("error_description") ?? error);
    const code = query.get("code");
    if (code === null) throw new OAuthError("invalid_request", "The callback has no code.");
    const form = { grant_type: "authorization_code", code, redirect_uri: redirectUri, code_verifier: codeVerifier };
    return (await this.#post("/v1/oauth/token", form)) as Token;
  }

  /** Makes a token useless. Succeeds also if it was already. The connection and its history stay. */
  async revoke(token: string): Promise<void> {
    await this.#post("/v1/oauth/revoke", { token });
  }

  async #post(path: string, form: Record<string, string>): Promise<unknown> {
    const { applicationId, clientSecret } = this.#client;
    const response = await this.#transport.send({
      method: "POST",
      path,
      headers: clientSecret === null ? {} : { authorization: `Basic ${encodeBasic(applicationId, clientSecret)}` },
      body: new URLSearchParams(clientSecret === null ? { ...form, client_id: applicationId } : form),
      // A code is valid once, and using it again revokes the token that it was exchanged for.
      isRepeatable: form["grant_type"] === undefined,
    });
    const body = await readJson(response);
    if (response.ok) return body;
    const { error, error_description: description } = isRecord(body) ? body : {};
    throw new OAuthError(
      typeof error === "string" ? error : "server_error",
      String(description ?? `Status ${response.status}`),
      response.status,
    );
  }

  #redirectUri(): string {
    if (this.#client.redirectUri === null) throw new TypeError("Pass redirectUri here, or to new Errand().");
    return this.#client.redirectUri;
  }
}

/** RFC 6749 §2.3.1: both parts are form-encoded first. */
function encodeBasic(id: string, secret: string): string {
  const encode = (text: string) => new URLSearchParams({ "": text }).toString().slice(1);
  return btoa(`${encode(id)}:${encode(secret)}`);
}

/** 256 random bits. */
function randomText(): string {
  return toBase64Url(crypto.getRandomValues(new Uint8Array(32)));
}

/** RFC 7636: S256. */
async function challengeOf(verifier: string): Promise<string> {
  return toBase64Url(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier))));
}

function toBase64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/=+$/, "");
}
