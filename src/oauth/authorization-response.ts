import type { OAuthError } from "./oauth-error.ts";

/** Where the user goes back to, with the answer in the query (RFC 6749 §4.1.2) and the issuer (RFC 9207). */
export function authorizationResponse(
  redirectUri: string,
  issuer: string,
  state: string | null,
  answer: { code: string } | OAuthError,
): string {
  const parameters = new URLSearchParams(
    "message" in answer ? { error: answer.code, error_description: answer.message } : { code: answer.code },
  );
  if (state !== null) parameters.set("state", state);
  parameters.set("iss", issuer);
  // By hand, not through URL: the registered address goes back as it was written, its own query included.
  return `${redirectUri}${redirectUri.includes("?") ? "&" : "?"}${parameters}`;
}
