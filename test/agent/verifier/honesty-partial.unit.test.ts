import { describe, expect, test } from "vitest";
import { checkPartial } from "../../../src/agent/verifier/check-partial.ts";
import type { ObservedNode } from "../../../src/browser/observation/observation.ts";
import { caseOf } from "../../_harness/doubtful-case.ts";
import { field, node, observation } from "../../_harness/observed.ts";

const row = (cells: readonly string[], role = "cell") =>
  node("row", cells.join(" "), { children: cells.map((text) => node(role, text)) });
const ROWS = [
  ["INV-1", "Open"],
  ["INV-2", "Open"],
  ["INV-3", "Open"],
];
const table = node("table", "", {
  children: [row(["Invoice", "State"], "columnheader"), ...ROWS.map((cells) => row(cells))],
});
const text = (words: string) => node("text", words);
const line = (words: string) => node("paragraph", "", { children: [text(words)] });
const heading = (name: string, level = 2) => node("heading", name, { states: { level }, children: [text(name)] });
const button = (name: string) => node("button", name, { ref: "e1" });
const group = (...children: ObservedNode[]) => node("generic", "", { children });
const picture = node("img", "A house", { box: { x: 0, y: 0, width: 600, height: 400 } });
const pages = node("combobox", "Page", {
  field: field("select"),
  children: ["1", "2", "3"].map((name) => node("option", name)),
});
const title = heading("Invoices", 1);
const card = (name: string, ...children: ObservedNode[]) => group(heading(name), ...children);

const COUNT = {
  prompt: "How many invoices are open?",
  answer: "3 invoices are open.",
  quotes: ROWS.map(([id = ""]) => id),
};

/** Whether the check calls the answer unknown. */
function isRefused(children: readonly ObservedNode[], claim: Partial<typeof COUNT> = {}): boolean {
  const scene = { ...COUNT, ...claim, states: [[node("main", "", { children: [...children] })]] };
  return checkPartial(caseOf(scene)).some(({ verdict }) => verdict === "unknown");
}

describe("a count of rows that were all read", () => {
  test.each<[string, ObservedNode[]]>([
    ["of a page with nothing else", [title, table]],
    ["beside a bar that shows what is used", [title, node("progressbar", "Storage used", { isMeasured: true }), table]],
    [
      "below a toolbar with more actions",
      [title, node("toolbar", "", { children: [button("Export"), button("More")] }), table],
    ],
    ["below a group of buttons with more actions", [title, group(button("Export"), button("More")), table]],
    ["below a gallery", [title, group(picture, button("‹"), line("1/8"), button("›")), table]],
    ["below a gallery with a heading", [heading("Photos"), button("‹"), line("1/8"), button("›"), title, table]],
    ["below a date", [title, line("5/12"), table]],
    ["below a date and other buttons", [title, group(button("Export"), button("Print")), line("5/12"), table]],
    [
      "below a date, with buttons in its rows",
      [
        title,
        line("5/12"),
        group({
          ...table,
          children: [...table.children, row(["INV-4", "Open"])].map((each) => ({
            ...each,
            children: [...each.children, node("cell", "Pay", { children: [button("Pay")] })],
          })),
        }),
      ],
    ],
    ["beside another list that is longer", [title, table, card("Products", line("250 products"), line("25 results"))]],
    ["above such a list in the same part", [title, table, line("250 products")]],
    ["beside a card that is loading", [title, table, card("Activity", line("Loading…"))]],
    ["beside an aside that is loading", [title, table, node("complementary", "", { children: [line("Loading…")] })]],
    ["above another list", [title, table, heading("Photos"), node("list", "Photos"), line("25 results")]],
    ["above a section of its own", [title, table, heading("Photos", 1), line("1/8")]],
  ])("is true %s", (_, children) => {
    expect(isRefused(children)).toBe(false);
  });

  test.each<[string, ObservedNode[]]>([
    ["is followed by a button for more", [title, table, button("More")]],
    ["is followed by one in a group", [title, group(table), group(button("More"))]],
    ["can be continued", [title, table, button("Show 3 more")]],
    ["has a page count below", [title, table, line("1 / 3")]],
    ["has a page count above", [title, line("1 / 3"), table]],
    ["has a later page count between buttons", [title, table, group(button("‹"), line("2 / 3"), button("›"))]],
    [
      "has a page count outside of the section of the list",
      [node("region", "Invoices", { children: [title, table] }), line("1 / 3")],
    ],
    ["has a page count in an article", [node("article", "", { children: [title, table, line("1 / 3")] })]],
    [
      "has a page count in a part for that",
      [title, table, node("region", "Pagination", { children: [line("1 / 3")] })],
    ],
    ["has a heading for the page count", [title, table, heading("Posts navigation"), line("1 / 3")]],
    ["has a page count after a tip", [title, table, group(heading("Tip", 3), line("Filter by state.")), line("1 / 3")]],
    ["has a page count at the end of the page", [title, table, heading("Sum"), line("€300 are due."), line("1 / 3")]],
    ["has a list of pages", [title, table, pages]],
    ["is loading", [title, table, line("Loading…")]],
    ["is loading without words", [title, node("progressbar"), table]],
    ["is a part of what the page counts", [title, table, line("12 invoices")]],
    ["is a part of what the page counts elsewhere", [card("Summary", line("12 invoices")), card("Invoices", table)]],
    ["is a part of some results", [title, line("Showing 1–3 of 12"), table]],
    ["has a count in words of the page", [heading("Archive", 1), line("12 documents"), table]],
  ])("is unknown where the list %s", (_, children) => {
    expect(isRefused(children)).toBe(true);
  });
});

