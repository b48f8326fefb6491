import { setTimeout as sleep } from "node:timers/promises";
import type { Frame, Page } from "playwright-core";
import type { PinnedElement } from "../../browser/observation/pin-element.ts";
import { ActionFailed, isTimeout } from "./action.ts";
import { assertSubmitted, endUnlessGone, type ValidationError, watchForm } from "./form-submission.ts";
import { quote } from "./plain-text.ts";
import { type Probe, probeElement, probeFrame, type ScrollFirst } from "./probe-element.ts";
import { isSurelyEnabled } from "./target.ts";

interface ClickOptions {
  readonly signal: AbortSignal;
  readonly isDouble?: boolean;
  /** With the right button, which opens a context menu. */
  readonly isRight?: boolean;
}

/**
 * The usual click, with three messages: on an element that is enabled, at rest and not covered. False when it is not so, and
 * nothing was clicked. Fails when it should have submitted a form and did not.
 */
export async function clickAtOnce(element: PinnedElement, options: ClickOptions): Promise<boolean> {
  const click = await element.handle.begin(prepareClick);
  const page = element.handle.frame.page();
  try {
    const point = click.now === null ? null : await findInPage(element, click.now);
    const isUsual = point?.kind === "hit" && !point.isThrough && !point.isMoving;
    if (isUsual) await page.mouse.click(point.x, point.y, toMouse(options));
    const ended = await endUnlessGone(click);
    if (!isUsual || ended?.isMissed === true) return false;
    assertSubmitted(ended?.error ?? null);
  } catch (error) {
    // A click may close its own window; it has happened anyway.
    if (!page.isClosed()) throw error;
  }
  return true;
}

interface UsualClick {
  /** Null when something may disable the element. */
  readonly now: Probe | null;
  end(): { readonly isMissed: boolean; readonly error: ValidationError | null };
}

/** Runs in the page. */
const prepareClick = new Function(
  "element",
  `const now = (${isSurelyEnabled})(element) ? (${probeElement})(element, "no") : null;
  const form = (${watchForm})(element);
  const guard = (${guardClick})(element);
  return { now, end: () => ({ isMissed: guard.end(), error: form.end() }) };`,
) as (element: Element) => UsualClick;

const MAX_TRIES = 3;
/** How long an element may take to stop moving. */
const STABLE_TIMEOUT_MS = 2000;

/**
 * Clicks a point where the mouse hits the element. An element that covers it is named and never clicked through. Should the
 * element be elsewhere when the click arrives, nothing else gets the click, and it is tried again.
 */
export async function clickElement(element: PinnedElement, options: ClickOptions): Promise<void> {
  let { target, point } = await aim(element, options.signal);
  const page = target.handle.frame.page();
  try {
    if (point.isThrough) return await page.mouse.click(point.x, point.y, toMouse(options));
    for (let attempt = 1; attempt <= MAX_TRIES; attempt++) {
      if (attempt > 1 || point.isMoving) {
        await waitUntilStable(target, options.signal);
        point = await findHitPoint(target, options.signal);
      }
      const guard = await target.handle.begin(guardClick);
      await page.mouse.click(point.x, point.y, toMouse(options));
      // The click may have left the page.
      if (!(await guard.end().catch(() => false))) return;
    }
  } catch (error) {
    // A click may close its own window; it has happened anyway.
    if (page.isClosed()) return;
    throw error;
  }
  throw new ActionFailed("covered", `The ${target.role} ${quote(target.name)} moves too fast to be clicked.`);
}

function toMouse({ isDouble = false, isRight = false }: ClickOptions) {
  return { clickCount: isDouble ? 2 : 1, button: isRight ? ("right" as const) : ("left" as const) };
}

/** Sites often hide a checkbox and draw one in its label, or lay a label over its field: a person clicks the label. */
async function aim(element: PinnedElement, signal: AbortSignal): Promise<{ target: PinnedElement; point: HitPoint }> {
  const probe = await probeThroughFrames(element, "no");
  if (probe.kind === "hit") return { target: element, point: probe };
  const label = await element.handle.find(findLabelInstead);
  const target = label === null ? element : { ...element, handle: label };
  return { target, point: await findHitPoint(target, signal) };
}

/** Runs in the page. Null when the mouse hits the element itself, once it is scrolled into view. */
function findLabelInstead(node: Element): Element | null {
  const labels = "labels" in node ? [...((node.labels as NodeListOf<Element> | null) ?? [])] : [];
  if (labels.length === 0) return null;
  node.scrollIntoView({ block: "center", behavior: "instant" });
  const box = node.getBoundingClientRect();
  const root = node.getRootNode() as Document | ShadowRoot;
  if (root.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2) === node) return null;
  return labels.find((label) => label.getClientRects().length > 0) ?? null;
}

