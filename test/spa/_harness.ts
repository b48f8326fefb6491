import { once } from "node:events";
import { createReadStream, existsSync } from "node:fs";
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import { onTestFinished } from "vitest";
import { type WebSocket, WebSocketServer } from "ws";
import { renderObservation } from "../../src/browser/observation/rendering/render-observation.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { type ActionPage, driveSession } from "../_harness/action-page.ts";
import { openSharedPool } from "../_harness/shared-browsers.ts";
import { bundlePage } from "./_bundle.ts";

/** A page from test/spa/pages in a browser with a planner's actions, and the server that it saves to. */
export interface SpaPage extends ActionPage {
  /** Everything the page has sent to /record, oldest first. */
  record(): unknown[];
  /** Sends a message to the page, which must have opened a socket at /live. */
  push(message: unknown): void;
  /** What the page says that it shows: its own `show(…)`. */
  state(): Promise<unknown>;
  /** The newest observation as a model gets it. */
  rendered(): string;
}

interface SpaOptions {
  /** Responds instead of the page's files and /record. Returns false to leave the request to them. */
  respond?(request: SpaRequest, response: ServerResponse): boolean;
}

interface SpaRequest {
  method: string;
  url: URL;
  body: string;
}

const TYPES: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".json": "application/json",
};

/** Opens the page test/spa/pages/<name>. It is closed after the test. */
export async function openSpaPage(name: string, { respond = () => false }: SpaOptions = {}): Promise<SpaPage> {
  await using opening = new AsyncDisposableStack();
  const folder = await bundlePage(name);
  const recorded: unknown[] = [];
  const server = opening.use(await startSpaServer((request, response) => void answer(request, response)));
  const pool = opening.use(await openSharedPool());
  const host = `127.0.0.1:${server.port}`;
  const signal = AbortSignal.timeout(100_000);
  const session = opening.use(
    await pool.openSession(
      {
        allowedHosts: [host],
        privateHosts: [host],
        access: "all",
        downloads: { maxFiles: 2, maxBytes: 100_000 },
        clock: systemClock,
      },
      signal,
    ),
  );
  await session.goto(`${server.url}/`, signal);
  const page = await driveSession(session);
  const opened = opening.move();
  onTestFinished(() => opened.disposeAsync());
  return Object.assign(page, {
    record: () => recorded,
    push: server.push,
    state: server.state,
    rendered: () => renderObservation(page.observation),
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += chunk;
    const url = new URL(request.url ?? "/", server.url);
    const method = request.method ?? "GET";
    if (respond({ method, url, body }, response)) return;
    if (method === "POST" && url.pathname === "/record") {
      recorded.push(JSON.parse(body));
      response.setHeader("content-type", "application/json").end("{}");
      return;
    }
    sendFile(join(folder, url.pathname === "/" ? "index.html" : url.pathname), response);
  }
}

interface SpaServer extends AsyncDisposable {
  url: string;
  port: number;
  push(message: unknown): void;
  state(): Promise<unknown>;
}

/** Files and records over HTTP, and sockets: one that every page opens to tell its state, and /live for pages that want it. */
async function startSpaServer(listener: RequestListener): Promise<SpaServer> {
  const server = createServer(listener);
  const sockets = new WebSocketServer({ server });
  const opened: { path: string | undefined; socket: WebSocket }[] = [];
  sockets.on("connection", (socket, { url: path }) => opened.push({ path, socket }));
  const newest = (path: string) =>
    opened.findLast((each) => each.path === path && each.socket.readyState === each.socket.OPEN)?.socket;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    push(message) {
      newest("/live")?.send(JSON.stringify(message));
    },
    async state() {
      const socket = newest("/state");
      if (socket === undefined) throw new Error("The page does not import _page.ts.");
      const answer = once(socket, "message");
      socket.send("state");
      return JSON.parse(String((await answer)[0]));
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets.clients) socket.terminate();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The URL parser has already removed "..". */
function sendFile(file: string, response: ServerResponse): void {
  if (!existsSync(file)) {
    response.writeHead(404).end();
    return;
  }
  response.setHeader("content-type", TYPES[extname(file)] ?? "application/octet-stream");
  createReadStream(file).pipe(response);
}
