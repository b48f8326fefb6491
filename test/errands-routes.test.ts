import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestAgent, type TestAgent } from "./_harness/agent.ts";
import { type LoopbackServer, startLoopbackServer } from "./_harness/browser.ts";

/** An application whose pages are fragments of one URL. */
const APPLICATION = `<!doctype html><html lang="en"><title>Garden</title><main></main><script>
  const pages = { "#/beds": "<h1>Beds</h1><p>Free bed: 14</p>", "#/market": "<h1>Market</h1><p>Opening hour: 06:45</p>" };
  const show = () => { document.querySelector("main").innerHTML = pages[location.hash] ?? "<h1>Garden</h1>"; };
  onhashchange = show;
  show();
</script>`;

let agent: TestAgent;
let site: LoopbackServer;

beforeAll(async () => {
  agent = await startTestAgent();
  site = await startLoopbackServer(({ url }, response) => {
    response.statusCode = url === "/gone" ? 404 : 200;
    response.setHeader("content-type", "text/html; charset=utf-8").end(APPLICATION);
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
