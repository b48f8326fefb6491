import { type IncomingMessage, request as requestPlain } from "node:http";
import { request as requestSecure } from "node:https";
import { findRedirectUriProblem } from "../applications/redirect-uri.ts";
import type { Clock } from "../lib/clock.ts";
import { hostOfUrl, matchesHostPattern, parseHostPattern } from "../lib/hosts.ts";
import { createFixedLookup, PinnedResolver, type Resolve } from "../lib/name-resolution.ts";
import { areReachable } from "../lib/network-address.ts";
import { isStorableText } from "../lib/storable.ts";
import { abortable } from "../lib/waiting.ts";

/** How a program describes itself: the part of its metadata document that matters here. */
interface ClientDocument {
  name: string;
  redirectUris: string[];
}

/** Loads the metadata document of a client id that is a URL, or says what is wrong with it. */
export type LoadClientDocument = (url: string) => Promise<ClientDocument | { problem: string }>;

interface LoaderOptions {
  /** Hosts that may have private addresses and may use http. */
  allowHosts: readonly string[];
  resolve: Resolve;
  clock: Clock;
}

const TIMEOUT_MS = 5_000;
const MAX_BYTES = 16 * 1024;
const MAX_URL_LENGTH = 2_048;
const MAX_NAME_LENGTH = 100;
const MAX_REDIRECT_URIS = 50;
const CACHE_MS = 5 * 60_000;
const MAX_CACHED = 200;

/**
 * draft-ietf-oauth-client-id-metadata-document. Anybody can make this service load a URL, so it connects only to addresses that
 * it has looked up and checked, follows no redirects, reads little and does not wait long. Failures are not cached.
 */
export function createClientDocumentLoader({ allowHosts, resolve, clock }: LoaderOptions): LoadClientDocument {
  const allowedPrivate = allowHosts.map(parseHostPattern).filter((pattern) => pattern !== null);
  const resolver = new PinnedResolver(resolve, clock);
  const cache = new Map<string, { document: ClientDocument; untilMs: number }>();

  async function load(url: string): Promise<ClientDocument | { problem: string }> {
    const host = hostOfUrl(url);
    const mayBePrivate = host !== null && matchesHostPattern(allowedPrivate, host);
    if (host === null || !isClientIdUrl(url, mayBePrivate)) {
      return { problem: "its client_id is not an https URL with a path" };
    }
    const limit = AbortSignal.timeout(TIMEOUT_MS);
    try {
      const addresses = await resolver.addressesOf(host.host, limit);
      if (!areReachable(host.host, addresses, mayBePrivate)) return { problem: "its host has no public address" };
      const body = await abortable(fetchText(url, addresses, limit), limit);
      return body === null ? { problem: "its metadata document could not be loaded" } : parseDocument(url, body);
    } catch {
      return { problem: "its metadata document could not be loaded" };
    }
  }

  return async (url) => {
    const nowMs = clock.now().getTime();
    const known = cache.get(url);
    if (known !== undefined && known.untilMs > nowMs) return known.document;
    const loaded = await load(url);
    if ("problem" in loaded) return loaded;
    if (cache.size >= MAX_CACHED) cache.clear();
    cache.set(url, { document: loaded, untilMs: nowMs + CACHE_MS });
    return loaded;
  };
}

/** §3 of the draft: https, a path, and nothing that could make two spellings of one URL. */
function isClientIdUrl(text: string, mayUseHttp: boolean): boolean {
  const url = URL.parse(text);
  return (
    url !== null &&
    url.href === text &&
    text.length <= MAX_URL_LENGTH &&
    (url.protocol === "https:" || (mayUseHttp && url.protocol === "http:")) &&
    url.pathname !== "/" &&
    url.hash === "" &&
    url.username === "" &&
    url.password === ""
  );
}

/** Null for any response but a JSON document of a reasonable size. */
async function fetchText(url: string, addresses: string[], signal: AbortSignal): Promise<string | null> {
  const request = url.startsWith("https:") ? requestSecure : requestPlain;
  const sent = request(url, {
    headers: { accept: "application/json" },
    agent: false,
    lookup: createFixedLookup(addresses),
    signal,
  });
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      sent.on("error", reject);
      sent.on("response", resolve);
      sent.end();
    });
    if (
      response.statusCode !== 200 ||
      !/^application\/([\w.-]+\+)?json\b/i.test(response.headers["content-type"] ?? "")
    ) {
      return null;
    }
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of response as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > MAX_BYTES) return null;
      chunks.push(chunk);
    }
    return Buffer.concat(chunks).toString("utf8");
  } finally {
    sent.destroy();
  }
}

function parseDocument(url: string, text: string): ClientDocument | { problem: string } {
  const document = parseObject(text);
  if (document === null) return { problem: "its metadata document is not a JSON object" };
  const { client_id, client_name, redirect_uris, token_endpoint_auth_method = "none" } = document;
  if (client_id !== url) return { problem: "its metadata document has another client_id" };
  if (token_endpoint_auth_method !== "none") return { problem: "it does not use token_endpoint_auth_method none" };
  if (typeof client_name !== "string" || !isName(client_name)) {
    return { problem: `its client_name does not have 1 to ${MAX_NAME_LENGTH} characters` };
  }
  const isValid =
    Array.isArray(redirect_uris) &&
    redirect_uris.length <= MAX_REDIRECT_URIS &&
    redirect_uris.every((uri): uri is string => typeof uri === "string" && findRedirectUriProblem(uri) === null);
  return isValid
    ? { name: client_name.trim(), redirectUris: redirect_uris }
    : { problem: "its redirect_uris are not valid" };
}

function isName(name: string): boolean {
  return name.trim() !== "" && name.length <= MAX_NAME_LENGTH && isStorableText(name);
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}
