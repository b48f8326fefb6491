import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Harvests, startHarvests } from "../../_harness/harvest.ts";
import { COLUMNS, FIRST, LIST, NUMBER, object, products, SECOND, STRING } from "../../_harness/harvest-pages.ts";

let harvests: Harvests;
beforeAll(async () => {
  harvests = await startHarvests();
});
afterAll(() => harvests[Symbol.asyncDispose]());

describe("an object that is a row", () => {
  const schema = object({ name: STRING, price: NUMBER });
  const columns = COLUMNS.slice(0, 2);

  test("is selected by code, with the task's own conditions", async () => {
    const harvest = await harvests.begin("What does the cheapest product cost that is in stock?", schema);
    const order = { column: "c2", direction: "ascending" as const, asked: "cheapest" };
    const where = [{ column: "c4", is: "is_true" as const, asked: "in stock" }];
    const limit = { count: 1, asked: "cheapest product" };
    await harvest.gather(SECOND, { records: [{ target: "o1", records: "r1", columns, where, order, limit }] });
    expect(harvest.result()).toMatchObject({ data: { name: "Jar", price: 12 }, missing: [] });
    expect(harvest.ungrounded()).toEqual([]);
  });

  test("is the first of an order only when all pages were seen, or the site shows them in that order", async () => {
    const harvest = await harvests.begin("The dearest product", schema);
    const order = { column: "c2", direction: "descending" as const, asked: "dearest" };
    const record = { target: "o1", records: "r1", columns, order, limit: { count: 1, asked: "dearest" } };
    const next = '<nav><a href="?page=1">1</a> <a href="?page=2">2</a> <a href="?page=2">Next</a></nav>';
    const unordered = [
      ["Mug", "€6.90"],
      ["Kettle", "€64.90"],
      ["Jar", "€12.00"],
    ];
    await harvest.gather(products(unordered, next), { records: [record] });
    expect(harvest.result().missing[0]).toMatchObject({
      pointer: "/name",
      reason: expect.stringContaining("More pages"),
    });
    await harvest.gather(products([["Stove", "€640.00"]]));
    expect(harvest.result()).toMatchObject({ data: { name: "Stove", price: 640 }, missing: [] });
    expect(harvest.requests).toHaveLength(1);
    const ordered = await harvests.begin("The dearest product", schema);
    await ordered.gather(
      products(
        [
          ["Kettle", "€64.90"],
          ["Jar", "€12.00"],
          ["Mug", "€6.90"],
        ],
        next,
      ),
      { records: [record] },
    );
    expect(ordered.result()).toMatchObject({ data: { name: "Kettle", price: 64.9 }, missing: [] });
  });

  test("is rejected when several rows match", async () => {
    const harvest = await harvests.begin("A product in stock", schema);
    const where = [{ column: "c4", is: "is_true" as const, asked: "in stock" }];
    const answer = { records: [{ target: "o1", records: "r1", columns, where }] };
    await harvest.gather(FIRST, answer, answer);
    const reason = expect.stringContaining("2 rows match, not one");
    expect(harvest.result().missing).toEqual([
      { pointer: "/name", reason },
      { pointer: "/price", reason },
    ]);
    expect(harvest.requests[1]?.text).toContain("2 rows match, not one");
  });
});

