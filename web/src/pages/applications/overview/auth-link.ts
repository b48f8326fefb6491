import type { Pkce } from "./pkce.ts";

export interface AuthLinkParts {
  publicUrl: string;
  clientId: string;
  redirectUri: string;
  state: string;
  /** Filled in on the sign-in page. */
  loginHint: string;
  pkce: Pkce | null;
}

/** Where a person is sent to agree. */
export function buildAuthLink({ publicUrl, clientId, redirectUri, state, loginHint, pkce }: AuthLinkParts): string {
  const parameters = new URLSearchParams({ response_type: "code", client_id: clientId, redirect_uri: redirectUri });
  if (state !== "") parameters.set("state", state);
  if (pkce !== null) {
    parameters.set("code_challenge", pkce.challenge);
    parameters.set("code_challenge_method", "S256");
  }
  if (loginHint !== "") parameters.set("login_hint", loginHint);
  return `${publicUrl}/v1/oauth/authorize?${parameters}`;
}
