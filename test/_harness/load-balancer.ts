import { once } from "node:events";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface LoadBalancer extends AsyncDisposable {
  url: string;
  /** The URLs that requests go to in turn. */
  ports: number[];
  /** How many requests each has answered. */
  answered: Map<number, number>;
}

/** Sends every request to another one than the last, and skips one that does not respond at all. */
export async function startLoadBalancer(): Promise<LoadBalancer> {
  const ports: number[] = [];
  const answered = new Map<number, number>();
  let turn = 0;

  async function pass(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const body = await readAll(incoming);
    for (let tries = 0; tries < ports.length; tries += 1) {
      const port = ports[turn % ports.length] ?? 0;
      turn += 1;
      const answer = await ask(port, incoming, body);
      if (answer === null) continue;
      answered.set(port, (answered.get(port) ?? 0) + 1);
      outgoing.writeHead(answer.statusCode ?? 502, answer.headersDistinct);
      answer.pipe(outgoing);
      return;
    }
    outgoing.writeHead(502).end();
  }

  const server = createServer((incoming, outgoing) => void pass(incoming, outgoing));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ports,
    answered,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

async function readAll(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Null when nothing listens there. */
function ask(port: number, { method, url, headers, socket }: IncomingMessage, body: Buffer) {
  const { promise, resolve } = Promise.withResolvers<IncomingMessage | null>();
  const asking = request({
    host: "127.0.0.1",
    port,
    method,
    path: url,
    headers: { ...headers, "x-forwarded-for": socket.remoteAddress, connection: "close" },
  });
  asking.once("response", resolve).once("error", () => resolve(null));
  asking.end(body);
  return promise;
}