describe("a list", () => {
  test("is read from all rows by code, over several pages without asking again, and reports whether it is complete", async () => {
    const harvest = await harvests.begin("List all products", LIST);
    await harvest.gather(FIRST, { records: [{ target: "l1", records: "r1", columns: COLUMNS }] });
    expect(harvest.result().coverage).toBe("3 rows on 1 page; more pages exist.");
    const report = await harvest.gather(SECOND);
    const { data, leaves, coverage, missing } = harvest.result();
    expect(data).toMatchObject({
      products: [
        { name: "Kettle", price_cents: 6490, link: expect.stringMatching(/\/p\/Kettle$/) },
        { name: "Mug", price_cents: 690 },
        { name: "Jar", price_cents: 1200 },
        { name: "Bowl", price_cents: 1450 },
      ],
    });
    expect(leaves.find(({ pointer }) => pointer === "/products/3/price_cents")).toMatchObject({
      quote: "€14.50",
      location: { observationNumber: 2 },
    });
    expect([missing, harvest.requests.length]).toEqual([[], 1]);
    expect(coverage).toBe("4 rows on 2 pages, 1 shown again and counted once.");
    expect(report).toContain("Nothing required is missing.");
  });

  test("has only the rows that the task asks for, in that order", async () => {
    const harvest = await harvests.begin("List the two dearest products under €20", LIST);
    await harvest.gather(FIRST.replace(/<nav>.*<\/nav>/, ""), {
      records: [
        {
          target: "l1",
          records: "r1",
          columns: COLUMNS,
          where: [{ column: "c2", is: "below", value: "€20", asked: "under €20" }],
          order: { column: "c2", direction: "descending", asked: "dearest" },
          limit: { count: 2, asked: "two dearest" },
        },
      ],
    });
    expect(harvest.result().data).toMatchObject({ products: [{ name: "Jar" }, { name: "Mug" }] });
    expect(harvest.result().coverage).toContain(
      '2 of them match ("Unit price" below €20), ordered by "Unit price", descending',
    );
  });

  test.each([
    ["unknown rows", { records: "r9" }, 'no records "r9"'],
    ["an unknown column", { columns: [{ leaf: "v1", column: "c9" }] }, 'no column "c9"'],
    ["a value of another object", { columns: [{ leaf: "v9", column: "c1" }] }, '"v9" is not a value'],
    [
      "a condition that the task does not ask for",
      { where: [{ column: "c2", is: "below" as const, value: "€10", asked: "only cheap ones" }] },
      "does not ask for the condition",
    ],
    [
      "a condition on another amount",
      { where: [{ column: "c2", is: "below" as const, value: "€10", asked: "under €20" }] },
      'does not say "€10"',
    ],
    ["a limit that the task does not name", { limit: { count: 2, asked: "products" } }, "limit of 2"],
    [
      "an order that the task does not ask for",
      { order: { column: "c2", direction: "ascending" as const, asked: "sorted by price" } },
      "does not ask for the order",
    ],
  ])("is refused with %s", async (_, part, reason) => {
    const harvest = await harvests.begin("List all products under €20", LIST);
    const answer = { records: [{ target: "l1", records: "r1", columns: COLUMNS, ...part }] };
    await harvest.gather(FIRST, answer, answer);
    expect(harvest.requests[1]?.text).toContain(reason);
    expect(harvest.result()).toMatchObject({ data: {}, leaves: [], missing: [{ pointer: "/products" }] });
  });

  test("is not accepted row by row when the page has a table of it", async () => {
    const harvest = await harvests.begin("List all products", LIST);
    const answer = { values: [{ leaf: "v1", item: 1, value: "Mug", quote: "Mug" }] };
    await harvest.gather(FIRST, answer, answer);
    expect(harvest.requests[1]?.text).toContain("name the columns of r1");
    expect(harvest.result().missing).toMatchObject([{ pointer: "/products" }]);
  });

  test("may be given item by item when it is in running text", async () => {
    const schema = object({ authors: { type: "array", items: object({ name: STRING }) } });
    const harvest = await harvests.begin("Who are the authors?", schema);
    const page = "<main><h1>On kettles</h1><p>Written by Ada Brook, with drawings of Bo Reed.</p></main>";
    await harvest.gather(page, {
      values: ["Ada Brook", "Bo Reed"].map((value, index) => ({ leaf: "v1", item: index + 1, value, quote: value })),
    });
    expect(harvest.result().data).toEqual({ authors: [{ name: "Ada Brook" }, { name: "Bo Reed" }] });
    expect(harvest.result().coverage).toContain("may not be all");
  });

  describe("of parts of cells", () => {
    const BOOKS = `<main><h1>Books</h1><table><tr><th>Book</th><th>State</th></tr>
      ${[
        "Kettles (1999) by Ada Brook",
        "Mugs (2004) by Bo Reed",
        "Jars (2011) by Cy Moss",
        "Pans (2012) by Di Hart",
        "Lids (2013) by Ed Lane",
        "Cups (2014) by Flo Dean",
      ]
        .map((book) => `<tr><td>${book}</td><td>In print</td></tr>`)
        .join("")}</table></main>`;
    const AUTHORS = ["Ada Brook", "Bo Reed", "Cy Moss", "Di Hart", "Ed Lane", "Flo Dean"];
    const YEARS = [1999, 2004, 2011, 2012, 2013, 2014];
    const schema = object({ books: { type: "array", items: object({ author: STRING, year: { type: "integer" } }) } });
    const itemsOf = (authors: string[], years: number[]) => ({
      values: authors.flatMap((author, index) => [
        { leaf: "v1", item: index + 1, value: author, quote: author },
        { leaf: "v2", item: index + 1, value: years[index] ?? 0, quote: `(${years[index]})` },
      ]),
    });

    test("is given item by item, for every row", async () => {
      const harvest = await harvests.begin("Who wrote the books, and when?", schema);
      await harvest.gather(BOOKS, itemsOf(AUTHORS, YEARS));
      const books = AUTHORS.map((author, index) => ({ author, year: YEARS[index] }));
      expect(harvest.result()).toMatchObject({ data: { books }, missing: [] });
      expect(harvest.ungrounded()).toEqual([]);
    });

    test("names the rows that were left out, of which the model was shown only a few", async () => {
      const harvest = await harvests.begin("Who wrote the books, and when?", schema);
      await harvest.gather(BOOKS, itemsOf(AUTHORS.slice(0, 3), YEARS), itemsOf(AUTHORS, YEARS));
      expect(harvest.requests[0]?.text).not.toContain("Flo Dean");
      expect(harvest.requests[1]?.text).toContain('"Cups (2014) by Flo Dean In print"');
      expect(harvest.result().data).toMatchObject({ books: { length: 6 } });
    });

    test.each([
      ["leaves out a row", itemsOf(AUTHORS.slice(0, 5), YEARS), "these rows have none"],
      ["takes values from two rows", itemsOf(AUTHORS, YEARS.toReversed()), "name the columns of r1"],
      ["cuts a word", itemsOf(["Ada Broo", ...AUTHORS.slice(1)], YEARS), "does not say"],
      ["has another number", itemsOf(AUTHORS, [1998, ...YEARS.slice(1)]), "is not on the page"],
    ])("is rejected when it %s", async (_, answer, reason) => {
      const harvest = await harvests.begin("Who wrote the books, and when?", schema);
      await harvest.gather(BOOKS, answer, answer);
      expect(harvest.requests[1]?.text).toContain(reason);
      expect(harvest.result().missing).toMatchObject([{ pointer: "/books" }]);
    });

    test("may all be of one cell", async () => {
      const harvest = await harvests.begin(
        "Which colours are there?",
        object({ colours: { type: "array", items: STRING } }),
      );
      const page = `<main><h1>Kettle</h1><table><tr><th>Property</th><th>Value</th></tr><tr><td>Weight</td><td>1.2 kg</td></tr>
        <tr><td>Colours</td><td>red, dark blue and green</td></tr><tr><td>Maker</td><td>Brindle</td></tr></table></main>`;
      const colours = ["red", "dark blue", "green"];
      await harvest.gather(page, {
        values: colours.map((value, index) => ({ leaf: "v1", item: index + 1, value, quote: value })),
      });
      expect(harvest.result()).toMatchObject({ data: { colours }, missing: [] });
      expect(harvest.ungrounded()).toEqual([]);
    });
  });

  test("of plain values, or with lists inside its rows, is read in the same way", async () => {
    const schema = object({
      sizes: { type: "array", items: STRING },
      offers: { type: "array", items: object({ name: STRING, colours: { type: "array", items: STRING } }, ["name"]) },
    });
    const harvest = await harvests.begin("The sizes and the products", schema);
    await harvest.gather(`${FIRST}<ul aria-label="Sizes"><li>Small</li><li>Large</li></ul>`, {
      records: [
        { target: "l1", records: "r2", columns: [{ leaf: "v1", column: "c1" }] },
        {
          target: "l2",
          records: "r1",
          columns: [
            { leaf: "v2", column: "c1" },
            { leaf: "v3", column: "c3" },
          ],
        },
      ],
    });
    expect(harvest.result().data).toMatchObject({
      sizes: ["Small", "Large"],
      offers: [{ name: "Kettle", colours: ["red", "blue"] }, { name: "Mug", colours: ["white"] }, { name: "Jar" }],
    });
    expect(harvest.ungrounded()).toEqual([]);
  });

  test("cannot be ordered by amounts of several currencies", async () => {
    const harvest = await harvests.begin("The cheapest first", LIST);
    const page = products([
      ["Kettle", "€64.90", "", ""],
      ["Mug", "£6.90", "", ""],
    ]);
    const order = { column: "c2", direction: "ascending" as const, asked: "cheapest first" };
    await harvest.gather(page, { records: [{ target: "l1", records: "r1", columns: COLUMNS, order }] });
    expect(harvest.result().missing[0]?.reason).toContain("amounts are in several currencies");
  });
});