/** One that never stops moving is clicked where it is at the moment. */
async function waitUntilStable({ handle }: PinnedElement, signal: AbortSignal): Promise<void> {
  try {
    await (await handle.toHandle()).waitForElementState("stable", { timeout: STABLE_TIMEOUT_MS, signal });
  } catch (error) {
    if (!isTimeout(error)) throw error;
  }
}

/**
 * Runs in the page. When the first event of a click is beside the element, keeps the whole click from everything else. Once
 * the element has been hit, the rest may go elsewhere: pages replace elements while the button is down.
 */
function guardClick(element: Element): { now: null; end(): boolean } {
  const TYPES = ["pointerdown", "mousedown", "pointerup", "mouseup", "click", "dblclick", "auxclick", "contextmenu"];
  const MAX_MS = 1000;
  const target = element.closest("button, a[href], [role=button], [role=link]") ?? element;
  let isMissed: boolean | null = null;
  function guard(event: Event): void {
    isMissed ??= !event.composedPath().includes(target);
    if (!isMissed) return void end();
    event.preventDefault();
    event.stopImmediatePropagation();
  }
  function end(): boolean {
    for (const type of TYPES) window.removeEventListener(type, guard, true);
    return isMissed === true;
  }
  for (const type of TYPES) window.addEventListener(type, guard, true);
  // An open dialog may delay the end: it must not swallow what a person clicks then.
  setTimeout(end, MAX_MS);
  return { now: null, end };
}

