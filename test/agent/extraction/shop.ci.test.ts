import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { DemoShop } from "../../../demo/shop.ts";
import { fillSchema } from "../../../src/agent/extraction/fill-schema.ts";
import { findUngrounded } from "../../../src/agent/extraction/find-ungrounded.ts";
import { findNextPage } from "../../../src/agent/extraction/pagination.ts";
import { capturePage } from "../../../src/agent/grounding/captured-pages.ts";
import type { Observation } from "../../../src/browser/observation/observation.ts";
import { startTestBrowser, type TestBrowser } from "../../_harness/browser.ts";
import { arriveAt, enterShop, openShop, type Shopper, signInToShop } from "../../_harness/demo-shop.ts";
import { type ObservedPage, observePage } from "../../_harness/observed-page.ts";

const STRING = { type: "string" };
const NUMBER = { type: "number" };
const PRODUCTS = {
  type: "object",
  required: ["products"],
  properties: {
    products: {
      type: "array",
      items: {
        type: "object",
        required: ["name", "price", "url"],
        properties: {
          name: STRING,
          price: NUMBER,
          url: { type: "string", format: "uri" },
          inStock: { type: "boolean", title: "Availability" },
          rating: NUMBER,
        },
      },
    },
  },
};

let browser: TestBrowser;
let shop: DemoShop;
let shopper: Shopper;
let seen: ObservedPage;

beforeAll(async () => {
  browser = await startTestBrowser();
  shop = await openShop();
  shopper = await enterShop(browser, shop);
  seen = observePage(shopper.page, async () => {});
  await shopper.open("/sign-in");
  await signInToShop(shopper.page);
  await arriveAt(shopper.page, "Hello, Demo Shopper");
});

afterAll(async () => {
  await shopper[Symbol.asyncDispose]();
  await shop[Symbol.asyncDispose]();
  await browser[Symbol.asyncDispose]();
});

describe("the pages of a catalog", () => {
  test("follow each other to the last, and form one list without gaps", async () => {
    const pages: Observation[] = [];
    for (let path: string | null = "/products"; path !== null; ) {
      const page = await look(path);
      pages.push(page);
      path = findNextPage(page.root, page.url)?.url ?? null;
    }
    const extraction = fillSchema(PRODUCTS, { pages }, "list all products");
    const { products } = extraction.data as { products: { name: string }[] };
    expect(new Set(products.map(({ name }) => name)).size).toBe(60);
    expect(extraction.missing).toEqual([]);
    expect(extraction.coverage).toBe("5 pages, 60 rows.");
    expect(findUngrounded(extraction, pages.map(capturePage), PRODUCTS)).toEqual([]);
  });

  test("have the same content as a table and as cards", async () => {
    const names: unknown[] = [];
    for (const path of ["/products", "/products?view=grid"]) {
      const extraction = fillSchema(PRODUCTS, { pages: [await look(path)] });
      const { products } = extraction.data as { products: { name: string; price: number }[] };
      names.push(products.filter(({ price }) => price < 20).map(({ name, price }) => [name, price]));
    }
    expect(names[0]).toEqual([
      ["Ossery Mug", 16.9],
      ["Marl Storage Jar", 14.9],
      ["Quillan Notebook", 18.9],
    ]);
    expect(names[1]).toEqual(names[0]);
  });
});

test("fills in an order from its labelled values and its table", async () => {
  const page = await look("/account/orders/T-10055");
  const line = {
    type: "object",
    properties: { product: STRING, sku: STRING, quantity: { type: "integer" }, price: NUMBER },
  };
  const schema = {
    type: "object",
    required: ["order", "total"],
    properties: {
      order: STRING,
      total: NUMBER,
      placedOn: { type: "string", format: "date" },
      status: { enum: ["delivered", "on_its_way"] },
      lines: { type: "array", items: line },
    },
  };
  const extraction = fillSchema(schema, { pages: [page] });
  expect(extraction.data).toEqual({
    order: "T-10055",
    total: 85.5,
    placedOn: "2026-03-07",
    status: "on_its_way",
    lines: [
      { product: "Ember Lantern", sku: "LGT-105", quantity: 1, price: 49.9 },
      { product: "Glimmer Filament Bulb", sku: "LGT-107", quantity: 4, price: 8.9 },
    ],
  });
  expect(findUngrounded(extraction, [capturePage(page)], schema)).toEqual([]);
});

async function look(path: string): Promise<Observation> {
  await shopper.open(path);
  return seen.observe();
}
