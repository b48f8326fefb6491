import type { Page } from "playwright-core";
import { withTimeout } from "../../lib/waiting.ts";
import type { Mark } from "./browser-session.ts";
import { stopLoading } from "./navigate.ts";
import { isWrite } from "./network-record.ts";
import type { OpenRecord } from "./network-recorder.ts";
import type { SessionContext } from "./session-context.ts";

/** What a page needs to be complete. Images, fonts and media are decoration; streams never end. */
const AWAITED: ReadonlySet<string> = new Set(["document", "fetch", "xhr", "script", "stylesheet"]);

/** A response whose body is still open this long after its headers is a stream. */
const STREAM_MS = 1_000;

const QUIET = { quietMs: 50, maxMs: 500 };
/** A page that is too busy to run the check is asked again, but not for ever: it may also be blocked. */
const MAX_SILENT_CHECKS = 3;
const QUIET_TIMEOUT_MS = 1_000;
const RETRY_MS = 5;
/** For an application whose scripts are there, but have drawn nothing yet. */
const BLANK_MS = 2_500;
/** How often to check again when no event arrives. */
const RECHECK_MS = 500;
/** How much later than its request a download may be reported. */
const DOWNLOAD_MS = 500;

/** Waits until everything that began after the mark is done and the page is quiet, within the limits. */
export async function waitUntilSettled(context: SessionContext, since: Mark, signal: AbortSignal): Promise<void> {
  const { dialogs, limits } = context;
  const startedMs = performance.now();
  let silentChecks = 0;
  while (dialogs.pending === null) {
    const open = listAwaited(context, since);
    const isBusy = isSendingOrLoading(context, since, open);
    const waitedMs = performance.now() - startedMs;
    const leftMs = (isBusy ? limits.busySettleMs : limits.settleMs) - waitedMs;
    if (leftMs <= 0) {
      context.longPolls.learn(open, performance.now());
      return await stopPendingDocument(context);
    }
    if (isBusy || open.length > 0) await waitForChange(context, leftMs, signal);
    else {
      const state = await readState(context, since, leftMs, signal);
      if (state === "silent") silentChecks += 1;
      if (isDone(state, waitedMs, silentChecks)) return;
    }
  }
}

function isSendingOrLoading(context: SessionContext, since: Mark, open: readonly OpenRecord[]): boolean {
  return context.downloads.isRunning || isDownloadDue(context, since) || open.some(isVital);
}

type PageState = "quiet" | "blank" | "busy" | "silent";

function isDone(state: PageState, waitedMs: number, silentChecks: number): boolean {
  if (state === "blank") return waitedMs >= BLANK_MS;
  return state === "quiet" || (state === "silent" && silentChecks >= MAX_SILENT_CHECKS);
}

async function waitForChange(
  { network, dialogs, downloads, lifeline }: SessionContext,
  leftMs: number,
  signal: AbortSignal,
): Promise<void> {
  const pulses = [network.changed, dialogs.opened, downloads.begun, downloads.ended];
  const change = Promise.race(pulses.map((pulse) => pulse.next()));
  await lifeline.unlessLost(withTimeout(change, Math.min(leftMs, RECHECK_MS)), signal);
}

function listAwaited({ network, longPolls }: SessionContext, since: Mark): OpenRecord[] {
  const nowMs = performance.now();
  const begun = network.begunSince(since);
  longPolls.forgetAnswered(begun);
  return begun.filter((record) => !record.isOver && isAwaited(record) && !longPolls.isOne(record, nowMs));
}

/** A document that was dropped after its response is most likely a download, which is reported a moment later. */
function isDownloadDue({ network, downloads }: SessionContext, since: Mark): boolean {
  return network.countDropped(since, performance.now() - DOWNLOAD_MS) > downloads.countBegunSince(since);
}

/** Stops waiting for a document that has not arrived. */
export async function stopPendingDocument({ network, tabs }: SessionContext): Promise<void> {
  if (network.isDocumentPending) await stopLoading((await tabs.current()).page);
}

function isAwaited(record: OpenRecord): boolean {
  if (!AWAITED.has(record.resourceType) && !isVital(record) && !isPostedMessage(record)) return false;
  return record.respondedMs === null || performance.now() - record.respondedMs < STREAM_MS;
}

