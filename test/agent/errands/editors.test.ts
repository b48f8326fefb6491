import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { startTestAgent, type TestAgent } from "../../_harness/agent.ts";
import { type LoopbackServer, startLoopbackServer } from "../../_harness/browser.ts";

const ARTICLE = "<p>Come <b>early</b> on Monday.</p><ul><li>Bring bread</li><li>Bring <i>cheese</i></li></ul>";

let agent: TestAgent;
let site: LoopbackServer;
let stored: string;
/** The setting on /settings, which is saved some time after it was changed. */
let name: string;
/** Whether the server keeps what it is sent. */
let keeps: boolean;

beforeAll(async () => {
  agent = await startTestAgent();
  site = await startLoopbackServer(async (request, response) => {
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += chunk;
    if (request.method === "POST") {
      const sent = JSON.parse(body) as { html?: string; name?: string };
      if (keeps) stored = sent.html ?? stored;
      if (keeps) name = sent.name ?? name;
      response.setHeader("content-type", "application/json").end("{}");
      return;
    }
    response.setHeader("content-type", "text/html; charset=utf-8");
    if (request.url === "/settings") {
      response.end(`<!doctype html><html lang="en"><title>Settings</title><label>Name <input id="field" value="${name}"></label>
        <script>let timer; field.oninput = () => { clearTimeout(timer); timer = setTimeout(() => fetch("/settings", { method: "POST",
          headers: { "content-type": "application/json" }, body: JSON.stringify({ name: field.value }) }), 1500); };</script>`);
      return;
    }
    response.end(`<!doctype html><html lang="en"><title>Article</title><h1>Article</h1>
      <div id="editor" role="textbox" aria-multiline="true" aria-label="Body" contenteditable>${stored}</div><button id="save">Save</button>
      <script>save.onclick = () => fetch("/article", { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ html: editor.innerHTML }) });</script>`);
  });
});
afterAll(async () => {
  await agent[Symbol.asyncDispose]();
  await site[Symbol.asyncDispose]();
});
beforeEach(() => {
  stored = ARTICLE;
  name = "Greenhouse";
  keeps = true;
});

const run = (prompt: string, path = "/") => agent.run({ prompt, startUrl: `${site.url}${path}` });

test("a part of a formatted text is changed and saved, and nothing else of it", async () => {
  const { outcome } = await run('Replace "Monday" by "Friday" in Body, then click Save.');
  expect(stored).toBe(ARTICLE.replace("Monday", "Friday"));
  expect(outcome).toMatchObject({ kind: "verified" });
});

test("an item is added to a list and saved", async () => {
  const { outcome } = await run('Insert "\nBring wine" after "Bring bread" in Body, then click Save.');
  expect(stored).toBe(ARTICLE.replace("<li>Bring bread</li>", "<li>Bring bread</li><li>Bring wine</li>"));
  expect(outcome).toMatchObject({ kind: "verified" });
});

test("a change that the server has not kept is not verified", async () => {
  keeps = false;
  const { outcome } = await run('Replace "Monday" by "Friday" in Body, then click Save.');
  expect(outcome.kind).toBe("failed");
});

test("a text that is not there is not replaced", async () => {
  const { outcome } = await run('Replace "Tuesday" by "Friday" in Body, then click Save.');
  expect(outcome.kind).toBe("failed");
  expect(stored).toBe(ARTICLE);
});

test("a setting that saves itself after a while is verified once it is saved", async () => {
  const { outcome } = await run('Change Name to "Orchid House".', "/settings");
  expect(outcome).toMatchObject({ kind: "verified" });
  expect(name).toBe("Orchid House");
});

test("a setting that saves itself and is not kept is not verified", async () => {
  keeps = false;
  const { outcome } = await run('Change Name to "Orchid House".', "/settings");
  expect(outcome.kind).toBe("failed");
});
