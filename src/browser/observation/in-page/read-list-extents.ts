import type { Box, ListExtent } from "../observation.ts";
import type { SeenElement, WalkedPage } from "./walk-page.ts";

/** Runs in the page. The areas that scroll, and the lists that say how long they are. */
export function readListExtents({ elements }: WalkedPage): ListExtent[] {
  const MAX_AREAS = 30;
  const MIN_HEIGHT = 40;
  /** Less than the height of a row, more than rounding. */
  const MIN_BLANK = 16;
  const root = document.scrollingElement ?? document.documentElement;

  const rects = new Map(elements.map(({ element, rect }) => [element, rect]));

  function round({ x, y, width, height }: Pick<DOMRect, "x" | "y" | "width" | "height">): Box {
    return { x: Math.round(x), y: Math.round(y), width: Math.round(width), height: Math.round(height) };
  }

  function canScroll({ element, style, scrolls }: SeenElement): boolean {
    if (!scrolls || element === document.body || element === root || !/auto|scroll/.test(style.overflowY)) return false;
    return element.clientHeight >= MIN_HEIGHT && element.scrollHeight > element.clientHeight + 1;
  }

  function hasContent(element: Element): boolean {
    if (/^(?:IMG|SVG|INPUT|CANVAS|VIDEO)$/i.test(element.tagName)) return true;
    return [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && /\S/.test(node.nodeValue ?? ""));
  }

  /** Libraries that render only visible rows size the rest of the list by script. */
  function isSizedByScript(element: Element): boolean {
    if (!element.hasAttribute("style")) return false;
    const { style } = element as HTMLElement;
    return (
      style !== undefined && /px/.test(`${style.height}${style.minHeight}${style.paddingTop}${style.paddingBottom}`)
    );
  }

  /** The row that an element is part of: the largest part of the area around it that is not the whole list. */
  function rowOf(element: Element, area: Element, maxHeight: number): Element {
    let row = element;
    for (let up = element.parentElement; up !== null && up !== area; up = up.parentElement) {
      if (up.getBoundingClientRect().height > maxHeight) break;
      row = up;
    }
    return row;
  }

  interface Part {
    readonly element: Element;
    readonly rect: DOMRect;
  }

  interface Span {
    readonly top: number;
    readonly bottom: number;
  }

  function spanOf(rects: readonly Span[]): Span {
    return {
      top: rects.reduce((least, { top }) => Math.min(least, top), Number.POSITIVE_INFINITY),
      bottom: rects.reduce((most, { bottom }) => Math.max(most, bottom), Number.NEGATIVE_INFINITY),
    };
  }

  function isPlacedByScript({ style }: HTMLElement): boolean {
    return style !== undefined && /px/.test(`${style.transform}${style.translate}${style.top}${style.inset}`);
  }

  /** Room for a row between two others, where rows are placed by script: a header above rows that start further down. */
  function hasGap(filled: readonly Part[], area: Element, height: number): boolean {
    let bottom = Number.POSITIVE_INFINITY;
    for (const { element, rect } of filled.toSorted((one, other) => one.rect.top - other.rect.top)) {
      const row = rect.top - bottom < MIN_BLANK ? null : rowOf(element, area, height / 2);
      const own = row?.getBoundingClientRect();
      if (own !== undefined && isPlacedByScript(row as HTMLElement) && own.top - bottom >= own.height * 0.8)
        return true;
      bottom = Math.max(bottom === Number.POSITIVE_INFINITY ? rect.bottom : bottom, rect.bottom);
    }
    return false;
  }

  /** Whether there is room for rows that are not in the document. */
  function isSparse(area: Element): boolean {
    const height = area === root ? innerHeight : area.clientHeight;
    const top = area === root ? -scrollY : area.getBoundingClientRect().top + area.clientTop - area.scrollTop;
    const content = { top, bottom: top + area.scrollHeight };
    const parts = [...(area === root ? document.body : area).querySelectorAll("*")]
      .flatMap((element) => {
        const rect = rects.get(element);
        return rect === undefined ? [] : [{ element, rect }];
      })
      .filter(({ rect }) => rect.height > 0 && rect.bottom >= content.top - 1 && rect.top <= content.bottom + 1);
    const sized = spanOf(parts.filter(({ element }) => isSizedByScript(element)).map(({ rect }) => rect));
    const filled = parts.filter(({ element }) => hasContent(element));
    if (filled.length === 0) return sized.bottom - sized.top > height;
    const texts = spanOf(filled.map(({ rect }) => rect));
    const outer = filled.filter(({ rect }) => rect.top === texts.top || rect.bottom === texts.bottom);
    const rows = spanOf([
      texts,
      ...outer.map(({ element }) => rowOf(element, area, height / 2).getBoundingClientRect()),
    ]);
    const blank = Math.max(content.bottom - rows.bottom, rows.top - content.top);
    if (area === root || blank > height) return blank > height;
    const isBlankBelow = Math.min(sized.bottom, content.bottom) - rows.bottom >= MIN_BLANK;
    const isBlankAbove = rows.top - Math.max(sized.top, content.top) >= MIN_BLANK;
    return isBlankBelow || isBlankAbove || hasGap(filled, area, height);
  }

  function readArea(area: Element): ListExtent {
    const height = area === root ? innerHeight : area.clientHeight;
    const above = area === root ? scrollY : area.scrollTop;
    const below = area.scrollHeight - height - above;
    const box =
      area === root
        ? { x: 0, y: -scrollY, width: root.scrollWidth, height: root.scrollHeight }
        : area.getBoundingClientRect();
    return {
      box: round(box),
      total: null,
      isPage: area === root,
      above: Math.round(above),
      below: Math.max(0, Math.round(below)),
      isSparse: isSparse(area),
    };
  }

  /** Header rows are counted as well, if they have a number. */
  function readRowCount(list: Element): ListExtent[] {
    const stated = Number(list.getAttribute("aria-rowcount"));
    if (!Number.isInteger(stated) || stated === 0) return [];
    const numbered = [...list.querySelectorAll("[aria-rowindex]")];
    const headers = numbered.filter((row) => row.querySelector("[role=columnheader], thead th") !== null);
    const rows = new Set(headers.map((row) => row.getAttribute("aria-rowindex")));
    return [toCounted(list, stated < 0 ? null : stated - rows.size)];
  }

  /** Every entry says how many there are on its level. */
  function readSetSize(list: Element): ListExtent[] {
    const entries = [...list.children].filter((entry) => entry.hasAttribute("aria-setsize"));
    const sizes = new Set(entries.map((entry) => Number(entry.getAttribute("aria-setsize"))));
    const [only] = sizes;
    if (sizes.size !== 1 || only === undefined || !Number.isInteger(only) || only === 0) return [];
    return [toCounted(list, only < 0 ? null : only)];
  }

  function toCounted(list: Element, total: number | null): ListExtent {
    return {
      box: round(list.getBoundingClientRect()),
      total,
      isPage: false,
      above: 0,
      below: 0,
      isSparse: total === null,
    };
  }

  const all = elements.map(({ element }) => element);
  const page = root.scrollHeight > innerHeight + 1 ? [root] : [];
  const areas = [...page, ...elements.filter(canScroll).map(({ element }) => element)].slice(0, MAX_AREAS);
  const counted = all.filter((element) => element.hasAttribute("aria-rowcount")).slice(0, MAX_AREAS);
  const sized = new Set(
    all.filter((element) => element.hasAttribute("aria-setsize")).flatMap((entry) => entry.parentElement ?? []),
  );
  return [
    ...areas.map(readArea),
    ...counted.flatMap(readRowCount),
    ...[...sized].slice(0, MAX_AREAS).flatMap(readSetSize),
  ];
}
