import type { Page } from "playwright-core";
import { inTime } from "../../lib/in-time.ts";

const STOP_TIMEOUT_MS = 2_000;

/**
 * Gives up on a document that does not come. As long as one is on its way Chromium passes no question on to the page,
 * so a run could neither look nor act; the page that is there then stays.
 */
export async function stopLoading(page: Page): Promise<void> {
  await inTime(stop(page), STOP_TIMEOUT_MS).catch(() => {});
}

async function stop(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send("Page.stopLoading");
  await session.detach();
}
