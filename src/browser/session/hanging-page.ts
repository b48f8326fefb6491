import type { Page } from "playwright-core";
import { withTimeout } from "../../lib/waiting.ts";
import type { PageView } from "../observation/page-observer.ts";
import { stopLoading } from "./navigate.ts";
import { measureBusiest, readRendererLoad } from "./renderer-load.ts";
import type { SessionContext } from "./session-context.ts";
import type { OpenTab } from "./tabs.ts";

interface WaitOptions {
  readonly signal?: AbortSignal;
  /** Default: as long as the page responds at all. */
  readonly maxMs?: number;
  /** The share of `hangMs` that the page may use the processor without responding. */
  readonly maxUsedShare?: number;
}

/**
 * Waits for work that needs the page's main thread. When it takes long, the page has to evaluate a constant: a page that
 * cannot do even that hangs, and the session is lost. An open dialog blocks the page legitimately, so it ends the wait.
 */
export async function unlessHanging<T>(
  context: SessionContext,
  page: Page,
  work: Promise<T>,
  { signal, maxMs = Number.POSITIVE_INFINITY, maxUsedShare = MAX_USED_SHARE }: WaitOptions = {},
): Promise<{ result: T } | "dialog" | "late"> {
  const { lifeline, dialogs, limits } = context;
  const startedMs = performance.now();
  const leftMs = () => maxMs - (performance.now() - startedMs);
  const opened = dialogs.opened.next().then(() => "dialog" as const);
  const done = Promise.race([work.then((result) => ({ result })), opened]);
  const stall = new Stall(context, page);
  for (;;) {
    const outcome = await lifeline.unlessLost(withTimeout(done, Math.min(limits.hangMs / 2, leftMs())), signal);
    if (outcome !== null) return outcome;
    if (leftMs() <= 0) return "late";
    await lifeline.unlessLost(stall.begin(), signal);
    const ping = page.evaluate(() => "alive" as const).catch(() => "gone" as const);
    const response = await lifeline.unlessLost(withTimeout(Promise.race([ping, done]), limits.hangMs / 2), signal);
    if (response !== null) stall.end();
    else if (!context.network.isDocumentPending) await lifeline.unlessLost(stall.assertTolerable(maxUsedShare), signal);
    // A page does not respond while its tab waits for a document. That is fine up to the navigation limit.
    else if (performance.now() - startedMs >= limits.navigationMs) await stopLoading(page);
  }
}

const MAX_USED_SHARE = 0.1;
/** While it is read: that takes seconds on a page with thousands of rows. */
const READING_USED_SHARE = 1;
/** How much longer than `hangMs` a page may take that uses it less. */
const MAX_STALL_FACTOR = 6;

/**
 * A time in which a page does not respond. A page whose script blocks it uses all the processor time it gets. One that
 * hardly uses any is not to blame: the machine is busy with something else, so the page gets more time.
 */
class Stall {
  readonly #context: SessionContext;
  readonly #page: Page;
  #began: { readonly atMs: number; readonly load: Awaited<ReturnType<typeof readRendererLoad>> } | null = null;

  constructor(context: SessionContext, page: Page) {
    this.#context = context;
    this.#page = page;
  }

  async begin(): Promise<void> {
    this.#began ??= { atMs: performance.now(), load: await this.#readLoad() };
  }

  end(): void {
    this.#began = null;
  }

  /** Loses the session when the page is to blame, or when it has taken far too long. */
  async assertTolerable(maxUsedShare: number): Promise<void> {
    if (this.#began === null) return;
    const { lifeline, limits } = this.#context;
    const { atMs, load } = this.#began;
    const usedMs = measureBusiest(load, await this.#readLoad());
    const url = this.#page.url();
    if (usedMs !== null && usedMs >= limits.hangMs * maxUsedShare) {
      throw lifeline.lose(`The page no longer responds because its script blocks it: ${url}`);
    }
    const waitedMs = performance.now() - atMs;
    if (waitedMs < limits.hangMs * MAX_STALL_FACTOR) return;
    const waited = `did not respond for ${Math.round(waitedMs / 1_000)} seconds`;
    throw lifeline.lose(
      `The page ${waited}, although its script was not running. The machine may be overloaded: ${url}`,
    );
  }

  #readLoad() {
    return readRendererLoad(this.#context.browserContext.browser(), this.#context.limits.hangMs / 2);
  }
}

/** Observes one tab. Null when a dialog blocks the page. */
export async function observeTab(
  context: SessionContext,
  { page, observer }: OpenTab,
  signal: AbortSignal,
): Promise<PageView | null> {
  const stop = new AbortController();
  try {
    const observing = observer.observe(AbortSignal.any([signal, stop.signal]));
    const observed = await unlessHanging(context, page, observing, {
      signal,
      maxMs: context.limits.observeMs,
      maxUsedShare: READING_USED_SHARE,
    });
    if (observed === "late") throw context.lifeline.lose(`Reading the page took too long: ${page.url()}`);
    return observed === "dialog" ? null : observed.result;
  } finally {
    stop.abort();
  }
}
