import { describe, expect, test } from "vitest";
import { evaluateFilter, matchesFilter } from "../../src/agent/extraction/match-rows.ts";
import type { Row } from "../../src/agent/extraction/record-set.ts";
import { parseRowFilter } from "../../src/agent/extraction/row-filter.ts";
import { node } from "../_harness/observed.ts";

const KETTLE = row({ Product: "Brindle Kettle", Price: "£18.00", Rating: "★ 4.7 (12)", Availability: "In stock" });
const MUG = row({ Product: "Ossery Mug", Price: "£26.90", Rating: "★ 3.9 (3)", Availability: "Sold out" });
const ORDER = row({
  Order: "T-1",
  "Placed on": "10 Mar 2026",
  Arrival: "3 Jan 2027",
  Status: "On its way",
  Items: "5 items",
});

describe("filters", () => {
  test.each([
    ["under £20", true, false],
    ["cheaper than 20", true, false],
    ["that cost less than 30 pounds", true, true],
    ["between 20 and 30 pounds", false, true],
    ["with a price between £10 and £20, in stock", true, false],
    ["over £18", false, true],
    ["at least £18", true, true],
    ["£18 or less", true, false],
    ["not under £20", false, true],
    ["at least 4 stars", true, false],
    ["rated at least 3.9", true, true],
    ["in stock", true, false],
    ["that are in stock and cost under £20", true, false],
    ["out of stock", false, true],
    ["not in stock", false, true],
    ["whose name contains kettle", true, false],
    ["whose name does not contain mug", true, false],
    ["called Ossery Mug", false, true],
    ['containing "Brindle Kettle"', true, false],
  ])("%s", (text, isKettle, isMug) => {
    const filter = parseRowFilter(text);
    if (filter === null) throw new Error("not understood");
    expect([matchesFilter(KETTLE, filter), matchesFilter(MUG, filter)]).toEqual([isKettle, isMug]);
  });

  test.each([
    ["with status On its way", true],
    ["whose status is Delivered", false],
    ["with status not Delivered", true],
    ["placed in March 2026", true],
    ["placed before 10 March 2026", false],
    ["placed since 10 March 2026", true],
    ["placed from 2026", true],
    ["arrival in 2027", true],
    ["with more than 4 items", true],
    ["with fewer than 5 items", false],
  ])("for orders: %s", (text, expected) => {
    const filter = parseRowFilter(text);
    if (filter === null) throw new Error("not understood");
    expect(matchesFilter(ORDER, filter)).toBe(expected);
  });

  test.each(["purple ones", "under £20 and purple", "that my friends like", "under twenty", "", "and"])(
    "are refused when they are not understood completely: %s",
    (text) => {
      expect(parseRowFilter(text)).toBeNull();
    },
  );
});

describe("an unclear record", () => {
  test.each([
    ["under £20", { Product: "Kettle" }],
    ["under £20", { Product: "Kettle", Price: "on request" }],
    ["under £20", { Product: "Kettle", Price: "€18" }],
    ["in stock", { Product: "Kettle" }],
    ["from 2026", { Placed: "10 Mar 2026", Arrival: "1 Apr 2026" }],
  ])("matches neither %s nor its opposite: %j", (text, cells) => {
    const filter = parseRowFilter(text);
    if (filter === null) throw new Error("not understood");
    expect(evaluateFilter(row(cells), filter)).toBeNull();
    expect(matchesFilter(row(cells), { kind: "not", filter })).toBe(false);
  });
});

function row(cells: Record<string, string>): Row {
  const entries = Object.entries(cells).map(([column, text]) => {
    return [column, { text, quote: text, whole: text, url: null, ref: null, node: node("cell", text) }] as const;
  });
  return { cells: new Map(entries), node: node("row"), pageUrl: "https://shop.example/" };
}
