import { once } from "node:events";
import { WebSocket } from "ws";
import type { BrowserPool } from "../../src/browser/pool/browser-pool.ts";
import type { LiveSignInLimits } from "../../src/connections/sign-in/live-sign-in.ts";
import type { ServiceMessage } from "../../src/contract/live-view.ts";
import { agree, authorizePath, newVisitor, registerClient, type Visitor } from "./oauth-flow.ts";
import { startTestService, type TestService } from "./service.ts";
import { openSharedPool } from "./shared-browsers.ts";

interface LiveServiceOptions {
  limits?: Partial<LiveSignInLimits>;
  settings?: Record<string, string>;
  openPool?: () => Promise<BrowserPool>;
}

/** The whole service, with browsers for manual sign-ins that may reach these loopback hosts. */
export async function startLiveService(
  privateHosts: string[] = [],
  { limits = {}, settings = {}, openPool = openSharedPool }: LiveServiceOptions = {},
): Promise<TestService> {
  await using disposables = new AsyncDisposableStack();
  const pool = disposables.use(await openPool());
  const service = disposables.use(await startTestService({ settings, browsers: { pool, privateHosts, limits } }));
  const owned = disposables.move();
  return { ...service, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** A sign-in that a user has consented to and whose page they have opened. */
export interface OpenAttempt {
  visitor: Visitor;
  /** The path of the page. */
  path: string;
  /** Loads the page (again), which returns a new ticket. */
  load(): Promise<string>;
}

export async function beginAttempt(service: TestService, signInUrl: string, visitor?: Visitor): Promise<OpenAttempt> {
  const person = visitor ?? (await newVisitor(service));
  const { id } = await registerClient(service, { signInUrl, homeUrl: new URL("/", signInUrl).href });
  const path = (await agree(person, authorizePath(id))).pathname;
  return {
    visitor: person,
    path,
    async load() {
      const { text } = await person.get(path);
      const ticket = /data-ticket="([^"]+)"/.exec(text)?.[1];
      if (ticket === undefined) throw new Error(`there is no ticket in ${text}`);
      return ticket;
    },
  };
}

export interface SocketOptions {
  ticket?: string | string[];
  /** Null sends none. */
  origin?: string | null;
  cookies?: Map<string, string>;
}

export type Opened = { status: 101; socket: LiveSocket } | { status: number; socket: null };

/** Opens an attempt's socket as its page would, except for the `options`. */
export async function openSocket(service: TestService, attempt: OpenAttempt, options: SocketOptions): Promise<Opened> {
  const { ticket = [], origin = service.url, cookies = attempt.visitor.cookies } = options;
  const query = new URLSearchParams([ticket].flat().map((one) => ["ticket", one]));
  const socket = new WebSocket(`${service.url.replace("http", "ws")}${attempt.path}/live?${query}`, {
    perMessageDeflate: false,
    headers: {
      ...(origin === null ? {} : { origin }),
      cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; "),
    },
  });
  const live = new LiveSocket(socket);
  const { promise, resolve, reject } = Promise.withResolvers<Opened>();
  socket.on("open", () => resolve({ status: 101, socket: live }));
  socket.on("unexpected-response", (request, response) => {
    resolve({ status: response.statusCode ?? 0, socket: null });
    request.destroy();
  });
  socket.on("error", reject);
  return promise;
}

/** The page's end of a socket. */
export class LiveSocket {
  readonly #socket: WebSocket;
  readonly messages: ServiceMessage[] = [];
  /** The close code. */
  readonly closed: Promise<number>;
  readonly #arrivals = new EventTarget();

  constructor(socket: WebSocket) {
    this.#socket = socket;
    this.closed = new Promise((resolve) => socket.on("close", resolve));
    socket.on("message", (data, isBinary) => {
      if (!isBinary) this.messages.push(JSON.parse(String(data)));
      this.#arrivals.dispatchEvent(new Event("message"));
    });
  }

  send(message: unknown): void {
    this.#socket.send(JSON.stringify(message));
  }

  sendRaw(data: string | Buffer): void {
    this.#socket.send(data);
  }

  /** Simulates a dropped connection. */
  drop(): void {
    this.#socket.terminate();
  }

  async close(): Promise<void> {
    this.#socket.close();
    await this.closed;
  }

  /** The first message of this type, past or future. */
  async receive<Type extends ServiceMessage["type"]>(type: Type): Promise<Extract<ServiceMessage, { type: Type }>> {
    for (;;) {
      const found = this.messages.find((message) => message.type === type);
      if (found !== undefined) return found as Extract<ServiceMessage, { type: Type }>;
      await once(this.#arrivals, "message", { signal: AbortSignal.timeout(100_000) });
    }
  }
}
