import { describe, expect, test } from "vitest";
import { evaluateCondition } from "../../../src/agent/extraction/by-model/mapping.ts";
import type { RecordSet, Row } from "../../../src/agent/extraction/record-set.ts";
import { readFilter } from "../../../src/agent/steps/english/lists.ts";
import { Stop } from "../../../src/agent/steps/run.ts";
import { filterRows, orderRows } from "../../../src/agent/steps/where.ts";
import { node } from "../../_harness/observed.ts";

const KETTLE = row({ Product: "Brindle Kettle", Price: "£18.00", Rating: "★ 4.7 (12)", Availability: "In stock" });
const MUG = row({ Product: "Ossery Mug", Price: "£26.90", Rating: "★ 3.9 (3)", Availability: "Sold out" });
const ORDER = row({
  Order: "T-1",
  "Placed on": "10 Mar 2026",
  Arrival: "3 Jan 2027",
  Status: "On its way",
  Items: "5 items",
});

/** So that every word of the filters is used somewhere. */
const OTHER = row({
  Order: "T-2",
  "Placed on": "1 Feb 2025",
  Arrival: "3 Jan 2025",
  Status: "Delivered",
  Items: "4 items",
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
    const chosen = choose([KETTLE, MUG], text);
    expect(chosen).toEqual([KETTLE, MUG].filter((_, index) => [isKettle, isMug][index]));
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
    expect(choose([ORDER, OTHER], text)).toEqual([expected ? ORDER : OTHER]);
  });

  test.each(["purple ones", "under £20 and purple", "that my friends like", "under twenty", "", "and"])(
    "are refused when they are not understood completely: %s",
    (text) => {
      expect(readFilter(text)).toBeNull();
    },
  );
});

test("an amount in thousands is compared as a whole", () => {
  const [van, bike] = [row({ Name: "Van", Price: "£3k" }), row({ Name: "Bike", Price: "£900" })];
  expect(choose([van, bike], "under £1,000")).toEqual([bike]);
});

describe("the condition of a model", () => {
  const cell = (text: string, whole = text) => ({
    ...{ text, quote: text, whole, url: null, ref: null },
    node: node("cell"),
  });

  test.each([
    ["Ossery Mug", "equals", "ossery mug", true],
    ["Ossery Mug", "differs", "Brindle Kettle", true],
    ["Ossery Mug", "contains", "kettle", false],
    ["Ossery Mug", "starts_with", "Oss", true],
    ["1 March 2026", "before", "2026-03-01", true],
    ["1 March 2026", "after", "2026-03-02", false],
    ["€20", "at_most", "20", true],
    ["€20", "below", "£30", null],
    ["on request", "above", "20", null],
    ["Sold out", "is_false", "", true],
    ["", "differs", "Kettle", null],
  ] as const)("%j %s %j", (text, is, value, expected) => {
    expect(evaluateCondition(cell(text), { is, value }, null)).toBe(expected);
  });

  test("looks at all that the cell says, and not only at its title", () => {
    const mug = cell("Ossery Mug", "Ossery Mug Sold out");
    expect(evaluateCondition(mug, { is: "contains", value: "sold" }, null)).toBe(true);
  });
});

describe("a row that cannot be compared", () => {
  test.each([
    ["under £20", { Product: "Kettle" }],
    ["under £20", { Product: "Kettle", Price: "on request" }],
    ["under £20", { Product: "Kettle", Price: "€18" }],
    ["over £1000", { Product: "Kettle", Price: "£1.299" }],
    ["in stock", { Product: "Kettle" }],
    ["from 2026", { Placed: "10 Mar 2026", Arrival: "1 Apr 2026" }],
  ])("makes the whole list unknown, for %s: %j", (text, cells) => {
    expect(choose([row(cells)], text)).toMatch(/./);
  });
});

describe("numbers of one column", () => {
  test.each([
    ["lowest first, those in brackets below zero", ["(12.50)", "900.00", "(150.00)", "40.00"], [2, 0, 3, 1]],
    ["counts in brackets", ["(12)", "(3)", "(128)"], [1, 0, 2]],
    ["in one unit behind a space", ["17 °C", "−7 °C", "26 °C"], [1, 0, 2]],
  ])("are ordered: %s", (_, texts, order) => {
    expect(sort(texts)).toEqual(order.map((index) => texts[index]));
  });

  test.each([
    ["degrees of two scales", ["17 °C", "26 °C", "72 °F"]],
    ["degrees of two scales, attached", ["17℃", "72° F"]],
    ["degrees of an unknown scale", ["17 °C", "26 °"]],
    ["percent and degrees", ["17 %", "26 °"]],
    ["debits and credits", ["150.00 DR", "90.00 CR"]],
    ["debits and credits of a currency", ["€150.00 DR", "€90.00 CR"]],
    ["a debit beside a bare number", ["150.00 DR", "90.00"]],
    ["a whole number in brackets, which may be a minus", ["(12)", "900"]],
    ["a share in brackets, which may be a minus", ["(1.5 %)", "4.0 %"]],
  ])("have no order: %s", (_, texts) => {
    expect(sort(texts)).toMatch(/cannot be compared/);
  });

  test("are filtered by their sign and only in one unit", () => {
    const [rent, salary] = [row({ Name: "Rent", Amount: "(150.00)" }), row({ Name: "Salary", Amount: "900.00" })];
    expect(choose([rent, salary], "whose amount is above 100")).toEqual([salary]);
    expect(choose([row({ Name: "Rent", Amount: "150.00 DR" }), salary], "whose amount is above 100")).toMatch(/./);
    const [rome, phoenix] = [row({ City: "Rome", High: "17 °C" }), row({ City: "Phoenix", High: "72 °F" })];
    expect(choose([rome, phoenix], "whose high is above 20")).toMatch(/several units/);
  });
});

/** The texts of a column, lowest first, or the reason why nobody can say. */
function sort(texts: readonly string[]): readonly string[] | string {
  const rows = texts.map((text) => row({ Amount: text }));
  return orReason(() => {
    const ordered = orderRows(toSet(rows), rows, { by: "Amount", direction: "ascending" });
    return ordered.rows.map(({ cells }) => cells.get("Amount")?.text ?? "");
  });
}

/** The chosen rows, or the reason why nobody can say which. */
function choose(rows: readonly Row[], text: string): readonly Row[] | string {
  const where = readFilter(text);
  if (where === null) throw new Error("not understood");
  return orReason(() => filterRows(toSet(rows), where).rows);
}

function orReason<Result>(read: () => Result): Result | string {
  try {
    return read();
  } catch (error) {
    if (error instanceof Stop) return error.message;
    throw error;
  }
}

function toSet(rows: readonly Row[]): RecordSet {
  const columns = [...new Set(rows.flatMap(({ cells }) => [...cells.keys()]))];
  const titleColumn = columns[0] ?? null;
  return { kind: "table", name: "", columns, titleColumn, rows, region: "main", unreadRows: 0, totals: [] };
}

function row(cells: Record<string, string>): Row {
  const entries = Object.entries(cells).map(([column, text]) => {
    return [column, { text, quote: text, whole: text, url: null, ref: null, node: node("cell", text) }] as const;
  });
  return { cells: new Map(entries), node: node("row"), pageUrl: "https://shop.example/", observationNumber: 1 };
}
