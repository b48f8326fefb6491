import { beforeAll, describe, expect, it } from "vitest";
import { ESCAPE_ROUTES, MAIN_ROUTES } from "../../_harness/egress-routes.ts";
import { type EgressStage, openEgressStage } from "../../_harness/egress-stage.ts";

let stage: EgressStage;

beforeAll(async () => {
  stage = await openEgressStage();
  return () => stage[Symbol.asyncDispose]();
});

// escapes.test.ts covers the main ones.
const ROUTES = ESCAPE_ROUTES.filter((route) => !MAIN_ROUTES.includes(route));

describe("a page of an allowed host", () => {
  it.each(ROUTES)("reaches an allowed host by $name, and no other", (route) => stage.expectConfined(route));

  it("includes every route", () => {
    expect(ROUTES.length + MAIN_ROUTES.length).toBe(ESCAPE_ROUTES.length);
  });
});

describe("according to the browser's network log", () => {
  it("it connected only to the proxies, sent no datagrams and resolved no names", async () => {
    await stage.expectOnlyProxiesConnected(ROUTES.length);
  });
});
