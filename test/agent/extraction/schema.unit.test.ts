import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { fillSchema, type SchemaSources } from "../../../src/agent/extraction/fill-schema.ts";
import { readMerged } from "../../../src/agent/extraction/merged-pages.ts";
import type { ObservedNode } from "../../../src/browser/observation/observation.ts";
import { node, observation } from "../../_harness/observed.ts";

const URL = "https://shop.example/";
const STRING = { type: "string" };
const NUMBER = { type: "number" };
const DATE = { type: "string", format: "date" };
const box = (role: string, ...children: ObservedNode[]) => node(role, "", { children });
const line = (text: string) => node("paragraph", text);
const link = (name: string) => node("link", name, { url: `${URL}${name.toLowerCase()}` });
const page = (...children: ObservedNode[]) => observation(URL, [box("main", ...children)]);
const table = (name: string, ...rows: string[][]) => {
  const toCell = (text: string, isHeader: boolean) =>
    isHeader
      ? node("columnheader", text)
      : text.startsWith("@")
        ? box("cell", link(text.slice(1)))
        : node("cell", text);
  return node("table", name, {
    children: rows.map((row, index) => box("row", ...row.map((text) => toCell(text, index === 0)))),
  });
};
const PRODUCTS = page(
  table(
    "Products",
    ["Product", "Unit price", "Rating", "Availability", "Added"],
    ["@Kettle", "€64.90", "★ 4.7 (128)", "In stock", "12 March 2026"],
    ["@Mug", "€16.90", "★ 4.5 (3)", "Sold out", "1 May 2026"],
    ["@Jar", "", "", "", ""],
  ),
  table("Reviews", ["Reviewer", "Text"], ["Ada", "Nice kettle"], ["Bo", "Nice mug"]),
);

describe("cards that differ from the others", () => {
  const card = (name: string, price: string) =>
    box("generic", link(`chairs/${name}`), box("generic", node("text", price)));
  const CHAIRS = page(
    box(
      "generic",
      card("ash", "£80.00"),
      box("generic", node("text", "Birch"), box("generic", node("text", "£60.00"))),
      card("cedar", "£95.00"),
    ),
  );

  test.each([
    ["objects", { type: "array", items: object({ name: STRING, price: NUMBER }, ["name", "price"]) }],
    ["values", object({ price: { type: "array", items: NUMBER } }, ["price"])],
  ])("are not left out of a list of %s without a word", (_, schema) => {
    expect(fill(schema, CHAIRS, {}, "all chairs").missing).toMatchObject([
      { reason: expect.stringContaining("could not be read") },
    ]);
  });
});

describe("values that the page does not have", () => {
  const WEIGHT = { name: STRING, weight: STRING };

  test("are reported even if the schema does not require them", () => {
    const list = { type: "array", items: object(WEIGHT, ["name"]) };
    expect(fill(list, PRODUCTS, {}, "all products").coverage).toBe("1 page, 3 rows; weight was not found.");
    expect(fill(object({ shop: object({ products: list }, []) }, []), PRODUCTS).coverage).toContain(
      "weight was not found",
    );
  });

  test("are reported where they are null", () => {
    const list = {
      type: "array",
      items: object({ name: STRING, weight: { type: ["string", "null"] } }, ["name", "weight"]),
    };
    expect(fill(list, PRODUCTS, {}, "all products").coverage).toBe("1 page, 3 rows; weight was not found.");
  });
});

