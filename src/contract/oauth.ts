import { type Static, Type } from "typebox";

export const TokenForm = Type.Object({
  grant_type: Type.String({ description: "`authorization_code`.", examples: ["authorization_code"] }),
  code: Type.String({ description: "The authorization code: one use, five minutes." }),
  redirect_uri: Type.String({ description: "The address the code was sent to." }),
  client_id: Type.Optional(Type.String({ description: "Public applications." })),
  client_secret: Type.Optional(Type.String({ description: "Confidential applications that cannot send HTTP Basic." })),
  code_verifier: Type.Optional(Type.String({ description: "When a `code_challenge` was sent on the auth link." })),
});

export const TokenResponse = Type.Object(
  {
    access_token: Type.String({ description: "Long-lived: it has no expiry and no refresh." }),
    token_type: Type.Literal("Bearer"),
    connection_id: Type.String({ format: "uuid" }),
    user_id: Type.String({ format: "uuid" }),
  },
  { additionalProperties: false, description: "The connection's token." },
);
export type TokenResponse = Static<typeof TokenResponse>;

export const RevokeForm = Type.Object({
  token: Type.String({ description: "The connection access token to revoke." }),
  client_id: Type.Optional(Type.String({ description: "Public applications." })),
  client_secret: Type.Optional(Type.String({ description: "Confidential applications that cannot send HTTP Basic." })),
});

export const RevokeResponse = Type.Object(
  {},
  { additionalProperties: false, description: "The token, if it was one, opens nothing any more." },
);

export const OAuthErrorBody = Type.Object(
  {
    error: Type.String({ description: "A code of RFC 6749, such as `invalid_grant`." }),
    error_description: Type.String({ description: "For a developer: what to do next." }),
  },
  { $id: "OAuthError", title: "OAuthError" },
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
    service_documentation: Type.String(),
  },
  { description: "RFC 8414." },
);

export const AuthorizeQuery = Type.Object({
  response_type: Type.String({ description: "`code`.", examples: ["code"] }),
  client_id: Type.String({ description: "The application's id." }),
  redirect_uri: Type.String({
    description: "One of the application's addresses, exactly (a loopback address may differ in port).",
  }),
  state: Type.Optional(Type.String({ description: "Comes back unchanged." })),
  code_challenge: Type.Optional(Type.String({ description: "PKCE: the S256 challenge." })),
  code_challenge_method: Type.Optional(
    Type.String({ description: "`S256`, whenever a challenge is sent.", examples: ["S256"] }),
  ),
  login_hint: Type.Optional(Type.String({ description: "The e-mail address to fill in on the sign-in page." })),
});
