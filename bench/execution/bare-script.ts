import type { Browser, BrowserContext } from "playwright-core";
import { launchBrowser } from "../harness/browsers.ts";
import { CpuRecording, type CpuUse } from "../harness/cpu.ts";

/** Eight steps, including opening the shop, in sentences that are understood without a model. */
export const PROMPT = [
  'Search for "kettle".',
  'Open "Brindle Kettle".',
  "Choose 2 as the quantity.",
  'Click "Add to cart".',
  'Type "WELCOME10" into the voucher code field.',
  'Click "Apply".',
  "What is the total?",
].join(" ");

/** What is put into the cart. */
export interface CartOrder {
  search: string;
  product: string;
  quantity: string;
}

export const KETTLES: CartOrder = { search: "kettle", product: "Brindle Kettle", quantity: "2" };
export const VOUCHER = "WELCOME10";

const TIMEOUT_MS = 30_000;

/** The same errand as a plain Playwright script, in the same browser that the service uses. */
export interface BareScript extends AsyncDisposable {
  /** In a new context of a running browser. */
  runWarm(order?: CartOrder): Promise<BareRun>;
  /** Including the start of a browser. */
  runLaunched(): Promise<BareRun>;
  /** Runs `count` scripts at the same time, each in its own browser. They close only after `onDone` has finished. */
  runConcurrently(count: number, onDone: () => Promise<void>): Promise<void>;
}

/** Measured until the total is read. Closing is not included. */
export interface BareRun {
  ms: number;
  cpu: CpuUse;
  total: string;
}

/** `others` are child processes of this one that have nothing to do with the script. */
export async function openBareScript(shopUrl: string, others: readonly number[]): Promise<BareScript> {
  const warm = await launchBrowser();
  const runMeasured = async (
    launch: () => Promise<Browser>,
    end: (browser: Browser) => Promise<void>,
    order: CartOrder = KETTLES,
  ) => {
    using recording = new CpuRecording([process.pid], { without: others });
    const startedMs = performance.now();
    const browser = await launch();
    try {
      const context = await browser.newContext();
      const total = await runScript(context, shopUrl, order);
      const run = { ms: performance.now() - startedMs, cpu: recording.read(), total };
      await context.close();
      return run;
    } finally {
      await end(browser);
    }
  };
  return {
    runWarm: (order) =>
      runMeasured(
        async () => warm,
        async () => {},
        order,
      ),
    runLaunched: () => runMeasured(launchBrowser, (browser) => browser.close()),
    async runConcurrently(count, onDone) {
      await using browsers = new AsyncDisposableStack();
      const runs = Array.from({ length: count }, async () => {
        const browser = await launchBrowser();
        browsers.defer(() => browser.close());
        await runScript(await browser.newContext(), shopUrl, KETTLES);
      });
      const ends = await Promise.allSettled(runs);
      for (const end of ends) if (end.status === "rejected") throw end.reason;
      await onDone();
    },
    [Symbol.asyncDispose]: () => warm.close(),
  };
}

/** The errand as written by hand, with no waits but Playwright's own. Returns the total. */
async function runScript(
  context: BrowserContext,
  shopUrl: string,
  { search: words, product, quantity }: CartOrder,
): Promise<string> {
  context.setDefaultTimeout(TIMEOUT_MS);
  const page = await context.newPage();
  await page.goto(shopUrl);
  const search = page.getByRole("searchbox", { name: "Search all products" });
  await search.fill(words);
  await search.press("Enter");
  await page.getByRole("link", { name: product, exact: true }).click();
  await page.getByLabel("Quantity").selectOption(quantity);
  await page.getByRole("button", { name: "Add to cart" }).click();
  await page.getByLabel("Voucher code").fill(VOUCHER);
  await page.getByRole("button", { name: "Apply" }).click();
  // Only the page with the voucher applied has this button. The total on the page before it is a different one.
  await page.getByRole("button", { name: "Remove voucher" }).waitFor();
  const total = page
    .getByRole("term")
    .filter({ hasText: /^Total$/ })
    .locator("xpath=following-sibling::dd");
  return ((await total.textContent()) ?? "").trim();
}
