import { createReadStream, existsSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { extname, join } from "node:path";
import { onTestFinished } from "vitest";
import { walk } from "../../src/browser/observation/observation.ts";
import { renderObservation } from "../../src/browser/observation/rendering/render-observation.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { type ActionPage, driveSession } from "../_harness/action-page.ts";
import { startLoopbackServer } from "../_harness/browser.ts";
import { openSharedPool } from "../_harness/shared-browsers.ts";
import { bundlePage } from "./_bundle.ts";

/** A page from test/spa/pages in a browser with a planner's actions, and the server that it saves to. */
export interface SpaPage extends ActionPage {
  /** Everything the page has sent to /record, oldest first. */
  record(): unknown[];
  /** What the page says that it shows: its own `show(…)`. Observes the page. */
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
  const server = opening.use(await startLoopbackServer((request, response) => void answer(request, response)));
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
    state: () => readState(page),
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

/** Any element leads to its document. */
async function readState(page: ActionPage): Promise<unknown> {
  page.observation = await page.session.observe(AbortSignal.timeout(100_000));
  const [ref] = [...walk(page.observation.root)].flatMap(({ node }) => node.ref ?? []);
  if (ref === undefined) throw new Error("The page shows nothing.");
  const { handle } = await page.session.pin(ref);
  const text = await handle.evaluate(() => top?.document.getElementById("state")?.textContent ?? null);
  return text === null ? undefined : JSON.parse(text);
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
