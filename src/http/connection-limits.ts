import type { IncomingMessage, Server } from "node:http";
import type { Socket } from "node:net";
import { networkOf } from "./plugins/attempt-limits.ts";

/** Small limits would get in the way of tests and of installations that have few connections anyway. */
const MIN_PER_NETWORK = 50;
const MIN_WITHOUT_REQUEST = 20;

/**
 * Limits what clients in one network can occupy: half of all connections, and a twentieth with connections that have not sent
 * a whole request head yet. Of those the oldest is closed, because an honest client sends its request at once.
 */
export function limitConnectionsPerNetwork(server: Server, maxConnections: number): void {
  const perNetwork = Math.max(MIN_PER_NETWORK, Math.floor(maxConnections / 2));
  const withoutRequest = Math.max(MIN_WITHOUT_REQUEST, Math.floor(maxConnections / 20));
  const networks = new Map<string, { open: number; waiting: Set<Socket> }>();
  const waitingIn = new WeakMap<Socket, Set<Socket>>();

  server.on("connection", (socket: Socket) => {
    const name = networkOf(socket.remoteAddress ?? "");
    const network = networks.get(name) ?? { open: 0, waiting: new Set() };
    if (network.open >= perNetwork) {
      socket.destroy();
      return;
    }
    networks.set(name, network);
    network.open += 1;
    network.waiting.add(socket);
    waitingIn.set(socket, network.waiting);
    socket.once("close", () => {
      network.open -= 1;
      network.waiting.delete(socket);
      if (network.open === 0) networks.delete(name);
    });
    if (network.waiting.size > withoutRequest) network.waiting.values().next().value?.destroy();
  });
  for (const event of ["request", "upgrade"]) {
    server.on(event, ({ socket }: IncomingMessage) => waitingIn.get(socket)?.delete(socket));
  }
}
