import { randomBytes, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { Counter } from "prom-client";
import type { Clock } from "../../lib/clock.ts";
import { sha256 } from "../../lib/hash.ts";
import { PinnedResolver, type Resolve, resolveWithSystem } from "../../lib/name-resolution.ts";
import { type EgressEntry, EgressLog, type EgressRecord } from "./egress-log.ts";
import { forward } from "./forward.ts";
import { createGate, type Destination, parseAbsoluteTarget, parseAuthority, type RefusalReason } from "./gate.ts";
import {
  failureResponse,
  HANDSHAKE_RESPONSE,
  isHandshake,
  type ProxyResponse,
  refusalResponse,
  sendRawResponse,
  sendResponse,
  TOO_MANY_CONNECTIONS,
  UNAUTHENTICATED,
} from "./proxy-response.ts";
import { openTunnel } from "./tunnel.ts";
import { type Dial, dialDirectly, type Route, Upstream } from "./upstream.ts";

interface EgressLimits {
  /** Concurrent exchanges and tunnels. */
  maxConnections: number;
  /** For the DNS lookup and for the connection, each. */
  connectTimeoutMs: number;
  /** How long an exchange or a tunnel may be silent. */
  idleTimeoutMs: number;
  maxHeaderBytes: number;
  maxLogEntries: number;
}

/** What passes the proxy. */
interface EgressRules {
  /** Hosts in the form of `parseHostRule`; "public" means every host at a public address, on ports 80 and 443. */
  allowedHosts: readonly string[] | "public";
  /** Hosts that may be at a private address (ERRAND_ALLOW_HOSTS). They still have to be allowed. */
  privateHosts: readonly string[];
  /** Called for each refusal, with the counts so far. Must not throw. */
  onRefused?: (entry: EgressEntry) => void;
}

export interface EgressOptions extends EgressRules {
  clock: Clock;
  /** Called when a host did not respond; `error` is an RFC 9209 type. Must not throw. */
  onFailed?: (destination: Destination, error: string) => void;
  limits?: Partial<EgressLimits>;
  resolve?: Resolve;
  dial?: Dial;
}

/** An HTTP proxy on the loopback interface: the only network access of one browser context. */
export interface EgressProxy extends AsyncDisposable {
  url: string;
  username: string;
  password: string;
  /** Replaces the rules that it was started with. */
  setRules(rules: EgressRules): void;
  log(): EgressRecord;
}

const DEFAULT_LIMITS: EgressLimits = {
  maxConnections: 256,
  connectTimeoutMs: 15_000,
  idleTimeoutMs: 300_000,
  maxHeaderBytes: 128 * 1024,
  maxLogEntries: 1_000,
};

/** Longer than Chromium keeps an idle connection, so that it never sends on one that we are closing. */
const CLIENT_KEEP_ALIVE_MS = 360_000;

const refusals = new Counter({
  name: "errand_egress_refusals_total",
  help: "Requests of browsers that the egress proxy refused, by reason.",
  labelNames: ["reason"],
});

export async function startEgressProxy(options: EgressOptions): Promise<EgressProxy> {
  const { clock, onFailed, resolve = resolveWithSystem, dial = dialDirectly } = options;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const { connectTimeoutMs, idleTimeoutMs, maxHeaderBytes } = limits;
  const names = new PinnedResolver(resolve, clock);
  let { onRefused } = options;
  let gate = createGate({ ...options, names });
  const log = new EgressLog(clock, limits.maxLogEntries);
  const upstream = new Upstream({ dial, log, connectTimeoutMs });
  const credentials = createCredentials();
  const closing = new AbortController();
  const clients = new Set<Socket>();
  let open = 0;

  /** The route to a destination, or the response to send instead. */
  async function admit(destination: Destination | null, requested: string): Promise<Route | ProxyResponse> {
    if (destination === null) return refuse({ host: requested.slice(0, 255), port: 0 }, "invalid_target");
    try {
      const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(connectTimeoutMs)]);
      const verdict = await gate.check(destination, signal);
      if (!verdict.allowed) return refuse(destination, verdict.reason);
      log.record(destination, "allowed");
      return { ...destination, addresses: verdict.addresses };
    } catch (cause) {
      log.record(destination, "allowed");
      return fail(destination, cause);
    }
  }

  function refuse(destination: Destination, reason: RefusalReason): ProxyResponse {
    const entry = log.record(destination, reason);
    refusals.inc({ reason });
    onRefused?.(entry);
    return refusalResponse(destination, reason);
  }

  function fail(destination: Destination, cause: unknown): ProxyResponse {
    log.recordFailure(destination);
    const response = failureResponse(destination, cause);
    onFailed?.(destination, response.error);
    return response;
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const respond = (proxyResponse: ProxyResponse) => {
      request.resume();
      sendResponse(response, proxyResponse);
    };
    if (!credentials.match(request.headers["proxy-authorization"])) return respond(UNAUTHENTICATED);
    if (open >= limits.maxConnections) return respond(TOO_MANY_CONNECTIONS);
    open += 1;
    response.once("close", () => {
      open -= 1;
    });
    const { url = "" } = request;
    const target = parseAbsoluteTarget(url);
    if (isHandshake(target)) return respond(HANDSHAKE_RESPONSE);
    const route = await admit(target, url);
    if (response.destroyed) return;
    if ("status" in route) return respond(route);
    forward(request, response, {
      route,
      path: target?.path ?? "/",
      upstream,
      idleTimeoutMs,
      maxHeaderBytes,
      onFailure: (cause) => respond(fail(route, cause)),
    });
  }

  async function serveTunnel(request: IncomingMessage, client: Socket, head: Buffer): Promise<void> {
    clients.add(client);
    client.once("close", () => clients.delete(client));
    // The tunnel handles "close", which follows every error. An "error" event without a listener would end the process.
    client.on("error", () => {});
    const respond = (proxyResponse: ProxyResponse) => {
      client.resume();
      sendRawResponse(client, proxyResponse);
    };
    if (!credentials.match(request.headers["proxy-authorization"])) return respond(UNAUTHENTICATED);
    if (open >= limits.maxConnections) return respond(TOO_MANY_CONNECTIONS);
    open += 1;
    client.once("close", () => {
      open -= 1;
    });
    const { url = "" } = request;
    const route = await admit(parseAuthority(url), url);
    if (client.destroyed) return;
    if ("status" in route) return respond(route);
    openTunnel(client, { route, upstream, head, idleTimeoutMs, onFailure: (cause) => respond(fail(route, cause)) });
  }

  const server = createServer({
    maxHeaderSize: maxHeaderBytes,
    keepAliveTimeout: CLIENT_KEEP_ALIVE_MS,
    // No limit on the duration of an upload: only the idle timeout ends it.
    requestTimeout: 0,
    headersTimeout: 30_000,
  });
  // Chromium opens spare connections, so there may be more connections than exchanges.
  server.maxConnections = limits.maxConnections * 2;
  server.on("request", (request, response) => void serve(request, response));
  server.on("connect", (request, client: Socket, head) => void serveTunnel(request, client, head));
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${port}`,
    username: credentials.username,
    password: credentials.password,
    setRules(rules) {
      ({ onRefused } = rules);
      gate = createGate({ ...rules, names });
    },
    log: () => log.read(),
    async [Symbol.asyncDispose]() {
      if (closing.signal.aborted) return;
      closing.abort(new Error("The egress proxy was closed."));
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      for (const client of clients) client.destroy();
      upstream.destroy();
      await closed;
    },
  };
}

/** Basic authentication (RFC 7617) with a random password for each proxy. */
interface ProxyCredentials {
  username: string;
  password: string;
  match(proxyAuthorization: string | undefined): boolean;
}

function createCredentials(): ProxyCredentials {
  const username = "errand";
  const password = randomBytes(32).toString("base64url");
  const expected = sha256(Buffer.from(`${username}:${password}`).toString("base64"));
  return {
    username,
    password,
    match(header = "") {
      const [, given = ""] = /^basic +(\S+)$/i.exec(header) ?? [];
      return timingSafeEqual(sha256(given), expected);
    },
  };
}
