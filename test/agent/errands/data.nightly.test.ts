import { describe, expect, test } from "vitest";
import type { Provenance } from "../../../src/agent/extraction/provenance.ts";
import { resultOf, useErrands } from "../../_harness/errands.ts";
import { ENDLESS_ITEMS } from "../../sites/endless.ts";
import {
  EXPECTED_COMPANY,
  EXPECTED_DEPARTURES,
  EXPECTED_ORDER,
  EXPECTED_PRODUCTS,
} from "../../sites/facts-expected.ts";
import { PLANT_ROWS } from "../../sites/paged.ts";
import { INVOICES } from "../../sites/virtual.ts";

const errands = useErrands({ hasScreenshots: true });

type Properties = Record<string, Record<string, unknown>>;

const STRING = { type: "string" };
const NUMBER = { type: "number" };
const INTEGER = { type: "integer" };
const DATE = { type: "string", format: "date" };

function object(properties: Properties) {
  return { type: "object", properties, required: Object.keys(properties), additionalProperties: false };
}

function listOf(name: string, properties: Properties) {
  return object({ [name]: { type: "array", items: object(properties) } });
}

async function extract(startUrl: string, prompt: string, outputSchema: Record<string, unknown>) {
  const result = resultOf(await errands.run({ prompt, startUrl, outputSchema }));
  expect(result.evidence.side_effects).toEqual([]);
  return result.extracted;
}

describe("a list over several pages", () => {
  const PLANT = { code: STRING, name: STRING, bed: INTEGER, count: INTEGER };

  test("is read to its end", async () => {
    const { paged } = errands.sites;
    const plants = await extract(paged.url, "List all plants on all pages.", listOf("plants", PLANT));
    expect(plants).toEqual({ plants: PLANT_ROWS });
  });

  test("is stored with the location of each value in the row of its record", async () => {
    const { paged } = errands.sites;
    const outputSchema = listOf("plants", PLANT);
    const { steps, artifacts } = await errands.run({
      prompt: "List all plants on all pages.",
      startUrl: paged.url,
      outputSchema,
    });
    const kept = artifacts.find(({ kind }) => kind === "provenance");
    const places = JSON.parse(String(kept?.data)) as Provenance[];
    expect(places).toHaveLength(PLANT_ROWS.length * Object.keys(PLANT).length);
    const pictures = steps.map(({ screenshot }) => screenshot);
    expect(places.every(({ screenshot, box }) => pictures.includes(screenshot) && box !== null)).toBe(true);
    expect(new Set(places.map(({ screenshot }) => screenshot)).size).toBeGreaterThan(1);
    const rows = Object.values(Object.groupBy(places, ({ pointer }) => pointer.split("/")[2] ?? ""));
    // Many plants are in the same bed: only the row tells them apart.
    expect(rows.filter((row) => new Set(row?.map(({ box }) => box?.y)).size > 1)).toEqual([]);
    const spots = places.map(({ screenshot, box }) => `${screenshot} ${box?.x} ${box?.y}`);
    expect(new Set(spots).size).toBe(spots.length);
  });

  test("is filtered and sorted by the site, and read as the site shows it", async () => {
    const { paged } = errands.sites;
    const prompt = "Type poppy into Filter by name, click Filter, click Count and list all plants.";
    const plants = await extract(paged.url, prompt, listOf("plants", PLANT));
    const poppies = PLANT_ROWS.filter(({ name }) => name.includes("poppy"));
    expect(plants).toEqual({ plants: poppies.toSorted((a, b) => a.count - b.count) });
  });

  test("is read to its end for the greatest", async () => {
    const run = await errands.run({ prompt: "Which plant has the highest count?", startUrl: errands.sites.paged.url });
    const [greatest] = PLANT_ROWS.toSorted((a, b) => b.count - a.count);
    expect(resultOf(run).final_text).toBe(`${greatest?.code}, Count: ${greatest?.count}`);
  });

  test("is read to its end for the greatest when data is asked for", async () => {
    const [greatest] = PLANT_ROWS.toSorted((a, b) => b.count - a.count);
    const schema = {
      type: "object",
      properties: { code: { type: "string" }, count: { type: "integer" } },
      required: ["code", "count"],
    };
    const plant = await extract(errands.sites.paged.url, "Which plant has the highest count?", schema);
    expect(plant).toEqual({ code: greatest?.code, count: greatest?.count });
  });

  test.each(["/more", "/scroll"])("that grows is read to its end: %s", async (path) => {
    const startUrl = `${errands.sites.endless.url}${path}`;
    const schema = listOf("finds", { title: STRING, price: NUMBER });
    expect(await extract(startUrl, "List the title and price of all finds.", schema)).toEqual({
      finds: ENDLESS_ITEMS.map(({ title, price }) => ({ title, price: Number(price.slice(1)) })),
    });
  });
});

