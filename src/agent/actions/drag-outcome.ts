import { setTimeout as sleep } from "node:timers/promises";
import type { PinnedElement } from "../../browser/observation/pin-element.ts";
import { isGone } from "./action.ts";

const PATIENCE_MS = 1500;
const PAUSE_MS = 100;

/** What stands where in the document of the element. Equal for two moments between which nothing has moved. */
export async function readLayout({ handle }: PinnedElement): Promise<string> {
  return await handle.evaluate(() => {
    const MAX_ELEMENTS = 5000;
    const hash = (text: string) => [...text].reduce((sum, char) => (sum * 31 + char.charCodeAt(0)) | 0, 7);
    const ownText = ({ childNodes }: Element) =>
      [...childNodes].map((node) => (node.nodeType === Node.TEXT_NODE ? node.nodeValue : "")).join("");
    const lines = [...document.querySelectorAll("body *")].slice(0, MAX_ELEMENTS).map((element) => {
      const { x, y, width, height } = element.getBoundingClientRect();
      const facts = ["id", "src", "href", "aria-valuenow"].map((name) => element.getAttribute(name));
      const { value } = element as HTMLInputElement;
      const box = [x + scrollX, y + scrollY, width, height].map(Math.round);
      return [element.localName, ...box, hash([ownText(element), value, ...facts].join(" "))].join(" ");
    });
    return lines.join("\n");
  });
}

/** Whether the layout becomes another one. Also true when the page was left. */
export async function waitForChange(element: PinnedElement, before: string, signal: AbortSignal): Promise<boolean> {
  const deadline = performance.now() + PATIENCE_MS;
  try {
    for (;;) {
      await sleep(PAUSE_MS, undefined, { signal });
      if ((await readLayout(element)) !== before) return true;
      if (performance.now() > deadline) return false;
    }
  } catch (error) {
    if (isGone(error)) return true;
    throw error;
  }
}

interface Placement {
  /** Among those of its kind beside it, from 1. */
  readonly position: number;
  readonly of: number;
  readonly after: string | null;
  readonly before: string | null;
}

/** Where the element is now. Null when it is not one of several, or gone: the report shows what changed. */
export async function readPlacement({ handle }: PinnedElement): Promise<Placement | null> {
  // Libraries animate an item to its place.
  await sleep(PAUSE_MS);
  try {
    return await handle.evaluate((element) => {
      if (!element.isConnected || element.parentElement === null) return null;
      const nameOf = (other: Element | undefined) =>
        other === undefined ? null : (other.textContent ?? "").replace(/\s+/g, " ").trim().slice(0, 80);
      let item = element;
      // A handle or a card is often alone in the item that was moved.
      for (let level = 0; level < 3 && item.parentElement !== null && item.parentElement.children.length === 1; level++)
        item = item.parentElement;
      const kind = [...(item.parentElement?.children ?? [])].filter(({ tagName }) => tagName === item.tagName);
      const topOf = (one: Element) => one.getBoundingClientRect().top;
      const leftOf = (one: Element) => one.getBoundingClientRect().left;
      const inOrder = kind.toSorted((one, other) => topOf(one) - topOf(other) || leftOf(one) - leftOf(other));
      const at = inOrder.indexOf(item);
      return { position: at + 1, of: kind.length, after: nameOf(inOrder[at - 1]), before: nameOf(inOrder[at + 1]) };
    });
  } catch (error) {
    if (isGone(error)) return null;
    throw error;
  }
}
