import { describe, expect, test } from "vitest";
import { readMerged } from "../../../src/agent/extraction/merged-pages.ts";
import { findNextPage } from "../../../src/agent/extraction/pagination.ts";
import { readRecordSets } from "../../../src/agent/extraction/read-record-sets.ts";
import type { ObservedNode } from "../../../src/browser/observation/observation.ts";
import { node } from "../../_harness/observed.ts";

const link = (name: string, url: string) => node("link", name, { url });
const text = (name: string) => node("text", name);
const box = (role: string, ...children: ObservedNode[]) => node(role, "", { children });
const page = (...children: ObservedNode[]) => box("document", ...children);
const heading = (name: string) => node("heading", name, { states: { level: 1 } });

function table(...rows: (readonly string[])[]): ObservedNode {
  const [header = [], ...body] = rows;
  const toRow = (role: string, cells: readonly string[]) => box("row", ...cells.map((name) => node(role, name)));
  return box("table", toRow("columnheader", header), ...body.map((cells) => toRow("cell", cells)));
}

describe("the next page of a list is not", () => {
  const SITE = "https://site.example";

  test.each([
    [
      "the next chapter",
      "/book/chapter-1",
      [link("Previous", `${SITE}/book/intro`), link("Next", `${SITE}/book/chapter-2`)],
    ],
    ["the next chapter, by its number", "/chapter/1", [link("Next", `${SITE}/chapter/2`)]],
    [
      "the next page of a manual",
      "/docs/install",
      [link("← Previous", `${SITE}/docs`), link("Next →", `${SITE}/docs/configure`)],
    ],
    ["the next article", "/2026/03/a-walk", [link("«", `${SITE}/2026/02/rain`), link("»", `${SITE}/2026/04/sun`)]],
    ["the next chapter, by its query", "/book?chapter=1", [link("Next", `${SITE}/book?chapter=2`)]],
    ["a link to the next chapter", "/book/1", [link("Next chapter", `${SITE}/book/2`)]],
    [
      "a link to the next post",
      "/blog/a",
      [link("← Previous post", `${SITE}/blog/b`), link("Next post →", `${SITE}/blog/c`)],
    ],
  ])("%s", (_, path, links) => {
    expect(findNextPage(page(heading("Title"), box("navigation", ...links)), SITE + path)).toBeNull();
  });

  test.each([
    ["a query", "/search?q=mug", `${SITE}/search?q=mug&start=10`],
    ["a page in the path", "/blog", `${SITE}/blog/page/2`],
    ["a page in the name of a file", "/", `${SITE}/catalogue/page-2.html`],
    ["a number at the end", "/products/1", `${SITE}/products/2`],
    ["another query on the same path", "/list", `${SITE}/list?token=abc`],
  ])("anything else: %s", (_, path, next) => {
    expect(findNextPage(page(heading("Title"), link("Next", next)), SITE + path)?.url).toBe(next);
  });

  test("a pager that is left over once all rows are there", () => {
    const pager = box("navigation", text("1"), link("2", "/list?page=2"), link("Next", "/list?page=2"));
    const rows = table(["Name", "Price"], ["Mug", "€4"], ["Bowl", "€6"], ["Plate", "€8"]);
    const url = "https://site.example/list";
    for (const line of ["Showing 1–3 of 3", "3 of 3 products", "3 products"]) {
      expect(findNextPage(page(box("paragraph", text(line)), rows, pager), url)).toBeNull();
    }
    for (const line of ["Showing 1–3 of 9", "9 products", "3 per page", "2 of 2 reviews"]) {
      expect(findNextPage(page(box("paragraph", text(line)), rows, pager), url)?.name).toBe("Next");
    }
  });
});

