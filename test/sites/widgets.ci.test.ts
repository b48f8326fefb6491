import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startTestBrowser, type TestBrowser } from "../_harness/browser.ts";
import { startSites } from "./start-sites.ts";

const PATIENTLY = { timeout: 100_000 };

let browser: TestBrowser;
beforeAll(async () => {
  browser = await startTestBrowser();
});
afterAll(() => browser[Symbol.asyncDispose]());

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

/** How a user operates each widget, and what the server then stores. */
const USES: Record<string, { use: (page: Page) => Promise<void>; choices: string[] }> = {
  tabs: {
    async use(page) {
      await page.getByRole("tab", { name: "Dimensions" }).click();
      await page.getByText("weight 1.3 kg").waitFor();
      await page.keyboard.press("ArrowRight");
      await page.getByText("Five years").waitFor();
    },
    choices: ["tabs: Dimensions", "tabs: Guarantee"],
  },
  accordion: {
    async use(page) {
      expect(await page.getByText("within 30 days").isVisible()).toBe(false);
      await button(page, "Can I return things?").click();
      await page.getByText("within 30 days").waitFor();
    },
    choices: ["accordion: Can I return things?"],
  },
  menu: {
    async use(page) {
      await page.getByRole("menuitem", { name: "Products" }).hover();
      await page.getByRole("menuitem", { name: "Cups", exact: true }).hover();
      await page.getByRole("menuitem", { name: "Mugs" }).click();
      await page.getByText("Chosen: Mugs").waitFor();
      await button(page, "Export").click();
      await page.getByRole("menuitem", { name: "As a table" }).click();
      await page.getByRole("menuitem", { name: "CSV" }).click();
    },
    choices: ["menu: Mugs", "menu: CSV"],
  },
  modals: {
    async use(page) {
      await button(page, "Sign the guest book").click();
      await page.getByLabel("Your message").fill("Lovely place");
      await button(page, "Sign").click();
      await page.getByText("Chosen: Lovely place").waitFor();
      await button(page, "Delete the guest book").click();
      await button(page, "Yes, delete").click();
    },
    choices: ["dialog: Lovely place", "made-dialog: deleted"],
  },
  listbox: {
    async use(page) {
      await page.getByRole("combobox", { name: "Size" }).click();
      await page.getByRole("option", { name: "Large", exact: true }).click();
      expect(await page.getByRole("listbox").count()).toBe(0);
    },
    choices: ["listbox: Large"],
  },
  combobox: {
    async use(page) {
      await page.getByRole("combobox", { name: "Town" }).pressSequentially("ash");
      await page.getByRole("option").nth(2).waitFor();
      expect(await page.getByRole("option").allInnerTexts()).toEqual(["Ashford", "Ashton", "Great Ashby"]);
      await page.getByRole("option", { name: "Ashton" }).click();
      await page.getByText("Chosen: Ashton").waitFor();
      await page.getByRole("combobox", { name: "Town" }).fill("el");
      await page.getByRole("option").first().waitFor();
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Enter");
    },
    choices: ["combobox: Ashton", "combobox: Elmhurst"],
  },
  "date-picker": {
    async use(page) {
      await button(page, "Open the calendar").click();
      await page.getByText("March 2026").waitFor();
      await button(page, "Next month").click();
      await button(page, "Next month").click();
      await button(page, "17 May 2026").click();
      // A Sunday: the last column of its week.
      expect(await page.locator("tr:has(button[aria-label='17 May 2026']) td").count()).toBe(7);
    },
    choices: ["date-picker: 2026-05-17"],
  },
  slider: {
    async use(page) {
      await page.getByRole("slider", { name: "Brightness" }).fill("75");
      await page.getByText("Chosen: 75").waitFor();
      await page.getByRole("slider", { name: "Warmth" }).press("ArrowRight");
      await page.getByText("Chosen: 6").waitFor();
      await page.locator("#track").click({ position: { x: 299, y: 4 } });
    },
    choices: ["brightness: 75", "warmth: 6", "warmth: 10"],
  },
  sortable: {
    async use(page) {
      await page.getByText("Winter light").dragTo(page.getByText("Morning rain"));
      await page.getByText("Chosen: Winter light").waitFor();
      await page.getByText("Sweep").dragTo(page.getByText("Wash up"));
    },
    choices: ["songs: Winter light, Morning rain, Paper boats, Slow train", "chores: Water the plants, Wash up, Sweep"],
  },
  tooltip: {
    async use(page) {
      expect(await page.getByText("Waived").count()).toBe(0);
      await page.getByRole("button").hover();
      await page.getByRole("tooltip", { name: "Waived for orders above €75." }).waitFor();
    },
    choices: [],
  },
  cookies: {
    async use(page) {
      expect(await isCovered(button(page, "Report a sighting"))).toBe(true);
      await button(page, "Only necessary").click();
      await page.getByText("Chosen: Only necessary").waitFor();
      await button(page, "Report a sighting").click();
    },
    choices: ["cookies: Only necessary", "sighting: reported"],
  },
};

/** Whether another element would receive a click in the middle of this one. */
function isCovered(target: Locator): Promise<boolean> {
  return target.evaluate((element) => {
    element.scrollIntoView({ block: "center", behavior: "instant" });
    const { x, y, width, height } = element.getBoundingClientRect();
    return !element.contains(document.elementFromPoint(x + width / 2, y + height / 2));
  });
}

it.each(Object.entries(USES))(
  "the page of %s works as expected, and the server stores the choice",
  async (name, { use, choices }) => {
    await using sites = await startSites();
    await using visitor = await browser.openPage();
    await visitor.page.goto(`${sites.widgets.url}/${name}`);
    await use(visitor.page);
    await expect
      .poll(() => sites.widgets.state.choices.map(({ widget, value }) => `${widget}: ${value}`), PATIENTLY)
      .toEqual(choices);
    expect(visitor.complaints).toEqual([]);
  },
);
