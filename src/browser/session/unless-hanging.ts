import type { Page } from "playwright-core";
import { inTime } from "../../lib/in-time.ts";
import type { PageView } from "../observation/page-observer.ts";
import { stopLoading } from "./stop-loading.ts";
import type { OpenTab } from "./tabs.ts";
import type { World } from "./world.ts";

interface WaitOptions {
  readonly signal?: AbortSignal;
  /** Default: as long as the page answers at all. */
  readonly maxMs?: number;
}

/**
 * Waits for something that needs the page's own script to pause. When it takes long, the page is asked something
 * trivial: one that leaves even that unanswered hangs, and nothing can be done with it any more. While a dialog is open
 * the page stands still by right.
 */
export async function unlessHanging<T>(
  world: World,
  page: Page,
  work: Promise<T>,
  { signal, maxMs = Number.POSITIVE_INFINITY }: WaitOptions = {},
): Promise<{ result: T } | "dialog" | "late"> {
  const { lifeline, dialogs, limits } = world;
  const startedMs = performance.now();
  const leftMs = () => maxMs - (performance.now() - startedMs);
  const opened = dialogs.opened.next().then(() => "dialog" as const);
  const done = Promise.race([work.then((result) => ({ result })), opened]);
  for (;;) {
    const outcome = await lifeline.until(inTime(done, Math.min(limits.hangMs / 2, leftMs())), signal);
    if (outcome !== null) return outcome;
    if (leftMs() <= 0) return "late";
    const answer = page.evaluate(() => "answered" as const).catch(() => "gone" as const);
    const heard = await lifeline.until(inTime(Promise.race([answer, done]), limits.hangMs / 2), signal);
    if (heard === null) await assertWaiting(world, page, performance.now() - startedMs);
  }
}

/** A page is silent by right while its tab waits for a document, but not for longer than that may take. */
async function assertWaiting({ network, lifeline, limits }: World, page: Page, waitedMs: number): Promise<void> {
  if (!network.isDocumentAwaited) {
    throw lifeline.lose(`The page does not answer any more, its script keeps the browser busy: ${page.url()}`);
  }
  if (waitedMs >= limits.navigationMs) await stopLoading(page);
}

/** Null when the page stands still. Who looks is told to stop when nobody waits any more. */
export async function look(world: World, { page, observer }: OpenTab, signal: AbortSignal): Promise<PageView | null> {
  const stop = new AbortController();
  try {
    const looking = observer.observe(AbortSignal.any([signal, stop.signal]));
    const looked = await unlessHanging(world, page, looking, { signal, maxMs: world.limits.lookMs });
    if (looked === "late") throw world.lifeline.lose(`The page cannot be read, for it takes too long: ${page.url()}`);
    return looked === "dialog" ? null : looked.result;
  } finally {
    stop.abort();
  }
}
