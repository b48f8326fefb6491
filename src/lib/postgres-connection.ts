import { Socket } from "node:net";
import { withTimeout } from "./waiting.ts";

/**
 * For every connection to PostgreSQL. A peer that is gone without a word is noticed on both sides: by us, so that nobody
 * waits for it, and by the server, so that what a lost process has locked is free again.
 */
export const CONNECTION_LIMITS = {
  connectionTimeoutMillis: 5_000,
  keepAlive: true,
  // Then once a second; after ten without an answer the connection is over.
  keepAliveInitialDelayMillis: 10_000,
  idle_in_transaction_session_timeout: 30_000,
  options: "-c tcp_keepalives_idle=20 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=4",
} as const;

/** For whoever opens connections to a server that may fall silent: none of them outlives the one who has opened it. */
interface SocketGroup {
  /** Makes a socket, not connected yet. */
  open(): Socket;
  /** Waits a moment for those that are taking leave; the rest is cut off. Without it a silent server keeps a process alive. */
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