describe("a grid that renders only some of its rows", () => {
  const ask = (number: string) =>
    errands.run({ prompt: `What is the amount of ${number}?`, startUrl: errands.sites.virtual.url });

  test("answers about the rows it shows", async () => {
    expect(resultOf(await ask("INV-00005")).final_text).toBe(INVOICES[4]?.amount);
  });

  test("never answers from one row for another", async () => {
    const { outcome } = await ask("INV-00150");
    const said = outcome.kind === "verified" ? outcome.result.final_text : outcome.code;
    expect([INVOICES[149]?.amount, "ANSWER_NOT_FOUND", "PARTIAL_LIST"]).toContain(said);
  });

  test.each(["List all invoices.", "How many invoices are overdue?"])(
    "does not count as the whole list: %s",
    async (prompt) => {
      const { outcome } = await errands.run({ prompt, startUrl: errands.sites.virtual.url });
      expect(outcome).toMatchObject({ kind: "failed", failure: "goal_unreachable", code: "PARTIAL_LIST" });
    },
  );
});

describe("a page of facts", () => {
  test.each([
    ["/company", "Tell me the phone number.", EXPECTED_COMPANY.phone],
    ["/", "Open The company and tell me the address.", EXPECTED_COMPANY.address],
    ["/order", "What is the status?", EXPECTED_ORDER.status],
    ["/products", "What is the price of Wax seal kit?", "€24"],
    ["/products", "Which product is the cheapest?", "Blotting paper, price: €3.20"],
  ])("answers a question: %s %s", async (path, prompt, answer) => {
    const run = await errands.run({ prompt, startUrl: `${errands.sites.facts.url}${path}` });
    expect(resultOf(run).final_text).toBe(answer);
  });

  test("that does not have the value gives no answer", async () => {
    const prompt = "What is the fax number?";
    const { outcome } = await errands.run({ prompt, startUrl: `${errands.sites.facts.url}/company` });
    expect(outcome).toMatchObject({ kind: "failed", failure: "goal_unreachable", code: "ANSWER_NOT_FOUND" });
  });

  test("fills in a schema from pairs of label and value", async () => {
    const company = {
      name: STRING,
      founded: INTEGER,
      employees: INTEGER,
      website: { type: "string", format: "uri" },
      phone: STRING,
      address: STRING,
      openOnSundays: { type: "boolean" },
    };
    const url = `${errands.sites.facts.url}/company`;
    expect(await extract(url, "Extract the details from this page.", object(company))).toEqual(EXPECTED_COMPANY);
  });

  test("fills in a schema from pairs, a table and its totals", async () => {
    const { number: _inHeading, shipping: _free, currency: _symbol, ...expected } = EXPECTED_ORDER;
    const order = {
      ordered: { ...DATE, title: "Ordered on" },
      shipped: { ...DATE, title: "Shipped on" },
      delivery: { ...DATE, description: "Expected delivery" },
      status: STRING,
      items: {
        type: "array",
        items: object({
          article: STRING,
          quantity: INTEGER,
          price: { ...NUMBER, description: "Unit price" },
          total: NUMBER,
        }),
      },
      subtotal: NUMBER,
      discount: NUMBER,
      vat: NUMBER,
      total: NUMBER,
    };
    const url = `${errands.sites.facts.url}/order`;
    expect(await extract(url, "Extract the data from this page.", object(order))).toEqual(expected);
  });

  test("fills in a schema from cards", async () => {
    const product = { name: STRING, price: NUMBER, rating: NUMBER };
    const url = `${errands.sites.facts.url}/products`;
    expect(await extract(url, "List all products.", listOf("products", product))).toEqual({
      products: EXPECTED_PRODUCTS.map(({ name, price, rating }) => ({ name, price, rating })),
    });
  });

  test("fills in a schema from the table that is meant", async () => {
    const departure = { line: STRING, destination: STRING, departs: STRING, platform: INTEGER };
    const url = `${errands.sites.facts.url}/timetable`;
    expect(await extract(url, "List the departures.", listOf("departures", departure))).toEqual({
      departures: EXPECTED_DEPARTURES,
    });
  });

  test("that lacks what the schema requires ends without data", async () => {
    const { outcome } = await errands.run({
      prompt: "Extract the details from this page.",
      startUrl: `${errands.sites.facts.url}/company`,
      outputSchema: object({ founded: INTEGER, fax: STRING }),
    });
    expect(outcome).toMatchObject({ kind: "failed", failure: "output_schema_mismatch" });
    expect(outcome.reason).toContain("/fax");
  });
});
