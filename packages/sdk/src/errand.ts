import { Caller } from "./caller.ts";
import type { AuthorizationRequest } from "./errors.ts";
import { Artifacts, Connections, Executions, Interactions } from "./executions.ts";
import { OAuth } from "./oauth.ts";
import { Transport } from "./transport.ts";
import { verify } from "./webhooks.ts";

export interface ErrandOptions {
  /** The URL of the service, such as `https://errand.example.com`. */
  baseUrl: string | URL;
  /** The application's id, which is also its OAuth client id. */
  applicationId: string;
  /** The token of one user's connection. Everything but `oauth` and `webhooks` needs it; see also `withAccessToken`. */
  accessToken?: string | undefined;
  /** Of a confidential application. Never in a browser. */
  clientSecret?: string | undefined;
  /** Where users come back to after they consented. With it, errors have the link for users who must connect again. */
  redirectUri?: string | undefined;
  /** Default: the one of the platform. */
  fetch?: typeof globalThis.fetch | undefined;
  /** How often a request is repeated after 429, 503 or a network failure. Default: 4. */
  maxRetries?: number | undefined;
  /** How long one attempt may take, in milliseconds. Default: 60,000. */
  timeout?: number | undefined;
}

const DEFAULT_RETRIES = 4;
const DEFAULT_TIMEOUT_MS = 60_000;

/** A client of an Errand service for one application and, with an access token, one of its users. */
export class Errand {
  readonly executions: Executions;
  readonly interactions: Interactions;
  readonly artifacts: Artifacts;
  readonly connection: Connections;
  readonly oauth: OAuth;
  readonly webhooks = { verify };
  readonly #options: ErrandOptions;

  constructor(options: ErrandOptions) {
    const { baseUrl, applicationId, accessToken, clientSecret, redirectUri, fetch = globalThis.fetch } = options;
    if (!URL.canParse(String(baseUrl)))
      throw new TypeError(`baseUrl must be a URL such as https://errand.example.com, not ${baseUrl}.`);
    if (!applicationId) throw new TypeError("applicationId is missing: it is the client id of your application.");
    const transport = new Transport({
      baseUrl: new URL(baseUrl),
      // Browsers insist that fetch is called without an object.
      fetch: (input, init) => fetch(input, init),
      maxRetries: options.maxRetries ?? DEFAULT_RETRIES,
      timeoutMs: options.timeout ?? DEFAULT_TIMEOUT_MS,
    });
    const client = { applicationId, clientSecret: clientSecret ?? null, redirectUri: redirectUri ?? null };
    const oauth = new OAuth(transport, client);
    const authorization = async (): Promise<AuthorizationRequest | null> =>
      redirectUri === undefined ? null : oauth.authorizationUrl();
    const caller = new Caller({ transport, applicationId, accessToken: accessToken || null, authorization });
    this.#options = options;
    this.oauth = oauth;
    this.executions = new Executions(caller);
    this.interactions = new Interactions(caller);
    this.artifacts = new Artifacts(caller);
    this.connection = new Connections(caller);
  }

  /** The same client for another user. */
  withAccessToken(accessToken: string): Errand {
    return new Errand({ ...this.#options, accessToken });
  }
}
