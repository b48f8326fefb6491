import type { Page } from "playwright-core";
import { inTime } from "./in-time.ts";
import type { World } from "./world.ts";

/**
 * Waits for something that needs the page's own script to pause. When it takes long, the page is asked something
 * trivial: a page that leaves even that unanswered hangs, and nothing can be done with it any more. Null when a dialog
 * opened, for then the page stands still by right.
 */
export async function unlessHanging<T>(
  { lifeline, dialogs, limits: { hangMs } }: World,
  page: Page,
  work: Promise<T>,
  signal?: AbortSignal,
): Promise<{ result: T } | null> {
  const opened = dialogs.opened.next().then(() => "dialog" as const);
  const done = Promise.race([work.then((result) => ({ result })), opened]);
  for (let attempt = 1; attempt <= 2; attempt++) {
    const outcome = await lifeline.until(inTime(done, hangMs / 2), signal);
    if (outcome === "dialog") return null;
    if (outcome !== null) return outcome;
    const answer = page.evaluate(() => true).catch(() => true);
    const isAnswered = await lifeline.until(inTime(Promise.race([answer, opened]), hangMs / 2), signal);
    if (isAnswered === "dialog") return null;
    if (isAnswered === null) break;
  }
  throw lifeline.lose(`The page does not answer any more, its script keeps the browser busy: ${page.url()}`);
}
