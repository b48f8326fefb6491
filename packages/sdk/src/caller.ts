import type { Operations } from "./api.ts";
import { type AuthorizationRequest, needsAuthorization, toApiError } from "./errors.ts";
import { type ApiRequest, readErrorResponse, readJson, type Transport } from "./transport.ts";

export interface CallerOptions {
  transport: Transport;
  applicationId: string;
  accessToken: string | null;
  /** Null if there is no redirect URI. */
  authorization(): Promise<AuthorizationRequest | null>;
}

/** Calls the API in the name of one connection, and turns error responses into errors. */
export class Caller {
  readonly #options: CallerOptions;

  constructor(options: CallerOptions) {
    this.#options = options;
  }

  get maxRetries(): number {
    return this.#options.transport.options.maxRetries;
  }

  authorization(): Promise<AuthorizationRequest | null> {
    return this.#options.authorization();
  }

  async json<Id extends keyof Operations>(
    { json, headers, ...request }: Omit<ApiRequest, "body"> & { json?: unknown },
    scope?: Scope,
  ): Promise<Operations[Id]["response"]> {
    const type = json === undefined ? {} : { "content-type": "application/json" };
    const body = json === undefined ? {} : { body: JSON.stringify(json) };
    const response = await this.send({ ...request, ...body, headers: { ...headers, ...type } }, scope);
    return (await readJson(response)) as Operations[Id]["response"];
  }

  /** The response if the service accepted the request. Paths are those of the application, unless the scope says otherwise. */
  async send({ path, headers, ...request }: ApiRequest, scope: Scope = "application"): Promise<Response> {
    const { transport, applicationId, accessToken } = this.#options;
    if (accessToken === null) {
      throw new TypeError(
        "There is no access token: pass accessToken to new Errand(), or use errand.withAccessToken(token).",
      );
    }
    const response = await transport.send({
      ...request,
      path: scope === "application" ? `/v1/applications/${encodeURIComponent(applicationId)}${path}` : path,
      headers: { ...headers, authorization: `Bearer ${accessToken}` },
    });
    if (response.ok) return response;
    const rejected = await readErrorResponse(response);
    throw toApiError({
      ...rejected,
      authorization: needsAuthorization(rejected.code) ? await this.authorization() : null,
    });
  }
}

type Scope = "application" | "service";
