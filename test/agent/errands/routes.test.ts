import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestAgent, type TestAgent } from "../../_harness/agent.ts";
import { type LoopbackServer, startLoopbackServer } from "../../_harness/browser.ts";

/** An application whose pages are fragments of one URL. */
const APPLICATION = `<!doctype html><html lang="en"><title>Garden</title><main></main><script>
  const pages = { "#/beds": "<h1>Beds</h1><p>Free bed: 14</p>", "#/market": "<h1>Market</h1><p>Opening hour: 06:45</p>" };
  const show = () => { document.querySelector("main").innerHTML = pages[location.hash] ?? "<h1>Garden</h1>"; };
  onhashchange = show;
  show();
</script>`;

/** Its settings are in a panel that is closed when the page is loaded. */
const CHAT = `<!doctype html><html lang="en"><title>Chat</title><h1>Chat</h1><button onclick="panel.hidden = false">Preferences</button>
  <div id="panel" hidden><label>Nickname <input id="nick"></label><button id="save">Save</button></div><script>
  fetch("/nick").then((response) => response.text()).then((text) => { nick.value = text; });
  save.onclick = () => fetch("/nick", { method: "PUT", body: JSON.stringify({ nick: nick.value }) });
</script>`;

let agent: TestAgent;
let site: LoopbackServer;
let nick = "";
let keeps = true;

beforeAll(async () => {
  agent = await startTestAgent();
  site = await startLoopbackServer(async (request, response) => {
    const { method, url } = request;
    if (method === "PUT") {
      const sent = JSON.parse((await request.toArray()).join("")) as { nick: string };
      if (keeps) nick = sent.nick;
    }
    response.statusCode = url === "/gone" ? 404 : 200;
    response.setHeader("content-type", "text/html; charset=utf-8");
    response.end(url === "/nick" ? nick : url === "/chat" ? CHAT : APPLICATION);
  });
});
afterAll(async () => {
  await agent[Symbol.asyncDispose]();
  await site[Symbol.asyncDispose]();
});

function run(path: string) {
  const prompt = `steps:
  - goto: ${path}#/beds
  - read: { as: bed, label: Free bed }
  - goto: ${path}#/market
  - read: { as: hour, label: Opening hour }
`;
  return agent.run({ prompt, startUrl: site.url });
}

test("facts of two pages that differ in their fragment are both verified on fresh pages", async () => {
  const { outcome, verdict } = await run("/");
  expect(outcome).toMatchObject({ kind: "verified" });
  const facts = verdict?.checks.filter(({ about }) => /"bed"|"hour"/.test(about)) ?? [];
  expect(facts.map(({ evidence }) => /also in a fresh browser/.test(evidence))).toEqual([true, true]);
});

test("on any route, a document that does not exist is no page to end on", async () => {
  const { outcome } = await run("/gone");
  expect(outcome).toMatchObject({ kind: "failed", reason: expect.stringContaining("returned 404") });
});

describe("what was saved in a panel that is closed on a fresh page", () => {
  const prompt = 'Click Preferences, type Fern into "Nickname" and click Save.';

  test("is seen there after the clicks that open it", async () => {
    [nick, keeps] = ["Moss", true];
    const { outcome, verdict } = await agent.run({ prompt, startUrl: `${site.url}/chat` });
    expect(outcome).toMatchObject({ kind: "verified" });
    expect(verdict?.checks.map(({ evidence }) => evidence)).toContain(
      'In a fresh browser "Nickname" holds the new value.',
    );
    expect(nick).toBe("Fern");
  });

  test("is contradicted when the site has not kept it", async () => {
    [nick, keeps] = ["Moss", false];
    const { outcome } = await agent.run({ prompt, startUrl: `${site.url}/chat` });
    const reason = expect.stringContaining('In a fresh browser "Nickname" holds "Moss"');
    expect(outcome).toMatchObject({ kind: "failed", failure: "unverified", reason });
  });
});
