import { beforeAll, describe, expect, it } from "vitest";
import { ESCAPE_ROUTES, MAIN_ROUTES } from "../_harness/egress-routes.ts";
import { type EgressStage, openEgressStage } from "../_harness/egress-stage.ts";

let stage: EgressStage;

beforeAll(async () => {
  stage = await openEgressStage();
  return () => stage[Symbol.asyncDispose]();
});

// test/egress-escapes.test.ts takes the main ones.
const ROUTES = ESCAPE_ROUTES.filter((route) => !MAIN_ROUTES.includes(route));

describe("a page of an allowed host", () => {
  it.each(ROUTES)("reaches an allowed host by $name, and no other", (route) => stage.expectConfined(route));

  it("leaves no route out", () => {
    expect(ROUTES.length + MAIN_ROUTES.length).toBe(ESCAPE_ROUTES.length);
  });
});

describe("by the browser's own account", () => {
  it("all it ever connected to were the proxies, and it sent no datagram and resolved no name", async () => {
    await stage.expectOnlyProxiesConnected(ROUTES.length);
  });
});
