import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { DemoShop } from "../../../demo/shop.ts";
import type { ErrandOutcome } from "../../../src/agent/loop/errand.ts";
import type { BrowserState } from "../../../src/browser/state/browser-state.ts";
import { Execution } from "../../../src/contract/execution.ts";
import { startTestAgent, type TestAgent } from "../../_harness/agent.ts";
import { startTestBrowser, type TestBrowser } from "../../_harness/browser.ts";
import { arriveAt, enterShop, openShop, ordersOf, SHOPPER, signInToShop } from "../../_harness/demo-shop.ts";

interface ExecutionExample {
  prompt: string;
  output_schema: Record<string, unknown>;
  result: unknown;
}

let agent: TestAgent;
let browser: TestBrowser;
let shop: DemoShop;
let signedIn: BrowserState;

beforeAll(async () => {
  agent = await startTestAgent({ hasScreenshots: true });
  browser = await startTestBrowser();
  return async () => {
    await browser[Symbol.asyncDispose]();
    await agent[Symbol.asyncDispose]();
  };
});

beforeEach(async () => {
  shop = await openShop();
  await using shopper = await enterShop(browser, shop);
  await shopper.open("/sign-in");
  await signInToShop(shopper.page);
  await arriveAt(shopper.page, "Hello, Demo Shopper");
  signedIn = { storage: await shopper.page.context().storageState(), sessionStorage: [] };
  return () => shop[Symbol.asyncDispose]();
});

const BUY_TWO = [
  "Search for kettle, open Brindle Kettle, set the quantity to 2 and click Add to cart.",
  "Then click Checkout, click Continue to delivery, click Continue to payment, choose On invoice and click Continue to review.",
  "Click Place order and tell me the order number.",
].join(" ");

function result(outcome: ErrandOutcome) {
  if (outcome.kind !== "verified") throw new Error(`${outcome.failure}: ${outcome.message}`);
  return outcome.result;
}

describe("in the demo shop, signed in", () => {
  test("buys two of something and reports the order number", async () => {
    const { outcome, steps, artifacts } = await agent.run({
      prompt: BUY_TWO,
      startUrl: shop.url,
      state: signedIn,
    });
    const { final_text, final_url, evidence } = result(outcome);
    const [order] = ordersOf(shop).sort((a, b) => b.placedAt.getTime() - a.placedAt.getTime());
    expect(order?.lines).toMatchObject([{ quantity: 2 }]);
    expect(final_text).toContain(order?.number);
    expect(final_url).toBe(`${shop.url}/checkout/confirmed/${order?.number}`);
    expect(evidence.verifier.agreed).toBe(true);
    expect(evidence.side_effects.map(({ type, method, status }) => [type, method, status])).toEqual(
      Array.from({ length: 5 }, () => ["form_submission", "POST", 303]),
    );
    expect(steps.every(({ screenshot }) => screenshot !== null)).toBe(true);
    expect(artifacts.map(({ kind }) => kind)).toEqual(expect.arrayContaining(["screenshot", "page", "network"]));
  });

  test("does not believe a shop that thanks for an order and responds with 500", async () => {
    shop.failNext({ path: "/checkout/review", method: "POST", claimsSuccess: true });
    const before = ordersOf(shop).length;
    const prompt = BUY_TWO.replace(" and tell me the order number", "");
    const { outcome } = await agent.run({ prompt, startUrl: shop.url, state: signedIn });
    expect(ordersOf(shop)).toHaveLength(before);
    expect(outcome).toMatchObject({ kind: "failed", failure: "unverified", code: "UNVERIFIED" });
    if (outcome.kind !== "failed") throw new Error("not reached");
    expect(outcome.reason).toContain("500");
    expect(outcome.sideEffects.at(-1)).toMatchObject({ type: "form_submission", status: 500 });
  });

  test("changes a delivery address, and a fresh page shows it", async () => {
    const { outcome } = await agent.run({
      prompt: "Click the first Edit link. Change the street to 5 Harbour Lane and click Save address.",
      startUrl: `${shop.url}/account/addresses`,
      state: signedIn,
    });
    expect(result(outcome).evidence.side_effects).toHaveLength(1);
    expect(shop.account(SHOPPER)?.addresses[0]?.street).toBe("5 Harbour Lane");
  });

  test("deletes the first address only when the prompt confirms it", async () => {
    const run = (prompt: string) => agent.run({ prompt, startUrl: `${shop.url}/account/addresses`, state: signedIn });
    const before = shop.account(SHOPPER)?.addresses.length ?? 0;
    const { outcome: asked } = await run("Click the first Delete link.");
    expect(asked).toMatchObject({ kind: "failed", reason: expect.stringContaining("Delete this address?") });
    expect(shop.account(SHOPPER)?.addresses).toHaveLength(before);
    const { outcome: agreed } = await run("Click the first Delete link and confirm it.");
    expect(result(agreed).final_text).toMatch(/^The page says: "The address is deleted."/);
    expect(shop.account(SHOPPER)?.addresses).toHaveLength(before - 1);
  });

  test.each([
    ["/products", "What is the price of the Brindle Kettle?", "€64.90"],
    ["/products", "How many products are there?", "60"],
    ["/products/brindle-kettle", "What does it cost?", "€64.90 with VAT"],
    ["/products/brindle-kettle", "What is the SKU?", "KIT-101"],
    ["/account/orders", "What is the arrival of order T-10055?", "Thu 12 Mar 2026"],
    ["/account/orders", "How many orders were delivered?", "2"],
    ["/account/orders/T-10062", "Tell me the total.", "€84.90"],
    ["/account/orders/T-10062", "What is the order number?", "T-10062"],
  ])("answers a question at %s: %s", async (path, prompt, answer) => {
    const { outcome } = await agent.run({ prompt, startUrl: shop.url + path, state: signedIn });
    expect(result(outcome).final_text).toBe(answer);
  });

  test("reads the order history", async () => {
    const { outcome } = await agent.run({
      prompt: "Click Your orders and list the order number, the status and the total of each order.",
      startUrl: shop.url,
      state: signedIn,
      outputSchema: {
        type: "array",
        items: {
          type: "object",
          properties: { order: { type: "string" }, status: { type: "string" }, total: { type: "number" } },
          required: ["order", "status", "total"],
        },
      },
    });
    const { extracted, evidence } = result(outcome);
    expect(extracted).toEqual(
      ordersOf(shop)
        .sort((a, b) => b.placedAt.getTime() - a.placedAt.getTime())
        .map(({ number, totals }) => ({ order: number, status: expect.any(String), total: totals.totalCents / 100 })),
    );
    expect(evidence.side_effects).toEqual([]);
  });

  test("ends when the shop has signed the user out", async () => {
    shop.dropSessions();
    const { outcome } = await agent.run({
      prompt: "List my orders.",
      startUrl: `${shop.url}/account/orders`,
      state: signedIn,
    });
    expect(outcome).toMatchObject({ kind: "failed", failure: "reauthorization_required" });
  });

  test("changes nothing for an application that may only read", async () => {
    const { outcome } = await agent.run({
      prompt: "Click Add to cart.",
      startUrl: `${shop.url}/products/brindle-kettle`,
      state: signedIn,
      access: "read_only",
    });
    expect(outcome).toMatchObject({ kind: "failed", failure: "policy_violation", code: "READ_ONLY", sideEffects: [] });
    expect(shop.requests().filter(({ method, path }) => method === "POST" && path !== "/sign-in")).toEqual([]);
  });
});

