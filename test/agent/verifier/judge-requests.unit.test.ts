import { describe, expect, test } from "vitest";
import type { StepCause } from "../../../src/agent/actions/side-effects.ts";
import { compareWithFreshPages, describeData } from "../../../src/agent/verifier/claimed-data.ts";
import { describeChanges, describeWrites } from "../../../src/agent/verifier/trial.ts";
import type { NetworkRecord } from "../../../src/browser/session/network-record.ts";
import { estimateTokens } from "../../../src/lib/estimate-tokens.ts";
import { caseOf, HOME, toStep } from "../../_harness/doubtful-case.ts";
import { node, request } from "../../_harness/observed.ts";

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

describe("the judge's view of data", () => {
  const rowsOf = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ name: `Article ${index}`, pieces: index * 7 }));

  test("is all of it, without spaces, where that is not too much", () => {
    const data = { articles: rowsOf(300) };
    expect(JSON.stringify(data).length).toBeGreaterThan(9_000);
    expect(describeData(data)).toEqual({ text: JSON.stringify(data), isLong: true });
    expect(describeData(rowsOf(20))).toEqual({ text: JSON.stringify(rowsOf(20)), isLong: false });
  });

  test("has the first and the last rows of a long list", () => {
    const { text, isLong } = describeData({ articles: rowsOf(3_000), shop: "Brindle" });
    const { articles, shop } = JSON.parse(text) as { articles: unknown[]; shop: string };
    expect(isLong).toBe(true);
    expect(articles.slice(0, 2)).toEqual(rowsOf(2));
    expect(articles.at(-1)).toEqual({ name: "Article 2999", pieces: 20_993 });
    expect(articles).toContainEqual(expect.stringMatching(/^… 29\d\d more/));
    expect(shop).toBe("Brindle");
  });

  test.each([
    ["a long text", "word ".repeat(40_000)],
    ["many properties", Object.fromEntries(rowsOf(4_000).map(({ name }) => [name, name]))],
    ["lists inside of lists", Array.from({ length: 60 }, () => rowsOf(200))],
  ])("is bounded for %s", (_, data) => {
    const { text, isLong } = describeData(data);
    expect(isLong).toBe(true);
    expect(estimateTokens(text)).toBeLessThan(4_500);
  });

  test("comes with a comparison of each row with the fresh pages", () => {
    const cells = (texts: string[]) => node("row", "", { children: texts.map((text) => node("cell", text)) });
    const shown = rowsOf(50).map(({ name, pieces }) => cells([name, String(pieces)]));
    const data = rowsOf(50).map(
      ({ name, pieces }): Record<string, [unknown, string]> => ({
        name: [name, name],
        pieces: [pieces, String(pieces)],
      }),
    );
    const table = (rows: typeof shown) => [node("table", "", { children: rows })];
    const changed = shown.with(7, cells(["Article 7", "50"]));
    const context = caseOf({ prompt: "List all articles.", data, states: [table(shown)], fresh: table(changed) });
    const [count, ...rows] = compareWithFreshPages(context);
    expect(count).toBe(
      "50 rows of the list: 49 found word for word in one row of a fresh page, " +
        "1 found on a fresh page, but not in one row of it.",
    );
    expect(rows).toEqual(['found on a fresh page, but not in one row of it: /7 ["Article 7",49]']);
    const [, gone] = compareWithFreshPages(
      caseOf({ prompt: "List all articles.", data, states: [table(shown)], fresh: table(shown.slice(1)) }),
    );
    expect(gone).toBe('not found on their fresh page: /0 ["Article 0",0]');
    const [unloaded] = compareWithFreshPages({
      ...context,
      freshPages: [{ url: HOME, page: null, observation: null, note: "status 503" }],
    });
    expect(unloaded).toBe("50 rows of the list: 50 from pages that were not loaded again.");
  });
});
