import { connect, type Socket } from "node:net";
import { lookUpAs } from "../../lib/fixed-lookup.ts";

/** Opens a connection to one of these addresses, which are checked, and to nothing else. */
export type Dial = (addresses: readonly string[], port: number, options: DialOptions) => Socket;

interface DialOptions {
  /** Whether we may still send after the other side has ended. */
  allowHalfOpen: boolean;
}

export const dialDirectly: Dial = (addresses, port, { allowHalfOpen }) => {
  const [only] = addresses;
  const host = addresses.length === 1 && only !== undefined ? only : "checked.invalid";
  return connect({ host, port, allowHalfOpen, noDelay: true, lookup: lookUpAs(addresses), autoSelectFamily: true });
};

class ConnectTimeoutError extends Error {
  readonly code = "ETIMEDOUT";
}

/** Ends a connection that does not come about in time. */
export function limitConnectTime(socket: Socket, timeoutMs: number): Socket {
  if (!socket.connecting) return socket;
  const timer = setTimeout(() => socket.destroy(new ConnectTimeoutError("No connection in time.")), timeoutMs);
  const stop = () => clearTimeout(timer);
  return socket.once("connect", stop).once("close", stop);
}
