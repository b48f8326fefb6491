import type { ElementHandle, Frame, Page } from "playwright-core";
import { readWords } from "./in-page/read-words.ts";
import { labelOf, textOf } from "./observation.ts";
import type { ElementRecord } from "./page-facts.ts";
import type { FrameScan } from "./read-page.ts";
import { type DraftNode, parseSnapshot, type Source } from "./snapshot.ts";
import { dropInvisible, INVISIBLE } from "./visible-text.ts";

/** One particular element of an observation. It stays the same element, whatever the page does. */
export interface PinnedElement {
  readonly role: string;
  /** Its name, or its label when it has none. */
  readonly name: string;
  /** All its words. An element that was not found in an observation has none. */
  readonly text?: string;
  readonly handle: ElementHandle<Element>;
  /** Where known: asking the browser for the frame of a handle takes several messages. */
  readonly frame?: Frame;
}

/** The element is gone or has changed since the observation. Observe again. */
export class StaleElement extends Error {
  override readonly name = "StaleElement";
}

/** A target as the latest observation saw it. */
export type ObservedTarget =
  | { readonly kind: "snapshot"; readonly node: DraftNode; readonly source: Source }
  | { readonly kind: "kept"; readonly node: DraftNode; readonly scan: FrameScan; readonly record: ElementRecord };

const SNAPSHOT_TIMEOUT_MS = 5_000;

/** Finds the element of a target and checks that it has not changed. Never waits for an element to appear. */
export async function pinElement(page: Page, ref: string, target: ObservedTarget | undefined): Promise<PinnedElement> {
  if (target === undefined) throw new StaleElement(`The latest observation has no target ${ref}.`);
  const { role } = target.node;
  const handle = await findElement(page, ref, target).catch((error: unknown) => {
    throw new StaleElement(`${describeObserved(target)} is gone because the page was replaced.`, { cause: error });
  });
  if (handle === null) throw new StaleElement(`${describeObserved(target)} is no longer on the page.`);
  const isSame = await isUnchanged(page, ref, handle, target).catch((error: unknown) => {
    throw new StaleElement(`${describeObserved(target)} is gone because the page was replaced.`, { cause: error });
  });
  if (isSame) return { role, name: labelOf(target.node), text: textOf(target.node), handle };
  await handle.dispose();
  throw new StaleElement(`${describeObserved(target)} has changed.`);
}

function describeObserved({ node }: ObservedTarget): string {
  const label = labelOf(node);
  return label === "" ? `The ${node.role}` : `The ${node.role} "${label}"`;
}

async function findElement(page: Page, ref: string, target: ObservedTarget): Promise<ElementHandle<Element> | null> {
  if (target.kind === "kept") {
    const kept = await target.scan.evaluateHandle(({ elements }, index) => elements[index], target.record.index);
    return kept.asElement() as ElementHandle<Element> | null;
  }
  const [handle] = await page.getByRef(ref).elementHandles();
  return (handle as ElementHandle<Element> | undefined) ?? null;
}

/**
 * The words of the element must be those of the observation, computed by the same function: that of the scan, or that of
 * the snapshot. A snapshot takes long, so it is taken only when the scan's words are not the ones of the snapshot, too.
 */
async function isUnchanged(
  page: Page,
  ref: string,
  handle: ElementHandle<Element>,
  target: ObservedTarget,
): Promise<boolean> {
  if (target.kind === "kept") {
    const { scan, record } = target;
    const words = await scan.evaluate(({ elements, wordsOf }, index) => {
      const element = elements[index];
      return element?.isConnected ? wordsOf(element) : null;
    }, record.index);
    if (words === null || record.words === "") return words !== null;
    return toComparable(words) === toComparable(record.words);
  }
  const { node, source } = target;
  const expected = wordsOf(node, source);
  const words = await handle.evaluate(readWords, INVISIBLE);
  if (expected !== "" && toComparable(words) === expected) return true;
  const snapshot = await page.ariaSnapshotJSON({ mode: "ai", boxes: true, timeout: SNAPSHOT_TIMEOUT_MS });
  const now = findByRef(parseSnapshot(snapshot), ref);
  return now !== null && now.source !== null && wordsOf(node, now.source) === expected;
}

/** What a field holds may change at any time. It is not part of what the field is. */
function wordsOf({ value }: DraftNode, { name, texts }: Source): string {
  return toComparable(name !== "" || value !== null ? name : texts.join(""));
}

/** Spaces between the words of a name depend on the layout, and capitals on the style. */
function toComparable(text: string): string {
  return dropInvisible(text).replace(/\s+/g, "").toLowerCase();
}

function findByRef(nodes: readonly DraftNode[], ref: string): DraftNode | null {
  for (const node of nodes) {
    const found = node.source?.ref === ref ? node : findByRef(node.children, ref);
    if (found !== null) return found;
  }
  return null;
}
