import { isStorableText } from "../lib/storable.ts";

/** RFC 6749 §4.1.2.1 and §5.2, RFC 8707 §2. */
type OAuthErrorCode =
  | "invalid_request"
  | "invalid_client"
  | "invalid_grant"
  | "unsupported_grant_type"
  | "unsupported_response_type"
  | "access_denied"
  | "invalid_target"
  | "temporarily_unavailable";

export class OAuthError extends Error {
  readonly code: OAuthErrorCode;

  constructor(code: OAuthErrorCode, description: string) {
    super(description);
    this.name = "OAuthError";
    this.code = code;
  }
}

/** Parameters of a query or a form, each at most once. One without a value counts as absent (RFC 6749 §3.1). */
export type Parameters = Record<string, string>;

const PARAMETER_MAX_LENGTH = 4_096;

export function readParameters(raw: Record<string, unknown>): Parameters {
  const parameters: Parameters = Object.create(null);
  for (const [name, value] of Object.entries(raw)) {
    if (typeof value !== "string")
      throw new OAuthError("invalid_request", `The parameter ${name.slice(0, 50)} is repeated. Send it once.`);
    if (value.length > PARAMETER_MAX_LENGTH)
      throw new OAuthError("invalid_request", `The parameter ${name.slice(0, 50)} is too long.`);
    if (!isStorableText(value))
      throw new OAuthError(
        "invalid_request",
        `The parameter ${name.slice(0, 50)} contains characters that are not allowed.`,
      );
    if (value !== "") parameters[name] = value;
  }
  return parameters;
}

export function requireParameter(parameters: Parameters, name: string): string {
  const value = parameters[name];
  if (value === undefined) throw new OAuthError("invalid_request", `The parameter ${name} is missing.`);
  return value;
}

/** RFC 8414. */
export function buildServerMetadata(issuer: string) {
  const clientAuthentication = ["client_secret_basic", "client_secret_post", "none"];
  return {
    issuer,
    authorization_endpoint: `${issuer}/v1/oauth/authorize`,
    token_endpoint: `${issuer}/v1/oauth/token`,
    revocation_endpoint: `${issuer}/v1/oauth/revoke`,
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    grant_types_supported: ["authorization_code"],
    token_endpoint_auth_methods_supported: clientAuthentication,
    revocation_endpoint_auth_methods_supported: clientAuthentication,
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
    service_documentation: `${issuer}/docs`,
  };
}
