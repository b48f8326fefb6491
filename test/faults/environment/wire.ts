import { once } from "node:events";
import { type AddressInfo, createServer, connect as dial, type Socket } from "node:net";

/** The direction in which bytes are lost. */
type Silence = "to the server" | "to the client" | "both ways";

interface WireFault {
  /** Only connections with such an application name, such as /notifications/. Default: all. */
  readonly of?: RegExp;
}

/** The network between a process and its database. Each fault affects existing and new connections. */
export interface Wire extends AsyncDisposable {
  /** The URL of the database through the proxy. */
  readonly url: string;
  /** The number of connections, including dead ones. */
  readonly connections: number;
  /** Connections are reset, and new ones as soon as they have identified themselves. */
  cut(fault?: WireFault): void;
  /** Bytes disappear silently. */
  silence(which: Silence, fault?: WireFault): void;
  /** New connections work. Silent ones stay silent, as when a router has dropped its connection state. */
  mend(): void;
}

interface Line {
  readonly name: string;
  readonly client: Socket;
  readonly server: Socket;
  silent: Silence | null;
}

type Trouble = (WireFault & { readonly kind: "cut" }) | (WireFault & { readonly kind: Silence });

/** A proxy on loopback in front of the PostgreSQL at this URL. */
export async function layWire(databaseUrl: string): Promise<Wire> {
  const target = new URL(databaseUrl);
  const lines = new Set<Line>();
  let trouble: Trouble | null = null;

  const meets = ({ name }: Line, { of }: WireFault) => of === undefined || of.test(name);

  function suffer(line: Line, { kind, ...fault }: Trouble): void {
    if (!meets(line, fault)) return;
    if (kind !== "cut") line.silent = kind;
    else for (const socket of [line.client, line.server]) socket.resetAndDestroy();
  }

  function strike(next: Trouble): void {
    trouble = next;
    for (const line of [...lines]) suffer(line, next);
  }

  function accept(client: Socket, hello: Buffer): void {
    const server = dial({ port: Number(target.port), host: target.hostname, allowHalfOpen: true });
    const line: Line = { name: nameIn(hello), client, server, silent: null };
    lines.add(line);
    const end = () => {
      lines.delete(line);
      // A silenced peer does not see the end of the connection either.
      if (line.silent === null) for (const socket of [client, server]) socket.destroy();
    };
    for (const socket of [client, server]) {
      socket.on("error", () => {}).on("close", end);
      socket.on("end", () => line.silent === null && end());
    }
    client.on("data", (data) => line.silent !== "both ways" && line.silent !== "to the server" && server.write(data));
    server.on("data", (data) => line.silent !== "both ways" && line.silent !== "to the client" && client.write(data));
    if (trouble !== null) suffer(line, trouble);
    if (line.silent === null || line.silent === "to the client") server.write(hello);
  }

  const open = new Set<Socket>();
  // By default a socket would respond to a FIN, which a silent connection must not.
  const proxy = createServer({ allowHalfOpen: true }, (client) => {
    open.add(client);
    client.on("close", () => open.delete(client)).on("error", () => {});
    client.once("data", (hello) => accept(client, hello));
  });
  await once(proxy.listen(0, "127.0.0.1"), "listening");
  const url = new URL(databaseUrl);
  url.hostname = "127.0.0.1";
  url.port = String((proxy.address() as AddressInfo).port);
  return {
    url: url.href,
    get connections() {
      return lines.size;
    },
    cut: (fault = {}) => strike({ ...fault, kind: "cut" }),
    silence: (which, fault = {}) => strike({ ...fault, kind: which }),
    mend() {
      trouble = null;
    },
    async [Symbol.asyncDispose]() {
      const closed = once(proxy, "close");
      proxy.close();
      for (const { client, server } of lines) for (const socket of [client, server]) socket.destroy();
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}

/** PostgreSQL's first message names the application. */
function nameIn(hello: Buffer): string {
  return /application_name\0([^\0]*)\0/.exec(hello.toString("latin1"))?.[1] ?? "";
}
