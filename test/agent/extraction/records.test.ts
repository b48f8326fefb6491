import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readRecordSets } from "../../../src/agent/extraction/read-record-sets.ts";
import type { RecordSet } from "../../../src/agent/extraction/record-set.ts";
import type { ObservedNode } from "../../../src/browser/observation/observation.ts";
import { node } from "../../_harness/observed.ts";
import { type ObservedPage, type ObservedSite, startObservedSite } from "../../_harness/observed-page.ts";

let site: ObservedSite;
let shown: ObservedPage;

beforeAll(async () => {
  site = await startObservedSite();
  shown = await site.show("");
});

afterAll(async () => {
  await shown[Symbol.asyncDispose]();
  await site[Symbol.asyncDispose]();
});

describe("tables on a real page", () => {
  test("have columns, row headers, links and a name", async () => {
    const [set] = await read(`<h2>Orders</h2><table><caption>Your orders</caption>
      <thead><tr><th>Order<th>Total<th>Placed</thead>
      <tbody><tr><th scope=row><a href="/o/1">1001</a> <small>gift</small><td>£12.00<td>12 March 2026
      <tr><th scope=row><a href="/o/2">1002</a><td>£9.50<td>1 March 2026</table>`);
    expect(set).toMatchObject({
      kind: "table",
      name: "Your orders",
      columns: ["Order", "Total", "Placed"],
      titleColumn: "Order",
    });
    expect(data(set)).toEqual([
      { Order: "1001", Total: "£12.00", Placed: "12 March 2026" },
      { Order: "1002", Total: "£9.50", Placed: "1 March 2026" },
    ]);
    expect(set?.rows[0]?.cells.get("Order")?.url).toBe(`${site.site.url}/o/1`);
    expect(set?.rows[0]?.cells.get("Order")?.whole).toBe("1001 gift");
  });

  test("keep a cell that spans two rows in both, and read merged columns as labelled values", async () => {
    const [set, labelled] = await read(`<table><tr><th>Day<th>Course<th>Price
      <tr><td rowspan=2>Monday<td>Soup<td>£4<tr><td>Stew<td>£9
      <tr><td colspan=3>Tuesday is our day off
      <tr><td colspan=2>Sum<td>£13</table>`);
    expect(data(set)).toEqual([
      { Day: "Monday", Course: "Soup", Price: "£4" },
      { Day: "Monday", Course: "Stew", Price: "£9" },
    ]);
    expect(set).toMatchObject({ totals: [{}], unreadRows: 1 });
    expect(data(labelled)).toEqual([{ Sum: "£13" }]);
  });

  test("contain the values of fields in their cells, and no buttons", async () => {
    const [set] = await read(`<table><tr><th>Product<th>Quantity<th>Gift<th>Do
      <tr><td>Mug<td><input aria-label="Quantity of mugs" value=2><td><input type=checkbox aria-label=Gift checked><td><button>Remove</button></table>`);
    expect(data(set)).toEqual([{ Product: "Mug", Quantity: "2", Gift: "☑ Gift" }]);
  });

  test("have a name for each column, even when two have the same name and one has none", async () => {
    const [set] = await read("<table><tr><th>Total<th><th>Total<tr><td>1<td>2<td>3</table>");
    expect(set?.columns).toEqual(["Total", "column 2", "Total 2"]);
  });

  test("are read inside a table that only lays out the page", async () => {
    const sets = await read(`<table><tr><td>Menu<td><table><tr><th>Name<th>Age<tr><td>Ada<td>36</table></table>`);
    expect(sets.map(data)).toEqual([[{ Name: "Ada", Age: "36" }]]);
  });

  test("find their header in a first row of plain cells above numbers", async () => {
    const [set] = await read(
      "<table><tr><td>Name<td>Age<td>Town<tr><td>Ada<td>36<td>London<tr><td>Bo<td>41<td>Oslo</table>",
    );
    expect(data(set)[0]).toEqual({ Name: "Ada", Age: "36", Town: "London" });
  });

  test("name their columns by content when there is no header", async () => {
    const [set] = await read("<table><tr><td>Mug<td>£4<td>12 May 2026<tr><td>Jar<td>£5<td>13 May 2026</table>");
    expect(data(set)[0]).toEqual({ title: "Mug", price: "£4", date: "12 May 2026" });
  });

  test("are found when they are empty", async () => {
    const [set] = await read("<h2>Orders</h2><table><tr><th>Order<th>Total</table>");
    expect(set).toMatchObject({ kind: "table", name: "Orders", columns: ["Order", "Total"], rows: [] });
  });

  test("may be grids of any element", async () => {
    const [set] =
      await read(`<div role=grid aria-label=People><div role=rowgroup><div role=row><span role=columnheader>Name</span>
      <span role=columnheader>Day</span></div></div><div role=row><span role=gridcell>Ada</span> <span role=gridcell><button>4 May</button></span></div></div>`);
    expect(data(set)).toEqual([{ Name: "Ada", Day: "4 May" }]);
  });
});