describe("a list of objects", () => {
  test("comes from the table with matching columns, each leaf in its type", () => {
    const items = object(
      {
        name: STRING,
        unit_price: { anyOf: [NUMBER, { type: "null" }] },
        url: { type: "string", format: "uri" },
        ratings: NUMBER,
        available: { type: "boolean", title: "Availability" },
        date: { ...DATE, description: "added" },
        kind: { const: "product" },
      },
      ["name", "unit_price"],
    );
    const { data, leaves, missing, coverage } = fill(
      object({ products: { type: "array", items } }, ["products"]),
      PRODUCTS,
    );
    expect(data).toEqual({
      products: [
        {
          name: "Kettle",
          unit_price: 64.9,
          url: `${URL}kettle`,
          ratings: 4.7,
          available: true,
          date: "2026-03-12",
          kind: "product",
        },
        {
          name: "Mug",
          unit_price: 16.9,
          url: `${URL}mug`,
          ratings: 4.5,
          available: false,
          date: "2026-05-01",
          kind: "product",
        },
        { name: "Jar", unit_price: null, url: `${URL}jar`, kind: "product" },
      ],
    });
    expect(missing).toEqual([]);
    expect(coverage).toMatch(/^1 page, 3 rows; unit_price was not found in 1 of 3; /);
    const location = { observationNumber: 1, box: null };
    expect(leaves).toContainEqual({
      pointer: "/products/1/unit_price",
      value: 16.9,
      quote: "€16.90",
      url: URL,
      location,
    });
    expect(leaves).toContainEqual({
      pointer: "/products/0/url",
      value: `${URL}kettle`,
      quote: `${URL}kettle`,
      url: URL,
      location,
    });
  });

  test("reports which required values a row lacks", () => {
    const { data, missing } = fill(
      { type: "array", items: object({ product: STRING, unitPrice: NUMBER }, ["unitPrice"]) },
      PRODUCTS,
    );
    expect(data).toHaveLength(3);
    expect(missing).toEqual([{ pointer: "/2/unitPrice", reason: "The record does not have it." }]);
  });

  test("comes from the records that are asked for, where the task says which", () => {
    const schema = { type: "array", items: object({ name: STRING }) };
    const [all] = readMerged([PRODUCTS]);
    if (all === undefined) throw new Error("no records");
    const records = { ...all, set: { ...all.set, rows: all.set.rows.slice(1, 2) } };
    expect(fill(schema, PRODUCTS, { records }).data).toEqual([{ name: "Mug" }]);
    expect(fill(schema, PRODUCTS, { records: { ...all, set: { ...all.set, rows: [] } } }).data).toEqual([]);
    expect(fill({ ...schema, maxItems: 2 }, PRODUCTS, {}, "all products").data).toHaveLength(2);
  });

  test("continues over several pages, and says when there are more", () => {
    const pages = ["@A", "@B", "@B"].map((name, index) => ({
      ...page(
        table("Things", ["Name", "Price"], [name, "€1"], [`${name}x`, "€2"]),
        node("link", "Next", { url: `${URL}?page=${index + 2}` }),
      ),
      url: `${URL}?page=${index + 1}`,
    }));
    const extraction = fillSchema({ type: "array", items: object({ name: STRING }) }, { pages });
    expect(extraction.data).toEqual([{ name: "A" }, { name: "Ax" }, { name: "B" }, { name: "Bx" }]);
    expect(extraction.coverage).toBe("3 pages, 4 rows, 2 repeated; more pages exist.");
    expect(extraction.leaves.map(({ url }) => url.at(-1))).toEqual(["1", "1", "2", "2"]);
  });

  test("is chosen among lists by the words of the prompt and of the property", () => {
    const seen = page(table("Cats", ["Name"], ["Tom"], ["Kit"]), table("Dogs", ["Name"], ["Rex"], ["Bo"]));
    const items = object({ name: STRING }, ["name"]);
    const unnamed = { type: "array", items };
    expect(fill(object({ dogs: unnamed }), seen).data).toEqual({ dogs: [{ name: "Rex" }, { name: "Bo" }] });
    expect(fill(unnamed, seen, {}, "list all cats").data).toEqual([{ name: "Tom" }, { name: "Kit" }]);
    const unclear = fill(object({ animals: unnamed }, ["animals"]), seen);
    expect(unclear.data).toEqual({});
    expect(unclear.missing).toMatchObject([{ pointer: "/animals", reason: expect.stringContaining("Ambiguous") }]);
  });

  test("does not take a column whose name only contains the property", () => {
    const seen = page(table("Orders", ["Order", "Order date", "Delivery date"], ["T-1", "1 May 2026", "2 May 2026"]));
    const { data, missing } = fill({ type: "array", items: object({ order: STRING, date: DATE }, ["date"]) }, seen);
    expect(data).toEqual([{ order: "T-1" }]);
    expect(missing).toMatchObject([{ pointer: "/0/date" }]);
  });

  test("is empty when the table is empty, and missing when there is none", () => {
    const schema = object({ orders: { type: "array", items: object({ order: STRING, total: NUMBER }) } }, ["orders"]);
    expect(fill(schema, page(table("Orders", ["Order", "Total"]))).data).toEqual({ orders: [] });
    expect(fill(schema, page(line("Nothing here")))).toMatchObject({ data: {}, missing: [{ pointer: "/orders" }] });
  });

  test("may contain objects and lists", () => {
    const seen = page(
      table("Products", ["Name", "Price", "Tags"], ["Kettle", "€64.90", "steel, slim"], ["Mug", "€9", "clay"]),
    );
    const items = object({
      name: STRING,
      price: object({ amount: NUMBER, currency: STRING }, ["amount"]),
      tags: { type: "array", items: STRING },
    });
    expect(fill({ type: "array", items }, seen).data).toEqual([
      { name: "Kettle", price: { amount: 64.9, currency: "EUR" }, tags: ["steel", "slim"] },
      { name: "Mug", price: { amount: 9, currency: "EUR" }, tags: ["clay"] },
    ]);
  });
});

