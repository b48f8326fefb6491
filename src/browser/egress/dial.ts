import { connect, type LookupFunction, type Socket } from "node:net";

/** Opens a connection to one of these addresses, which are checked, and to nothing else. */
export type Dial = (addresses: readonly string[], port: number, options: DialOptions) => Socket;

interface DialOptions {
  /** Whether we may still send after the other side has ended. */
  allowHalfOpen: boolean;
}

export const dialDirectly: Dial = (addresses, port, { allowHalfOpen }) => {
  const [only] = addresses;
  const host = addresses.length === 1 && only !== undefined ? only : "checked.invalid";
  return connect({ host, port, allowHalfOpen, noDelay: true, lookup: answerWith(addresses), autoSelectFamily: true });
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

/** Node tries several addresses in turn only if they come from a lookup: this one has its answer already. */
function answerWith(addresses: readonly string[]): LookupFunction {
  const answers = addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
  return (_name, options, callback) => {
    const [first] = answers;
    if (first === undefined) callback(Object.assign(new Error("No address."), { code: "ENOTFOUND" }), "", 0);
    else if (options.all === true) callback(null, answers);
    else callback(null, first.address, first.family);
  };
}
