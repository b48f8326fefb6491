import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startTestBrowser, type TestBrowser, type TestPage } from "../_harness/browser.ts";
import {
  EXPECTED_ARRIVALS,
  EXPECTED_COMPANY,
  EXPECTED_DEPARTURES,
  EXPECTED_ORDER,
  EXPECTED_PRODUCTS,
} from "./facts-expected.ts";
import { type Sites, startSites } from "./start-sites.ts";

let browser: TestBrowser;
let sites: Sites;
let visitor: TestPage;
beforeAll(async () => {
  browser = await startTestBrowser();
  sites = await startSites();
  visitor = await browser.openPage();
});
afterAll(async () => {
  await browser[Symbol.asyncDispose]();
  await sites[Symbol.asyncDispose]();
});

async function open(path: string): Promise<Page> {
  await visitor.page.goto(sites.facts.url + path);
  return visitor.page;
}

/** The cells of each row, as a reader sees them. */
async function rowsOf(page: Page, caption: string, part: "tbody" | "tfoot" = "tbody"): Promise<string[][]> {
  const rows = await page.getByRole("table", { name: caption }).locator(`${part} tr`).all();
  return Promise.all(rows.map((row) => row.locator("th, td").allInnerTexts()));
}

/** "€1,168.50", "−€62.01", "223.84 EUR", "free". */
function amount(text: string | null = ""): number {
  const value = Number(text?.replace(/[^\d.]/g, ""));
  return text?.startsWith("−") ? -value : value;
}

it("shows the expected company data", async () => {
  const page = await open("/company");
  const terms = await page.locator("dt").allInnerTexts();
  const values = await page.locator("dd").allInnerTexts();
  expect(Object.fromEntries(terms.map((term, index) => [term, values[index]]))).toEqual({
    Founded: String(EXPECTED_COMPANY.founded),
    Employees: EXPECTED_COMPANY.employees.toLocaleString("en-GB"),
    Website: new URL(EXPECTED_COMPANY.website).host,
    "Open on Sundays": EXPECTED_COMPANY.openOnSundays ? "Yes" : "No",
  });
  expect(await page.getByRole("heading").textContent()).toBe(EXPECTED_COMPANY.name);
  expect(await page.getByText("Phone:").locator("..").textContent()).toBe(`Phone: ${EXPECTED_COMPANY.phone}`);
  expect(await page.getByText("Address:").locator("..").textContent()).toBe(`Address: ${EXPECTED_COMPANY.address}`);
  expect(await page.getByRole("link").getAttribute("href")).toBe(EXPECTED_COMPANY.website);
});

it("shows the expected order, and its sums are correct", async () => {
  const page = await open("/order");
  const { items, number, status, ordered, shipped, delivery, subtotal, discount, shipping, vat, total } =
    EXPECTED_ORDER;
  expect(await page.getByRole("heading").textContent()).toBe(`Order ${number}`);
  expect(await page.locator("p strong").textContent()).toBe(status);
  const days = (await page.locator("dd").allInnerTexts()).map((text) => Date.parse(`${text.split(",")[0]} UTC`));
  expect(days).toEqual([ordered, shipped, delivery].map((day) => Date.parse(day)));
  const rows = await rowsOf(page, "Items");
  expect(
    rows.map(([article, quantity, price, sum]) => ({
      article,
      quantity: Number(quantity),
      price: amount(price),
      total: amount(sum),
    })),
  ).toEqual(items);
  const sums = (await rowsOf(page, "Items", "tfoot")).map(([, value]) => amount(value));
  expect(sums).toEqual([subtotal, discount, shipping, vat, total]);
  expect(items.reduce((sum, item) => sum + item.total, 0)).toBeCloseTo(subtotal, 2);
  expect(subtotal + discount + shipping + vat).toBeCloseTo(total, 2);
});

it("shows the expected products", async () => {
  const page = await open("/products");
  const cards = await page.getByRole("listitem").all();
  const read = cards.map(async (card) => {
    const text = (await card.textContent()) ?? "";
    const [, rating, reviews] = /Rating: ([\d.]+) out of 5 \((\d+) reviews?\)/.exec(text) ?? [];
    return {
      name: await card.getByRole("heading").textContent(),
      price: amount(await card.locator(".price").textContent()),
      rating: Number(rating),
      reviews: Number(reviews),
      inStock: text.includes("In stock"),
      path: await card.getByRole("link").getAttribute("href"),
    };
  });
  expect(await Promise.all(read)).toEqual(EXPECTED_PRODUCTS);
});

it("shows the expected trains, each in the table with its name", async () => {
  const page = await open("/timetable");
  const departures = await rowsOf(page, "Departures");
  expect(
    departures.map(([line, destination, departs, platform]) => ({
      line,
      destination,
      departs,
      platform: Number(platform),
    })),
  ).toEqual(EXPECTED_DEPARTURES);
  const arrivals = await rowsOf(page, "Arrivals");
  expect(
    arrivals.map(([line, origin, arrives, delay]) => ({ line, origin, arrives, delayMinutes: amount(delay) })),
  ).toEqual(EXPECTED_ARRIVALS);
});
