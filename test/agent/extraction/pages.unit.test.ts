import { describe, expect, test } from "vitest";
import { mergePages } from "../../../src/agent/extraction/merged-pages.ts";
import { findNextPage } from "../../../src/agent/extraction/pagination.ts";
import type { Cell, RecordSet } from "../../../src/agent/extraction/record-set.ts";
import type { ObservedNode } from "../../../src/browser/observation/observation.ts";
import { node } from "../../_harness/observed.ts";

const link = (name: string, url = `https://shop.example/${name}`) => node("link", name, { url });
const button = (name: string, disabled = false) => node("button", name, { states: disabled ? { disabled } : {} });
const text = (name: string) => node("text", name);
const box = (role: string, ...children: ObservedNode[]) => node(role, "", { children });
const page = (...children: ObservedNode[]) => box("document", ...children);
const pager = (...children: ObservedNode[]) => page(box("navigation", ...children));

describe("the way to the next page", () => {
  test.each([
    ["Next", pager(link("1"), link("2"), link("Next"))],
    ["Next page", page(link("Next page"))],
    ["Next ›", page(link("Next ›"))],
    ["›", pager(link("‹"), text("2"), link("›"), link("»"))],
    ["»", pager(link("«"), text("Page 2"), link("»"))],
    ["Load more", page(button("Load more"))],
    ["Show 10 more results", page(button("Show 10 more results"))],
    ["Older posts", page(link("Older posts"))],
    ["3", pager(link("1"), text("2"), link("3"))],
    ["2", page(box("list", box("listitem", text("1")), box("listitem", link("2")), box("listitem", link("3"))))],
    ["Next", page(box("generic", button("Previous", true), button("Next")))],
    ["Next", page(box("navigation", link("Next", "/2")), text("…"), box("navigation", link("Next", "/2")))],
  ])("is %s", (name, root) => {
    expect(findNextPage(root)?.name).toBe(name);
  });

  test("is the number after the one that links to the current page", () => {
    expect(findNextPage(pager(link("1"), link("2"), link("3")), "https://shop.example/2")?.name).toBe("3");
  });

  test.each([
    ["it is disabled", page(box("generic", button("Previous"), button("Next", true)))],
    ["it is text and not a link", pager(link("1"), text("2"), text("Next"))],
    ["the last page is the current one", pager(link("1"), link("2"), text("3"))],
    ["the page says that it is the last", page(text("Page 3 of 3"), link("Next", "/elsewhere"))],
    ["a button is the next step of a form", page(box("form", node("textbox", "Name"), button("Next")))],
    ["two lead to different URLs", page(link("Next", "/a"), link("Next", "/b"))],
    ["the current page number is unknown", pager(link("1"), link("2"), link("3"))],
    [
      "the numbers are days",
      page(box("generic", node("button", "1", { states: { selected: true } }), button("2"), button("3"))),
    ],
    ["the arrows belong to an image carousel", page(box("generic", button("‹"), button("›")))],
    ["there is none", page(link("Next steps for your garden"), link("More about us"), button("Show more options"))],
  ])("is not found when %s", (_, root) => {
    expect(findNextPage(root)).toBeNull();
  });
});

describe("records over several pages", () => {
  test("omit rows that an earlier page has shown, and report it", () => {
    const { set, coverage } = mergePages([records("a", "b"), records("b", "c"), records("d")]);
    expect(titles(set)).toEqual(["a", "b", "c", "d"]);
    expect(coverage).toBe("3 pages, 4 rows, 1 repeated");
  });

  test("keep two equal rows of one page", () => {
    expect(titles(mergePages([records("a", "a"), records("b")]).set)).toEqual(["a", "a", "b"]);
  });

  test("are identified by the URL of their title, whatever else has changed", () => {
    const priced = (price: string, url: string | null): RecordSet => ({
      ...records("a"),
      rows: toRows([
        new Map([
          ["Name", { ...cell("a"), url }],
          ["Price", cell(price)],
        ]),
      ]),
    });
    const address = "https://shop.example/a";
    expect(mergePages([priced("£1", address), priced("£2", address)]).repeated).toBe(1);
    expect(mergePages([priced("£1", null), priced("£2", null)]).repeated).toBe(0);
  });
});

function records(...names: string[]): RecordSet {
  const rows = toRows(names.map((name) => new Map([["Name", cell(name)]])));
  const shape = { kind: "table", name: "Things", columns: ["Name"], titleColumn: "Name", region: "main" } as const;
  return { ...shape, rows, totals: [], unreadRows: 0 };
}

function toRows(cells: readonly Map<string, Cell>[]) {
  return cells.map((row) => ({
    cells: row,
    node: node("row"),
    pageUrl: "https://shop.example/",
    observationNumber: 1,
  }));
}

function cell(content: string): Cell {
  return {
    text: content,
    quote: content,
    whole: content,
    url: null,
    ref: null,
    node: node("cell", content),
  };
}

function titles({ rows }: RecordSet) {
  return rows.map(({ cells }) => cells.get("Name")?.text);
}
