import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { toProvenance } from "../../../src/agent/extraction/provenance.ts";
import { type Harvests, startHarvests } from "../../_harness/harvest.ts";
import { FIRST, KETTLE, NUMBER, object, STRING } from "../../_harness/harvest-pages.ts";
import { refOf } from "../../_harness/observed-page.ts";

let harvests: Harvests;
beforeAll(async () => {
  harvests = await startHarvests();
});
afterAll(() => harvests[Symbol.asyncDispose]());

describe("single values", () => {
  test("are accepted with their quotes, in the type, unit and format of the schema", async () => {
    const schema = object(
      {
        name: STRING,
        price: NUMBER,
        price_cents: { type: "integer" },
        weight_g: { type: ["number", "null"] },
        discount: { type: "number", description: "as a fraction" },
        delivered: { type: "string", format: "date" },
        contact: { type: "string", format: "email" },
        availability: { enum: ["in_stock", "out_of_stock"] },
        inStock: { $ref: "#/$defs/yesNo" },
        maker: { anyOf: [{ type: "string", format: "uri" }, { type: "null" }] },
        kind: { const: "product" },
        seller: object({ phone: { type: ["string", "null"] } }),
      },
      undefined,
      { $defs: { yesNo: { type: "boolean" } } },
    );
    const harvest = await harvests.begin("What is said about the kettle?", schema);
    await harvest.gather(KETTLE, (page) => ({
      values: [
        { leaf: "v1", value: "brindle kettle", quote: "Brindle Kettle" },
        { leaf: "v2", value: 1064.9, quote: "€1,064.90" },
        { leaf: "v3", value: 106490, quote: "1,064.90" },
        { leaf: "v4", value: "1200", quote: "1.2 kg" },
        { leaf: "v5", value: 0.25, quote: "25%" },
        { leaf: "v6", value: "2026-03-12", quote: "12 March 2026" },
        { leaf: "v7", value: "help@example.com", quote: "write to help@example.com" },
        { leaf: "v8", value: "out_of_stock", quote: "Sold out" },
        { leaf: "v9", value: false, quote: "Sold out" },
        { leaf: "v10", value: "https://made-up.example/", ref: refOf(page, "link", "About the maker") },
        { leaf: "v11", value: null },
      ],
    }));
    const { data, leaves, missing, coverage } = harvest.result();
    expect(data).toEqual({
      name: "Brindle Kettle",
      price: 1064.9,
      price_cents: 106490,
      weight_g: 1200,
      discount: 0.25,
      delivered: "2026-03-12",
      contact: "help@example.com",
      availability: "out_of_stock",
      inStock: false,
      maker: expect.stringMatching(/^http:\/\/.*\/makers\/brindle$/),
      kind: "product",
      seller: { phone: null },
    });
    expect(missing).toEqual([]);
    expect(coverage).toContain("seller.phone was not found");
    expect(harvest.requests).toHaveLength(1);
    expect(leaves.find(({ pointer }) => pointer === "/price_cents")).toMatchObject({ quote: "€1,064.90" });
  });

  test("include their location", async () => {
    const harvest = await harvests.begin("The price", object({ price: NUMBER }));
    await harvest.gather(KETTLE, { values: [{ leaf: "v1", value: 1064.9, quote: "€1,064.90" }] });
    const [entry] = toProvenance(harvest.result(), (look) => `picture ${look}`);
    expect(entry).toMatchObject({ pointer: "/price", value: 1064.9, quote: "€1,064.90", screenshot: "picture 1" });
    expect(entry?.box?.width).toBeGreaterThan(10);
    expect(entry?.box?.height).toBeLessThan(100);
  });

  test.each([
    ["a quote that is not on the page", NUMBER, 5, "€5.00", "is not on the page"],
    ["another number than in the quote", NUMBER, 1065, "€1,064.90", "does not say"],
    ["a quote that cuts a number", NUMBER, 64.9, "64.90", "does not say"],
    [
      "the unit of the page instead of the requested one",
      { ...NUMBER, title: "in cents" },
      1064.9,
      "€1,064.90",
      "does not say",
    ],
    ["an unrequested conversion", NUMBER, 106490, "€1,064.90", "does not say"],
    ["no quote", NUMBER, 5, null, "no quote"],
    ["a made-up text", STRING, "Fine kettle", "Brindle Kettle", "does not say"],
    ["a part of a word", STRING, "Ket", "Brindle Kettle", "does not say"],
    ["another day", { ...STRING, format: "date" }, "2026-03-13", "12 March 2026", "does not say"],
    ["the opposite", { type: "boolean" }, true, "Sold out", "does not say"],
    [
      "an enum value that the quote does not support",
      { enum: ["shipped", "lost"] },
      "lost",
      "Sold out",
      "does not say",
    ],
    [
      "a number from a review that differs from the labelled one",
      NUMBER,
      0,
      "the price is 0 euros",
      "next to its label",
    ],
    ["a URL that is typed", { ...STRING, format: "uri" }, "https://made-up.example/", "About the maker", "ref"],
  ])("are rejected with %s, also the second time", async (_, property, value, quote, reason) => {
    const harvest = await harvests.begin("What is the price?", object({ price: property }));
    const answer = { values: [{ leaf: "v1", value, quote }] };
    await harvest.gather(KETTLE, answer, answer);
    expect(harvest.result()).toMatchObject({ data: {}, leaves: [], missing: [{ pointer: "/price" }] });
    expect(harvest.result().missing[0]?.reason).toContain(reason);
    expect(harvest.requests[1]?.text).toContain(reason);
  });

  test("are rejected when the model refers to a link that does not exist", async () => {
    const schema = object({ maker: { type: ["string", "null"], format: "uri" } });
    const harvest = await harvests.begin("The maker", schema);
    const answer = { values: [{ leaf: "v1", value: null, ref: "e999" }] };
    await harvest.gather(KETTLE, answer, answer);
    expect(harvest.result()).toMatchObject({ data: { maker: null }, missing: [] });
    expect(harvest.result().coverage).toContain("e999 is not a link on the page");
  });

  test("are accepted when the page confirms the second answer", async () => {
    const harvest = await harvests.begin("The price", object({ price: NUMBER }));
    await harvest.gather(
      KETTLE,
      { values: [{ leaf: "v1", value: 0, quote: "the price is 0 euros" }] },
      { values: [{ leaf: "v1", value: 1064.9, quote: "€1,064.90" }] },
    );
    expect(harvest.result()).toMatchObject({ data: { price: 1064.9 }, missing: [] });
  });

  test("are requested again when they do not match the schema", async () => {
    const harvest = await harvests.begin("The sort", object({ name: { type: "string", maxLength: 6 } }));
    await harvest.gather(
      KETTLE,
      { values: [{ leaf: "v1", value: "Brindle Kettle", quote: "Brindle Kettle" }] },
      { values: [{ leaf: "v1", value: "Kettle", quote: "Kettle" }] },
    );
    expect(harvest.requests[1]?.text).toContain("must NOT have more than 6 characters");
    expect(harvest.result().data).toEqual({ name: "Kettle" });
  });

  test("of one object must be in one row", async () => {
    const schema = object({ name: STRING, price: NUMBER });
    const harvest = await harvests.begin("The name and price of the mug", schema);
    const mixed = {
      values: [
        { leaf: "v1", value: "Mug", quote: "Mug" },
        { leaf: "v2", value: 64.9, quote: "€64.90" },
      ],
    };
    await harvest.gather(FIRST, mixed, mixed);
    expect(harvest.result().missing.map(({ pointer }) => pointer)).toEqual(["/name", "/price"]);
    expect(harvest.result().missing[0]?.reason).toContain("another row of r1");
  });
});

test("that are still missing are requested on the next page; found ones are not", async () => {
  const schema = object({
    name: STRING,
    weight_g: NUMBER,
    products: { type: "array", items: object({ name: STRING }) },
  });
  const harvest = await harvests.begin("The products, and the weight of the kettle", schema);
  const list = { target: "l1", records: "r1", columns: [{ leaf: "v3", column: "c1" }] };
  await harvest.gather(FIRST, { values: [{ leaf: "v1", value: "Products", quote: "Products" }], records: [list] });
  await harvest.gather(KETTLE, { values: [{ leaf: "v2", value: 1200, quote: "1.2 kg" }] });
  expect(harvest.requests[1]?.text).toContain("v2: weight_g");
  expect(harvest.requests[1]?.text).not.toContain("v1: name");
  expect(harvest.result()).toMatchObject({ data: { name: "Products", weight_g: 1200 }, missing: [] });
});
