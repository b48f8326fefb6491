import { startTestAgent, type TestRun } from "./agent.ts";
import { startLoopbackServer } from "./browser.ts";

/** A small site for one test file, with an agent that runs prompts on it without a model. */
export interface PlannerSite extends AsyncDisposable {
  readonly url: string;
  /** The paths that were posted to in the last run. */
  readonly posted: readonly string[];
  run(path: string, prompt: string): Promise<TestRun & { done: string[] }>;
}

export async function startPlannerSite(pages: Readonly<Record<string, string>>): Promise<PlannerSite> {
  const agent = await startTestAgent();
  const posted: string[] = [];
  const site = await startLoopbackServer((request, response) => {
    const path = new URL(request.url ?? "/", "http://site").pathname;
    if (request.method === "POST") posted.push(path);
    response.writeHead(path.startsWith("/refused") ? 422 : 200, { "content-type": "text/html; charset=utf-8" });
    const page = pages[path] ?? "<h1>Elsewhere</h1>";
    response.end(`<!doctype html><html lang="en"><title>${path.slice(1)}</title><body>${page}</body></html>`);
  });
  return {
    url: site.url,
    posted,
    async run(path, prompt) {
      posted.length = 0;
      const ran = await agent.run({ prompt, startUrl: site.url + path });
      return { ...ran, done: ran.steps.slice(1).map(({ why }) => why) };
    },
    async [Symbol.asyncDispose]() {
      await agent[Symbol.asyncDispose]();
      await site[Symbol.asyncDispose]();
    },
  };
}
