import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { Claim } from "../../../src/agent/grounding/claim.ts";
import type { Decision, Planner, Turn } from "../../../src/agent/planner/planner.ts";
import { walk } from "../../../src/browser/observation/observation.ts";
import { startTestAgent, type TestAgent } from "../../_harness/agent.ts";

let agent: TestAgent;
let orders = 0;
const site = createServer((request, response) => {
  if (request.method === "POST") {
    orders += 1;
    response.writeHead(303, { location: "/" }).end();
    return;
  }
  response.setHeader("content-type", "text/html; charset=utf-8");
  response.end(`<h1>Shop</h1><p>Orders: ${orders}</p><form method="post"><button>Order</button></form>
    <a href="/help">Help</a>`);
});
let url: string;

beforeAll(async () => {
  agent = await startTestAgent();
  await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(site.address() as AddressInfo).port}/`;
});
afterAll(async () => {
  await agent[Symbol.asyncDispose]();
  site.closeAllConnections();
  site.close();
});
beforeEach(() => {
  orders = 0;
});

function click({ observation }: Turn, name: string): Decision {
  const found = walk(observation.root).find(({ node }) => node.ref !== null && node.name === name)?.node;
  return { kind: "act", calls: [{ action: "click", input: { ref: found?.ref, label: name } }], why: "To order." };
}

function claim(text: string): Decision {
  const conditions: Claim["conditions"] = [{ kind: "text", url, text, about: "the page says so" }];
  return { kind: "done", claim: { answer: text, facts: [], extraction: null, conditions } };
}

/** Performs these decisions in order, and records the verifier's objections in between. */
function follow(decisions: ((turn: Turn) => Decision)[]): { planner: Planner; heard: string[] } {
  const heard: string[] = [];
  const left = [...decisions];
  const planner: Planner = {
    name: "scripted",
    async plan() {
      return {
        startUrl: null,
        outline: [],
        isExplicit: true,
        signsIn: false,
        reconsider: (objection) => heard.push(objection),
        async next(turn) {
          const decide = left.shift();
          if (decide === undefined) throw new Error("nothing more was expected of the planner");
          return decide(turn);
        },
      };
    },
  };
  return { planner, heard };
}

test("lets a wrong claim be corrected once", async () => {
  const order = (turn: Turn) => click(turn, "Order");
  const { planner, heard } = follow([order, () => claim("Orders: 7"), () => claim("Orders: 1")]);
  const { outcome } = await agent.run({ prompt: "Order one.", startUrl: url, planner });
  expect(outcome).toMatchObject({ kind: "verified", result: { final_text: "Orders: 1" } });
  expect(heard).toEqual([expect.stringContaining("Orders: 7")]);
});

test("ends the run at a second wrong claim", async () => {
  const { planner, heard } = follow([() => claim("Orders: 7"), () => claim("Orders: 8")]);
  const { outcome } = await agent.run({ prompt: "Tell me the orders.", startUrl: url, planner });
  expect(outcome).toMatchObject({ kind: "failed", failure: "unverified", sideEffects: [] });
  expect(outcome.kind === "failed" && outcome.message).toContain("Nothing was changed.");
  expect(heard).toHaveLength(1);
});

test.each([["on the same page"], ["on another one", "Help"]])(
  "does not repeat a write to correct a claim, %s",
  async (_where, detour?: string) => {
    const order = (turn: Turn) => click(turn, "Order");
    const way = detour === undefined ? [] : [(turn: Turn) => click(turn, detour)];
    const { planner } = follow([order, () => claim("Orders: 2"), ...way, order]);
    const { outcome } = await agent.run({ prompt: "Order one.", startUrl: url, planner });
    expect(orders).toBe(1);
    expect(outcome).toMatchObject({ kind: "failed", failure: "unverified", code: "WOULD_REPEAT" });
  },
);
