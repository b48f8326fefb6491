import { describe, expect, test } from "vitest";
import type { StepCause } from "../../src/agent/actions/side-effects.ts";
import { describeChanges, describeWrites } from "../../src/agent/verifier/trial.ts";
import type { NetworkRecord } from "../../src/browser/session/network-record.ts";
import { toStep } from "../_harness/doubtful-case.ts";
import { request } from "../_harness/observed.ts";

describe("the judge's view of requests", () => {
  const sent = (more: Partial<NetworkRecord>, effect: StepCause["effect"] = "mutate") => ({
    write: request(more),
    cause: toStep({ effect }, 1),
  });
  const elsewhere = { url: "https://pay.example/charge", isFirstParty: false };

  test.each([
    ["by a click to another site", false, sent(elsewhere)],
    ["by a page to another site while it was read", true, sent(elsewhere, "read")],
    ["by a click as a beacon", true, sent({ ...elsewhere, resourceType: "ping" })],
  ])("a request %s is technical: %s", (_, isTechnical, write) => {
    expect(describeChanges([write], [])).toMatchObject([{ isTechnical }]);
  });

  test("groups the page's own requests by path and status, or by host if there are too many", () => {
    const urls = ["/a", "/a", "/b"].map((path) => sent({ url: `https://shop.example${path}` }, "read"));
    expect(describeChanges([...urls, sent({ url: "https://shop.example/b", status: 500 }, "read")], [])).toHaveLength(
      3,
    );
    const many = Array.from({ length: 300 }, (_, index) => sent({ url: `https://shop.example/${index}` }, "read"));
    expect(describeChanges(many, [])).toMatchObject([{ isListed: true }]);
  });

  test("lists failed requests first when not all can be listed, then the newest", () => {
    const writes = Array.from({ length: 60 }, (_, index) => sent({ url: `https://shop.example/${index}` }));
    const lines = describeWrites(writes.with(7, sent({ url: "https://shop.example/7", status: 500 })));
    expect(lines.slice(0, 2).map((line) => line.replace(/.*POST /, ""))).toEqual([
      "https://shop.example/7 returned 500",
      "https://shop.example/59 returned 201",
    ]);
  });

  test("truncates a long URL", () => {
    const [line = ""] = describeWrites([sent({ url: `https://shop.example/${"a".repeat(5_000)}` })]);
    expect(line.length).toBeLessThan(400);
  });
});
