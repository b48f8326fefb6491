import type { Box } from "../observed-node.ts";
import type { ElementRecord, PageFacts } from "../page-facts.ts";
import type { createClickReader, DescribeLook } from "./read-click-target.ts";
import type { readField } from "./read-fields.ts";
import type { readHiddenText } from "./read-hidden-text.ts";
import type { SeenElement, walkPage } from "./walk-page.ts";

export interface Collected {
  readonly facts: PageFacts;
  /** What the click records point to. */
  readonly clickable: readonly Element[];
}

/** Functions of their own files, because a function that runs in a page can use nothing from outside itself. */
interface Parts {
  readonly walk: typeof walkPage;
  readonly createClickReader: typeof createClickReader;
  readonly describeLook: DescribeLook;
  readonly readField: typeof readField;
  readonly readHiddenText: typeof readHiddenText;
  readonly listenersPassword: string;
  readonly secretPattern: string;
}

/** Runs in the page. One pass, linear in the size of the document. */
export function collectFacts(parts: Parts): Collected {
  const MAX_WITHIN = 10;
  const page = parts.walk();
  const readClick = parts.createClickReader(page, parts);
  const records: ElementRecord[] = [];
  const secrets: string[] = [];
  const clickable: Element[] = [];

  function boxOf({ rect }: SeenElement): Box {
    const { x, y, width, height } = rect;
    return { x: Math.round(x), y: Math.round(y), width: Math.round(width), height: Math.round(height) };
  }

  function boxesAround(seen: SeenElement): Box[] {
    const boxes: Box[] = [];
    let above = page.elements[seen.parent];
    while (above !== undefined && boxes.length < MAX_WITHIN) {
      boxes.push(boxOf(above));
      above = page.elements[above.parent];
    }
    return boxes;
  }

  page.elements.forEach((seen, index) => {
    const reading = parts.readField(seen.element, seen.style, parts.secretPattern);
    if (reading?.secret) secrets.push(reading.secret);
    const target = readClick(index);
    if (reading === null && target === null) return;
    records.push({
      box: boxOf(seen),
      roles: reading === null ? null : reading.roles,
      field: reading?.field ?? null,
      states: reading?.states ?? {},
      click: target === null ? null : { ...target, index: clickable.push(seen.element) - 1, within: boxesAround(seen) },
    });
  });

  const root = document.scrollingElement ?? document.documentElement;
  const facts = {
    baseUrl: document.baseURI,
    title: document.title,
    viewport: { width: innerWidth, height: innerHeight },
    scroll: { y: Math.round(scrollY), pageHeight: root.scrollHeight },
    records,
    hiddenRuns: parts.readHiddenText(page),
    secrets,
  };
  return { facts, clickable };
}
