import { setTimeout as sleep } from "node:timers/promises";
import { type ObservedNode, textOf, walk } from "../observation/observation.ts";
import type { PageView } from "../observation/page-observer.ts";
import { NavigationFailed, type PageToRead, PolicyRefusal } from "./browser-session.ts";
import { observeTab } from "./hanging-page.ts";
import { navigate } from "./navigate.ts";
import type { NetworkRecord } from "./network-record.ts";
import type { SessionContext } from "./session-context.ts";
import { waitUntilSettled } from "./settle.ts";
import type { OpenTab } from "./tabs.ts";

export type ReadPage =
  | { readonly status: number | null; readonly view: PageView }
  | { readonly failure: PolicyRefusal | NavigationFailed };

/** An application may be ready long after its page has come to rest. */
const LOADING_DELAYS_MS = [300, 700, 1_500, 3_000, 4_500];
/** Of these, for a page that shows something else already, or asks for nothing: it may stay like that. */
const PARTIAL_DELAYS = 3;

/** Loads a page in a tab and observes it when it is ready. */
export async function loadPage(
  context: SessionContext,
  tab: OpenTab,
  { url, isReady = () => true, cameLate = false, clicks }: PageToRead,
  signal: AbortSignal,
): Promise<ReadPage> {
  await leave(context, tab, url, signal);
  const since = context.timeline.mark();
  const status = await navigate(context, url, signal).catch((error: unknown) => {
    if (error instanceof PolicyRefusal) return error;
    throw error;
  });
  if (status instanceof PolicyRefusal) return { failure: status };
  await waitUntilSettled(context, since, signal);
  let view = await observeTab(context, tab, signal);
  for (const [index, delayMs] of LOADING_DELAYS_MS.entries()) {
    const loading = view === null ? "none" : findLoading(view, context.network.since(since), { isReady, cameLate });
    if (loading === "none" || (loading === "part" && index >= PARTIAL_DELAYS)) break;
    await sleep(delayMs, undefined, { signal });
    view = await observeTab(context, tab, signal);
  }
  if (view === null) throw new NavigationFailed(`${url} could not be read again. A dialog blocks it.`);
  return { status, view: clicks === undefined ? view : await clickThrough(context, tab, view, clicks, signal) };
}

/** The page as it shows most of what is expected, after the clicks for that. Nothing that they change leaves the browser. */
async function clickThrough(
  context: SessionContext,
  tab: OpenTab,
  loaded: PageView,
  { expected, count, next, isHere }: NonNullable<PageToRead["clicks"]>,
  signal: AbortSignal,
): Promise<PageView> {
  let [best, view] = [loaded, loaded];
  while (expected > 0 && count(best.root) < expected) {
    const ref = next(view.root);
    if (ref === null) return best;
    const since = context.timeline.mark();
    await context.lifeline.unlessLost(
      clickMiddle(tab, ref).catch(() => {}),
      signal,
    );
    await waitUntilSettled(context, since, signal);
    const after = await observeTab(context, tab, signal);
    if (after === null || !isHere(after.url)) return best;
    view = after;
    if (count(view.root) > count(best.root)) best = view;
  }
  return best;
}

async function clickMiddle({ page, observer }: OpenTab, ref: string): Promise<void> {
  const { handle } = await observer.pin(ref);
  const { x, y } = await handle.evaluate((element) => {
    element.scrollIntoView({ block: "center", behavior: "instant" });
    const box = element.getBoundingClientRect();
    return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  });
  await page.mouse.click(x, y);
}

/** The page before may have opened others. And where only the fragment differs, opening a URL does not load the page again. */
async function leave(
  { tabs, lifeline }: SessionContext,
  tab: OpenTab,
  url: string,
  signal: AbortSignal,
): Promise<void> {
  const others = tabs.pages().filter((page) => page !== tab.page);
  for (const page of others) page.close().catch(() => {});
  tabs.choose(tab);
  const [before, next] = [tab.page.url(), url].map((each) => each.split("#", 1)[0]);
  if (before === next)
    await lifeline.unlessLost(
      tab.page.goto("about:blank").catch(() => null),
      signal,
    );
}

const LOADING_TEXT = /^(?:loading|please wait|fetching|connecting|authori[sz]ing)\b[^.]{0,40}[.…]*$/i;
const LITTLE_TEXT = 100;
/** What the pages of applications load, and simple pages do not. */
const APPLICATION_TYPES: ReadonlySet<string> = new Set(["script", "fetch", "xhr", "websocket"]);

/** Whether the page, or a part of it, says that it is loading, or does not show what is expected yet. */
function findLoading(
  { root }: PageView,
  requests: readonly NetworkRecord[],
  { isReady, cameLate }: Required<Pick<PageToRead, "isReady" | "cameLate">>,
): "page" | "part" | "none" {
  const isLittle = textOf(root).length <= LITTLE_TEXT;
  const says = (isSaying: (node: ObservedNode) => boolean) => walk(root).some(({ node }) => isSaying(node));
  if (says(({ name }) => LOADING_TEXT.test(name))) return isLittle ? "page" : "part";
  const isEmpty = !says(({ ref }) => ref !== null);
  const isApplication = requests.some(({ resourceType }) => APPLICATION_TYPES.has(resourceType));
  // An application may be all in its page, with a script that has asked for nothing yet. Any other page may have changed for good.
  if ((isApplication || cameLate) && !isReady(root)) return isApplication ? "page" : "part";
  return isLittle && ((isEmpty && isApplication) || says(({ role }) => role === "progressbar")) ? "page" : "none";
}