describe("a number that the page states", () => {
  const said = { answer: "There are 12 open invoices.", prompt: "How many invoices are open?" };
  const more = (...children: ObservedNode[]) => [title, ...children, table, button("Show 9 more")];

  test.each([
    ["12 invoices"],
    ["12 open"],
    ["Open: 12"],
    ["Open (12)"],
    ["Invoices 12"],
    ["Showing 1–3 of 12"],
    ["Total: 12"],
    ["twelve invoices"],
    ["You have 12 open invoices."],
  ])("needs no rows: %s", (words) => {
    expect(isRefused(more(line(words)), { ...said, quotes: [words] })).toBe(false);
  });

  test("may stand below what it counts", () => {
    expect(isRefused(more(line("Open invoices"), line("12")), { ...said, quotes: ["12"] })).toBe(false);
  });

  test.each([["Version 12"], ["Page 12"], ["Invoice 12"], ["12 May"], ["12"], ["Room 12, Berlin"]])(
    "counts the list, unlike: %s",
    (words) => {
      expect(isRefused(more(line("Welcome"), line(words), line("Hello")), { ...said, quotes: [words] })).toBe(true);
    },
  );
});

describe("a list over two pages", () => {
  const NEXT = "https://shop.example/invoices?page=2";
  const tableOf = (...ids: string[]) =>
    node("table", "", {
      children: [row(["Invoice", "State"], "columnheader"), ...ids.map((id) => row([id, "Open"]))],
    });
  const pageOf = (of: ObservedNode, count: string, ...links: ObservedNode[]) =>
    node("main", "", { children: [title, of, node("navigation", "Pages", { children: [text(count), ...links] })] });
  const next = node("link", "Next", { url: NEXT, ref: "e1" });

  function isRefusedAfter(second: ObservedNode): boolean {
    const scene = { ...COUNT, answer: "4 invoices are open.", quotes: ["INV-1", "INV-2", "INV-3", "INV-4"] };
    const context = caseOf({ ...scene, states: [[pageOf(tableOf("INV-1", "INV-2"), "Page 1 of 2", next)]] });
    context.captured.add(observation(NEXT, [second], { number: 2 }));
    return checkPartial(context).some(({ verdict }) => verdict === "unknown");
  }

  test("is complete when both were read", () => {
    expect(isRefusedAfter(pageOf(tableOf("INV-3", "INV-4"), "Page 2 of 2"))).toBe(false);
  });

  test("goes on where the second page says so", () => {
    expect(isRefusedAfter(pageOf(tableOf("INV-3", "INV-4"), "Page 2 of 3"))).toBe(true);
  });
});
