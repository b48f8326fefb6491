import { type ObservedNode, walk } from "../../browser/observation/observation.ts";
import { oncePer } from "../../lib/once-per.ts";
import type { StepCause } from "../actions/side-effects.ts";
import { readRecordSets } from "../extraction/read-record-sets.ts";
import { isSamePage } from "../grounding/captured-pages.ts";
import { isCreatingLabel } from "../grounding/english-words.ts";
import { readOwnText } from "../grounding/page-text.ts";
import { isAccepted } from "./accepted-writes.ts";
import { type Case, type FreshPage, findFreshPage, isEntry, labelOf } from "./case.ts";
import type { Check } from "./check.ts";

type Run = Pick<Case, "steps" | "writes" | "captured">;

/** Something that was done with a row. */
export interface RowAction {
  /** The page of the row. */
  readonly url: string;
  /** The text of the row. */
  readonly row: string;
  /** The target in the row. */
  readonly target: string;
  /** For a row that is none of the page's own lists and tables, how many texts it has before the target. */
  readonly length: number | null;
  /** How many such rows there were. */
  readonly count: number;
}

/** What is cancelled, archived or signed out may stay in its list, but not as it was and with the same button. */
const VERBS =
  "delete|remove|revoke|erase|discard|destroy|uninstall|cancel|archive|unsubscribe|(?:sign|log) ?out|disconnect|unlink";
const DELETING = new RegExp(`^(?:${VERBS})\\b`, "i");
const AGREEING = new RegExp(`^(?:yes|ok|okay|confirm|continue|proceed|i'?m sure|${VERBS})\\b`, "i");
/** Inside of a dialog it means not to do it. */
const DISMISSING = /^cancel$/i;
const BRINGING_BACK = /\b(?:undo|restore|recover|undelete)\b/i;

/**
 * What was deleted is gone: a row in which something was clicked that deletes must not be in a fresh browser as it was, with the
 * same target. A row that says something else now, or offers something else, is what the site made of it.
 */
export function checkRowsGone(context: Case): Check[] {
  for (const deletion of findDeletions(context)) {
    const { row, target } = deletion;
    if (!isStillThere(deletion, context)) continue;
    const evidence = `"${row.slice(0, 80)}" was to go with "${target.slice(0, 40)}", and a fresh browser still shows it.`;
    return [{ about: "What was deleted is gone", verdict: "contradicted", evidence }];
  }
  return [];
}

