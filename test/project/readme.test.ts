import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { DemoShop } from "../../demo/shop.ts";
import { startTestAgent, type TestAgent } from "../_harness/agent.ts";
import { openShop } from "../_harness/demo-shop.ts";

const README = readFileSync(new URL("../../README.md", import.meta.url), "utf8");

/** What a new user copies first. */
const PROMPTS = new Set(
  README.matchAll(/bin\/errand run "([^"]+)"|"?prompt"?: "([^"]+)"/g).map(([, run, created]) => run ?? created ?? ""),
);

describe("the README", () => {
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

  it("has prompts to try", () => {
    expect(PROMPTS.size).toBeGreaterThan(1);
  });

  it.each([...PROMPTS])("has prompts that work: %s", async (prompt) => {
    const { outcome } = await agent.run({ prompt, startUrl: shop.url });
    expect(outcome, JSON.stringify(outcome)).toMatchObject({ kind: "verified" });
  });
});
