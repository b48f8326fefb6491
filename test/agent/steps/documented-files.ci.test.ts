import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listProducts, parseListingQuery } from "../../../demo/catalogue/listing.ts";
import { PRODUCTS } from "../../../demo/catalogue/products.ts";
import type { DemoShop } from "../../../demo/shop.ts";
import type { People } from "../../../src/agent/gate/people.ts";
import { startTestAgent, type TestAgent, type TestErrand } from "../../_harness/agent.ts";
import { startTestBrowser } from "../../_harness/browser.ts";
import { arriveAt, enterShop, openShop, signInToShop } from "../../_harness/demo-shop.ts";

const DOCUMENT = readFileSync(new URL("../../../docs/steps.md", import.meta.url), "utf8");
const DEMO = "http://127.0.0.1:4010";

/** The whole files of the documentation, in their order. */
const [VALUE = "", LIST = "", FORM = "", ORDER = "", LOOP = ""] = [
  ...DOCUMENT.matchAll(/```(?:yaml|json)\n(.*?)```/gs),
].map(([, text]) => text);

function search(words: string) {
  return listProducts(parseListingQuery(new URLSearchParams({ q: words }))).products;
}

function euros(cents: number): string {
  return `€${(cents / 100).toFixed(2)}`;
}

describe("the files of steps in the documentation", () => {
  let agent: TestAgent;
  let shop: DemoShop;

  beforeAll(async () => {
    shop = await openShop();
    agent = await startTestAgent();
  });
  afterAll(async () => {
    await agent[Symbol.asyncDispose]();
    await shop[Symbol.asyncDispose]();
  });

  /** The answer of a verified run. The file says where it starts. */
  async function run(file: string): Promise<string> {
    return (await runWhole(file)).final_text;
  }

  async function runWhole(file: string, more: Partial<TestErrand> = {}) {
    const prompt = file.replaceAll(DEMO, shop.url);
    const { outcome } = await agent.run({ prompt, allowedHosts: [new URL(shop.url).host], ...more });
    if (outcome.kind !== "verified") throw new Error(JSON.stringify(outcome));
    return outcome.result;
  }

  it("start where they say, and open no other page first", async () => {
    const earlier = shop.requests().length;
    await runWhole(VALUE, { startUrl: `${shop.url}/contact` });
    expect(
      shop
        .requests()
        .slice(earlier)
        .map(({ path }) => path),
    ).not.toContain("/contact");
  });

  async function signIn() {
    await using browser = await startTestBrowser();
    await using shopper = await enterShop(browser, shop);
    await shopper.open("/sign-in");
    await signInToShop(shopper.page);
    await arriveAt(shopper.page, "Hello, Demo Shopper");
    return { storage: await shopper.page.context().storageState(), sessionStorage: [] };
  }

  it("reads one value", async () => {
    expect(await run(VALUE)).toMatch(/^€64\.90/);
  });

  it("reads a list, filtered and ordered", async () => {
    const cheap = PRODUCTS.filter(({ name, priceCents }) => priceCents <= 1500 && !/bulb/i.test(name));
    const ordered = cheap.toSorted((one, other) => one.priceCents - other.priceCents);
    expect(ordered.length).toBeGreaterThan(2);
    expect((await run(LIST)).split("\n")).toEqual(
      ordered.map(({ name, priceCents }) => `${name}, price: ${euros(priceCents)}`),
    );
  });

  it("sends a form", async () => {
    await run(FORM);
    expect(shop.messages()).toEqual([expect.objectContaining({ name: "Jo Example", topic: "A product" })]);
  });

  it("places an order, and says so as the documentation does", async () => {
    const asked: string[] = [];
    const people: People = {
      approval: "commits",
      isReachable: true,
      budget: null,
      ask: async ({ message }) => {
        asked.push(message);
        return { kind: "approved" };
      },
    };
    const { final_text, evidence } = await runWhole(ORDER, { people, state: await signIn() });
    const [order] = shop.orders().toSorted((one, other) => other.placedAt.getTime() - one.placedAt.getTime());
    expect(order?.lines).toMatchObject([{ name: "Brindle Kettle", quantity: 1 }]);
    expect(final_text).toContain(order?.number);
    const [, sentence = ""] = /reads "([^"]+)"/.exec(DOCUMENT.replaceAll("\n", " ")) ?? [];
    expect(asked).toEqual([sentence]);
    expect(evidence.side_effects.at(-1)).toMatchObject({ description: `${sentence}, reference ${order?.number}` });
  });

  it("does what a condition and a loop say", async () => {
    expect(search("lantern lamp")).toEqual([]);
    const lamps = search("lamp");
    const lines = (await run(LOOP)).split("\n");
    expect(lines).toHaveLength(lamps.length);
    for (const { name, priceCents } of lamps) {
      expect(lines).toContainEqual(expect.stringMatching(new RegExp(`^${name}.*${euros(priceCents)}`)));
    }
  });
});
