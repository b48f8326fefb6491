import { Type } from "typebox";
import {
  AuthorizationServerMetadata,
  RevokeForm,
  RevokeResponse,
  TokenForm,
  TokenResponse,
} from "../../contract/oauth.ts";
import { authorizationServerMetadata } from "../../oauth/metadata.ts";
import type { App, AppDependencies } from "../app.ts";

const FORM = "application/x-www-form-urlencoded";

export function addTokenRoutes(app: App, { oauth, publicUrl }: AppDependencies): void {
  const config = { cors: true, errors: "oauth" } as const;
  const common = { tags: ["OAuth"], security: [{ client: [] }, {}], consumes: [FORM] };

  app.post(
    "/v1/oauth/token",
    {
      config,
      // RFC 6749 says how a wrong form is answered, so the form is read there and not by its schema.
      validatorCompiler: () => () => true,
      schema: {
        ...common,
        operationId: "exchangeCode",
        summary: "Exchange a code for a token",
        description: "A new token for the same connection revokes the previous one.",
        body: TokenForm,
        response: { 200: TokenResponse, ...oauthErrors(400, 401) },
      },
    },
    async (request, reply) => {
      reply.header("cache-control", "no-store").header("pragma", "no-cache");
      return oauth.exchange(request.headers.authorization, asForm(request.body));
    },
  );

  app.post(
    "/v1/oauth/revoke",
    {
      config,
      validatorCompiler: () => () => true,
      schema: {
        ...common,
        operationId: "revokeToken",
        summary: "Revoke a token",
        description: "Answers 200 whether or not the token was valid. The connection stays.",
        body: RevokeForm,
        response: { 200: RevokeResponse, ...oauthErrors(400, 401) },
      },
    },
    async (request, reply) => {
      reply.header("cache-control", "no-store").header("pragma", "no-cache");
      await oauth.revoke(request.headers.authorization, asForm(request.body));
      return {};
    },
  );

  app.get(
    "/.well-known/oauth-authorization-server",
    {
      config: { cors: true },
      schema: {
        tags: ["OAuth"],
        operationId: "getAuthorizationServerMetadata",
        summary: "Authorization server metadata",
        description: "RFC 8414.",
        response: { 200: AuthorizationServerMetadata },
      },
    },
    async () => authorizationServerMetadata(publicUrl),
  );
}

function oauthErrors(...statuses: number[]) {
  return Object.fromEntries(
    statuses.map((status) => [status, Type.Unsafe({ ...Type.Ref("OAuthError"), description: describe(status) })]),
  );
}

function describe(status: number): string {
  return status === 401 ? "`invalid_client`" : "`invalid_grant`, `invalid_request`, `unsupported_grant_type`";
}

/** A request without a body is an empty form. */
function asForm(body: unknown): Record<string, unknown> {
  return body !== null && typeof body === "object" ? (body as Record<string, unknown>) : {};
}
