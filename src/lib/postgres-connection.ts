import { Socket } from "node:net";
import { withTimeout } from "./waiting.ts";

/**
 * For every connection to PostgreSQL. Both sides notice a peer that vanished: we stop waiting for it, and the server
 * releases the locks of a lost process.
 */
export const CONNECTION_LIMITS = {
  connectionTimeoutMillis: 5_000,
  keepAlive: true,
  // After that one probe a second; after ten without a reply the connection is closed.
  keepAliveInitialDelayMillis: 10_000,
  idle_in_transaction_session_timeout: 30_000,
  options: "-c tcp_keepalives_idle=20 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=4",
} as const;

/** The sockets of one pool or client. Closing the group closes them even if the server no longer responds. */
interface SocketGroup {
  /** Creates a socket that is not connected yet. */
  open(): Socket;
  /** Waits briefly for sockets that are closing and destroys the rest; a silent server would keep the process alive. */
  end(): Promise<void>;
}

const CLOSE_TIMEOUT_MS = 1_000;

export function createSocketGroup(): SocketGroup {
  const sockets = new Map<Socket, Promise<void>>();
  return {
    open() {
      const socket = new Socket();
      const { promise: closed, resolve } = Promise.withResolvers<void>();
      sockets.set(socket, closed);
      socket.once("close", () => {
        sockets.delete(socket);
        resolve();
      });
      return socket;
    },
    async end() {
      await withTimeout(Promise.all(sockets.values()), CLOSE_TIMEOUT_MS);
      for (const socket of sockets.keys()) socket.destroy();
    },
  };
}
