import type { ElementHandle, Page } from "playwright-core";
import { labelOf } from "./observation.ts";
import type { FrameScan } from "./read-page.ts";
import type { DraftNode, Source } from "./snapshot.ts";
import { dropInvisible } from "./visible-text.ts";

/** One particular element of an observation. It stays the same element, whatever the page does. */
export interface PinnedElement {
  readonly role: string;
  /** Its name, or its label when it has none. */
  readonly name: string;
  readonly handle: ElementHandle<Element>;
}

/** The element is gone or has changed since the observation. Observe again. */
export class StaleElement extends Error {
  override readonly name = "StaleElement";
}

/** A target as the latest observation saw it. */
export type ObservedTarget =
  | { readonly kind: "snapshot"; readonly node: DraftNode; readonly source: Source }
  | {
      readonly kind: "kept";
      readonly node: DraftNode;
      readonly scan: FrameScan;
      readonly index: number;
      /** Its text; empty when there is nothing to compare. */
      readonly text: string;
    };

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
  if (isSame) return { role, name: labelOf(target.node), handle };
  await handle.dispose();
  throw new StaleElement(`${describeObserved(target)} has changed.`);
}

function describeObserved({ node }: ObservedTarget): string {
  const label = labelOf(node);
  return label === "" ? `The ${node.role}` : `The ${node.role} "${label}"`;
}

async function findElement(page: Page, ref: string, target: ObservedTarget): Promise<ElementHandle<Element> | null> {
  if (target.kind === "kept") {
    const kept = await target.scan.evaluateHandle(({ clickable }, index) => clickable[index], target.index);
    return kept.asElement() as ElementHandle<Element> | null;
  }
  const [handle] = await page.getByRef(ref).elementHandles();
  return (handle as ElementHandle<Element> | undefined) ?? null;
}

async function isUnchanged(
  page: Page,
  ref: string,
  handle: ElementHandle<Element>,
  target: ObservedTarget,
): Promise<boolean> {
  const texts = await handle.evaluate(readTexts);
  if (texts === null) return false;
  if (target.kind === "kept") {
    return target.text === "" || texts.exact.map(withoutSpaces).includes(withoutSpaces(target.text));
  }
  const { source, node } = target;
  // What a field holds may change at any time. It is not part of what the field is.
  const content = node.value === null ? source.texts : [];
  const expected = withoutSpaces(source.name === "" ? content.join("") : source.name);
  if (expected !== "" && texts.exact.some((words) => withoutSpaces(words) === expected)) return true;
  if (source.name !== "" && isAriaRole(node.role)) return hasRoleAndName(page, ref, node.role, source.name);
  const words = withoutSpaces(texts.all);
  return content.every((text) => words.includes(withoutSpaces(text)));
}

/** Spaces between the words of a name depend on the layout, so they are not compared. */
function withoutSpaces(text: string): string {
  return dropInvisible(text).replace(/\s+/g, "").toLowerCase();
}

/** Playwright's own computation of roles and names: exact, but it scans the whole page. */
async function hasRoleAndName(page: Page, ref: string, role: string, name: string): Promise<boolean> {
  const same = page.getByRef(ref).and(page.getByRole(role as "button", { name, exact: true }));
  return (await same.count()) > 0;
}

function isAriaRole(role: string): boolean {
  return role !== "generic" && role !== "text";
}

interface ElementTexts {
  /** Candidates for its name. */
  readonly exact: readonly string[];
  /** All its text, including that of its descendants. */
  readonly all: string;
}

/** Runs in the page. Null when the element is no longer in the document. */
function readTexts(element: Element): ElementTexts | null {
  if (!element.isConnected) return null;
  const attributes = ["aria-label", "title", "alt", "placeholder"];
  const ofAttributes = (one: Element) => attributes.map((name) => one.getAttribute(name) ?? "");
  const root = element.getRootNode() as Document | ShadowRoot;
  const labelledBy = (element.getAttribute("aria-labelledby") ?? "")
    .split(/\s+/)
    .map((id) => (id === "" ? "" : (root.getElementById(id)?.textContent ?? "")))
    .join(" ");
  const { labels } = element as HTMLInputElement;
  const labelTexts = [...(labels ?? [])].map((label) => label.textContent ?? "");
  const isButton = element instanceof HTMLInputElement && /^(button|submit|reset)$/.test(element.type);
  const exact = [
    ...ofAttributes(element),
    labelledBy,
    ...labelTexts,
    labelTexts.join(" "),
    // biome-ignore lint/performance/useDomNodeTextContent: a name consists of visible text
    element instanceof HTMLElement ? element.innerText : "",
    element.textContent ?? "",
    readWithPseudo(element),
    isButton ? element.value : "",
  ];
  const inside = [...element.querySelectorAll("*")].flatMap((one) => [
    ...ofAttributes(one),
    one instanceof HTMLInputElement ? one.value : "",
  ]);
  return { exact: exact.filter((words) => words.trim() !== ""), all: [...exact, ...inside].join(" ") };

  /** Its text with what style sheets add before and after it, as in accessible names. */
  function readWithPseudo(node: Node): string {
    if (!(node instanceof Element)) return node.nodeType === Node.TEXT_NODE ? (node.nodeValue ?? "") : "";
    const inner = [...(node.shadowRoot ?? node).childNodes].map(readWithPseudo);
    return [readPseudo(node, "::before"), ...inner, readPseudo(node, "::after")].join("");
  }

  /** The strings of a `content`; after a slash, its alternative text instead. */
  function readPseudo(node: Element, pseudo: string): string {
    const { content } = getComputedStyle(node, pseudo);
    const strings = (part: string) =>
      [...part.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, text = ""]) => text.replace(/\\(.)/g, "$1"));
    const [shown = "", alternative] = content.split(/ \/ (?=")/);
    return strings(alternative ?? shown).join("");
  }
}
