import { Socket } from "node:net";
import { inTime } from "./in-time.ts";

/** For whoever opens connections to a server that may fall silent: none of them outlives the one who has opened it. */
export interface ConnectionSockets {
  /** Makes a socket, not connected yet. */
  open(): Socket;
  /** Waits a moment for those that are taking leave; the rest is cut off. Without it a silent server keeps a process alive. */
  end(): Promise<void>;
}

const LEAVE_MS = 1_000;

export function createConnectionSockets(): ConnectionSockets {
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
      await inTime(Promise.all(sockets.values()), LEAVE_MS);
      for (const socket of sockets.keys()) socket.destroy();
    },
  };
}
