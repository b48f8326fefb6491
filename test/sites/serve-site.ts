import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { inspect } from "node:util";
import { html } from "../../src/lib/html.ts";
import { Faults } from "./faults.ts";
import { layOut } from "./page.ts";
import type { RecordedRequest, RequestLog } from "./request-log.ts";
import { type Answer, type Site, type SiteRequest, showPage } from "./site.ts";

export interface RunningSite<State> extends AsyncDisposable {
  /** Without a trailing slash. */
  readonly url: string;
  readonly state: State;
  /** Requests that arrived here, oldest first. */
  readonly recorded: readonly RecordedRequest[];
  readonly faults: Faults;
}

export interface Place {
  readonly name: string;
  readonly host: string;
  readonly log: RequestLog;
}

/** One real server on its own port, so that each site is a separate origin. */
export async function serveSite<State>(site: Site<State>, { name, host, log }: Place): Promise<RunningSite<State>> {
  const closing = new AbortController();
  const faults = new Faults();
  const server = createServer((request, response) => {
    if (site.keepsConnections === false) response.shouldKeepAlive = false;
    const record = log.add(name, request);
    respond(request, response, record).catch((error: unknown) => {
      if (closing.signal.aborted) {
        response.destroy();
        return;
      }
      record.status = 500;
      response.writeHead(500, { "content-type": "text/plain" }).end(inspect(error));
    });
  });
  // No site supports WebSocket; only the attempt is recorded.
  server.on("upgrade", (request, socket) => {
    log.add(name, request).status = 400;
    socket.on("error", () => {});
    socket.end("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n");
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const { port } = server.address() as AddressInfo;

  async function respond(incoming: IncomingMessage, response: ServerResponse, record: RecordedRequest): Promise<void> {
    record.body = await text(incoming);
    const request = readRequest(incoming, record.body, closing.signal);
    await request.wait(faults.latencyMs);
    const fault = faults.take(record.method, request.path);
    send(fault ?? (await answerOf(site, record.method, request)), response, record);
  }

  return {
    url: `http://${host}:${port}`,
    state: site.state,
    recorded: log.of(name),
    faults,
    async [Symbol.asyncDispose]() {
      closing.abort();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function readRequest(incoming: IncomingMessage, body: string, closing: AbortSignal): SiteRequest {
  const { pathname, searchParams } = new URL(incoming.url ?? "/", "http://site.example");
  const form = new URLSearchParams(body);
  return {
    path: pathname,
    query: searchParams,
    body,
    cookies: readCookies(incoming.headers.cookie ?? ""),
    field: (name) => form.get(name)?.trim() ?? "",
    async wait(milliseconds) {
      if (milliseconds > 0) await delay(milliseconds, undefined, { signal: closing });
    },
  };
}

function readCookies(header: string): Map<string, string> {
  const pairs = header.split("; ").map((pair) => pair.split("="));
  return new Map(pairs.map(([name = "", value = ""]) => [name, value]));
}

async function answerOf(site: Site<unknown>, method: string, request: SiteRequest): Promise<Answer> {
  // HEAD is GET without a body, which Node omits by itself.
  const verb = method === "HEAD" ? "GET" : method;
  const route = site.routes[`${verb} ${request.path}`] ?? findWildcard(site, verb, request.path);
  if (route !== undefined) return await route(request);
  return showPage(layOut("Not found", html`<h1>Not found</h1><p>There is no such page here.</p>`), 404);
}

function findWildcard(site: Site<unknown>, verb: string, path: string) {
  const patterns = Object.keys(site.routes).filter((pattern) => pattern.endsWith("*"));
  const match = patterns.find((pattern) => `${verb} ${path}`.startsWith(pattern.slice(0, -1)));
  return match === undefined ? undefined : site.routes[match];
}

function send(answer: Answer, response: ServerResponse, record: RecordedRequest): void {
  switch (answer.kind) {
    case "hang":
      return;
    case "reset":
      response.socket?.resetAndDestroy();
      return;
    case "reply":
      record.status = answer.status;
      response.writeHead(answer.status, answer.headers).end(answer.body);
  }
}