describe("in the demo shop, without an account", () => {
  test("lists all products under a price, over several pages", async () => {
    const { outcome } = await agent.run({
      prompt: "List the name and price of all products under €15, on all pages.",
      startUrl: `${shop.url}/products`,
      outputSchema: {
        type: "object",
        properties: {
          products: {
            type: "array",
            items: {
              type: "object",
              properties: { name: { type: "string" }, price: { type: "number" } },
              required: ["name", "price"],
            },
          },
        },
        required: ["products"],
      },
    });
    const { extracted, evidence } = result(outcome);
    const { products } = extracted as { products: { name: string; price: number }[] };
    const { PRODUCTS } = await import("../../../demo/catalogue/products.ts");
    const expected = PRODUCTS.filter(({ priceCents }) => priceCents < 1_500);
    expect(products.map(({ name }) => name).sort()).toEqual(expected.map(({ name }) => name).sort());
    expect(products.every(({ price }) => price < 15)).toBe(true);
    expect(evidence.urls.length).toBeGreaterThanOrEqual(5);
    expect(evidence.side_effects).toEqual([]);
  });

  test("compares all products, on all pages", async () => {
    const { outcome } = await agent.run({
      prompt: "Which is the cheapest product?",
      startUrl: `${shop.url}/products`,
    });
    expect(result(outcome).final_text).toBe("Glimmer Filament Bulb, Price: €8.90");
  });

  test("does not take the few products of the front page for all of them", async () => {
    const { outcome } = await agent.run({ prompt: "Which is the cheapest product?", startUrl: shop.url });
    expect(outcome).toMatchObject({ kind: "failed", failure: "goal_unreachable" });
  });

  test("answers a question from a page", async () => {
    const { outcome } = await agent.run({
      prompt: "Search for kettle, open Brindle Kettle and tell me its price.",
      startUrl: shop.url,
    });
    expect(result(outcome).final_text).toContain("€64.90");
  });

  test("does what the example of the API says", async () => {
    const [example] = (Execution as unknown as { examples: [ExecutionExample] }).examples;
    const { outcome } = await agent.run({
      prompt: example.prompt,
      startUrl: `${shop.url}/`,
      outputSchema: example.output_schema,
    });
    const here = JSON.stringify(example.result).replaceAll(/http:\/\/127\.0\.0\.1:4010/g, shop.url);
    expect(result(outcome)).toEqual(JSON.parse(here));
  });

  test("refuses what it does not understand before it opens a page", async () => {
    const { outcome, steps } = await agent.run({
      prompt: "Surprise me with something my grandmother would love.",
      startUrl: shop.url,
    });
    expect(outcome).toMatchObject({ kind: "failed", failure: "unsupported_prompt", sideEffects: [] });
    expect(steps).toEqual([]);
    expect(shop.requests().filter(({ path }) => path === "/")).toEqual([]);
  });
});
