import type { ElementHandle } from "playwright-core";
import type { PinnedElement } from "../../browser/session/browser-session.ts";
import { findHitPoint, type HitPoint, isHittable } from "./hit-point.ts";
import { isTimeout } from "./playwright-error.ts";

/** Playwright waits within it for the element to stand still, and looks once more at what the mouse will meet. */
const CLICK_TIMEOUT_MS = 2000;

interface ClickOptions {
  readonly signal: AbortSignal;
  readonly isDouble?: boolean;
}

/** Clicks where the element can be met. Whatever covers it is named and never clicked through. */
export async function clickElement(element: PinnedElement, options: ClickOptions): Promise<void> {
  const target = await withVisibleLabel(element);
  const point = await findHitPoint(target, options.signal);
  const page = (await target.handle.ownerFrame())?.page();
  try {
    await clickThere(target.handle, point, options);
  } catch (error) {
    // A click may close its own window; it has happened all the same.
    if (page?.isClosed()) return;
    if (!isTimeout(error)) throw error;
    await clickWhatMoves(target, options);
  }
}

/** Sites like to hide a checkbox and to draw one in its label, or lay a label over its field: a person clicks the label. */
async function withVisibleLabel(element: PinnedElement): Promise<PinnedElement> {
  if (await isHittable(element.handle)) return element;
  const label = (await element.handle.evaluateHandle(findLabelInstead)).asElement();
  return label === null ? element : { ...element, handle: label };
}

/** Runs in the page. Null when the element itself can be met, once it is scrolled into view. */
function findLabelInstead(node: Element): Element | null {
  const labels = "labels" in node ? [...((node.labels as NodeListOf<Element> | null) ?? [])] : [];
  if (labels.length === 0) return null;
  node.scrollIntoView({ block: "center", behavior: "instant" });
  const box = node.getBoundingClientRect();
  const root = node.getRootNode() as Document | ShadowRoot;
  if (root.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2) === node) return null;
  return labels.find((label) => label.getClientRects().length > 0) ?? null;
}

async function clickThere(
  handle: ElementHandle<Element>,
  { position }: HitPoint,
  options: ClickOptions,
): Promise<void> {
  const { signal, isDouble = false } = options;
  // Not waiting afterwards: a navigation that the site holds back would hold the click back too.
  const how = { position, signal, timeout: CLICK_TIMEOUT_MS, noWaitAfter: true };
  await (isDouble ? handle.dblclick(how) : handle.click(how));
}

/** What never stands still is hit where it is at that moment, if nothing else is there. */
async function clickWhatMoves(target: PinnedElement, { signal, isDouble = false }: ClickOptions): Promise<void> {
  const { x, y } = await findHitPoint(target, signal);
  const page = (await target.handle.ownerFrame())?.page();
  await page?.mouse.click(x, y, { clickCount: isDouble ? 2 : 1 });
}