describe("a table on two pages", () => {
  const first = table(["Order", "Total"], ["A-1", "€4"]);
  const second = table(["Order", "Total"], ["A-2", "€6"]);
  const read = (one: string, other: string) =>
    readMerged([
      { url: one, root: page(heading("Your orders"), first) },
      { url: other, root: page(heading("More orders"), second) },
    ]).filter(({ set }) => set.kind === "table");

  test("is one list, whatever is above it", () => {
    const lists = read("https://shop.example/orders", "https://shop.example/orders?page=2");
    expect(lists.map(({ set }) => set.rows.length)).toEqual([2]);
  });

  test("is two lists on pages of different things", () => {
    expect(read("https://shop.example/teams/red", "https://shop.example/teams/blue")).toHaveLength(2);
  });
});

describe("a row that sums up others is not a record", () => {
  test.each([
    ["Total", ["Total", "3", "€18"]],
    ["a sum with a mark", ["Sum:", "", "€18"]],
    ["a grand total", ["Grand total", "", "€18"]],
    ["another language", ["Gesamtsumme", "3", "18 €"]],
  ])("%s", (_, total) => {
    const [set] = readRecordSets(
      page(table(["Name", "Count", "Price"], ["Mug", "1", "€8"], ["Bowl", "2", "€10"], total)),
    );
    expect(set?.rows).toHaveLength(2);
    expect(set?.totals.map(({ cells }) => cells.get("Price")?.text)).toEqual([total[2]]);
    expect(set?.unreadRows).toBe(0);
  });

  test("also when its label spans several columns", () => {
    const [set, labelled] = readRecordSets(
      page(table(["Name", "Count", "Price"], ["Mug", "1", "€8"], ["Bowl", "2", "€10"], ["Total", "€18"])),
    );
    expect(set).toMatchObject({ unreadRows: 0, totals: [{}] });
    expect(labelled?.rows[0]?.cells.get("Total")?.text).toBe("€18");
  });

  test("also what stands between a subtotal and the total", () => {
    const sums = [
      ["Subtotal", "€18"],
      ["VAT 21 %", "€4"],
      ["Total", "€22"],
    ];
    const [set, labelled] = readRecordSets(
      page(table(["Name", "Count", "Price"], ["Mug", "1", "€8"], ["Bowl", "2", "€10"], ...sums)),
    );
    expect(set).toMatchObject({ rows: [{}, {}], unreadRows: 0 });
    expect(labelled?.rows[0]?.cells.get("VAT 21 %")?.text).toBe("€4");
  });

  test("but merged cells without a total before them are not clear", () => {
    const [set] = readRecordSets(
      page(
        table(
          ["Name", "Count", "Price"],
          ["Mug", "1", "€8"],
          ["Bowl", "€10"],
          ["Total", "", "€18"],
          ["Plate", "1", "€9"],
          ["Jug", "€7"],
        ),
      ),
    );
    expect(set).toMatchObject({ rows: [{}, {}, {}], unreadRows: 2 });
  });

  test("also when it has no label at all", () => {
    const rows = [
      ["assets", "378 EUR"],
      ["expenses", "347 EUR"],
      ["income", "-725 EUR"],
    ] as const;
    const [set] = readRecordSets(page(table(["Account", "Balance"], ...rows, ["", "0 EUR"])));
    expect(set).toMatchObject({ rows: [{}, {}, {}], totals: [{}], unreadRows: 0 });
  });

  test("subtotals stand between the records", () => {
    const [set] = readRecordSets(
      page(
        table(
          ["Name", "Price"],
          ["Mug", "€8"],
          ["Subtotal", "€8"],
          ["Bowl", "€10"],
          ["Subtotal", "€10"],
          ["Total", "€18"],
        ),
      ),
    );
    expect(set?.rows.map(({ cells }) => cells.get("Name")?.text)).toEqual(["Mug", "Bowl"]);
    expect(set?.totals).toHaveLength(3);
  });

  test("but a record may be called so", () => {
    const [set] = readRecordSets(page(table(["Company", "Price"], ["Shell", "€30"], ["Total", "€55"], ["Eni", "€14"])));
    expect(set?.rows).toHaveLength(3);
  });
});