/** A message that Socket.IO posts because it has no WebSocket yet. Unlike a WebSocket, the request ends. */
function isPostedMessage({ resourceType, method }: OpenRecord): boolean {
  return resourceType === "websocket" && method === "POST";
}

/** Worth a longer wait: documents, and requests that may change something. */
function isVital(record: OpenRecord): boolean {
  if (record.resourceType === "websocket" || record.resourceType === "ping") return false;
  return record.isMainDocument || isWrite(record);
}

/**
 * "silent" when it does not even run the check; "busy" when it navigated, or when a request began in the meantime and has not
 * been over for as long as a page has to be quiet.
 */
async function readState(
  { network, tabs, dialogs, downloads, lifeline }: SessionContext,
  since: Mark,
  leftMs: number,
  signal: AbortSignal,
): Promise<PageState> {
  const begunBefore = network.count;
  const { page } = await tabs.current();
  const result = await lifeline.unlessLost(
    withTimeout(Promise.race([waitForQuietPage(page), dialogs.opened.next()]), Math.min(leftMs, QUIET_TIMEOUT_MS)),
    signal,
  );
  const hasEnded = network.changed.quietMs >= QUIET.quietMs && !network.openSince(since).some(isAwaited);
  const isDone = result === "quiet" || result === "blank";
  const isOver = isDone && hasEnded;
  const isSame = (network.count === begunBefore || isOver) && page === (await tabs.current()).page;
  if (!isSame || result === "gone" || downloads.isRunning) return "busy";
  // An open dialog ends the wait: it blocks the page.
  return result === null ? "silent" : result === "blank" ? "blank" : "quiet";
}

async function waitForQuietPage(page: Page): Promise<"quiet" | "blank" | "gone"> {
  try {
    return await page.evaluate(waitForQuietInPage, QUIET);
  } catch {
    // The document was replaced. The pause avoids a busy loop while a tab is closing.
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    return "gone";
  }
}

/**
 * Runs in the page. Two frames without a change are enough; after a change the page has to be quiet for `quietMs`. A page in the
 * background gets no frames, hence the additional timer. "blank" for a page of scripts that shows nothing at all.
 */
function waitForQuietInPage({ quietMs, maxMs }: { quietMs: number; maxMs: number }): Promise<"quiet" | "blank"> {
  const MEDIA = /^(?:img|svg|canvas|video|iframe|frame|embed|object|input|select|textarea|button)$/;
  function showsSomething(): boolean {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const element = node instanceof Element ? node : node.parentElement;
      const says = node instanceof Element ? MEDIA.test(node.localName) : (node.nodeValue ?? "").trim() !== "";
      const isShadow = node instanceof Element && node.shadowRoot !== null;
      if (isShadow || (says && element?.checkVisibility() === true)) return true;
    }
    return false;
  }
  const isBlank = () =>
    document.body?.localName === "body" && document.querySelector("script[src]") !== null && !showsSomething();
  return new Promise((resolve) => {
    const startedMs = performance.now();
    let changedMs: number | null = null;
    let frames = 0;
    const observer = new MutationObserver(() => {
      changedMs = performance.now();
    });
    observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
    // Finite animations (fading or sliding in) count as changes. Endless ones, such as spinners, do not. While fonts load,
    // a page may show no text.
    const isMoving = () =>
      document.fonts.status === "loading" ||
      document.getAnimations().some(({ playState, effect }) => {
        return playState === "running" && Number.isFinite(Number(effect?.getComputedTiming().endTime));
      });
    const isQuiet = (nowMs: number) =>
      document.readyState !== "loading" && (changedMs === null ? frames >= 2 : nowMs - changedMs >= quietMs);
    const check = () => {
      const nowMs = performance.now();
      if (isMoving()) changedMs = nowMs;
      if (isQuiet(nowMs) || nowMs - startedMs >= maxMs) {
        observer.disconnect();
        resolve(isBlank() ? "blank" : "quiet");
      } else waitForFrame();
    };
    const waitForFrame = () => {
      let isOver = false;
      const once = () => {
        if (isOver) return;
        isOver = true;
        frames += 1;
        check();
      };
      requestAnimationFrame(once);
      setTimeout(once, quietMs);
    };
    waitForFrame();
  });
}
