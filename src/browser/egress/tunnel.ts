import type { Socket } from "node:net";
import type { Route, Upstream } from "./upstream.ts";

interface TunnelOptions {
  route: Route;
  upstream: Upstream;
  /** Bytes that the client sent right after its request. */
  head: Buffer;
  idleTimeoutMs: number;
  /** The connection failed; the client has not received a response yet. */
  onFailure(cause: unknown): void;
}

/** Connects the client to the route and copies bytes both ways until both sides have ended or one breaks off. */
export function openTunnel(client: Socket, { route, upstream, head, idleTimeoutMs, onFailure }: TunnelOptions): void {
  const host = upstream.connect(route, { allowHalfOpen: true });
  let isOpen = false;
  host.once("connect", () => {
    isOpen = true;
    client.write("HTTP/1.1 200 Connection established\r\n\r\n");
    if (head.length > 0) client.unshift(head);
    client.pipe(host);
    host.pipe(client);
    // Both ends see the same bytes, so one timer watches both.
    host.setTimeout(idleTimeoutMs, () => host.destroy());
  });
  host.on("error", (cause) => {
    if (!isOpen && !client.destroyed) onFailure(cause);
  });
  host.once("close", () => {
    if (isOpen) endWith(client, host);
  });
  client.once("close", () => endWith(host, client));
}

/** A clean end travels through the pipe by itself. A reset must look like a reset to the other side. */
function endWith(other: Socket, closed: Socket): void {
  if (closed.errored !== null) other.resetAndDestroy();
  else if (!closed.readableEnded) other.destroy();
}