/** Clicks a point of an element that is a picture: a drawing of which only its script knows the parts. */
export async function clickPoint(element: PinnedElement, point: Point, options: ClickOptions): Promise<void> {
  const { x, y } = point;
  const what = `The ${element.role} ${quote(element.name)}`;
  const box = await (await element.handle.toHandle()).boundingBox();
  if (box === null) throw new ActionFailed("covered", `${what} is not visible.`);
  if (x < box.x || y < box.y || x > box.x + box.width || y > box.y + box.height) {
    const [left, right, upper, lower] = [box.x, box.x + box.width, box.y, box.y + box.height].map(Math.round);
    throw new ActionFailed("invalid_input", `${what} goes from x ${left} to ${right} and from y ${upper} to ${lower}.`);
  }
  const hit = await element.handle.evaluate(
    (node, at: Point) => {
      const found = (node.getRootNode() as Document | ShadowRoot).elementFromPoint(at.x, at.y);
      const around = node.getBoundingClientRect();
      const isOver = found !== null && !node.contains(found) && !found.contains(node);
      // A second drawing or a transparent layer of the same size belongs to it.
      const over = found?.getBoundingClientRect();
      if (!isOver || (over?.width === around.width && over.height === around.height)) return null;
      return found.getAttribute("aria-label") ?? found.localName;
    },
    await toFrame(element, box, point),
  );
  if (hit !== null) throw new ActionFailed("covered", `At that point ${what} is covered by ${quote(hit)}.`);
  await element.handle.frame.page().mouse.click(x, y, toMouse(options));
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/** A point of the page in the coordinates of the element's frame, given where the element is on the page. */
async function toFrame({ handle }: PinnedElement, box: Point, { x, y }: Point): Promise<Point> {
  const own = await handle.evaluate((node) => {
    const { x: left, y: upper } = node.getBoundingClientRect();
    return { x: left, y: upper };
  });
  return { x: x - box.x + own.x, y: y - box.y + own.y };
}

interface HitPoint {
  /** In the viewport of the page. */
  readonly x: number;
  readonly y: number;
  readonly isThrough: boolean;
  readonly isMoving: boolean;
}

/** How long a closing menu or a fading overlay may take. */
const PATIENCE_MS = 1000;
/** How long a notice may stay that covers a target. */
const NOTICE_MS = 5000;
const PAUSE_MS = 100;
/** An element under a fixed header or footer can be hit at another scroll position. */
const SCROLLS: readonly ScrollFirst[] = ["no", "center", "end", "start"];

/** A point where the mouse hits the element, after scrolling it into view. Fails as covered, naming what covers it. */
export async function findHitPoint(element: PinnedElement, signal: AbortSignal): Promise<HitPoint> {
  const started = performance.now();
  let hovered: string | null = null;
  for (;;) {
    const probe = await probeAtAnyHeight(element, signal);
    if (probe.kind === "hit") return probe;
    const patience = probe.kind === "covered" && probe.isNotice ? NOTICE_MS : PATIENCE_MS;
    if (probe.kind === "detached" || performance.now() - started > patience)
      throw describeMiss(probe, element, hovered);
    // Scrolling moves everything away from under the mouse, so the mouse follows each time.
    hovered = (await hoverItemAround(element)) ?? hovered;
    await sleep(PAUSE_MS, undefined, { signal });
  }
}

/**
 * Some controls only appear while the mouse is over their row or card. Moves the mouse onto it, and returns what it is; null
 * when the mouse cannot get there.
 */
async function hoverItemAround(element: PinnedElement): Promise<string | null> {
  const item = await element.handle.find(findItemAround);
  if (item === null) return null;
  const around = { ...element, handle: item };
  const probe = await probeThroughFrames(around, "no");
  const name = await item.evaluate(describeItem);
  await item.dispose();
  if (probe.kind !== "hit") return null;
  await moveMouse(item.frame.page(), probe);
  return name;
}

/** Moves twice: a mousemove listener may only react to the second move. */
export async function moveMouse({ mouse }: Page, { x, y }: { readonly x: number; readonly y: number }): Promise<void> {
  await mouse.move(x - 1, y);
  await mouse.move(x, y);
}

/** Runs in the page. The innermost element around it that the mouse can hit, not beyond the row, item or card. */
function findItemAround(element: Element): Element | null {
  const LARGER =
    "body, main, ul, ol, table, tbody, form, dialog, [role=list], [role=grid], [role=table], [role=dialog]";
  const MAX_SHARE = 0.6;
  element.scrollIntoView({ block: "center", inline: "nearest", behavior: "instant" });
  for (let at = element.parentElement; at !== null && !at.matches(LARGER); at = at.parentElement) {
    const { left, top, width, height } = at.getBoundingClientRect();
    if (width * height > innerWidth * innerHeight * MAX_SHARE) return null;
    const root = at.getRootNode() as Document | ShadowRoot;
    const hit = root.elementFromPoint(left + width / 2, top + height / 2);
    if (width > 0 && height > 0 && hit !== null && at.contains(hit)) return at;
  }
  return null;
}

/** Runs in the page. */
function describeItem(item: Element): string {
  // biome-ignore lint/performance/useDomNodeTextContent: only rendered text counts.
  const text = ((item as HTMLElement).innerText ?? "").replace(/\s+/g, " ").trim().slice(0, 60);
  return `${item.getAttribute("role") ?? item.localName} "${text}"`;
}

/** Whether the mouse hits the element where it is now. */
export async function isHittable(element: PinnedElement): Promise<boolean> {
  return (await probeThroughFrames(element, "no")).kind === "hit";
}

async function probeAtAnyHeight(element: PinnedElement, signal: AbortSignal): Promise<Probe> {
  let miss: Probe = { kind: "hidden" };
  for (const scroll of SCROLLS) {
    signal.throwIfAborted();
    const probe = await probeThroughFrames(element, scroll);
    if (probe.kind === "hit" || probe.kind === "detached") return probe;
    if (probe.kind === "covered") miss = probe;
  }
  return miss;
}

async function probeThroughFrames(element: PinnedElement, scroll: ScrollFirst): Promise<Probe> {
  return await findInPage(element, await element.handle.evaluate(probeElement, scroll));
}

/** The same in the viewport of the page, through all frames around the element. */
async function findInPage(element: PinnedElement, probe: Probe): Promise<Probe> {
  if (probe.kind !== "hit") return probe;
  let { x, y } = probe;
  let frame: Frame | null = element.handle.frame;
  while (frame !== null && frame.parentFrame() !== null) {
    const owner = await frame.frameElement();
    const around = await owner.evaluate(probeFrame, { x, y });
    await owner.dispose();
    if (around.kind !== "hit") return around;
    ({ x, y } = around);
    frame = frame.parentFrame();
  }
  return { ...probe, x, y };
}

function describeMiss(
  probe: Exclude<Probe, { kind: "hit" }>,
  { role, name }: PinnedElement,
  hovered: string | null,
): ActionFailed {
  const what = `The ${role} ${quote(name)}`;
  switch (probe.kind) {
    case "covered":
      return new ActionFailed("covered", `${what} is covered by ${probe.by}. Close or answer that first.`);
    case "hidden":
      return new ActionFailed(
        "covered",
        hovered === null
          ? `${what} is not visible, and scrolling does not bring it into view.`
          : `${what} is not visible, even after hovering over ${hovered}. Hover what reveals it first.`,
      );
    case "detached":
      return new ActionFailed("stale", `${what} is no longer on the page. Observe the page again.`);
  }
}
