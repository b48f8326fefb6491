import type { Browser } from "playwright-core";
import { prepareLaunch } from "./_browser.ts";
import { LOAD_PRICE, type LoadErrand } from "./_load-site.ts";

/** The same pages by a plain Playwright script: what this machine reaches at best. */
export interface BareLoad extends AsyncDisposable {
  /** So many runs, so many of them at the same time; how many a second. */
  run(count: number, together: number, signal: AbortSignal): Promise<number>;
}

export async function openBareLoad(siteUrl: string, { pages }: LoadErrand): Promise<BareLoad> {
  const launch = await prepareLaunch();
  const browser = await launch();
  return {
    async run(count, together, signal) {
      const startedMs = performance.now();
      let begun = 0;
      const work = async () => {
        while (begun < count && !signal.aborted) {
          begun += 1;
          await lookUp(browser, siteUrl, pages);
        }
      };
      await Promise.all(Array.from({ length: together }, work));
      signal.throwIfAborted();
      return count / ((performance.now() - startedMs) / 1_000);
    },
    [Symbol.asyncDispose]: () => browser.close(),
  };
}

async function lookUp(browser: Browser, siteUrl: string, pages: number): Promise<void> {
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    await page.goto(siteUrl);
    if (pages > 1) await page.getByRole("link", { name: "Brindle Kettle" }).click();
    const place = pages > 1 ? page.getByText("Price:") : page.getByRole("row", { name: "Brindle Kettle" });
    const price = (await place.textContent()) ?? "";
    if (!price.includes(LOAD_PRICE)) throw new Error(`The script has read ${price} in place of ${LOAD_PRICE}.`);
  } finally {
    await context.close();
  }
}
