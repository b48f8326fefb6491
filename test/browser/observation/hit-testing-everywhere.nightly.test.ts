import { afterAll, beforeAll, expect, it } from "vitest";
import { type DemoShop, startDemoShop } from "../../../demo/shop.ts";
import { OPEN_SHADOW_ROOTS, RECORD_LISTENERS } from "../../../src/browser/observation/in-page/init-scripts.ts";
import { startTestBrowser, type TestBrowser } from "../../_harness/browser.ts";
import { findDifferences } from "../../_harness/compare-with-playwright.ts";
import { findMissed } from "../../_harness/hit-testing.ts";
import { observePage } from "../../_harness/observed-page.ts";
import { type Sites, startSites } from "../../sites/start-sites.ts";

let browser: TestBrowser;
let shop: DemoShop;
let sites: Sites;

beforeAll(async () => {
  browser = await startTestBrowser();
  shop = await startDemoShop({});
  sites = await startSites();
});

afterAll(async () => {
  await browser[Symbol.asyncDispose]();
  await shop[Symbol.asyncDispose]();
  await sites[Symbol.asyncDispose]();
});

it.each([
  ["the shop", () => `${shop.url}/`],
  ["the shop's products", () => `${shop.url}/products`],
  ["a product", () => `${shop.url}/products/brindle-kettle`],
  ["tabs", () => `${sites.widgets.url}/tabs`],
  ["a menu", () => `${sites.widgets.url}/menu`],
  ["modals", () => `${sites.widgets.url}/modals`],
  ["a listbox", () => `${sites.widgets.url}/listbox`],
  ["a combobox", () => `${sites.widgets.url}/combobox`],
  ["a date picker", () => `${sites.widgets.url}/date-picker`],
  ["sliders", () => `${sites.widgets.url}/slider`],
  ["shadow roots", () => `${sites.shadow.url}/`],
  ["a virtual grid", () => `${sites.virtual.url}/`],
  ["duplicate labels", () => `${sites.ambiguous.url}/`],
  ["a wizard", () => `${sites.wizard.url}/`],
])("nothing that can be seen or acted on is missing: %s", async (_, url) => {
  const opened = await browser.openPage({ viewport: { width: 1280, height: 800 } });
  await using shown = observePage(opened.page, opened[Symbol.asyncDispose]);
  await shown.page.context().addInitScript(OPEN_SHADOW_ROOTS);
  await shown.page.context().addInitScript(RECORD_LISTENERS);
  expect((await shown.page.goto(url(), { waitUntil: "networkidle" }))?.status()).toBe(200);
  const observation = await shown.observe();
  const pin = (ref: string) => shown.observer.pin(ref);
  expect(await findMissed({ page: shown.page, observation, pin })).toEqual({
    elements: [],
    texts: [],
    unreachable: [],
  });
  expect(await findDifferences({ page: shown.page, observation, pin })).toEqual([]);
});
