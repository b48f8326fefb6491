import { once } from "node:events";
import { createServer, type Socket } from "node:net";

/** A TCP host: the test decides what each connection does. */
export async function startHost(serve: (socket: Socket) => void) {
  const sockets: Socket[] = [];
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.push(socket.on("error", () => {}));
    serve(socket);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    port,
    sockets,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** With or without an error. */
export function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    if (socket.closed) resolve();
    socket.once("close", () => resolve()).resume();
  });
}
