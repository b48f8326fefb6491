import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestAgent, type TestAgent } from "../../_harness/agent.ts";
import { type LoopbackServer, startLoopbackServer } from "../../_harness/browser.ts";
import { call, done, play } from "../../_harness/model-script.ts";
import { startModelServer } from "../../_harness/model-server.ts";

const ITEM = `(at) => '<li style="height: 90px"><h3>Find ' + at + '</h3><p>€' + at + '.00</p></li>'`;
/** Loads twelve more from the server. */
const LOAD = `const item = ${ITEM}; let isBusy = false;
  async function load() {
    if (isBusy) return;
    isBusy = true;
    const finds = await (await fetch("/finds?from=" + list.children.length)).json();
    for (const at of finds) list.insertAdjacentHTML("beforeend", item(at));
    isBusy = false;
    return finds.length;
  }`;

const PAGES: Record<string, string> = {
  "/observed": `<ul id="list"></ul><div id="end" style="height: 10px"></div><script>${LOAD}
    new IntersectionObserver(async ([entry]) => { while (entry.isIntersecting && await load()) {
      if (end.getBoundingClientRect().top > innerHeight) break; } }).observe(end);</script>`,
  "/pane": `<div id="pane" style="height: 400px; overflow: auto"><ul id="list"></ul><div id="end">&nbsp;</div></div><script>${LOAD}
    new IntersectionObserver(([entry]) => entry.isIntersecting && load(), { root: pane }).observe(end);</script>`,
  "/button": `<ul id="list"></ul><button id="more" onclick="load().then((count) => { if (count < 12) more.remove(); })">Load more</button>
    <script>${LOAD} load();</script>`,
  // Twins: every row looks the same, and only eight are in the document.
  "/twins": `<div id="pane" style="height: 400px; overflow: auto"><ul id="list" style="position: relative; margin: 0; height: 4500px"></ul></div>
    <script>const draw = () => { const from = Math.min(42, Math.floor(pane.scrollTop / 90)); list.innerHTML = "";
      for (let at = from; at < from + 8; at++) list.insertAdjacentHTML("beforeend",
        '<li style="position: absolute; height: 90px; top: ' + at * 90 + 'px"><h3>Find</h3><p>€1.00</p></li>'); };
      draw(); pane.onscroll = draw;</script>`,
};
const TOTAL = 40;

let agent: TestAgent;
let site: LoopbackServer;

beforeAll(async () => {
  agent = await startTestAgent();
  site = await startLoopbackServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://site");
    if (pathname === "/finds") {
      const from = Number(searchParams.get("from"));
      const finds = Array.from({ length: Math.min(12, TOTAL - from) }, (_, index) => from + index + 1);
      response.setHeader("content-type", "application/json").end(JSON.stringify(finds));
      return;
    }
    response.setHeader("content-type", "text/html; charset=utf-8");
    response.end(
      `<!doctype html><html lang="en"><title>Finds</title><main><h1>Finds</h1>${PAGES[pathname] ?? ""}</main>`,
    );
  });
});

afterAll(async () => {
  await agent[Symbol.asyncDispose]();
  await site[Symbol.asyncDispose]();
});

const LISTS = ["/observed", "/pane", "/button"];

describe("a list that loads more", () => {
  test.each(LISTS)("is counted to its end by steps: %s", async (path) => {
    const { outcome } = await agent.run({ prompt: "How many finds are there?", startUrl: site.url + path });
    expect(outcome).toMatchObject({ kind: "verified", result: { final_text: String(TOTAL) } });
  });

  test.each(LISTS)("is extracted to its end, and the model is asked about it once: %s", async (path) => {
    await using server = await startModelServer();
    const columns = [{ leaf: "v1", column: "c1" }];
    const planner = await play(
      server,
      () => call("extract"),
      () => call("fill", { values: [], records: [{ target: "l1", records: "r1", columns }] }),
      () => done("Here they are."),
    );
    const { outcome } = await agent.run({
      prompt: "List all finds.",
      startUrl: site.url + path,
      planner,
      outputSchema: {
        type: "object",
        properties: { finds: { type: "array", items: { type: "string" } } },
        required: ["finds"],
      },
    });
    const finds = Array.from({ length: TOTAL }, (_, index) => `Find ${index + 1}`);
    expect(outcome).toMatchObject({ kind: "verified", result: { extracted: { finds } } });
    expect(server.requests).toHaveLength(3);
  });
});

test("rows that all look the same are not counted while only some are in the document", async () => {
  const { outcome } = await agent.run({ prompt: "How many finds are there?", startUrl: `${site.url}/twins` });
  expect(outcome).toMatchObject({ kind: "failed", code: "PARTIAL_LIST" });
});