describe("the mark of a footnote is not part of a value", () => {
  const raised = (...children: ObservedNode[]) => box("superscript", ...children);
  const depthOf = (...children: ObservedNode[]) => {
    const [set] = readRecordSets(page(box("generic", box("term", text("Depth")), box("definition", ...children))));
    return set?.rows[0]?.cells.get("Depth")?.text;
  };

  test.each<[string, ObservedNode[]]>([
    ["a link in brackets", [text("310"), raised(link("[2]", "#note-2"))]],
    ["brackets", [text("310"), raised(text("[a]"))]],
    ["a link", [text("310"), raised(link("2", "#note-2"))]],
    ["a symbol", [text("310"), raised(text("†"))]],
    ["brackets that are not raised", [text("310[2]")]],
    ["a link in brackets that is not raised", [text("310"), link("[2]", "#note-2")]],
    ["a dagger", [text("310 ‡")]],
  ])("%s", (_, children) => {
    expect(depthOf(...children)).toBe("310");
  });

  test.each<[string, ObservedNode[], string]>([
    ["of a price", [text("€14.95"), raised(text("2"))], "€14.95"],
    ["of a price, as a character", [text("€14.95²")], "€14.95"],
    ["of a price, as a star", [text("€9.50*")], "€9.50"],
    ["of a day", [text("3 March 2026"), raised(text("1"))], "3 March 2026"],
    ["of a word", [text("Business"), raised(text("1"))], "Business"],
  ])("%s", (_, children, expected) => {
    expect(depthOf(...children)).toBe(expected);
  });

  test.each<[string, ObservedNode[], string]>([
    ["an index", [text("args[0]")], "args[0]"],
    ["a unit as a character", [text("12 m²")], "12 m²"],
    ["a unit", [text("310 m"), raised(text("2"))], "310 m 2"],
    ["a power", [text("10"), raised(text("3"))], "10 3"],
    ["cents", [text("€14"), raised(text("95"))], "€14 95"],
    ["a raised mark before the end", [text("310"), raised(text("[2]")), text("m")], "310 [2] m"],
    ["nothing but a mark", [raised(text("[2]"))], "[2]"],
  ])("but it may be %s", (_, children, expected) => {
    expect(depthOf(...children)).toBe(expected);
  });
});

