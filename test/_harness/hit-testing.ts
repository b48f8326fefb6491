import type { CDPSession, Page } from "playwright-core";
import { type Observation, type ObservedNode, walk } from "../../src/browser/observation/observation.ts";
import { findNodes } from "../../src/browser/observation/observation-text.ts";
import type { PinnedElement } from "../../src/browser/observation/pin-element.ts";
import { renderObservation } from "../../src/browser/observation/rendering/render-observation.ts";
import { foldVisible } from "../../src/browser/observation/visible-text.ts";

interface Observed {
  readonly page: Page;
  readonly observation: Observation;
  pin(ref: string): Promise<PinnedElement>;
}

/** What a page shows at a grid of points, and the observation lacks. */
export interface Missed {
  /** Elements that react to the mouse or the keyboard, without a ref. */
  readonly elements: string[];
  /** Pieces of text that no node has. */
  readonly texts: string[];
  /** Targets that are neither in the rendered text nor found by their name. */
  readonly unreachable: string[];
}

const SEEN = "data-test-seen";
const STEP = 10;

/** Compares an observation with what the browser itself says is at a grid of points over the viewport. */
export async function findMissed({ page, observation, pin }: Observed): Promise<Missed> {
  const targets = [...walk(observation.root)].map(({ node }) => node).filter(({ ref }) => ref !== null);
  for (const { ref } of targets) {
    const { handle } = await pin(ref ?? "");
    await handle.evaluate((element, name) => element.setAttribute(name, ""), SEEN);
    await handle.dispose();
  }
  const session = await page.context().newCDPSession(page);
  try {
    const listening = await countListeners(session, page);
    const hit = await page.evaluate(readGrid, { seen: SEEN, step: STEP, listening });
    return {
      elements: hit.missed,
      texts: findMissingTexts(observation, hit.texts),
      unreachable: findUnreachable(observation, targets),
    };
  } finally {
    await session.detach();
  }
}

/** For each element in document order: whether it has a listener for clicks of its own. Only the browser itself knows. */
async function countListeners(session: CDPSession, page: Page): Promise<boolean[]> {
  await page.evaluate(() => Reflect.set(globalThis, "__all", [...document.querySelectorAll("*")]));
  const { result } = await session.send("Runtime.evaluate", { expression: "__all" });
  const { result: properties } = await session.send("Runtime.getProperties", {
    objectId: result.objectId ?? "",
    ownProperties: true,
  });
  const listening: boolean[] = [];
  for (const { name, value } of properties) {
    if (!/^\d+$/.test(name) || value?.objectId === undefined) continue;
    const { listeners } = await session.send("DOMDebugger.getEventListeners", { objectId: value.objectId });
    listening[Number(name)] = listeners.some(({ type }) => /^(click|dblclick|mousedown|pointerdown)$/.test(type));
  }
  return listening;
}

function findMissingTexts({ root }: Observation, texts: readonly string[]): string[] {
  const told = [...walk(root)].flatMap(({ node }) => [node.name, node.value ?? "", node.label ?? ""]);
  const everything = squeeze(told.join(" "));
  return texts.filter((text) => !everything.includes(squeeze(text)));
}

function squeeze(text: string): string {
  return foldVisible(text).replaceAll(" ", "");
}

function findUnreachable(observation: Observation, targets: readonly ObservedNode[]): string[] {
  const shown = new Set(renderObservation(observation).match(/\b(?:f\d+)?[ec]\d+\b/g) ?? []);
  return targets
    .filter(({ ref }) => !shown.has(ref ?? ""))
    .filter(({ ref, name, role }) => !findNodes(observation, name || role).some(({ node }) => node.ref === ref))
    .map(({ role, name }) => `${role} "${name}"`);
}

