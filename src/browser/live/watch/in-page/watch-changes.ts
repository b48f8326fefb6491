import type { Note } from "../note.ts";

/** Runs in the page. Tells that it has changed, not more often than is worth while. */
export function watchChanges(say: (note: Note) => void): void {
  const PAUSE_MS = 250;
  /** So many elements that come or go may be another page to the person. */
  const LARGE = 3;
  let title = document.title;
  let count = 0;
  let isWaiting = false;

  function report(): void {
    isWaiting = false;
    const isLarge = count >= LARGE;
    count = 0;
    if (!isLarge && document.title === title) return;
    title = document.title;
    say({ type: "changed", isLarge });
  }

  function weigh({ type, addedNodes, removedNodes }: MutationRecord): number {
    if (type === "attributes") return LARGE;
    const elements = [...addedNodes, ...removedNodes].filter((node) => node instanceof Element);
    return elements.reduce((sum, { childElementCount }) => sum + 1 + childElementCount, 0);
  }

  const observer = new MutationObserver((mutations) => {
    for (const mutation of mutations) count += weigh(mutation);
    if (isWaiting) return;
    isWaiting = true;
    setTimeout(report, PAUSE_MS);
  });
  observer.observe(document, { subtree: true, childList: true, attributes: true, attributeFilter: ["hidden", "open"] });
}
