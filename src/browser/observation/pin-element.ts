import type { ElementHandle, Page } from "playwright-core";
import type { FrameReading } from "./read-page.ts";
import type { DraftNode, Source } from "./snapshot.ts";

/** One particular element of an observation. It stays the same element, whatever the page does. */
export interface PinnedElement {
  readonly role: string;
  readonly name: string;
  readonly handle: ElementHandle<Element>;
}

/** The element is gone or has changed since the observation. Observe again. */
export class StaleElement extends Error {
  override readonly name = "StaleElement";
}

/** What the newest observation said of something that can be acted on. */
export type ObservedTarget =
  | { readonly kind: "snapshot"; readonly node: DraftNode; readonly source: Source }
  | {
      readonly kind: "kept";
      readonly node: DraftNode;
      readonly reading: FrameReading;
      readonly index: number;
      /** What it said; empty: nothing to compare. */
      readonly text: string;
    };

/** Nothing here waits for an element to appear: what is not there now is stale. */
export async function pinElement(
  page: Page,
  ref: string,
  believed: ObservedTarget | undefined,
): Promise<PinnedElement> {
  if (believed === undefined) throw new StaleElement(`There is no ${ref} in the newest look at the page.`);
  const { role, name } = believed.node;
  const handle = await findElement(page, ref, believed).catch((error: unknown) => {
    throw new StaleElement(`${describeObserved(believed)} has gone with its page.`, { cause: error });
  });
  if (handle === null) throw new StaleElement(`${describeObserved(believed)} is not on the page any more.`);
  const isSame = await isUnchanged(page, ref, handle, believed).catch((error: unknown) => {
    throw new StaleElement(`${describeObserved(believed)} has gone with its page.`, { cause: error });
  });
  if (isSame) return { role, name, handle };
  await handle.dispose();
  throw new StaleElement(`${describeObserved(believed)} has become something else.`);
}

function describeObserved({ node: { role, name } }: ObservedTarget): string {
  return name === "" ? `The ${role}` : `The ${role} "${name}"`;
}

async function findElement(page: Page, ref: string, believed: ObservedTarget): Promise<ElementHandle<Element> | null> {
  if (believed.kind === "kept") {
    const kept = await believed.reading.evaluateHandle(({ clickable }, index) => clickable[index], believed.index);
    return kept.asElement() as ElementHandle<Element> | null;
  }
  const [handle] = await page.getByRef(ref).elementHandles();
  return (handle as ElementHandle<Element> | undefined) ?? null;
}

async function isUnchanged(
  page: Page,
  ref: string,
  handle: ElementHandle<Element>,
  believed: ObservedTarget,
): Promise<boolean> {
  const said = await handle.evaluate(readTexts);
  if (said === null) return false;
  if (believed.kind === "kept") {
    return believed.text === "" || said.exact.map(withoutSpaces).includes(withoutSpaces(believed.text));
  }
  const { source, node } = believed;
  const expected = withoutSpaces(source.name === "" ? source.texts.join("") : source.name);
  if (expected !== "" && said.exact.some((words) => withoutSpaces(words) === expected)) return true;
  return isUnchangedByRole(page, ref, node, source, said.all);
}

/** Letters only: where one word of a name ends and the next begins depends on how the page is laid out. */
function withoutSpaces(text: string): string {
  return text.replace(/[\s\u200b\u00ad]+/g, "").toLowerCase();
}

/** Playwright's own reading of roles and names; exact, but it goes over the whole page. */
async function isUnchangedByRole(
  page: Page,
  ref: string,
  node: DraftNode,
  source: Source,
  all: string,
): Promise<boolean> {
  if (source.name !== "" && isAriaRole(node.role)) {
    const same = page.getByRef(ref).and(page.getByRole(node.role as "button", { name: source.name, exact: true }));
    return (await same.count()) > 0;
  }
  const words = withoutSpaces(all);
  return source.texts.every((text) => words.includes(withoutSpaces(text)));
}

function isAriaRole(role: string): boolean {
  return role !== "generic" && role !== "text";
}

interface ElementTexts {
  /** Each of these may be its name. */
  readonly exact: readonly string[];
  /** Everything it says, with all that is in it. */
  readonly all: string;
}

/** Runs in the page, alone. Null when the element is not in the document any more. */
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
    // biome-ignore lint/performance/useDomNodeTextContent: a name is made of what is seen
    element instanceof HTMLElement ? element.innerText : "",
    element.textContent ?? "",
    isButton ? element.value : "",
  ];
  const inside = [...element.querySelectorAll("*")].flatMap((one) => [
    ...ofAttributes(one),
    one instanceof HTMLInputElement ? one.value : "",
  ]);
  return { exact: exact.filter((words) => words.trim() !== ""), all: [...exact, ...inside].join(" ") };
}