describe("a list of values", () => {
  test.each([
    ["products", STRING, ["Kettle", "Mug", "Jar"]],
    ["unitPrices", NUMBER, [64.9, 16.9]],
    ["links", { type: "string", format: "uri" }, [`${URL}kettle`, `${URL}mug`, `${URL}jar`]],
    ["reviewers", STRING, ["Ada", "Bo"]],
  ])("is the column %s", (name, items, expected) => {
    expect(fill(object({ [name]: { type: "array", items } }), PRODUCTS).data).toEqual({ [name]: expected });
  });

  test("may have the name of its column in the plural", () => {
    const seen = page(table("Shirts", ["Shirt", "Size", "Status"], ["Ada", "XL", "New"], ["Bo", "S", "Old"]));
    const values = { type: "array", items: STRING };
    expect(fill(object({ sizes: values, status: values }), seen).data).toEqual({
      sizes: ["XL", "S"],
      status: ["New", "Old"],
    });
  });

  test.each([
    ["names", 'Ambiguous: "Products" and "Reviews".'],
    ["prices", "No list on the page has the columns prices."],
  ])("is not guessed: %s", (name, reason) => {
    const schema = object({ [name]: { type: "array", items: STRING } }, [name]);
    expect(fill(schema, PRODUCTS).missing).toEqual([{ pointer: `/${name}`, reason }]);
  });
});

describe("an object", () => {
  const ORDER = page(
    node("heading", "Order T-3", { states: { level: 1 } }),
    line("Status: On its way"),
    line("Placed on: 25/03/2026"),
    line("Total: €84.90"),
    line("E-mail: ada@example.com"),
    node("checkbox", "Gift wrap", { states: { checked: true } }),
    node("heading", "Billing address", { states: { level: 2 } }),
    line("City: Oslo"),
    node("heading", "Delivery address", { states: { level: 2 } }),
    line("City: Bergen"),
  );

  test("comes from labelled values", () => {
    const schema = object({
      total: NUMBER,
      status: { enum: ["delivered", "on_its_way", null] },
      placedOn: DATE,
      email: { type: "string", format: "email" },
      giftWrap: { type: "boolean" },
      deliveryAddress: object({ city: STRING }),
      phone: { type: ["string", "null"] },
      website: { type: "string", format: "uri" },
    });
    expect(fill(schema, ORDER).data).toEqual({
      total: 84.9,
      status: "on_its_way",
      placedOn: "2026-03-25",
      email: "ada@example.com",
      giftWrap: true,
      deliveryAddress: { city: "Bergen" },
      phone: null,
    });
  });

  test("has its numbers in the unit that the schema asks for", () => {
    const schema = object({ weight: { ...NUMBER, description: "in grams" } });
    expect(fill(schema, page(line("Weight: 1.2 kg"))).data).toEqual({ weight: 1200 });
    const table = { weight: { ...NUMBER, title: "Weight (kg)", description: "in grams" } };
    expect(fill(object(table), page(line("Weight (kg): 1.2"))).data).toEqual({ weight: 1200 });
  });

  test("says why something required is missing", () => {
    const { data, missing } = fill(
      object({ city: STRING, weight: NUMBER, total: { type: "integer" } }, ["city", "weight", "total"]),
      ORDER,
    );
    expect(data).toEqual({});
    expect(missing.map(({ pointer }) => pointer)).toEqual(["/city", "/weight", "/total"]);
    expect(missing[0]?.reason).toBe("Ambiguous: Oslo or Bergen.");
  });

  test("may be the one record of a list that the prompt names, or that a question picks", () => {
    const schema = object({ name: STRING, unitPrice: NUMBER });
    expect(fill(schema, PRODUCTS, {}, "What does the Mug cost?").data).toEqual({ name: "Mug", unitPrice: 16.9 });
    const [all] = readMerged([PRODUCTS]);
    if (all === undefined) throw new Error("no records");
    const records = { ...all, set: { ...all.set, rows: all.set.rows.slice(1, 2) } };
    expect(fill(schema, PRODUCTS, { records }).data).toEqual({ name: "Mug", unitPrice: 16.9 });
  });

  test("is described by titles and descriptions too", () => {
    const schema = object({
      a: { ...NUMBER, title: "Total" },
      b: { ...STRING, description: "Status" },
    });
    expect(fill(schema, ORDER).data).toEqual({ a: 84.9, b: "On its way" });
  });

  test("takes the first alternative that can be found", () => {
    const schema = { anyOf: [object({ weight: NUMBER }, ["weight"]), object({ total: NUMBER }, ["total"])] };
    expect(fill(schema, ORDER)).toMatchObject({ data: { total: 84.9 }, missing: [] });
    expect(fill({ allOf: [object({ total: NUMBER }), object({ status: STRING }, ["status"])] }, ORDER).data).toEqual({
      total: 84.9,
      status: "On its way",
    });
  });
});

