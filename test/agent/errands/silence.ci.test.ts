import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Decision, Planner } from "../../../src/agent/planner/planner.ts";
import { walk } from "../../../src/browser/observation/observation.ts";
import { startTestAgent, type TestAgent } from "../../_harness/agent.ts";
import { never, type Site, serve } from "../../_harness/browser-session.ts";

let agent: TestAgent;
let site: Site;
beforeAll(async () => {
  site = await serve({
    "/": `<title>Shop</title><a href="/silent?token=abc">Details</a> <form method="post" action="/silent"><button>Order</button></form>
      <button onclick="fetch('/silent').then(() => { said.textContent = 'Done' })">Load</button> <p id="said"></p>
      <button>Nothing</button>`,
    "/silent": () => {},
  });
  agent = await startTestAgent({ limits: { settleMs: 3_500, busySettleMs: 3_500 } });
});
afterAll(async () => {
  await agent[Symbol.asyncDispose]();
  await site[Symbol.asyncDispose]();
});

/** Clicks the target, looks around, and gives up because nothing has happened. */
function createPlanner(name: string): Planner {
  const giveUp: Decision = {
    kind: "give_up",
    failure: "goal_unreachable",
    code: "GOAL_UNREACHABLE",
    reason: "No page came.",
  };
  return {
    name: "scripted",
    plan: async () => {
      let turns = 0;
      return {
        startUrl: null,
        outline: [],
        isExplicit: true,
        signsIn: false,
        next: async ({ observation }) => {
          turns += 1;
          const { ref } =
            [...walk(observation.root)].map(({ node }) => node).find((node) => node.name === name && node.ref) ?? {};
          if (turns === 1) return { kind: "act", calls: [{ action: "click", input: { ref, label: name } }], why: "" };
          return turns === 2
            ? { kind: "act", calls: [{ action: "scroll", input: { direction: "down" } }], why: "" }
            : giveUp;
        },
      };
    },
  };
}

function run(target: string) {
  return agent.run({
    prompt: `Click ${target}.`,
    startUrl: `${site.url}/`,
    planner: createPlanner(target),
    signal: never,
  });
}

describe("a click whose response never comes is an error of the site:", () => {
  test.each([
    ["a page", "Details", "GET"],
    ["a form", "Order", "POST"],
    ["a request in the background", "Load", "GET"],
  ])("%s", async (_, target, method) => {
    const { outcome } = await run(target);
    expect(outcome).toMatchObject({ kind: "failed", failure: "site_error", code: "SITE_ERROR" });
    const { reason, message } = outcome as { reason: string; message: string };
    expect(reason).toContain(`did not respond to ${method} ${site.url}/silent`);
    expect(reason).toMatch(/within \d+ seconds\. No page came\.$/);
    expect(message).not.toContain("names for buttons");
    expect(message.includes("Check the side effects")).toBe(method === "POST");
  });
});

test("a click that sends nothing is not", async () => {
  expect((await run("Nothing")).outcome).toMatchObject({ failure: "goal_unreachable" });
});