/** Runs in the page. */
function readGrid({ seen, step, listening }: { seen: string; step: number; listening: boolean[] }): {
  missed: string[];
  texts: string[];
} {
  const CONTROLS = "a[href], button, input, select, textarea, summary, [contenteditable=true], [contenteditable='']";
  const WIDGETS =
    /^(button|link|checkbox|radio|switch|tab|menuitem|option|treeitem|slider|spinbutton|combobox|textbox)$/;
  const all = Reflect.get(globalThis, "__all") as Element[];
  const hasListener = new Set(all.filter((_, index) => listening[index]));

  function above(element: Element): Element | null {
    if (element.parentElement !== null) return element.parentElement;
    const root = element.getRootNode();
    return root instanceof ShadowRoot ? root.host : null;
  }

  function hitAt(x: number, y: number): Element | null {
    let hit = document.elementFromPoint(x, y);
    while (hit?.shadowRoot) {
      const inner = hit.shadowRoot.elementFromPoint(x, y);
      if (inner === null || inner === hit) break;
      hit = inner;
    }
    return hit;
  }

  function isPointed(element: Element): boolean {
    const parent = above(element);
    if (getComputedStyle(element).cursor !== "pointer") return false;
    return parent === null || getComputedStyle(parent).cursor !== "pointer";
  }

  function isActive(element: Element): boolean {
    if (element === document.body || element === document.documentElement) return false;
    const tabIndex = element.getAttribute("tabindex");
    const role = element.getAttribute("role");
    // Panels are in the tab order to be scrolled with the keyboard.
    const isPanel = (element.textContent ?? "").length > 200 || (role !== null && !WIDGETS.test(role));
    return (
      element.matches(CONTROLS) ||
      WIDGETS.test(role ?? "") ||
      (tabIndex !== null && Number(tabIndex) >= 0 && !isPanel) ||
      hasListener.has(element) ||
      isPointed(element)
    );
  }

  function labelledBy(label: Element): Element | null {
    const control = (label.closest("label") as HTMLLabelElement | null)?.control ?? null;
    if (control !== null || label.id === "") return control;
    return document.querySelector(`[aria-labelledby~="${CSS.escape(label.id)}"]`);
  }

  /** Itself, what it is in or what is in it: a label and its box, a button and its icon, a list and its items. */
  function isReached(active: Element, hit: Element): boolean {
    if (active.hasAttribute(seen) || active.querySelector(`[${seen}]`) !== null) return true;
    if (active.shadowRoot?.querySelector(`[${seen}]`)) return true;
    if (labelledBy(active)?.hasAttribute(seen)) return true;
    for (let at: Element | null = hit; at !== null; at = above(at)) {
      if (at.hasAttribute(seen)) return at.contains(active) || active.contains(at) || !hasListener.has(active);
    }
    return false;
  }

  function describe(element: Element): string {
    const { left, top } = element.getBoundingClientRect();
    const classes = [...element.classList].slice(0, 3).join(".");
    const text = (element.textContent ?? "").replace(/\s+/g, " ").trim().slice(0, 40);
    return `${element.localName}.${classes} at ${Math.round(left)},${Math.round(top)} "${text}"`;
  }

  function textAt(x: number, y: number): string | null {
    const node = document.caretPositionFromPoint(x, y)?.offsetNode;
    if (node === undefined || node.nodeType !== Node.TEXT_NODE) return null;
    const range = document.createRange();
    range.selectNodeContents(node);
    const isHit = [...range.getClientRects()].some(
      (box) => x >= box.left && x <= box.right && y >= box.top && y <= box.bottom,
    );
    const parent = node.parentElement;
    if (!isHit || parent === null || !parent.contains(document.elementFromPoint(x, y))) return null;
    return (node.nodeValue ?? "").replace(/\s+/g, " ").trim();
  }

  const missed = new Set<string>();
  const texts = new Set<string>();

  function test(x: number, y: number): void {
    const hit = hitAt(x, y);
    let active = hit;
    while (active !== null && !isActive(active)) active = above(active);
    if (hit !== null && active !== null && !isReached(active, hit)) missed.add(describe(active));
    const text = textAt(x, y);
    if (text) texts.add(text);
  }

  for (let y = step / 2; y < innerHeight; y += step) {
    for (let x = step / 2; x < innerWidth; x += step) test(x, y);
  }
  return { missed: [...missed], texts: [...texts] };
}