describe("cards without list markup are all read, or counted as unread:", () => {
  const SHOP = "https://shop.example";
  const titled = (name: string, level = 3) => node("heading", name, { states: { level } });
  const card = (name: string, price = "£80.00") =>
    box("generic", link(name, `${SHOP}/chairs/${name.toLowerCase()}`), box("generic", text(price)));
  const [ash, cedar, dahlia] = ["Ash", "Cedar", "Dahlia"].map((name) => card(name)) as [
    ObservedNode,
    ObservedNode,
    ObservedNode,
  ];
  const read = (...children: ObservedNode[]) => {
    const sets = readRecordSets(page(heading("Chairs"), box("generic", ...children))).filter(
      ({ kind }) => kind === "list",
    );
    return sets.map(({ rows, unreadRows }) => ({
      names: rows.map(({ cells }) => cells.get("title")?.text),
      unreadRows,
    }));
  };
  const four = [{ names: ["Ash", "Birch", "Cedar", "Dahlia"], unreadRows: 0 }];
  const three = (unreadRows: number) => [{ names: ["Ash", "Cedar", "Dahlia"], unreadRows }];

  test.each<[string, ObservedNode[]]>([
    ["one without a price", [ash, card("Birch", "Price on request"), cedar, dahlia]],
    ["one without anything but its name", [ash, box("generic", link("Birch", `${SHOP}/chairs/birch`)), cedar, dahlia]],
    [
      "one without a link",
      [ash, box("generic", box("generic", text("Birch")), box("generic", text("£60"))), cedar, dahlia],
    ],
  ])("%s is a row", (_, cards) => {
    expect(read(...cards)).toEqual(four);
  });

  test("the last one without a price is a row", () => {
    expect(read(ash, cedar, dahlia, card("Birch", "Price on request"))[0]).toMatchObject({ unreadRows: 0 });
    expect(read(ash, cedar, dahlia, card("Birch", "Price on request"))[0]?.names).toContain("Birch");
  });

  test("one with a heading of another level is a row", () => {
    const cards = ["Ash", "Birch", "Cedar", "Dahlia"].map((name) =>
      box("generic", titled(name, name === "Birch" ? 2 : 3), box("generic", text("£80.00"))),
    );
    expect(read(...cards)).toEqual(four);
  });

  test.each<[string, ObservedNode[]]>([
    [
      "text and a price in one element",
      [ash, box("generic", text("Birch"), box("generic", text("£60"))), cedar, dahlia],
    ],
    ["the same at the end", [ash, cedar, dahlia, box("generic", text("Birch"), box("generic", text("£60")))]],
    [
      "an offer",
      [ash, cedar, box("generic", box("generic", text("Free delivery")), box("generic", text("Over £50"))), dahlia],
    ],
    ["the link of one", [link("Birch", `${SHOP}/chairs/birch`), ash, cedar, dahlia]],
    ["text between them", [ash, text("Birch"), cedar, dahlia]],
  ])("%s may be one", (_, children) => {
    expect(read(...children)).toEqual(three(1));
  });

  test("the last one may be one where links lead anywhere", () => {
    const at = (name: string, price: string) =>
      box("generic", link(name, `${SHOP}/${name}`), box("generic", text(price)));
    const cards = [at("Ash", "£80"), at("Cedar", "£95"), at("Dahlia", "£70"), at("Birch", "Price on request")];
    expect(read(...cards)).toEqual(three(1));
  });

  test("what is around and between them is none", () => {
    const children = [
      box("generic", text("12 chairs"), link("Clear", `${SHOP}/chairs`)),
      box("generic", box("generic", text("Sort by")), node("button", "Price")),
      ash,
      box("generic", text("Advertisement")),
      node("separator"),
      cedar,
      text("3 March 2026"),
      dahlia,
      box("generic", box("generic", text("Total")), box("generic", text("£255.00"))),
      box(
        "generic",
        link("1", `${SHOP}/chairs?page=1`),
        link("2", `${SHOP}/chairs?page=2`),
        link("Next", `${SHOP}/chairs?page=2`),
      ),
      node("button", "Load more"),
      link("See all chairs", `${SHOP}/chairs/all`),
      box("generic", text("© 2026"), link("About", `${SHOP}/about`)),
    ];
    expect(read(...children)).toEqual(three(0));
  });

  const at = (x: number, y: number, width: number) => ({ box: { x, y, width, height: 40 } });
  const row = (y: number, ...cards: ObservedNode[]) => ({
    ...box("generic", ...cards.map((each, index) => ({ ...each, ...at(index * 100, y, 100) }))),
    ...at(0, y, 300),
  });

  test("rows of a grid are one list", () => {
    expect(read(row(0, ash, card("Birch")), row(40, cedar, dahlia))).toEqual(four);
    expect(read(row(0, ash, card("Birch"), cedar), { ...dahlia, ...at(0, 40, 100) })).toEqual(four);
  });

  test("rows of a grid under headings are a list each", () => {
    const [featured, all] = read(
      row(0, ash, cedar),
      titled("All", 2),
      row(40, ash, cedar),
      row(80, dahlia, card("Birch")),
    );
    expect([featured?.names.length, all?.names.length]).toEqual([2, 4]);
  });

  test("boxes that may be rows of a grid or cards with parts are not clear", () => {
    const [list] = read(box("generic", ash, card("Birch")), box("generic", cedar, dahlia));
    expect(list?.unreadRows).toBeGreaterThan(0);
  });

  test("articles need no price", () => {
    const articles = ["Ash", "Cedar", "Dahlia"].map((name) =>
      box("article", link(name, `${SHOP}/news/${name}`), box("generic", text("By M. Reyes"))),
    );
    expect(read(...articles)).toEqual(three(0));
  });
});
