import { Agent, type ClientRequestArgs, type RequestOptions } from "node:http";
import { connect, type Socket } from "node:net";
import { createFixedLookup } from "../../lib/name-resolution.ts";
import type { EgressLog } from "./egress-log.ts";
import type { Destination } from "./gate.ts";

/** A destination that the gate allows, with the addresses that it checked. */
export interface Route extends Destination {
  addresses: readonly string[];
}

interface UpstreamOptions {
  dial: Dial;
  log: EgressLog;
  connectTimeoutMs: number;
}

/** A request that carries its route, so that the agent connects to the addresses that the gate checked. */
export interface RoutedRequest extends RequestOptions {
  route: Route;
}

/** Opens all outgoing connections of one proxy, and can close them all. */
export class Upstream {
  readonly #options: UpstreamOptions;
  readonly #sockets = new Set<Socket>();
  /** Pools idle connections by host and port, so none is reused for another host at the same address. */
  readonly agent: Agent;

  constructor(options: UpstreamOptions) {
    this.#options = options;
    this.agent = new RoutedAgent((route) => this.connect(route, { allowHalfOpen: false }));
  }

  connect(route: Route, options: { allowHalfOpen: boolean }): Socket {
    const { dial, log, connectTimeoutMs } = this.#options;
    const socket = limitConnectTime(dial(route.addresses, route.port, options), connectTimeoutMs);
    log.meter(route, socket);
    this.#sockets.add(socket);
    return socket.once("close", () => this.#sockets.delete(socket));
  }

  destroy(): void {
    this.agent.destroy();
    for (const socket of this.#sockets) socket.destroy();
  }
}

const MAX_KEPT_PER_HOST = 6;
const KEPT_MS = 30_000;

class RoutedAgent extends Agent {
  readonly #connect: (route: Route) => Socket;

  constructor(connect: (route: Route) => Socket) {
    super({ keepAlive: true, maxFreeSockets: MAX_KEPT_PER_HOST, keepAliveMsecs: KEPT_MS, timeout: KEPT_MS });
    this.#connect = connect;
  }

  override createConnection(options: ClientRequestArgs): Socket {
    return this.#connect((options as RoutedRequest).route);
  }
}

/** Opens a connection to one of these checked addresses. */
export type Dial = (addresses: readonly string[], port: number, options: DialOptions) => Socket;

interface DialOptions {
  /** Whether to keep sending after the other side has ended. */
  allowHalfOpen: boolean;
}

export const dialDirectly: Dial = (addresses, port, { allowHalfOpen }) => {
  const [only] = addresses;
  const host = addresses.length === 1 && only !== undefined ? only : "checked.invalid";
  return connect({
    host,
    port,
    allowHalfOpen,
    noDelay: true,
    lookup: createFixedLookup(addresses),
    autoSelectFamily: true,
  });
};

class ConnectTimeoutError extends Error {
  readonly code = "ETIMEDOUT";
}

/** Destroys a socket that does not connect in time. */
function limitConnectTime(socket: Socket, timeoutMs: number): Socket {
  if (!socket.connecting) return socket;
  const timer = setTimeout(() => socket.destroy(new ConnectTimeoutError("The connection timed out.")), timeoutMs);
  const stop = () => clearTimeout(timer);
  return socket.once("connect", stop).once("close", stop);
}
