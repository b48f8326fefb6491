import { Agent, type ClientRequestArgs, type RequestOptions } from "node:http";
import { connect, type Socket } from "node:net";
import { createFixedLookup } from "../../lib/name-resolution.ts";
import type { EgressLog } from "./egress-log.ts";
import type { Destination } from "./gate.ts";

/** A destination that passed the gate, with the addresses that were checked. */
export interface Route extends Destination {
  addresses: readonly string[];
}

interface UpstreamOptions {
  dial: Dial;
  log: EgressLog;
  connectTimeoutMs: number;
}

/** A request that takes its route along, so that the agent connects where the gate has looked. */
export interface RoutedRequest extends RequestOptions {
  route: Route;
}

/** The one place where connections to the outside begin, and where all of them can be ended. */
export class Upstream {
  readonly #options: UpstreamOptions;
  readonly #sockets = new Set<Socket>();
  /** Kept connections are pooled by host and port, so none is used for another host at the same address. */
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

/** Opens a connection to one of these addresses, which are checked, and to nothing else. */
export type Dial = (addresses: readonly string[], port: number, options: DialOptions) => Socket;

interface DialOptions {
  /** Whether we may still send after the other side has ended. */
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

/** Ends a connection that does not come about in time. */
function limitConnectTime(socket: Socket, timeoutMs: number): Socket {
  if (!socket.connecting) return socket;
  const timer = setTimeout(() => socket.destroy(new ConnectTimeoutError("No connection in time.")), timeoutMs);
  const stop = () => clearTimeout(timer);
  return socket.once("connect", stop).once("close", stop);
}
