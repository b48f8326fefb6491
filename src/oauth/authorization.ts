import type { Application } from "../applications/application.ts";
import { matchesRedirectUri } from "../applications/redirect-uri.ts";
import { areEqualSecrets, sha256 } from "../lib/hash.ts";
import { OAuthError, type Parameters, readParameters } from "./protocol.ts";

/** A valid request for consent, or the two ways in which one can be wrong. */
export type AuthorizationRequest =
  | {
      kind: "valid";
      application: Application;
      redirectUri: string;
      state: string | null;
      codeChallenge: string | null;
      loginHint: string | null;
    }
  /** The client and where to send the user are known: the error goes back there. */
  | { kind: "redirect"; redirectUri: string; state: string | null; error: OAuthError }
  /** Nobody trustworthy to send the user to (RFC 6749 §4.1.2.1): they see a page. */
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
  if (application === null) return { message: "This link names no application that is known here (client_id)." };
  if (typeof redirectUri !== "string" || redirectUri === "") {
    return { message: "This link does not say, or says more than once, where to go back to (redirect_uri)." };
  }
  if (!application.redirectUris.some((registered) => matchesRedirectUri(registered, redirectUri))) {
    return {
      message: `This link would go back to an address that ${application.name} has not registered (redirect_uri).`,
    };
  }
  return { application, redirectUri };
}

type Check = (parameters: Parameters, application: Application) => void;

const CHECKS: Check[] = [checkResponseType, checkResponseMode, checkRequestObject, checkChallenge];

function checkResponseType({ response_type: type }: Parameters): void {
  if (type === undefined) throw new OAuthError("invalid_request", "The parameter response_type is missing.");
  if (type !== "code") throw new OAuthError("unsupported_response_type", "The only response_type is code.");
}

function checkResponseMode({ response_mode: mode }: Parameters): void {
  if (mode !== undefined && mode !== "query")
    throw new OAuthError("invalid_request", "The only response_mode is query.");
}

function checkRequestObject({ request, request_uri: requestUri }: Parameters): void {
  if (request !== undefined || requestUri !== undefined)
    throw new OAuthError("invalid_request", "Request objects are not supported.");
}

function checkChallenge(parameters: Parameters, application: Application): void {
  const { code_challenge: challenge, code_challenge_method: method } = parameters;
  if (challenge === undefined) {
    if (method !== undefined)
      throw new OAuthError("invalid_request", "There is a code_challenge_method but no code_challenge.");
    if (application.requirePkce)
      throw new OAuthError("invalid_request", "This application requires PKCE: send a code_challenge.");
    return;
  }
  if (method !== "S256") throw new OAuthError("invalid_request", "The only code_challenge_method is S256.");
  if (!isChallenge(challenge))
    throw new OAuthError(
      "invalid_request",
      "The code_challenge is not an S256 challenge (43 characters of base64url).",
    );
}

/** Where the user goes back to, with the answer in the query (RFC 6749 §4.1.2) and the issuer (RFC 9207). */
export function buildAuthorizationResponseUrl(
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

const CHALLENGE = /^[A-Za-z0-9_-]{43}$/;
const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/;

function isChallenge(text: string): boolean {
  return CHALLENGE.test(text);
}

/** RFC 7636 §4.6 for S256. A verifier without a challenge is as wrong as a challenge without a verifier. */
export function matchesChallenge(challenge: string | null, verifier: string | undefined): boolean {
  if (challenge === null || verifier === undefined) return challenge === null && verifier === undefined;
  if (!VERIFIER.test(verifier)) return false;
  return areEqualSecrets(sha256(verifier).toString("base64url"), challenge);
}
