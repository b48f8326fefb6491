import { type IncomingMessage, type ServerResponse, request as sendRequest } from "node:http";
import { pipeline } from "node:stream";
import { formatAuthority } from "./gate.ts";
import type { Route, RoutedRequest, Upstream } from "./upstream.ts";

interface ForwardOptions {
  route: Route;
  path: string;
  upstream: Upstream;
  idleTimeoutMs: number;
  maxHeaderBytes: number;
  /** The host did not respond; nothing has been written to the client. */
  onFailure(cause: unknown): void;
}

/** Safe to send again when a reused connection turns out to be dead. */
const REPEATABLE = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Forwards one plain HTTP exchange. The message is parsed and serialized again, never copied as bytes, so that the proxy
 * and the host agree on where it ends (RFC 9112, 11.2).
 */
export function forward(request: IncomingMessage, response: ServerResponse, options: ForwardOptions): void {
  const { headers, hasBody } = requestHead(request, options.route);
  const isRepeatable = !hasBody && REPEATABLE.has(request.method ?? "");
  const outgoing: RoutedRequest = {
    route: options.route,
    host: options.route.host,
    port: options.route.port,
    method: request.method,
    path: options.path,
    headers,
    setHost: false,
    maxHeaderSize: options.maxHeaderBytes,
    agent: options.upstream.agent,
  };
  // Requests that may change something get a new connection: they must not fail on a reused one that was already dying.
  if (!isRepeatable) {
    headers.push("Connection", "close");
    outgoing.agent = undefined;
    outgoing.createConnection = () => options.upstream.connect(options.route, { allowHalfOpen: false });
  }
  attempt({ request, response, options, outgoing, hasBody, mayRepeat: isRepeatable });
}

interface Attempt {
  request: IncomingMessage;
  response: ServerResponse;
  options: ForwardOptions;
  outgoing: RoutedRequest;
  hasBody: boolean;
  mayRepeat: boolean;
}

function attempt({ request, response, options, outgoing, hasBody, mayRepeat }: Attempt): void {
  const sent = sendRequest(outgoing);
  let forwarded: IncomingMessage | null = null;
  let isOver = false;

  const fail = (cause: unknown) => {
    // Once the response has begun, the pipeline below breaks it off visibly.
    if (isOver || forwarded !== null) return;
    isOver = true;
    sent.destroy();
    if (response.destroyed) return;
    if (mayRepeat && sent.reusedSocket) attempt({ request, response, options, outgoing, hasBody, mayRepeat: false });
    else options.onFailure(cause);
  };

  sent.setTimeout(options.idleTimeoutMs, () => sent.destroy(new IdleError("The host was silent for too long.")));
  sent.on("error", fail);
  sent.on("close", () => fail(new Error("The host closed the connection without a response.")));
  // `Upgrade` is not forwarded, so the client did not request this.
  sent.on("upgrade", (_response, socket) => {
    socket.destroy();
    fail(new Error("The host switched protocols without being asked."));
  });
  sent.on("response", (received) => {
    // A 407 from a host would make the browser send it the proxy credentials.
    if (received.statusCode === 407) return fail(new Error("The host responded with 407, which only a proxy may do."));
    forwarded = received;
    response.sendDate = false;
    response.writeHead(received.statusCode ?? 502, received.statusMessage, responseHeaders(received));
    pipeline(received, response, () => {
      // A response may come before the host has read the whole request. The rest of the request is discarded.
      request.unpipe(sent).resume();
      if (!received.complete || !sent.writableFinished) sent.destroy();
    });
  });
  response.once("close", () => {
    if (!response.writableFinished) sent.destroy();
  });

  if (hasBody) request.pipe(sent);
  else sent.end();
}

class IdleError extends Error {
  readonly code = "EIDLE";
}

/**
 * Sets the framing of the body explicitly: Node sends a GET without framing headers unless told otherwise, and the host
 * would read an unframed body as the next request.
 */
function requestHead(request: IncomingMessage, route: Route): { headers: string[]; hasBody: boolean } {
  const isChunked = request.headers["transfer-encoding"] !== undefined;
  const length = request.headers["content-length"];
  const headers = endToEndHeaders(request.rawHeaders, ["host", "content-length", "expect"]);
  const framing = isChunked ? ["Transfer-Encoding", "chunked"] : length === undefined ? [] : ["Content-Length", length];
  return {
    headers: ["Host", formatAuthority(route), ...headers, ...framing],
    hasBody: isChunked || (length !== undefined && Number(length) > 0),
  };
}

function responseHeaders({ rawHeaders }: IncomingMessage): string[] {
  // Only this proxy sets Proxy-Status: a host must not be able to forge it.
  return endToEndHeaders(rawHeaders, ["proxy-status"]);
}

/** Headers about one connection and not about the message (RFC 9110, 7.6.1). */
const HOP_BY_HOP = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authentication-info",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** `Connection` may name more hop-by-hop headers, but never these: they say where the message goes and where it ends. */
const ALWAYS_END_TO_END = new Set(["host", "content-length"]);

/**
 * The headers of a message for the next hop, in their original case and order. `replaced` (in lower case) are left out
 * because the caller sets them itself.
 */
function endToEndHeaders(rawHeaders: readonly string[], replaced: readonly string[] = []): string[] {
  const pairs = pairsOf(rawHeaders);
  const dropped = new Set([...HOP_BY_HOP, ...replaced]);
  for (const [name, value] of pairs) {
    if (name.toLowerCase() !== "connection") continue;
    for (const token of value.toLowerCase().split(","))
      if (!ALWAYS_END_TO_END.has(token.trim())) dropped.add(token.trim());
  }
  return pairs.filter(([name]) => !dropped.has(name.toLowerCase())).flat();
}

function pairsOf(rawHeaders: readonly string[]): [name: string, value: string][] {
  const pairs: [string, string][] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    pairs.push([rawHeaders[index] ?? "", rawHeaders[index + 1] ?? ""]);
  }
  return pairs;
}