describe("lists and cards on a real page", () => {
  test("have a title, and their other lines by kind", async () => {
    const [set] = await read(`<h2>Offers</h2><ul>
      <li><a href="/k"><h3>Kettle</h3></a><p>£20.00</p><p>In stock</p><p>Colour: red</p><button>Buy</button>
      <li><a href="/m"><h3>Mug</h3></a><p><del>£9.00</del> <ins>£4.00</ins></p><p>4.5 stars</p><p>Stoneware</p></ul>`);
    expect(set).toMatchObject({ kind: "list", name: "Offers", titleColumn: "title" });
    expect(data(set)).toEqual([
      { title: "Kettle", price: "£20.00", availability: "In stock", Colour: "red" },
      { title: "Mug", "old price": "£9.00", price: "£4.00", rating: "4.5 stars", text: "Stoneware" },
    ]);
    expect(set?.rows.map(({ cells }) => cells.get("title")?.url)).toEqual([`${site.site.url}/k`, `${site.site.url}/m`]);
  });

  test("are found in elements with the same structure", async () => {
    const [set] = await read(`<main><h2>Results</h2><div><div><h3>Kettle</h3><p>£34.00</p></div>
      <div>Advertisement</div><div><h3>Mug</h3><p>£4.00</p><span>New</span></div></div></main>`);
    expect(set).toMatchObject({ name: "Results" });
    expect(data(set)).toEqual([
      { title: "Kettle", price: "£34.00" },
      { title: "Mug", price: "£4.00", text: "New" },
    ]);
  });

  test("are found under headings on one level", async () => {
    const [set] = await read("<h1>Shop</h1><h2>Kettle</h2><p>£34.00</p><h2>Mug</h2><p>£4.00</p>");
    expect(data(set)).toEqual([
      { title: "Kettle", price: "£34.00" },
      { title: "Mug", price: "£4.00" },
    ]);
  });

  test("say which of their check boxes are checked", async () => {
    const [set] = await read(
      "<ul><li><label><input type=checkbox checked>Milk</label><li><label><input type=checkbox>Bread</label></ul>",
    );
    expect(set?.rows.map(({ cells }) => [cells.get("title")?.text, cells.get("checked")?.text])).toEqual([
      ["Milk", "☑"],
      ["Bread", "☐"],
    ]);
  });

  test("are outside the main part when they are navigation", async () => {
    const sets = await read(
      "<nav><ul><li><a href=/a>Home</a><li><a href=/b>Shop</a></ul></nav><main><ul><li>Flour<li>Salt</ul></main>",
    );
    expect(sets.map(({ region }) => region)).toEqual(["around", "main"]);
  });
});

