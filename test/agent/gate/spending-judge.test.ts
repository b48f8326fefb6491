import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Budget, InteractionRequest, People } from "../../../src/agent/gate/people.ts";
import { startTestAgent, type TestAgent } from "../../_harness/agent.ts";
import { type LoopbackServer, startLoopbackServer } from "../../_harness/browser.ts";
import { play } from "../../_harness/model-script.ts";
import { type ModelServer, startModelServer } from "../../_harness/model-server.ts";
import { type ScriptedJudge, startScriptedJudge } from "../../_harness/scripted-judge.ts";

const CHECKOUT = `<title>Checkout</title><h1>Checkout</h1><p>1 × Mug €16.90</p><p>Total: €16.90</p>
  <form method="post" action="/orders"><input type="hidden" name="id" value="3"><button>Place order</button></form>`;
const THANKS = "<title>Thanks</title><h1>Thank you</h1><p>Order 4711 was placed.</p>";

describe("an order whose amount the judge reads as well", () => {
  let agent: TestAgent;
  let model: ModelServer;
  let judge: ScriptedJudge;
  let shop: LoopbackServer;
  let orders = 0;
  const disposables = new AsyncDisposableStack();

  beforeAll(async () => {
    agent = disposables.use(await startTestAgent());
    model = disposables.use(await startModelServer());
    judge = disposables.use(await startScriptedJudge());
    shop = disposables.use(
      await startLoopbackServer((request, response) => {
        if (request.method === "POST") orders += 1;
        const body = request.url === "/orders" ? THANKS : CHECKOUT;
        response.setHeader("content-type", "text/html; charset=utf-8").end(body);
      }),
    );
  });
  afterAll(() => disposables.disposeAsync());

  async function run(amount: string, people: People | null) {
    judge.decide = () => ({ agreed: true, reason: "The task asks for it.", amount });
    const before = orders;
    const planner = await play(
      model,
      (turn) => ({
        name: "click",
        input: { ref: turn.ref('button "Place order"'), label: "Place order", commit: "Order 1 mug for €16.90" },
      }),
      () => ({ name: "give_up", input: { reason: "That is all." } }),
    );
    const done = await agent.run({
      prompt: "Order the mug.",
      startUrl: shop.url,
      planner,
      judge: judge.judge,
      ...(people === null ? {} : { people }),
    });
    return { orders: orders - before, message: done.steps.map((step) => step.message).join("\n") };
  }

  function createPeople(options: { approval?: "commits"; isReachable?: boolean; budget?: Budget }) {
    const asked: InteractionRequest[] = [];
    const people: People = {
      approval: options.approval ?? "never",
      isReachable: options.isReachable ?? options.approval === "commits",
      budget: options.budget ?? null,
      ask: async (request) => {
        asked.push(request);
        return { kind: "approved" };
      },
    };
    return { people, asked };
  }

  /** Allows everything, and lists what was reserved and how it was settled. */
  function createBudget() {
    const entries: string[] = [];
    const budget: Budget = {
      async reserve({ value, currency }, isApproved) {
        entries.push(`reserve ${currency} ${value}${isApproved ? " approved" : ""}`);
        const settle = async (isSent: boolean) => void entries.push(isSent ? "sent" : "not sent");
        return { kind: "reserved", spending: { begin: async () => void entries.push("begin"), settle } };
      },
    };
    return { budget, entries };
  }

  it("is sent when both read the same", async () => {
    expect(await run("€16.90", null)).toMatchObject({ orders: 1 });
    const { budget, entries } = createBudget();
    expect(await run("€16.90", createPeople({ budget }).people)).toMatchObject({ orders: 1 });
    expect(entries).toEqual(["reserve EUR 16.9", "begin", "sent"]);
  });

  it("is not sent when they differ and nobody wants to be asked, and the planner hears both amounts", async () => {
    const { orders, message } = await run("€276.50", null);
    expect(orders).toBe(0);
    expect(message).toMatch(/EUR 16\.90.*EUR 276\.50/);
  });

  it("is asked when they differ and commits are approved, with both amounts", async () => {
    const { people, asked } = createPeople({ approval: "commits" });
    expect(await run("€276.50", people)).toMatchObject({ orders: 1 });
    expect(asked.map(({ message }) => message)).toEqual([expect.stringMatching(/EUR 16\.90.*EUR 276\.50/)]);
  });

  it.each(["€276.50", ""])(
    "is asked with a limit when the judge reads %j, and the higher amount counts",
    async (amount) => {
      const { budget, entries } = createBudget();
      const { people, asked } = createPeople({ isReachable: true, budget });
      expect(await run(amount, people)).toMatchObject({ orders: 1 });
      expect(asked).toHaveLength(1);
      expect(entries).toEqual([`reserve EUR ${amount === "" ? 16.9 : 276.5} approved`, "begin", "sent"]);
    },
  );

  it("is not sent with a limit when they differ and nobody can be asked", async () => {
    const { budget, entries } = createBudget();
    expect(await run("€276.50", createPeople({ budget }).people)).toMatchObject({ orders: 0 });
    expect(entries).toEqual([]);
  });
});
