import { type Static, Type } from "typebox";

export const TokenForm = Type.Object({
  grant_type: Type.String({ description: "`authorization_code`.", examples: ["authorization_code"] }),
  code: Type.String({ description: "The authorization code. Valid once, for five minutes." }),
  redirect_uri: Type.String({ description: "The redirect URI that the code was sent to." }),
  client_id: Type.Optional(Type.String({ description: "For public applications." })),
  client_secret: Type.Optional(
    Type.String({ description: "For confidential applications that cannot use HTTP Basic." }),
  ),
  code_verifier: Type.Optional(
    Type.String({ description: "Required if the authorization link had a `code_challenge`." }),
  ),
  resource: Type.Optional(Type.String({ description: "For MCP clients (RFC 8707): as in the authorization link." })),
});

export const TokenResponse = Type.Object(
  {
    access_token: Type.String({
      description: "Does not expire. There is no refresh token.",
      examples: ["ACCESS_TOKEN"],
    }),
    token_type: Type.Literal("Bearer"),
    connection_id: Type.String({ format: "uuid" }),
    user_id: Type.String({ format: "uuid" }),
  },
  { additionalProperties: false, description: "The connection's token." },
);
export type TokenResponse = Static<typeof TokenResponse>;

export const RevokeForm = Type.Object({
  token: Type.String({ description: "The connection access token to revoke." }),
  client_id: Type.Optional(Type.String({ description: "For public applications." })),
  client_secret: Type.Optional(
    Type.String({ description: "For confidential applications that cannot use HTTP Basic." }),
  ),
});

export const RevokeResponse = Type.Object(
  {},
  { additionalProperties: false, description: "The token is no longer valid." },
);

/** The error codes of RFC 6749 and RFC 6750 that the token and revocation endpoints use: the source of docs/errors.md, too. */
export const OAUTH_ERRORS = {
  invalid_grant: {
    status: 400,
    when: "The code is unknown, expired or was already used; or the redirect URI or the code verifier does not match.",
    next: "Send the user through the authorization link again.",
  },
  invalid_request: {
    status: 400,
    when: "A parameter is missing, repeated or not valid, or the body is not a form.",
    next: "Fix what the description says.",
  },
  unsupported_grant_type: {
    status: 400,
    when: "`grant_type` is not `authorization_code`.",
    next: "Use `authorization_code`.",
  },
  invalid_client: {
    status: 401,
    when: "The application is unknown, its secret is wrong, or a confidential application sent none.",
    next: "Check the client id and secret.",
  },
  server_error: {
    status: 500,
    when: "There is a bug in Errand.",
    next: "Report it with the `X-Request-Id` header: the service's log has the details.",
  },
  temporarily_unavailable: {
    status: 503,
    when: "The service is overloaded, or cannot reach its database.",
    next: "Wait for the seconds in `Retry-After`, then send the same request again.",
  },
} as const;
export type OAuthErrorCode = keyof typeof OAUTH_ERRORS;

export const OAuthErrorBody = Type.Object(
  {
    error: Type.Unsafe<OAuthErrorCode>({
      type: "string",
      enum: Object.keys(OAUTH_ERRORS),
      description: "A code of RFC 6749.",
    }),
    error_description: Type.String({ description: "For developers: what went wrong and what to do next." }),
  },
  {
    $id: "OAuthError",
    title: "OAuthError",
    examples: [{ error: "invalid_grant", error_description: "The code is unknown, expired or was already used." }],
  },
);

export const AuthorizationServerMetadata = Type.Object(
  {
    issuer: Type.String(),
    authorization_endpoint: Type.String(),
    token_endpoint: Type.String(),
    revocation_endpoint: Type.String(),
    response_types_supported: Type.Array(Type.String()),
    response_modes_supported: Type.Array(Type.String()),
    grant_types_supported: Type.Array(Type.String()),
    token_endpoint_auth_methods_supported: Type.Array(Type.String()),
    revocation_endpoint_auth_methods_supported: Type.Array(Type.String()),
    code_challenge_methods_supported: Type.Array(Type.String()),
    authorization_response_iss_parameter_supported: Type.Boolean(),
    client_id_metadata_document_supported: Type.Boolean(),
    service_documentation: Type.String(),
  },
  { description: "RFC 8414." },
);

export const AuthorizeQuery = Type.Object({
  response_type: Type.String({ description: "`code`.", examples: ["code"] }),
  client_id: Type.String({ description: "The application's id." }),
  redirect_uri: Type.String({
    description: "One of the application's redirect URIs, exactly. A loopback URI may have a different port.",
  }),
  state: Type.Optional(Type.String({ description: "Returned unchanged." })),
  code_challenge: Type.Optional(Type.String({ description: "PKCE: the S256 challenge." })),
  code_challenge_method: Type.Optional(
    Type.String({ description: "`S256`. Required with a challenge.", examples: ["S256"] }),
  ),
  login_hint: Type.Optional(Type.String({ description: "The email address to fill in on the sign-in page." })),
  resource: Type.Optional(
    Type.String({ description: "For MCP clients (RFC 8707): the URL of the MCP server that the token is for." }),
  ),
});
