import { expect, it } from "vitest";
import { EarlyResponses } from "../../../src/browser/session/early-responses.ts";
import { hashBody } from "../../../src/browser/session/network-record.ts";
import type { InterceptedWrite, WriteOutcome } from "../../../src/browser/session/write-interceptor.ts";

const URL = "https://shop.example/orders";

function keep(early: EarlyResponses, status: number, body: string | null): void {
  const write = { method: "POST", url: URL, bodyHash: hashBody(body) } as InterceptedWrite;
  early.keep(write, { status, failure: null, isFromProxy: false, received: Promise.resolve(null) } as WriteOutcome);
}

function take(early: EarlyResponses, body: string | Buffer | null, url = URL): number | null {
  return early.take({ method: "POST", url, bodyHash: hashBody(body) })?.status ?? null;
}

it("gives each request the response to its own body, once", () => {
  const early = new EarlyResponses();
  keep(early, 200, "item=1");
  keep(early, 500, "item=2");
  expect(take(early, "item=3")).toBeNull();
  expect(take(early, "item=2", `${URL}#top`)).toBe(500);
  expect(take(early, "item=1", `${URL}/other`)).toBeNull();
  expect(take(early, "item=1")).toBe(200);
  expect(take(early, "item=1")).toBeNull();
});

it("goes by the URL alone where bodies cannot be compared", () => {
  const early = new EarlyResponses();
  keep(early, 202, null);
  expect(take(early, "a=1")).toBe(202);
});
