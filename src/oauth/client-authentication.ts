import { timingSafeEqual } from "node:crypto";
import type { Application } from "../applications/application.ts";
import { sha256 } from "../lib/hash.ts";
import { OAuthError, type Parameters } from "./protocol.ts";

interface ClientDirectory {
  find(id: string): Promise<Application | null>;
  listSecretHashes(applicationId: string): Promise<Buffer[]>;
}

interface PresentedClient {
  id: string;
  secret: string | null;
}

/** RFC 6749 §2.3.1: Basic, or id and secret in the form; a public application has only an id. */
export async function authenticateClient(
  directory: ClientDirectory,
  authorization: string | undefined,
  form: Parameters,
): Promise<Application> {
  const presented = readPresentedClient(authorization, form);
  const application = await directory.find(presented.id);
  if (application === null) throw authenticationFailed();
  if (application.type === "public") {
    if (presented.secret !== null) throw authenticationFailed();
    return application;
  }
  if (presented.secret === null) throw authenticationFailed();
  const presentedHash = sha256(presented.secret);
  const hashes = await directory.listSecretHashes(application.id);
  if (!hashes.some((hash) => timingSafeEqual(hash, presentedHash))) throw authenticationFailed();
  return application;
}

function readPresentedClient(authorization: string | undefined, form: Parameters): PresentedClient {
  const basic = authorization === undefined ? null : parseBasic(authorization);
  const { client_id: formId, client_secret: formSecret } = form;
  if (basic === null) {
    if (formId === undefined)
      throw new OAuthError(
        "invalid_client",
        "Client authentication is missing: send HTTP Basic, or client_id in the form.",
      );
    return { id: formId, secret: formSecret ?? null };
  }
  if (formSecret !== undefined)
    throw new OAuthError(
      "invalid_request",
      "Send the client secret in one place: the Authorization header or the form.",
    );
  if (formId !== undefined && formId.toLowerCase() !== basic.id.toLowerCase()) {
    throw new OAuthError(
      "invalid_request",
      "The client_id in the form differs from the one in the Authorization header.",
    );
  }
  return basic;
}

function parseBasic(authorization: string): PresentedClient {
  const encoded = /^basic +([A-Za-z0-9+/_-]+={0,2})$/i.exec(authorization.trim())?.[1];
  const credentials = encoded === undefined ? "" : Buffer.from(encoded, "base64").toString("utf8");
  const colon = credentials.indexOf(":");
  if (colon < 0) throw authenticationFailed();
  const secret = formDecode(credentials.slice(colon + 1));
  return { id: formDecode(credentials.slice(0, colon)), secret: secret === "" ? null : secret };
}

function formDecode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    throw authenticationFailed();
  }
}

function authenticationFailed(): OAuthError {
  return new OAuthError(
    "invalid_client",
    "Client authentication failed: check the client id, the client secret and the application's type.",
  );
}
