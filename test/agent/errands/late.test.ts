import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestAgent, type TestAgent } from "../../_harness/agent.ts";
import { never, type Site, serve } from "../../_harness/browser-session.ts";
import { resultOf } from "../../_harness/errands.ts";

/** Longer than pages are given to settle, and no request to wait for: as React reveals a part that was loaded late. */
const LATE_MS = 600;

let agent: TestAgent;
let site: Site;
beforeAll(async () => {
  site = await serve({
    "/": `<title>tide-table</title>
      <div role="tablist"><button role="tab" id="tab">Versions</button></div>
      <div id="panel"><p>Tides of small harbours.</p></div>
      <p>Latest v2.0.3 - Published a minute ago</p>
      <script>
        const versions = '<h2>Current tags</h2><ul><li><a href="/2.0.3">latest</a> <span>2.0.3</span></li></ul>';
        tab.onclick = () => {
          panel.textContent = '';
          setTimeout(() => { panel.innerHTML = versions }, ${LATE_MS});
        };
      </script>`,
  });
  agent = await startTestAgent();
});
afterAll(async () => {
  await agent[Symbol.asyncDispose]();
  await site[Symbol.asyncDispose]();
});

test("a value is not read from the rest of a page that has not shown what was clicked yet", async () => {
  const prompt = "Click the Versions tab. What is latest?";
  const run = await agent.run({ prompt, startUrl: `${site.url}/`, signal: never });
  expect(resultOf(run).final_text).toBe("2.0.3");
});