/** Whether a fresh page shows the row as it was, with the same target. What the site says in the query draws no other page. */
export function isStillThere(action: RowAction, { freshPages }: Pick<Case, "freshPages">): boolean {
  const withoutQuery = (url: string) => url.replace(/\?[^#]*/, "");
  const isOfSame = (fresh: FreshPage) => isSamePage(withoutQuery(fresh.url), withoutQuery(action.url));
  const fresh = findFreshPage(freshPages, action.url) ?? freshPages.find(isOfSame);
  return fresh?.page != null && fresh.note === null && countRows(fresh.page.root, action) >= action.count;
}

/** The rows that the run deleted, as far as the site took what was sent. */
export function findDeletions({ steps, writes, captured }: Run): RowAction[] {
  return steps.flatMap((step, index): RowAction[] => {
    const label = labelOf(step.call).trim();
    if (step.hasFailed || !DELETING.test(label) || (DISMISSING.test(label) && isInDialog(step, captured))) return [];
    const sender = findSender(steps.slice(index), writes);
    const isUndone = writes.some(({ cause }) => (cause?.step ?? 0) > (sender?.step ?? 0) && bringsBack(cause));
    if (sender === null || isUndone) return [];
    const opener = findOpener(step, { steps, captured });
    const found = opener === null ? null : findRow(opener, captured);
    return found === null ? [] : [found];
  });
}

/** Whether a step deletes, or agrees to a deletion. */
export function isDeleting(step: StepCause, run: Pick<Run, "steps" | "captured">): boolean {
  const label = labelOf(step.call).trim();
  if (DELETING.test(label)) return !DISMISSING.test(label) || !isInDialog(step, run.captured);
  const opener = findOpener(step, run);
  const isAgreed = step.call.input["accept"] === true || AGREEING.test(label);
  return isAgreed && opener !== null && DELETING.test(labelOf(opener.call).trim());
}

/** The step that opened the menu or the dialog of this one; else this one itself. */
export function findOpener(step: StepCause, { steps, captured }: Pick<Run, "steps" | "captured">): StepCause | null {
  if (!isInMenu(step, captured) && step.call.action !== "dialog") return step;
  return steps.findLast((each) => each.step < step.step && each.effect === "mutate") ?? null;
}

/** The step that sent the deletion: itself, or the one that agreed to it. */
function findSender([deleting, ...next]: readonly StepCause[], writes: Case["writes"]): StepCause | null {
  const hasSent = (step: StepCause) =>
    writes.some(({ write, cause }) => cause === step && write.isFirstParty && isAccepted(write));
  if (deleting === undefined) return null;
  if (hasSent(deleting)) return deleting;
  const agreed = next.find(({ effect, call }) => effect === "mutate" && !isEntry(call));
  if (agreed === undefined || !hasSent(agreed)) return null;
  return agreed.call.input["accept"] === true || AGREEING.test(labelOf(agreed.call)) ? agreed : null;
}

function bringsBack(cause: StepCause | null): boolean {
  const label = cause === null ? "" : labelOf(cause.call);
  return BRINGING_BACK.test(label) || isCreatingLabel(label);
}

const ROWS = new Set(["row", "listitem", "article", "treeitem", "option"]);

const DIALOGS = new Set(["dialog", "alertdialog"]);
const MENUS = new Set(["menu", ...DIALOGS]);

export function isInDialog(step: StepCause, captured: Case["captured"]): boolean {
  return findTarget(step, captured)?.visit.ancestors.some(({ role }) => DIALOGS.has(role)) ?? false;
}

/** A menu that was opened in a row is not always a part of it, and closed when the page is loaded again. */
function isInMenu(step: StepCause, captured: Case["captured"]): boolean {
  const visit = findTarget(step, captured)?.visit;
  return visit !== undefined && (visit.node.role === "menuitem" || visit.ancestors.some(({ role }) => MENUS.has(role)));
}

export function findTarget({ seen }: StepCause, captured: Case["captured"]) {
  const page = seen === null ? null : captured.find(seen.observationNumber);
  const visit = page === null ? undefined : [...walk(page.root)][seen?.position ?? -1];
  return page === null || visit === undefined || visit.node.name === "" ? null : { page, visit };
}

/** The innermost row around the target of a step that has a text of its own. */
export function findRow(step: StepCause, captured: Case["captured"]): RowAction | null {
  const found = findTarget(step, captured);
  if (found === null) return null;
  const { page, visit } = found;
  const sets = readRecordSets(page.root, page.url).filter(({ kind }) => kind !== "labelled");
  const records = new Set(sets.flatMap(({ rows }) => rows.map(({ node }) => node)));
  const rows = visit.ancestors.filter((node) => ROWS.has(node.role) || records.has(node)).map(readRow);
  const target = visit.node.name;
  const row = rows.findLast((text) => /[\p{L}\p{N}]/u.test(text));
  const own = row === undefined ? findLooseRow(page.root, visit.node) : { row, target, length: null };
  return own === null ? null : { url: page.url, ...own, count: countRows(page.root, own) };
}

type LooseRow = Pick<RowAction, "row" | "target" | "length">;

/** Equal buttons with equally many texts between them: the texts before each are its row. */
function findLooseRow(root: ObservedNode, node: ObservedNode): LooseRow | null {
  const target = node.name;
  const places = findTextsBefore(root, target);
  const lengths = new Set(places.slice(1).map(({ texts }, index) => texts.length - (places[index]?.texts.length ?? 0)));
  const [length = 0, ...others] = lengths;
  const texts = places.find((place) => place.node === node)?.texts ?? [];
  if (length === 0 || others.length > 0 || texts.length < length) return null;
  return { row: withoutTimes(texts.slice(-length).join(" ")), target, length };
}

/** Each target of this name, with all texts of the page before it. */
function findTextsBefore(root: ObservedNode, target: string) {
  const texts: string[] = [];
  const places: { readonly node: ObservedNode; readonly texts: readonly string[] }[] = [];
  for (const { node } of walk(root)) {
    if (node.ref !== null && node.name === target) places.push({ node, texts: [...texts] });
    else if (node.children.length === 0 && node.name.trim() !== "") texts.push(node.name);
  }
  return places;
}

/** How many targets of this name are in a row of this text. */
export function countRows(root: ObservedNode, { row, target, length }: LooseRow): number {
  if (length !== null)
    return findTextsBefore(root, target).filter(({ texts }) => withoutTimes(texts.slice(-length).join(" ")) === row)
      .length;
  const targets = [...walk(root)].filter(({ node }) => node.ref !== null && node.name === target);
  return targets.filter(({ ancestors }) => ancestors.some((node) => readRow(node) === row)).length;
}

const TIMES =
  /\b(?:just now|(?:(?:about|over|almost|less than)\s+)?(?:an?|one|a few|\d+)\s?(?:s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|weeks?|months?|years?|moments?)\s+ago)\b|\b\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:\s?[ap]\.?m\b\.?)?/gi;

/** The text of a row without its buttons. */
const readRow = oncePer((node: ObservedNode) => withoutTimes(readOwnText(node)));

/** Without times that go on by themselves. */
export function withoutTimes(text: string): string {
  return text.replace(TIMES, "").replace(/\s+/g, " ").trim();
}
