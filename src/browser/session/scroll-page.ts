import type { Page } from "playwright-core";
import type { Scrolled } from "./browser-session.ts";

/**
 * Scrolls the page; where the page itself hardly scrolls, the area that has the focus, holds a list or is the largest. By
 * script, because the mouse wheel scrolls what is under it; by the wheel where a page draws its own scroll bars. Null when
 * nothing moved.
 */
export async function scrollPage(page: Page, screens: number): Promise<Scrolled | null> {
  const scrolled = await page.evaluate(scrollInPage, screens);
  if (scrolled !== "nothing scrolls") return scrolled;
  const { width = 0, height = 0 } = page.viewportSize() ?? {};
  await page.mouse.move(width / 2, height / 2);
  await page.mouse.wheel(0, height * screens);
  return null;
}

/** Runs in the page. Null when everything is at its end; other words when nothing could ever be scrolled. */
function scrollInPage(screens: number): Scrolled | null | "nothing scrolls" {
  /** A page that moves by less than this share of the window is not what a person means to scroll. */
  const MIN_SHARE = 0.1;
  const ROWS = "tr, li, article, [role=row], [role=listitem], [role=option], [role=treeitem], [role=article]";
  const root = document.scrollingElement ?? document.documentElement;

  function listElements(scope: Document | ShadowRoot): Element[] {
    return [...scope.querySelectorAll("*")].flatMap((element) => [
      element,
      ...(element.shadowRoot === null ? [] : listElements(element.shadowRoot)),
    ]);
  }

  const heightOf = (area: Element) => (area === root ? innerHeight : area.clientHeight);
  const leftIn = (area: Element) =>
    screens > 0 ? area.scrollHeight - heightOf(area) - area.scrollTop : area.scrollTop;

  function isScrollable(element: Element): boolean {
    if (element.clientHeight < 20 || element.scrollHeight <= element.clientHeight + 1) return false;
    return /auto|scroll|overlay/.test(getComputedStyle(element).overflowY);
  }

  /** In the window, and not behind something else such as a dialog. */
  function isReachable(area: Element): boolean {
    const { left, top, right, bottom } = area.getBoundingClientRect();
    const x = (Math.max(0, left) + Math.min(innerWidth, right)) / 2;
    const y = (Math.max(0, top) + Math.min(innerHeight, bottom)) / 2;
    let hit = document.elementFromPoint(x, y);
    while (hit?.shadowRoot?.elementFromPoint(x, y) && hit.shadowRoot.elementFromPoint(x, y) !== hit)
      hit = hit.shadowRoot.elementFromPoint(x, y);
    return hit !== null && (area.contains(hit) || area.getRootNode() !== document);
  }

  const isRootScrolling = root.scrollHeight > innerHeight + 1 && getComputedStyle(root).overflowY !== "hidden";
  const inner = listElements(document).filter(
    (element) => element !== root && element !== document.body && isScrollable(element),
  );
  if (!isRootScrolling && inner.length === 0) return "nothing scrolls";
  const movable = inner.filter((area) => leftIn(area) > 1 && isReachable(area));
  const focused = document.activeElement;
  const isFocused = (area: Element) => focused !== null && focused !== document.body && area.contains(focused);
  const holdsRows = (area: Element) => area.querySelectorAll(ROWS).length >= 3;
  const size = (area: Element) => area.clientWidth * area.clientHeight;
  const rank = (area: Element) => Number(isFocused(area)) * 2 + Number(holdsRows(area));
  const [best] = movable.toSorted((one, other) => rank(other) - rank(one) || size(other) - size(one));
  const rootLeft = isRootScrolling ? leftIn(root) : 0;
  const isPage =
    rootLeft > 1 && (best === undefined || rootLeft > innerHeight * MIN_SHARE) && !(best && isFocused(best));
  const area = isPage ? root : best;
  if (area === undefined) return null;
  const before = area.scrollTop;
  area.scrollBy({ top: heightOf(area) * screens, behavior: "instant" });
  if (area.scrollTop === before) return null;
  return { what: area === root ? "page" : "area", goesOn: leftIn(area) > 1 };
}
