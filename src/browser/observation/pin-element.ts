import type { DraftNode } from "./draft.ts";
import { labelOf, textOf } from "./observation.ts";
import type { PageElement } from "./page-element.ts";
import type { TreeNode } from "./page-facts.ts";
import { type FrameScanner, takeElement } from "./read-page.ts";

/** One particular element of an observation. It stays the same element, whatever the page does. */
export interface PinnedElement {
  readonly role: string;
  /** Its name, or its label when it has none. */
  readonly name: string;
  /** All its words. An element that was not found in an observation has none. */
  readonly text?: string;
  readonly handle: PageElement;
}

/** The element is gone or has changed since the observation. Observe again. */
export class StaleElement extends Error {
  override readonly name = "StaleElement";
}

/** A target as the latest observation saw it. */
export interface ObservedTarget {
  readonly node: DraftNode;
  readonly source: TreeNode;
  readonly scanner: FrameScanner;
}

/** Finds the element of a target and checks that it has not changed. Never waits for an element to appear. */
export async function pinElement(ref: string, target: ObservedTarget | undefined): Promise<PinnedElement> {
  if (target === undefined) throw new StaleElement(`The latest observation has no target ${ref}.`);
  const { node, source, scanner } = target;
  const expected = { number: source.number ?? 0, words: wordsToCompare(source) };
  const handle = await takeElement(scanner, expected).catch((error: unknown) => {
    throw new StaleElement(`${describeObserved(target)} is gone because the page was replaced.`, { cause: error });
  });
  if (typeof handle !== "string") return { role: node.role, name: labelOf(node), text: textOf(node), handle };
  const what = handle === "changed" ? "has changed" : "is no longer on the page";
  throw new StaleElement(`${describeObserved(target)} ${what}.`);
}

function describeObserved({ node }: ObservedTarget): string {
  const label = labelOf(node);
  return label === "" ? `The ${node.role}` : `The ${node.role} "${label}"`;
}

/** The words of an area where things are dropped change with each of them. */
function wordsToCompare({ words = "", record }: TreeNode): string {
  return record?.states.droppable ? "" : words;
}
