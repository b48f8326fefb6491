import type { Page } from "playwright-core";
import { withTimeout } from "../../lib/waiting.ts";
import type { PageView } from "../observation/page-observer.ts";
import type { Mark } from "./browser-session.ts";
import { stopLoading } from "./navigate.ts";
import { isWrite } from "./network-record.ts";
import type { OpenRecord } from "./network-recorder.ts";
import type { SessionContext } from "./session-context.ts";
import type { OpenTab } from "./tabs.ts";

/** What a page needs to be complete. Images, fonts and media only decorate it; streams never end. */
const AWAITED: ReadonlySet<string> = new Set(["document", "fetch", "xhr", "script", "stylesheet"]);

/** So long after its head the rest of an answer is a stream. */
const STREAM_MS = 1_000;

const QUIET = { quietMs: 50, maxMs: 500 };
/** For a page whose script does not let a question through. */
const QUIET_TIMEOUT_MS = 1_000;
const RETRY_MS = 5;
/** How long nothing need happen before it is looked again at what is waited for. */
const PATIENCE_MS = 500;
/** How much later than the request a download may be told of. */
const DOWNLOAD_MS = 500;

/** Waits until what has begun since the mark is over and the page has come to rest; not longer than the limits say. */
export async function waitUntilSettled(world: SessionContext, since: Mark, signal: AbortSignal): Promise<void> {
  const { network, dialogs, downloads, lifeline, limits } = world;
  const startedMs = performance.now();
  for (;;) {
    if (dialogs.pending !== null) return;
    const open = network.openSince(since).filter(isAwaited);
    const isBusy = downloads.isRunning || isDownloadDue(world, since) || open.some(isVital);
    const leftMs = (isBusy ? limits.busyRestMs : limits.restMs) - (performance.now() - startedMs);
    if (leftMs <= 0) return await stopPendingDocument(world);
    if (isBusy || open.length > 0) {
      const pulses = [network.changed, dialogs.opened, downloads.begun, downloads.ended];
      const change = Promise.race(pulses.map((pulse) => pulse.next()));
      await lifeline.until(withTimeout(change, Math.min(leftMs, PATIENCE_MS)), signal);
    } else if (await isQuiet(world, leftMs, signal)) return;
  }
}

/** A document that was answered and then dropped has most likely become a download, which is told of a moment later. */
function isDownloadDue({ network, downloads }: SessionContext, since: Mark): boolean {
  return network.countDropped(since, performance.now() - DOWNLOAD_MS) > downloads.countBegunSince(since);
}

/** What is still on its way is not waited for any more. */
export async function stopPendingDocument({ network, tabs }: SessionContext): Promise<void> {
  if (network.isDocumentAwaited) await stopLoading((await tabs.current()).page);
}

function isAwaited(record: OpenRecord): boolean {
  if (!AWAITED.has(record.resourceType) && !isVital(record)) return false;
  return record.answeredMs === null || performance.now() - record.answeredMs < STREAM_MS;
}

/** Worth a longer wait: what the run is here for. */
function isVital(record: OpenRecord): boolean {
  if (record.resourceType === "websocket" || record.resourceType === "ping") return false;
  return record.isMainDocument || isWrite(record);
}

/** False when something began in the meantime, or the page went elsewhere. */
async function isQuiet(
  { network, tabs, dialogs, downloads, lifeline }: SessionContext,
  leftMs: number,
  signal: AbortSignal,
) {
  const begunBefore = network.count;
  const { page } = await tabs.current();
  const answer = await lifeline.until(
    withTimeout(Promise.race([waitForQuietPage(page), dialogs.opened.next()]), Math.min(leftMs, QUIET_TIMEOUT_MS)),
    signal,
  );
  const isSame = network.count === begunBefore && page === (await tabs.current()).page;
  return answer !== "gone" && isSame && !downloads.isRunning;
}

async function waitForQuietPage(page: Page): Promise<"quiet" | "gone"> {
  try {
    await page.evaluate(waitForQuietInPage, QUIET);
    return "quiet";
  } catch {
    // The document went while it was asked. Not at once, so that a tab that is just closing costs no busy loop.
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    return "gone";
  }
}

/**
 * Runs in the page. Two frames without a change are enough; a change has to be followed by a quiet moment. A page in
 * the background gets no frames, hence the timer next to them.
 */
function waitForQuietInPage({ quietMs, maxMs }: { quietMs: number; maxMs: number }): Promise<void> {
  return new Promise((resolve) => {
    const startedMs = performance.now();
    let changedMs: number | null = null;
    let frames = 0;
    const observer = new MutationObserver(() => {
      changedMs = performance.now();
    });
    observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
    // What fades or slides in is not all there yet; what turns without end never will be.
    const isMoving = () =>
      document.getAnimations().some(({ playState, effect }) => {
        return playState === "running" && Number.isFinite(Number(effect?.getComputedTiming().endTime));
      });
    const look = () => {
      const nowMs = performance.now();
      if (isMoving()) changedMs = nowMs;
      const isResting = changedMs === null ? frames >= 2 : nowMs - changedMs >= quietMs;
      if ((isResting && document.readyState !== "loading") || nowMs - startedMs >= maxMs) {
        observer.disconnect();
        resolve();
      } else waitForFrame();
    };
    const waitForFrame = () => {
      let isOver = false;
      const once = () => {
        if (isOver) return;
        isOver = true;
        frames += 1;
        look();
      };
      requestAnimationFrame(once);
      setTimeout(once, quietMs);
    };
    waitForFrame();
  });
}

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
  world: SessionContext,
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
    const outcome = await lifeline.until(withTimeout(done, Math.min(limits.hangMs / 2, leftMs())), signal);
    if (outcome !== null) return outcome;
    if (leftMs() <= 0) return "late";
    const answer = page.evaluate(() => "answered" as const).catch(() => "gone" as const);
    const heard = await lifeline.until(withTimeout(Promise.race([answer, done]), limits.hangMs / 2), signal);
    if (heard === null) await assertDocumentPending(world, page, performance.now() - startedMs);
  }
}

/** A page is silent by right while its tab waits for a document, but not for longer than that may take. */
async function assertDocumentPending(
  { network, lifeline, limits }: SessionContext,
  page: Page,
  waitedMs: number,
): Promise<void> {
  if (!network.isDocumentAwaited) {
    throw lifeline.lose(`The page does not answer any more, its script keeps the browser busy: ${page.url()}`);
  }
  if (waitedMs >= limits.navigationMs) await stopLoading(page);
}

/** Null when the page stands still. Who looks is told to stop when nobody waits any more. */
export async function observeTab(
  world: SessionContext,
  { page, observer }: OpenTab,
  signal: AbortSignal,
): Promise<PageView | null> {
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