test.each(["a~1b", "a%2Fb", "a%7E1b"])(
  "resolves a reference to %s to the definition a/b, like the validator",
  (name) => {
    const schema = { ...object({ total: { $ref: `#/$defs/${name}` } }, ["total"]), $defs: { "a/b": NUMBER } };
    expect(fill(schema, page(line("Total: €84.90")))).toMatchObject({ data: { total: 84.9 }, missing: [] });
  },
);

describe("hostile schemas", () => {
  test("may have properties named like object members", () => {
    const schema = JSON.parse(
      '{"type":"object","required":["__proto__"],"properties":{"__proto__":{"type":"number"},"constructor":{"type":"string"},"toString":{"type":"string"}}}',
    );
    const { data, missing } = fill(schema, page(line("__proto__: 12"), line("Constructor: Ada")));
    expect(JSON.stringify(data)).toBe('{"__proto__":12,"constructor":"Ada"}');
    expect(missing).toEqual([]);
    expect(Object.getPrototypeOf({})).toBe(Object.prototype);
  });

  test.each([
    ["a reference to itself", { $ref: "#" }],
    [
      "two references to each other",
      { $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } } },
    ],
    ["a dangling reference", { $ref: "#/$defs/none" }],
    ["a reference through the prototype", { $ref: "#/constructor/prototype" }],
    ["a reference to another host", { $ref: "https://example.com/schema.json" }],
    ["nothing allowed", false],
    [
      "endless alternatives",
      { $defs: { a: { anyOf: [{ $ref: "#/$defs/a" }, { $ref: "#/$defs/a" }] } }, $ref: "#/$defs/a" },
    ],
  ])("terminate: %s", (_, schema) => {
    expect(fill(schema, PRODUCTS)).toMatchObject({ data: null, missing: [{ pointer: "" }] });
  });

  test("terminate with a recursive tree of objects", () => {
    const tree = {
      $ref: "#/$defs/t",
      $defs: {
        t: object({
          name: STRING,
          child: { $ref: "#/$defs/t" },
          children: { type: "array", items: { $ref: "#/$defs/t" } },
        }),
      },
    };
    expect(fill(tree, page(table("People", ["Name"], ["Ada"], ["Bo"])))).toMatchObject({ missing: [] });
  });

  test("return five thousand items for five thousand rows", () => {
    const rows = Array.from({ length: 5_000 }, (_, index) => [`@P${index}`, `€${index}.50`, "12 March 2026"]);
    const schema = {
      type: "array",
      items: object({ name: STRING, price: NUMBER, day: DATE, url: { type: "string", format: "uri" } }),
    };
    const { data, leaves } = fill(schema, page(table("Products", ["Name", "Price", "Day"], ...rows)));
    expect(data).toHaveLength(5_000);
    expect(leaves).toHaveLength(20_000);
  });
});

/** Complete data must also be valid. */
function fill(schema: unknown, seen: ReturnType<typeof page>, sources: Partial<SchemaSources> = {}, hints = "") {
  const extraction = fillSchema(schema, { pages: [seen], ...sources }, hints);
  if (extraction.missing.length === 0) {
    const ajv = new Ajv2020({ strict: false, validateFormats: false, ownProperties: true });
    const isValid = ajv.compile(schema as object);
    expect(isValid(extraction.data) ? [] : isValid.errors).toEqual([]);
  }
  return extraction;
}

function object(properties: Record<string, unknown>, required: string[] = []) {
  return { type: "object", properties, required };
}
