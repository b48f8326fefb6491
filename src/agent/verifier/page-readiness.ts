import type { ObservedNode } from "../../browser/observation/observation.ts";
import { isSamePage } from "../grounding/captured-pages.ts";
import { findFieldValues, readText } from "../grounding/page-text.ts";
import { type Case, type Entry as Field, type FreshPage, findEntries, findUntouched } from "./case.ts";

/** Of the text that the run's own page had. Applications show the frame of a page before what it is about. */
const READY_SHARE = 0.5;

/**
 * Whether a page that is loaded again shows what the run saw there: most of its text, most of what came after the frame of the page, and the
 * fields that the run has filled in. `own` are states of the page in the run that a loaded page can be like.
 */
export function createReadiness(url: string, own: readonly ObservedNode[], run: Pick<Case, "steps" | "captured">) {
  const expected = Math.min(...own.map((root) => readText(root).length)) * READY_SHARE;
  const filled = findEntries(run.steps).filter((entry) => isSamePage(entry.url, url));
  const seen = run.captured.list();
  const first = seen.find((page) => isSamePage(page.url, url));
  const loaded = findUntouched(url, run);
  // A field that the page came with, or that an action has opened, may be gone for good, as in a checkout after the order.
  const isLate = (entry: Field) =>
    first !== undefined && !hasField(first.root, entry) && loaded !== undefined && hasField(loaded.root, entry);
  const isOpen = isSamePage(seen.at(-1)?.url ?? "", url);
  const fields = filled.filter((entry) => (isOpen || isLate(entry)) && own.every((root) => hasField(root, entry)));
  const subject = findSubject(url, own, run);
  return {
    isReady(root: ObservedNode): boolean {
      if (readText(root).length < expected) return false;
      return showsMost(root, subject) && fields.every((entry) => hasField(root, entry));
    },
    cameLate: subject.length > 0 || fields.some(isLate),
  };
}

function showsMost(root: ObservedNode, subject: readonly string[]): boolean {
  if (subject.length === 0) return true;
  const texts = textsOf(root);
  return subject.filter((text) => texts.has(text)).length >= subject.length * READY_SHARE;
}

/**
 * Whether the page came with the field, still has it in the run's own tab, and lacks it when it is loaded again: not all of it was read.
 * A field that is there only after a click, or whose form makes room for an answer, says nothing.
 */
export function isMissingField(
  { url, label, place }: Pick<Field, "url" | "label"> & { readonly place?: Field["place"] },
  fresh: FreshPage | undefined,
  context: Case,
): boolean {
  const { live } = context;
  if (!fresh?.page || fresh.note !== null || !isSamePage(live.url, url)) return false;
  const untouched = findUntouched(url, context);
  const isShown = (page: { readonly root: ObservedNode } | undefined) =>
    page !== undefined && hasField(page.root, { label, place: place ?? null });
  return isShown(untouched) && isShown(live) && !isShown(fresh.page);
}

function hasField(root: ObservedNode, { label, place }: Pick<Field, "label" | "place">): boolean {
  return findFieldValues({ root }, label, place).length > 0;
}

/** What the page did not show at first, and then did as the run came to act there and ever since. */
function findSubject(url: string, own: readonly ObservedNode[], run: Pick<Case, "steps" | "captured">): string[] {
  const first = run.captured.list().find((page) => isSamePage(page.url, url));
  const loaded = findUntouched(url, run);
  if (first === undefined || loaded === undefined || first.root === loaded.root) return [];
  const frame = textsOf(first.root);
  const states = own.map((root) => textsOf(root));
  return [...textsOf(loaded.root)].filter((text) => !frame.has(text) && states.every((texts) => texts.has(text)));
}

/** Of a large page this is asked for several times, so the leaves are not listed with what is around them. */
function textsOf(root: ObservedNode, texts = new Set<string>()): Set<string> {
  const name = root.name.trim();
  if (root.children.length === 0 && name !== "") texts.add(name);
  for (const child of root.children) textsOf(child, texts);
  return texts;
}
