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
  /** No answer came; the response is still untouched. */
  onFailure(cause: unknown): void;
}

/** Safe to send again when a kept connection turns out to be dead. */
const REPEATABLE = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Passes one plain HTTP exchange on. The message is parsed and written anew, never copied as bytes, so where it ends is
 * the same for us and for the host (RFC 9112, 11.2).
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
  // Whatever may change something gets a connection of its own: it cannot fail on one that was dying already.
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
  let answer: IncomingMessage | null = null;
  let isOver = false;

  const fail = (cause: unknown) => {
    // Once the answer has begun, the pipeline below breaks it off visibly; a client that left wants no answer.
    if (isOver || answer !== null) return;
    isOver = true;
    sent.destroy();
    if (response.destroyed) return;
    if (mayRepeat && sent.reusedSocket) attempt({ request, response, options, outgoing, hasBody, mayRepeat: false });
    else options.onFailure(cause);
  };

  sent.setTimeout(options.idleTimeoutMs, () => sent.destroy(new IdleError("Silent for too long.")));
  sent.on("error", fail);
  sent.on("close", () => fail(new Error("Closed without an answer.")));
  // Nobody asked to switch protocols: `Upgrade` is not passed on.
  sent.on("upgrade", (_answer, socket) => {
    socket.destroy();
    fail(new Error("Switched protocols unasked."));
  });
  sent.on("response", (received) => {
    // An answer that only a proxy may give would make the browser show its credentials.
    if (received.statusCode === 407) return fail(new Error("Answered like a proxy."));
    answer = received;
    response.sendDate = false;
    response.writeHead(received.statusCode ?? 502, received.statusMessage, responseHeaders(received));
    pipeline(received, response, () => {
      // An answer may come before the host has read the whole request; the rest has nowhere to go.
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
 * How the body is framed is said anew: Node writes a GET without framing unless it is told, and an unframed body is
 * the next request to whoever reads it.
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
  // Ours alone, so that whoever reads it knows who spoke.
  return endToEndHeaders(rawHeaders, ["proxy-status"]);
}

/** RFC 9110, 7.6.1: about one connection and not about the message. */
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

/** `Connection` may name more of them, but not those that say where the message goes and where it ends. */
const NEVER_NAMED = new Set(["host", "content-length"]);

/**
 * The headers of a message for the next hop, spelled and ordered as they came; `replaced` (in small letters) are left
 * out because the caller sets them anew.
 */
function endToEndHeaders(rawHeaders: readonly string[], replaced: readonly string[] = []): string[] {
  const pairs = pairsOf(rawHeaders);
  const dropped = new Set([...HOP_BY_HOP, ...replaced]);
  for (const [name, value] of pairs) {
    if (name.toLowerCase() !== "connection") continue;
    for (const token of value.toLowerCase().split(",")) if (!NEVER_NAMED.has(token.trim())) dropped.add(token.trim());
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
