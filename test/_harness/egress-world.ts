import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { type AddressInfo, connect, isIP, Socket } from "node:net";
import { text } from "node:stream/consumers";
import { type EgressOptions, type EgressProxy, startEgressProxy } from "../../src/browser/egress/egress-proxy.ts";
import { type Dial, dialDirectly } from "../../src/browser/egress/upstream.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { TEST_CERTIFICATE } from "./egress-certificate.ts";
import { echoWebSocket } from "./egress-websocket.ts";

export interface SeenRequest {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  rawHeaders: string[];
  body: string;
}

/** A real server on loopback that counts its connections, whether or not they send anything. */
export interface TestSite extends AsyncDisposable {
  port: number;
  readonly connections: number;
  requests: SeenRequest[];
}

type SiteListener = (request: IncomingMessage, response: ServerResponse, seen: SeenRequest) => void;

interface SiteOptions {
  host?: string;
  port?: number;
  secure?: boolean;
  /** True: every message is returned. */
  webSocket?: boolean | typeof echoWebSocket;
  /** Pass the request on before its body has arrived, and leave the body to the listener. */
  unread?: boolean;
}

const sayHello: SiteListener = (_request, response) => {
  response.setHeader("content-type", "text/html").end("<title>Hello</title>hello");
};

export async function startSite(listener = sayHello, options: SiteOptions = {}): Promise<TestSite> {
  const { host = "127.0.0.1", port: wanted = 0, secure = false, unread = false, webSocket = false } = options;
  const requests: SeenRequest[] = [];
  let connections = 0;
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const { method = "", url = "", headers, rawHeaders } = request;
    const seen: SeenRequest = { method, url, headers, rawHeaders, body: "" };
    requests.push(seen);
    if (!unread) seen.body = await text(request).catch(() => "");
    listener(request, response, seen);
  };
  const handle = (request: IncomingMessage, response: ServerResponse) => void serve(request, response);
  const server = secure ? createSecureServer(TEST_CERTIFICATE, handle) : createServer(handle);
  if (webSocket) server.on("upgrade", webSocket === true ? echoWebSocket : webSocket);
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => {
    connections += 1;
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    socket.on("error", () => {});
  });
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(wanted, host, resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    requests,
    get connections() {
      return connections;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Names, public-looking addresses, and the loopback ports they map to: no packet leaves this machine. */
export interface World {
  resolve: NonNullable<EgressOptions["resolve"]>;
  dial: Dial;
  /** Every name that was looked up. */
  lookups: string[];
  /** Every `address:port` that was dialled. */
  dialled: string[];
}

/** `names` maps a name to its addresses, `places` an `address:port` to the loopback port behind it. */
export function createWorld(names: Record<string, string[]>, places: Record<string, number>): World {
  const lookups: string[] = [];
  const dialled: string[] = [];
  return {
    lookups,
    dialled,
    async resolve(name) {
      lookups.push(name);
      const addresses = names[name];
      if (addresses === undefined) throw Object.assign(new Error(`no such name: ${name}`), { code: "ENOTFOUND" });
      return addresses;
    },
    dial(addresses, port, options) {
      const [address = ""] = addresses;
      const place = `${address}:${port}`;
      dialled.push(place);
      const standIn = places[place];
      if (standIn !== undefined) return connect({ port: standIn, host: "127.0.0.1", ...options });
      if (addresses.every(isLoopback)) return dialDirectly(addresses, port, options);
      return new Socket().destroy(Object.assign(new Error(`nothing at ${place}`), { code: "EHOSTUNREACH" }));
    },
  };
}

export function startProxy(options: Partial<EgressOptions> = {}): Promise<EgressProxy> {
  return startEgressProxy({ allowedHosts: [], privateHosts: [], clock: systemClock, ...options });
}

/** Including the notations that a kernel would connect to loopback. */
function isLoopback(address: string): boolean {
  return isIP(address) !== 0 && /^(127\.|0\.0\.0\.0$|::1?$|::ffff:7f|::ffff:127\.)/.test(address);
}
