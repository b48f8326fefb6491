import type { BrowserContext } from "playwright-core";

/** Eight steps, the opening of the shop included, in words that the built-in planner understands. */
export const PROMPT = [
  'Search for "kettle".',
  'Open "Brindle Kettle".',
  "Choose 2 as the quantity.",
  'Click "Add to cart".',
  'Type "WELCOME10" into the voucher code field.',
  'Click "Apply".',
  "What is the total?",
].join(" ");

const TIMEOUT_MS = 30_000;

/** The same errand as somebody would write it by hand: no waits but Playwright's own. Answers the total. */
export async function runScript(context: BrowserContext, shopUrl: string): Promise<string> {
  context.setDefaultTimeout(TIMEOUT_MS);
  const page = await context.newPage();
  await page.goto(shopUrl);
  const search = page.getByRole("searchbox", { name: "Search all products" });
  await search.fill("kettle");
  await search.press("Enter");
  await page.getByRole("link", { name: "Brindle Kettle" }).click();
  await page.getByLabel("Quantity").selectOption("2");
  await page.getByRole("button", { name: "Add to cart" }).click();
  await page.getByLabel("Voucher code").fill("WELCOME10");
  await page.getByRole("button", { name: "Apply" }).click();
  // Only the page that comes next can be without the voucher: the total before it would be another one.
  await page.getByRole("button", { name: "Remove voucher" }).waitFor();
  const total = page
    .getByRole("term")
    .filter({ hasText: /^Total$/ })
    .locator("xpath=following-sibling::dd");
  return ((await total.textContent()) ?? "").trim();
}
