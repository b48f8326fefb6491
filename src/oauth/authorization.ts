import type { Application, McpClient } from "../applications/application.ts";
import { matchesRedirectUri } from "../applications/redirect-uri.ts";
import { areEqualSecrets, sha256 } from "../lib/hash.ts";
import type { LoadClientDocument } from "./client-document.ts";
import { isClientUrl, parseMcpResource } from "./mcp-tokens.ts";
import { OAuthError, type Parameters, readParameters } from "./protocol.ts";

/** A valid authorization request, or one of the two ways to report that it is invalid. */
export type AuthorizationRequest =
  | {
      kind: "valid";
      application: Application;
      redirectUri: string;
      client: McpClient | null;
      state: string | null;
      codeChallenge: string | null;
      loginHint: string | null;
    }
  /** Client and redirect URI are valid: the error goes back there. */
  | { kind: "redirect"; redirectUri: string; state: string | null; error: OAuthError }
  /** No trusted redirect URI (RFC 6749 §4.1.2.1): the user sees an error page. */
  | { kind: "page"; message: string };

interface Directory {
  applications: {
    find(id: string): Promise<Application | null>;
    findForMcpClients(): Promise<Application | null>;
  };
  loadClientDocument: LoadClientDocument;
  publicUrl: string;
}

export async function readAuthorizationRequest(
  directory: Directory,
  raw: Record<string, unknown>,
): Promise<AuthorizationRequest> {
  const target = await readTarget(directory, raw);
  if ("message" in target) return { kind: "page", message: target.message };
  const { application, redirectUri, client } = target;
  const state = typeof raw["state"] === "string" && raw["state"] !== "" ? raw["state"] : null;
  try {
    const parameters = readParameters(raw);
    for (const check of CHECKS) check(parameters, target, directory.publicUrl);
    return {
      kind: "valid",
      application,
      redirectUri,
      client,
      state,
      codeChallenge: parameters["code_challenge"] ?? null,
      loginHint: parameters["login_hint"] ?? null,
    };
  } catch (error) {
    if (error instanceof OAuthError) return { kind: "redirect", redirectUri, state, error };
    throw error;
  }
}

/** Who asks for what, and where the user goes back to. */
interface Target {
  application: Application;
  redirectUri: string;
  client: McpClient | null;
}

type Refusal = { message: string };

async function readTarget(directory: Directory, raw: Record<string, unknown>): Promise<Target | Refusal> {
  const { client_id: clientId, redirect_uri: redirectUri } = raw;
  const found =
    typeof clientId === "string" && isClientUrl(clientId)
      ? await findDescribed(directory, clientId, raw["resource"])
      : await findRegistered(directory, clientId, raw["resource"]);
  if ("message" in found) return found;
  if (typeof redirectUri !== "string" || redirectUri === "") {
    return { message: "This link has no redirect URI, or more than one (redirect_uri)." };
  }
  if (!found.redirectUris.some((registered) => matchesRedirectUri(registered, redirectUri))) {
    const name = found.client?.name ?? found.application.name;
    return { message: `This link would send you to a URL that ${name} has not registered (redirect_uri).` };
  }
  return { application: found.application, redirectUri, client: found.client };
}

type FoundClient = Omit<Target, "redirectUri"> & { redirectUris: string[] };

async function findRegistered(
  { applications, publicUrl }: Directory,
  clientId: unknown,
  resource: unknown,
): Promise<FoundClient | Refusal> {
  const application = typeof clientId === "string" ? await applications.find(clientId) : null;
  if (application === null) return { message: "This link names an unknown application (client_id)." };
  // A resource of somebody else is ignored, as it always was. Only one of ours makes this an MCP client.
  const isMcp = typeof resource === "string" && parseMcpResource(publicUrl, resource) !== null;
  return {
    application,
    redirectUris: [...application.redirectUris, ownReturnUrl(publicUrl)],
    client: isMcp ? { id: application.id, name: application.name, resource } : null,
  };
}

/** A program that is not registered here, but has a metadata document at its client id. */
async function findDescribed(
  { applications, loadClientDocument, publicUrl }: Directory,
  clientId: string,
  resource: unknown,
): Promise<FoundClient | Refusal> {
  const endpoint = parseMcpResource(publicUrl, resource);
  if (endpoint === null) {
    return {
      message: "This link does not say which MCP endpoint of this service the program wants to use (resource).",
    };
  }
  const application =
    endpoint.applicationId === null
      ? await applications.findForMcpClients()
      : await applications.find(endpoint.applicationId);
  if (application === null || !application.mcpClients) {
    return {
      message:
        endpoint.applicationId === null
          ? "This service does not have exactly one application that allows MCP clients. Add the application's id to the URL of the MCP server: /mcp/<id>."
          : "This application does not allow MCP clients. Its owner can allow them in the console.",
    };
  }
  const document = await loadClientDocument(clientId);
  if ("problem" in document) return { message: `This program cannot be connected: ${document.problem}.` };
  const { name, redirectUris } = document;
  return { application, redirectUris, client: { id: clientId, name, resource: resource as string } };
}

/** Users who only renew their connection return to a page of ours. The code that it gets is not used. */
function ownReturnUrl(publicUrl: string): string {
  return `${publicUrl}/connected`;
}

type Check = (parameters: Parameters, target: Target, publicUrl: string) => void;

const CHECKS: Check[] = [checkResponseType, checkResponseMode, checkRequestObject, checkResource, checkChallenge];

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

/** RFC 8707. A token for the endpoint of another application would be of no use. */
function checkResource(_: Parameters, { application, client }: Target, publicUrl: string): void {
  const applicationId = client && parseMcpResource(publicUrl, client.resource)?.applicationId;
  if (applicationId !== null && applicationId !== undefined && applicationId !== application.id)
    throw new OAuthError("invalid_target", "The resource belongs to another application.");
}

function checkChallenge(parameters: Parameters, { application, redirectUri, client }: Target, publicUrl: string): void {
  const { code_challenge: challenge, code_challenge_method: method } = parameters;
  if (challenge === undefined) {
    if (method !== undefined)
      throw new OAuthError("invalid_request", "code_challenge_method was sent without a code_challenge.");
    // MCP requires it of every client.
    if (client !== null || (application.requirePkce && redirectUri !== ownReturnUrl(publicUrl)))
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
