import { randomBytes, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Clock } from "../../lib/clock.ts";
import { sha256 } from "../../lib/hash.ts";
import { PinnedResolver, type Resolve, resolveWithSystem } from "../../lib/name-resolution.ts";
import { countRefusal } from "../pool/browser-metrics.ts";
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
  /** Exchanges and tunnels at a time. */
  maxConnections: number;
  /** For the lookup and for the connection, each. */
  connectTimeoutMs: number;
  /** How long an exchange or a tunnel may carry nothing. */
  idleTimeoutMs: number;
  maxHeaderBytes: number;
  maxLogEntries: number;
}

export interface EgressOptions {
  /** Hosts of this run, in the form of `parseHostRule`; "public" is every host at a public address, on 80 and 443. */
  allowedHosts: readonly string[] | "public";
  /** Hosts that may be at a private address (ERRAND_ALLOW_HOSTS). This alone allows nothing. */
  privateHosts: readonly string[];
  clock: Clock;
  /** Told at once, with the count so far. It must not throw. */
  onRefused?: (entry: EgressEntry) => void;
  /** A host gave no answer; `error` is a type of RFC 9209. It must not throw. */
  onFailed?: (destination: Destination, error: string) => void;
  limits?: Partial<EgressLimits>;
  resolve?: Resolve;
  dial?: Dial;
}

/** The only way out for the browser of one run. */
export interface EgressProxy extends AsyncDisposable {
  url: string;
  username: string;
  password: string;
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

export async function startEgressProxy(options: EgressOptions): Promise<EgressProxy> {
  const {
    allowedHosts,
    privateHosts,
    clock,
    onRefused,
    onFailed,
    resolve = resolveWithSystem,
    dial = dialDirectly,
  } = options;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const { connectTimeoutMs, idleTimeoutMs, maxHeaderBytes } = limits;
  const gate = createGate({ allowedHosts, privateHosts, names: new PinnedResolver(resolve, clock) });
  const log = new EgressLog(clock, limits.maxLogEntries);
  const upstream = new Upstream({ dial, log, connectTimeoutMs });
  const credentials = createCredentials();
  const closing = new AbortController();
  const clients = new Set<Socket>();
  let open = 0;

  /** The way to a destination, or what to answer instead. */
  async function admit(destination: Destination | null, asked: string): Promise<Route | ProxyResponse> {
    if (destination === null) return refuse({ host: asked.slice(0, 255), port: 0 }, "invalid_target");
    try {
      const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(connectTimeoutMs)]);
      const verdict = await gate.judge(destination, signal);
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
    countRefusal(reason);
    onRefused?.(entry);
    return refusalResponse(destination, reason);
  }

  function fail(destination: Destination, cause: unknown): ProxyResponse {
    log.recordFailure(destination);
    const answer = failureResponse(destination, cause);
    onFailed?.(destination, answer.error);
    return answer;
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const answer = (proxyAnswer: ProxyResponse) => {
      request.resume();
      sendResponse(response, proxyAnswer);
    };
    if (!credentials.areIn(request.headers["proxy-authorization"])) return answer(UNAUTHENTICATED);
    if (open >= limits.maxConnections) return answer(TOO_MANY_CONNECTIONS);
    open += 1;
    response.once("close", () => {
      open -= 1;
    });
    const { url = "" } = request;
    const target = parseAbsoluteTarget(url);
    if (isHandshake(target)) return answer(HANDSHAKE_RESPONSE);
    const route = await admit(target, url);
    if (response.destroyed) return;
    if ("status" in route) return answer(route);
    forward(request, response, {
      route,
      path: target?.path ?? "/",
      upstream,
      idleTimeoutMs,
      maxHeaderBytes,
      onFailure: (cause) => answer(fail(route, cause)),
    });
  }

  async function serveTunnel(request: IncomingMessage, client: Socket, head: Buffer): Promise<void> {
    clients.add(client);
    client.once("close", () => clients.delete(client));
    // Whatever breaks shows as "close", which the tunnel watches; without a listener it would end the process.
    client.on("error", () => {});
    const answer = (proxyAnswer: ProxyResponse) => {
      client.resume();
      sendRawResponse(client, proxyAnswer);
    };
    if (!credentials.areIn(request.headers["proxy-authorization"])) return answer(UNAUTHENTICATED);
    if (open >= limits.maxConnections) return answer(TOO_MANY_CONNECTIONS);
    open += 1;
    client.once("close", () => {
      open -= 1;
    });
    const { url = "" } = request;
    const route = await admit(parseAuthority(url), url);
    if (client.destroyed) return;
    if ("status" in route) return answer(route);
    openTunnel(client, { route, upstream, head, idleTimeoutMs, onFailure: (cause) => answer(fail(route, cause)) });
  }

  const server = createServer({
    maxHeaderSize: maxHeaderBytes,
    keepAliveTimeout: CLIENT_KEEP_ALIVE_MS,
    // An upload may take its time; silence is what ends it.
    requestTimeout: 0,
    headersTimeout: 30_000,
  });
  // Chromium opens spare connections, so there may be more of them than exchanges.
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
    log: () => log.read(),
    async [Symbol.asyncDispose]() {
      if (closing.signal.aborted) return;
      closing.abort(new Error("The run is over."));
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      for (const client of clients) client.destroy();
      upstream.destroy();
      await closed;
    },
  };
}

/** Basic authentication (RFC 7617) with a password that lives as long as one proxy. */
interface ProxyCredentials {
  username: string;
  password: string;
  areIn(proxyAuthorization: string | undefined): boolean;
}

function createCredentials(): ProxyCredentials {
  const username = "errand";
  const password = randomBytes(32).toString("base64url");
  const expected = sha256(Buffer.from(`${username}:${password}`).toString("base64"));
  return {
    username,
    password,
    areIn(header = "") {
      const [, given = ""] = /^basic +(\S+)$/i.exec(header) ?? [];
      return timingSafeEqual(sha256(given), expected);
    },
  };
}
