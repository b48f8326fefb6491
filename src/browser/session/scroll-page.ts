import type { Page } from "playwright-core";

/** Scrolls the page, or the part of it that scrolls in its place. By script, because a wheel turns what it points at. */
export async function scrollPage(page: Page, deltaY: number): Promise<void> {
  await page.evaluate(scrollInPage, deltaY);
}

function scrollInPage(deltaY: number): void {
  const root = document.scrollingElement ?? document.documentElement;
  const canScroll = (element: Element) =>
    element.scrollHeight > element.clientHeight + 1 && /auto|scroll|overlay/.test(getComputedStyle(element).overflowY);
  const isRootScrolling = root.scrollHeight > innerHeight + 1 && getComputedStyle(root).overflowY !== "hidden";
  const area = (element: Element) => element.clientWidth * element.clientHeight;
  const inner = isRootScrolling ? [] : [...document.querySelectorAll("*")].filter(canScroll);
  const [largest] = inner.toSorted((a, b) => area(b) - area(a));
  (largest ?? root).scrollBy({ top: deltaY, behavior: "instant" });
}
