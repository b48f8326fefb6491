import { type Agent, type IncomingHttpHeaders, request } from "node:http";
import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import type { EgressProxy } from "../../src/browser/egress/egress-proxy.ts";

export function credentialsOf({ username, password }: Pick<EgressProxy, "username" | "password">): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
}

export interface ProxiedAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

interface ProxiedRequest {
  method?: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
  agent?: Agent;
}

/** A well-behaved client: one request in absolute form, with credentials. */
export function ask(proxy: EgressProxy, url: string, options: ProxiedRequest = {}): Promise<ProxiedAnswer> {
  const { method = "GET", headers = {}, body, agent } = options;
  const { hostname, port } = new URL(proxy.url);
  return new Promise((resolve, reject) => {
    const sent = request({
      hostname,
      port,
      method,
      path: url,
      headers: { host: new URL(url).host, "proxy-authorization": credentialsOf(proxy), ...headers },
      ...(agent === undefined ? {} : { agent }),
    });
    sent.once("error", reject);
    sent.once("response", (response) => {
      text(response).then(
        (received) => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: received }),
        reject,
      );
    });
    sent.end(body);
  });
}

export interface Tunnel {
  status: number;
  /** The whole response head. */
  head: string;
  socket: Socket;
}

/** Opens a tunnel and reads the response head; what follows is still in the socket. */
export async function openTunnel(proxy: EgressProxy, authority: string, more = ""): Promise<Tunnel> {
  const lines = [`CONNECT ${authority} HTTP/1.1`, `Host: ${authority}`, `Proxy-Authorization: ${credentialsOf(proxy)}`];
  const socket = await openRaw(proxy, `${lines.join("\r\n")}\r\n\r\n${more}`, { allowHalfOpen: true });
  const head = await readHead(socket);
  return { status: Number(head.split(" ")[1]), head, socket };
}

/** A connection to the proxy itself, with these bytes sent. */
export async function openRaw(proxy: EgressProxy, bytes: string, { allowHalfOpen = false } = {}): Promise<Socket> {
  const { hostname, port } = new URL(proxy.url);
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen });
  await new Promise((resolve, reject) => socket.once("connect", resolve).once("error", reject));
  socket.on("error", () => {});
  socket.write(bytes);
  return socket;
}

function readHead(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    let seen = Buffer.alloc(0);
    const onData = (chunk: Buffer) => {
      seen = Buffer.concat([seen, chunk]);
      const end = seen.indexOf("\r\n\r\n");
      if (end === -1) return;
      socket.off("data", onData).off("close", onClose).pause();
      const rest = seen.subarray(end + 4);
      if (rest.length > 0) socket.unshift(rest);
      resolve(seen.subarray(0, end).toString("latin1"));
    };
    const onClose = () => reject(new Error(`closed after ${JSON.stringify(seen.toString("latin1"))}`));
    socket.on("data", onData).once("close", onClose);
  });
}