describe("labelled values on a real page", () => {
  test.each([
    ["definitions", "<dl><dt>Order number<dd>123<dt>Status<dd>Sent</dl>", { "Order number": "123", Status: "Sent" }],
    [
      "grouped definitions",
      "<dl><div><dt>A:</dt><dd>1</dd></div><div><dt>B</dt><dd>x</dd></div></dl>",
      { A: "1", B: "x" },
    ],
    ["text with a colon", "<p>Order number: 123</p>", { "Order number": "123" }],
    [
      "marked-up labels in one line",
      "<p><strong>Order:</strong> 123 <strong>Total:</strong> £4</p>",
      { Order: "123", Total: "£4" },
    ],
    ["a label next to its value", "<div><div>Subtotal</div><div>£4</div></div>", { Subtotal: "£4" }],
    [
      "a label and a value without a space between them",
      "<div><span>Subtotal</span><span>£4</span></div>",
      { Subtotal: "£4" },
    ],
    [
      "row headers",
      "<table><tr><th scope=row>Weight<td>3 kg<tr><th scope=row>Colour<td>red</table>",
      { Weight: "3 kg", Colour: "red" },
    ],
    ["a list of pairs", "<ul><li><b>Weight:</b> 3 kg<li>Colour: red</ul>", { Weight: "3 kg", Colour: "red" }],
    ["a sentence", "<p>Thank you! Your order number is T-10062.</p>", { "order number": "T-10062" }],
    ["a heading", "<h2>Order T-10062</h2>", { Order: "T-10062" }],
    [
      "fields",
      "<label>Name <input value=Ada></label><label>Town <select><option>Oslo<option selected>Bergen</select></label>",
      { Name: "Ada", Town: "Bergen" },
    ],
    ["check boxes", "<label><input type=checkbox checked>Gift wrap</label>", { "Gift wrap": "☑" }],
    [
      "radio buttons",
      "<fieldset><legend>Size</legend><label><input type=radio name=s>S</label><label><input type=radio name=s checked>M</label></fieldset>",
      { Size: "M" },
    ],
    [
      "a page about one item",
      "<main><h1>Kettle</h1><p>€64.90 with VAT</p><h2>More</h2><p>€9.00</p></main>",
      { title: "Kettle", price: "€64.90 with VAT" },
    ],
  ])("are %s", async (_, html, expected) => {
    const sets = await read(html);
    expect(Object.assign({}, ...sets.filter(({ kind }) => kind === "labelled").flatMap(data))).toEqual(expected);
  });

  test("are both kept when a label is repeated", async () => {
    const [set] = await read("<p>Name: Ada</p><p>Town: Oslo</p><p>Name: Bo</p>");
    expect(data(set)).toEqual([{ Name: "Ada", Town: "Oslo" }, { Name: "Bo" }]);
  });

  test.each([
    ["a secret", "<label>Password <input type=password value=hunter2></label>"],
    ["a time", "<p>Open 10:30 to 12:00</p>"],
    ["a sentence about a price", "<p>Free delivery from €50</p>"],
    ["several labels in one text", "<p>Name: Ada Town: Oslo</p>"],
  ])("are not made of %s", async (_, html) => {
    expect(await read(html)).toEqual([]);
  });
});

describe("hostile trees", () => {
  test("do not guess at merged cells without boxes", () => {
    const root = table(["Name", "Price", "Stock"], [["Mug", "£4", "3"], ["Total", "£4"], ["just one"]]);
    const [set, labelled] = readRecordSets(root);
    expect(data(set)).toEqual([{ Name: "Mug", Price: "£4", Stock: "3" }]);
    expect(set?.unreadRows).toBe(2);
    expect(data(labelled)).toEqual([{ Total: "£4" }]);
  });

  test("may have columns named like object members", () => {
    const [set] = readRecordSets(table(["__proto__", "constructor"], [["a", "b"]]));
    expect(set?.rows[0]?.cells.get("__proto__")?.text).toBe("a");
    expect({}.constructor).toBe(Object);
  });

  test("read a table inside each cell on its own", () => {
    const inner = table(["B"], [["2"]]).children;
    const root = table(["A", "Inner"], [["1", ""]]);
    const cell = root.children[0]?.children[1]?.children[1];
    if (cell === undefined) throw new Error("no cell");
    Object.assign(cell, { children: inner });
    expect(readRecordSets(root).map(data)).toEqual([[{ A: "1" }], [{ B: "2" }]]);
  });

  test("read five thousand rows, each once", () => {
    const rows = Array.from({ length: 5_000 }, (_, index) => [`Product ${index}`, `£${index}.00`, "12 March 2026"]);
    const [set] = readRecordSets(table(["Name", "Price", "Day"], rows));
    expect(set?.rows.length).toBe(5_000);
    expect(set?.rows.at(-1)?.cells.get("Price")?.text).toBe("£4999.00");
  });
});

async function read(html: string): Promise<readonly RecordSet[]> {
  await shown.page.setContent(html);
  const { root, url } = await shown.observe();
  return readRecordSets(root, url);
}

/** The rows without their empty cells. */
function data(set: RecordSet | undefined): Record<string, string>[] {
  const rows = set?.rows.map(({ cells }) =>
    [...cells].flatMap(([column, { text }]) => (text === "" ? [] : [[column, text]])),
  );
  return rows?.map((row) => Object.fromEntries(row)) ?? [];
}

function table(header: string[], rows: string[][]): ObservedNode {
  const cells = (role: string, texts: string[]) => texts.map((text) => node(role, text));
  const head = node("row", "", { children: cells("columnheader", header) });
  const body = rows.map((texts) => node("row", "", { children: cells("cell", texts) }));
  return node("document", "", { children: [node("table", "", { children: [head, ...body] })] });
}
