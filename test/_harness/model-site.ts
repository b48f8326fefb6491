import { startTestAgent, type TestErrand, type TestRun } from "./agent.ts";
import { startLoopbackServer } from "./browser.ts";
import { type Line, play } from "./model-script.ts";
import { type ModelServer, startModelServer } from "./model-server.ts";

/** A small site for one test file, and a model with scripted lines. */
export interface ModelSite extends AsyncDisposable {
  readonly url: string;
  /** The model of the last run. */
  readonly server: ModelServer;
  /** The paths of all POST requests in the last run. */
  readonly posted: readonly string[];
  run(prompt: string, lines: readonly Line[], more?: Partial<TestErrand> & { path?: string }): Promise<TestRun>;
}

export async function startModelSite(pages: Readonly<Record<string, string>>): Promise<ModelSite> {
  const agent = await startTestAgent({ hasScreenshots: true });
  const posted: string[] = [];
  let server = await startModelServer();
  const site = await startLoopbackServer((request, response) => {
    const path = new URL(request.url ?? "/", "http://site").pathname;
    if (request.method === "POST") posted.push(path);
    response.writeHead(path in pages ? 200 : 404, { "content-type": "text/html; charset=utf-8" });
    const page = pages[path] ?? "<h1>Elsewhere</h1>";
    response.end(`<!doctype html><html lang="en"><title>Page ${path.slice(1)}</title><body>${page}</body></html>`);
  });

  return {
    url: site.url,
    get server() {
      return server;
    },
    posted,
    async run(prompt, lines, { path = "/", ...more } = {}) {
      posted.length = 0;
      await server[Symbol.asyncDispose]();
      server = await startModelServer();
      const planner = await play(server, ...lines);
      return await agent.run({ prompt, startUrl: site.url + path, planner, ...more });
    },
    async [Symbol.asyncDispose]() {
      await agent[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
      await site[Symbol.asyncDispose]();
    },
  };
}
