import type { Application } from "../applications/application.ts";
import { matchesRedirectUri } from "../applications/redirect-uri.ts";
import { areEqualSecrets, sha256 } from "../lib/hash.ts";
import { OAuthError, type Parameters, readParameters } from "./protocol.ts";

/** A valid authorization request, or one of the two ways to report that it is invalid. */
export type AuthorizationRequest =
  | {
      kind: "valid";
      application: Application;
      redirectUri: string;
      state: string | null;
      codeChallenge: string | null;
      loginHint: string | null;
    }
  /** Client and redirect URI are valid: the error goes back there. */
  | { kind: "redirect"; redirectUri: string; state: string | null; error: OAuthError }
  /** No trusted redirect URI (RFC 6749 §4.1.2.1): the user sees an error page. */
  | { kind: "page"; message: string };

export async function readAuthorizationRequest(
  findApplication: (id: string) => Promise<Application | null>,
  raw: Record<string, unknown>,
): Promise<AuthorizationRequest> {
  const target = await readTarget(findApplication, raw);
  if ("message" in target) return { kind: "page", message: target.message };
  const { application, redirectUri } = target;
  const state = typeof raw["state"] === "string" && raw["state"] !== "" ? raw["state"] : null;
  try {
    const parameters = readParameters(raw);
    for (const check of CHECKS) check(parameters, application);
    return {
      kind: "valid",
      application,
      redirectUri,
      state,
      codeChallenge: parameters["code_challenge"] ?? null,
      loginHint: parameters["login_hint"] ?? null,
    };
  } catch (error) {
    if (error instanceof OAuthError) return { kind: "redirect", redirectUri, state, error };
    throw error;
  }
}

async function readTarget(
  findApplication: (id: string) => Promise<Application | null>,
  raw: Record<string, unknown>,
): Promise<{ application: Application; redirectUri: string } | { message: string }> {
  const { client_id: clientId, redirect_uri: redirectUri } = raw;
  const application = typeof clientId === "string" ? await findApplication(clientId) : null;
  if (application === null) return { message: "This link names an unknown application (client_id)." };
  if (typeof redirectUri !== "string" || redirectUri === "") {
    return { message: "This link has no redirect URI, or more than one (redirect_uri)." };
  }
  if (!application.redirectUris.some((registered) => matchesRedirectUri(registered, redirectUri))) {
    return {
      message: `This link would send you to a URL that ${application.name} has not registered (redirect_uri).`,
    };
  }
  return { application, redirectUri };
}

type Check = (parameters: Parameters, application: Application) => void;

const CHECKS: Check[] = [checkResponseType, checkResponseMode, checkRequestObject, checkChallenge];

function checkResponseType({ response_type: type }: Parameters): void {
  if (type === undefined) throw new OAuthError("invalid_request", "The parameter response_type is missing.");
  if (type !== "code") throw new OAuthError("unsupported_response_type", "response_type must be code.");
}

function checkResponseMode({ response_mode: mode }: Parameters): void {
  if (mode !== undefined && mode !== "query") throw new OAuthError("invalid_request", "response_mode must be query.");
}

function checkRequestObject({ request, request_uri: requestUri }: Parameters): void {
  if (request !== undefined || requestUri !== undefined)
    throw new OAuthError("invalid_request", "Request objects are not supported.");
}

function checkChallenge(parameters: Parameters, application: Application): void {
  const { code_challenge: challenge, code_challenge_method: method } = parameters;
  if (challenge === undefined) {
    if (method !== undefined)
      throw new OAuthError("invalid_request", "code_challenge_method was sent without a code_challenge.");
    if (application.requirePkce)
      throw new OAuthError("invalid_request", "This application requires PKCE: send a code_challenge.");
    return;
  }
  if (method !== "S256") throw new OAuthError("invalid_request", "code_challenge_method must be S256.");
  if (!isChallenge(challenge))
    throw new OAuthError(
      "invalid_request",
      "The code_challenge is not an S256 challenge (43 characters of base64url).",
    );
}

/** Where the user goes back to, with code or error (RFC 6749 §4.1.2) and the issuer (RFC 9207) in the query. */
export function buildAuthorizationResponseUrl(
  redirectUri: string,
  issuer: string,
  state: string | null,
  result: { code: string } | OAuthError,
): string {
  const parameters = new URLSearchParams(
    "message" in result ? { error: result.code, error_description: result.message } : { code: result.code },
  );
  if (state !== null) parameters.set("state", state);
  parameters.set("iss", issuer);
  // Not built with URL, which would normalize it: the registered URI must stay as it was written, including its query.
  return `${redirectUri}${redirectUri.includes("?") ? "&" : "?"}${parameters}`;
}

const CHALLENGE = /^[A-Za-z0-9_-]{43}$/;
const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/;

function isChallenge(text: string): boolean {
  return CHALLENGE.test(text);
}

/** RFC 7636 §4.6 for S256. A verifier without a stored challenge fails, as does a challenge without a verifier. */
export function matchesChallenge(challenge: string | null, verifier: string | undefined): boolean {
  if (challenge === null || verifier === undefined) return challenge === null && verifier === undefined;
  if (!VERIFIER.test(verifier)) return false;
  return areEqualSecrets(sha256(verifier).toString("base64url"), challenge);
}
