import { Agent, type ClientRequestArgs, type RequestOptions } from "node:http";
import type { Socket } from "node:net";
import type { Destination } from "./destination.ts";
import { type Dial, limitConnectTime } from "./dial.ts";
import type { EgressLog } from "./egress-log.ts";

/** A destination that passed the gate, with the addresses that were checked. */
export interface Route extends Destination {
  addresses: readonly string[];
}

export interface UpstreamOptions {
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
