import type { JSHandle, Page } from "playwright-core";
import { withTimeout } from "../../lib/waiting.ts";
import { EMPTY_NODE, type ObservedNode, textOf } from "./observation.ts";
import { toVisibleText } from "./visible-text.ts";

const TIMEOUT_MS = 1_000;

/** Notices that appeared and vanished between two observations of a page, such as "Saved". */
export class PassingNotices {
  readonly #page: Page;
  #watch: JSHandle<Watch> | null = null;

  constructor(page: Page) {
    this.#page = page;
  }

  /** What has vanished since the last time, and begins to watch a document that is new. Empty when the page hangs. */
  async take(): Promise<string[]> {
    return (
      (await withTimeout(
        this.#take().catch(() => []),
        TIMEOUT_MS,
      )) ?? []
    );
  }

  async #take(): Promise<string[]> {
    const watch = this.#watch;
    const gone = (await watch?.evaluate(({ take }) => take()).catch(() => null)) ?? null;
    // The watch ends with its document.
    if (gone === null) this.#watch = await this.#page.evaluateHandle(watchNotices);
    return gone ?? [];
  }
}

/** The page with the notices that a person has seen since the last observation, and that it no longer shows. */
export function withNotices(root: ObservedNode, notices: readonly string[]): ObservedNode {
  const shown = notices.length === 0 ? "" : textOf(root);
  const gone = notices.map(toVisibleText).filter((text) => text !== "" && !shown.includes(text));
  if (gone.length === 0) return root;
  const nodes = gone.map((name): ObservedNode => ({ ...EMPTY_NODE, role: "status", name }));
  return { ...root, children: [...root.children, ...nodes] };
}

interface Watch {
  /** The notices that have vanished since the last call. */
  take(): string[];
}

/** Runs in the page. A notice is a short text in a live region, or in something that stays in place while the page scrolls. */
function watchNotices(): Watch {
  const MAX_NOTICES = 5;
  const MAX_SHOWN = 50;
  const MAX_CHANGED = 200;
  const LENGTHS = { min: 3, max: 300 };
  const LIVE = "[role=alert], [role=status], [role=log], [aria-live=polite], [aria-live=assertive]";
  const SECRET = "input[type=password], input[autocomplete*=one-time-code], input[autocomplete*=cc-]";
  const BUSY = /^(?:loading|please wait|fetching)\b/i;
  /** A notice may fade in: it is looked at for some frames. */
  const MAX_LOOKS = 60;
  const changed = new Map<Element, number>();
  const shown = new Map<Element, string>();
  const secrets = new Set<string>();
  let gone: string[] = [];

  /** Only what can be seen: a notice may contain text that nobody sees. */
  function readNotice(element: Element): string {
    if (!isVisible(element)) return "";
    const texts: string[] = [];
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode())
      if (node.parentElement !== null && isVisible(node.parentElement)) texts.push(node.nodeValue ?? "");
    return texts.join(" ").replace(/\s+/g, " ").trim();
  }

  function isFixed(element: Element): boolean {
    for (let up: Element | null = element; up !== null; up = up.parentElement)
      if (getComputedStyle(up).position === "fixed") return true;
    return false;
  }

  function isVisible(element: Element): boolean {
    if (!element.isConnected) return false;
    if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return false;
    const { left, top, right, bottom } = element.getBoundingClientRect();
    if (right <= 0 || bottom <= 0 || left >= innerWidth || top >= innerHeight) return false;
    for (let up: Element | null = element; up !== null; up = up.parentElement) if (isCutAway(up)) return false;
    return true;
  }

  /** Text for screen readers is in a box of one pixel, or clipped to nothing. */
  function isCutAway(element: Element): boolean {
    const { overflow, clip, clipPath, fontSize } = getComputedStyle(element);
    const { width, height } = element.getBoundingClientRect();
    const isTiny = Math.min(width, height) <= 2 && overflow !== "visible";
    return isTiny || clip !== "auto" || /inset\((?:50|100)%/.test(clipPath) || Number.parseFloat(fontSize) < 3;
  }

  function isNotice(element: Element, text: string): boolean {
    const { min, max } = LENGTHS;
    if (text.length < min || text.length > max || BUSY.test(text)) return false;
    return element.closest(LIVE) !== null || isFixed(element);
  }

  function noteSecrets(): void {
    for (const field of document.querySelectorAll<HTMLInputElement>(SECRET))
      if (field.value.length > 3) secrets.add(field.value);
  }

  /** What has changed and is a notice now. */
  function notice(): void {
    noteSecrets();
    for (const [element, looks] of changed) {
      const text = shown.size < MAX_SHOWN ? readNotice(element) : "";
      if (isNotice(element, text)) shown.set(element, text);
      if (text !== "" || !element.isConnected || looks >= MAX_LOOKS) changed.delete(element);
      else changed.set(element, looks + 1);
    }
    if (changed.size > 0) requestAnimationFrame(notice);
  }

  function sweep(): void {
    for (const [element, text] of shown) {
      if (readNotice(element) === text) continue;
      shown.delete(element);
      if (![...secrets].some((secret) => text.includes(secret)))
        gone = [...new Set([...gone, text])].slice(-MAX_NOTICES);
    }
  }

  function elementsIn({ type, target, addedNodes }: MutationRecord): Element[] {
    const nodes = type === "characterData" ? [target] : [...addedNodes];
    const elements = nodes.map((node) => (node instanceof Element ? node : node.parentElement));
    return elements.filter((element) => element !== null && element !== document.body) as Element[];
  }

  const observer = new MutationObserver((mutations) => {
    sweep();
    if (changed.size === 0) requestAnimationFrame(notice);
    for (const element of mutations.flatMap(elementsIn)) if (changed.size < MAX_CHANGED) changed.set(element, 0);
  });
  observer.observe(document, { subtree: true, childList: true, characterData: true });
  return {
    take() {
      notice();
      sweep();
      return gone.splice(0);
    },
  };
}
