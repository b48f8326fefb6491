import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";

/** What goes wrong with the requests that match; with `times`, only the first ones after the reset. */
export type Fault = { method?: string; path: RegExp; sent?: RegExp; times?: number } & (
  | { does: "respond"; status: number; body: string; headers?: Record<string, string> }
  /** Responds 200 with the page of this path; the request itself never arrives. */
  | { does: "show"; page: string }
  /** Closes the connection without a response. */
  | { does: "hang up"; after: "nothing" | "forwarding" }
  /** Puts this into the page, in front of the marker. */
  | { does: "insert"; html: string; before: string }
);

/** A proxy in front of an application: signs the visitor in, and makes requests fail as the prompt says. */
export interface Front extends AsyncDisposable {
  host: string;
  url: string;
  behave(target: { port: number; headers: Record<string, string>; faults: readonly Fault[] }): void;
}

const UPSTREAM_TIMEOUT_MS = 60_000;

export async function openFront(): Promise<Front> {
  let target: Parameters<Front["behave"]>[0] = { port: 0, headers: {}, faults: [] };
  const occurrences = new Map<Fault, number>();

  function findFault(incoming: IncomingMessage, body: Buffer): Fault | undefined {
    const fault = target.faults.find(
      (each) =>
        matches(incoming, body, each) && (occurrences.get(each) ?? 0) < (each.times ?? Number.POSITIVE_INFINITY),
    );
    if (fault !== undefined) occurrences.set(fault, (occurrences.get(fault) ?? 0) + 1);
    return fault;
  }

  function forward(incoming: IncomingMessage, body: Buffer, response: ServerResponse, fault: Fault | undefined): void {
    const headers = { ...incoming.headers, ...target.headers };
    if (fault?.does === "insert") delete headers["accept-encoding"];
    const page = fault?.does === "show" ? fault.page : null;
    const outgoing = request(
      {
        host: "127.0.0.1",
        port: target.port,
        path: page ?? incoming.url,
        method: page === null ? incoming.method : "GET",
        headers: page === null ? headers : withoutBody(headers),
        timeout: UPSTREAM_TIMEOUT_MS,
      },
      (upstream) => {
        if (fault?.does === "hang up") return void upstream.resume().on("end", () => response.destroy());
        if (fault?.does === "insert") return void insert(upstream, response, fault);
        response.writeHead(upstream.statusCode ?? 502, upstream.headers);
        upstream.pipe(response);
      },
    );
    outgoing.on("timeout", () => outgoing.destroy(new Error("Timed out")));
    outgoing.on("error", () => response.destroy());
    outgoing.end(page === null ? body : undefined);
  }

  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(incoming);
    const fault = findFault(incoming, body);
    if (fault?.does === "respond") {
      const { status, headers = { "content-type": "text/html; charset=utf-8" }, body: reply } = fault;
      return void response.writeHead(status, headers).end(reply);
    }
    if (fault?.does === "hang up" && fault.after === "nothing") return void response.destroy();
    forward(incoming, body, response, fault);
  }

  const server = createServer((incoming, response) => {
    handle(incoming, response).catch(() => response.destroy());
  });
  server.on("upgrade", (incoming, socket, head) => {
    const upstream = connect(target.port, "127.0.0.1", () => {
      const lines = Object.entries({ ...incoming.headers, ...target.headers }).map(
        ([name, value]) => `${name}: ${value}`,
      );
      upstream.write(`${incoming.method} ${incoming.url} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`);
      upstream.write(head);
      upstream.pipe(socket).pipe(upstream);
    });
    upstream.on("error", () => socket.destroy());
    socket.on("error", () => upstream.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    host,
    url: `http://${host}`,
    behave(next) {
      target = next;
      occurrences.clear();
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function matches(incoming: IncomingMessage, body: Buffer, { method, path, sent }: Fault): boolean {
  if (method !== undefined && method !== incoming.method) return false;
  return path.test(incoming.url ?? "/") && (sent?.test(body.toString("utf8")) ?? true);
}

async function readBody(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function withoutBody(headers: IncomingMessage["headers"]): IncomingMessage["headers"] {
  const { "content-length": _length, "content-type": _type, "transfer-encoding": _encoding, ...rest } = headers;
  return rest;
}

async function insert(
  upstream: IncomingMessage,
  response: ServerResponse,
  { html, before }: { html: string; before: string },
): Promise<void> {
  const page = (await readBody(upstream)).toString("utf8").replace(before, (marker) => `${html}${marker}`);
  const { "content-length": _length, "transfer-encoding": _encoding, ...headers } = upstream.headers;
  response.writeHead(upstream.statusCode ?? 502, headers).end(page);
}
