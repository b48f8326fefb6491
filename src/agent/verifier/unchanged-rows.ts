import { type ObservedNode, walk } from "../../browser/observation/observation.ts";
import type { StepCause } from "../actions/side-effects.ts";
import { readRecordSets } from "../extraction/read-record-sets.ts";
import type { Row } from "../extraction/record-set.ts";
import { isSamePage } from "../grounding/captured-pages.ts";
import { readText } from "../grounding/page-text.ts";
import { toPhrase } from "../grounding/similarity.ts";
import { type Case, findFreshPage, labelOf } from "./case.ts";
import type { Check } from "./check.ts";
import { findEntriesBefore } from "./commit-entries.ts";
import { findShown } from "./commit-lines.ts";
import { countRows, findOpener, findRow, findTarget, isInDialog, isStillThere, type RowAction } from "./deletions.ts";
import { findSubmissions, type Submission } from "./sent-entries.ts";

const ABOUT = "What was changed is not as it was";

/** Labels that give a thing another state, so that it does not look the same afterwards. */
const STATE_VERBS =
  "mark|approve|reject|decline|reopen|unpublish|enable|disable|activate|deactivate|pause|resume|block|unblock|switch|upgrade|downgrade|(?:make|set)(?: as)? default";
const CHANGES_STATE = new RegExp(`^(?:${STATE_VERBS})\\b`, "i");
/** The same for a button in a row or a menu. In a dialog these only agree to what opened it. */
export const CHANGES_ROW = new RegExp(`^(?:${STATE_VERBS}|accept|close|complete|pay|publish)\\b`, "i");

/**
 * A row whose state was to change is not in a fresh browser as it was, with the same button, where the page shows that state:
 * another row has it, or the run's own tab showed it. A message says nothing against that.
 */
export function checkRowsChanged(context: Case): Check[] {
  const last = findSubmissions(context).at(-1);
  if (last === undefined) return [];
  for (const { row, opener } of [...findChangedRow(last, context), ...findTickedRows(last, context)]) {
    const other = findOtherState(row, opener, last, context);
    if (other !== null) return [{ about: ABOUT, verdict: "unknown", evidence: other }];
    if (!isStillThere(row, context) || !showsState(row, opener, last, context)) continue;
    const evidence = `"${row.row.slice(0, 80)}" is in a fresh browser as it was before "${labelOf(last.call).slice(0, 40)}".`;
    return [{ about: ABOUT, verdict: "unknown", evidence }];
  }
  return [];
}

interface ChangedRow {
  readonly row: RowAction;
  /** The step in the row. */
  readonly opener: StepCause;
}

function findChangedRow(commit: Submission, context: Case): ChangedRow[] {
  const opener = findOpener(commit, context);
  if (opener === null || !changesState(commit, opener, context)) return [];
  const row = findRow(opener, context.captured);
  return row === null ? [] : [{ row, opener }];
}

function changesState(commit: Submission, opener: StepCause, { captured }: Case): boolean {
  const [label, opening] = [commit, opener].map(({ call }) => labelOf(call).trim());
  return (
    (isInDialog(commit, captured) ? CHANGES_STATE : CHANGES_ROW).test(label ?? "") || CHANGES_ROW.test(opening ?? "")
  );
}

/** Rows that were ticked for what was sent. */
function findTickedRows(commit: Submission, context: Case): ChangedRow[] {
  const ticked = findEntriesBefore(commit, context).filter(({ kind }) => kind === "checked");
  return ticked.flatMap(({ step }) => {
    const opener = context.steps.find((each) => each.step === step);
    const row = opener === undefined ? null : findRow(opener, context.captured);
    return opener === undefined || row === null ? [] : [{ row, opener }];
  });
}

/** Whether the page shows the state that the row was to get. */
function showsState(row: RowAction, opener: StepCause, commit: Submission, context: Case): boolean {
  const shown = findShown(commit, context).filter(({ url }) => isSamePage(url, row.url));
  if (shown.some(({ root }) => root.children.length > 0 && showsOtherRow(root, row))) return true;
  const found = findTarget(opener, context.captured);
  if (found === null) return false;
  const { page, visit } = found;
  const isOwn = ({ node }: { readonly node: ObservedNode }) => visit.ancestors.includes(node);
  const set = readRecordSets(page.root, page.url).findLast(({ kind, rows }) => kind !== "labelled" && rows.some(isOwn));
  const others = (set?.rows ?? []).filter((each) => !isOwn(each)).map(({ node }) => node);
  const own = toPhrase(row.row).stems;
  const wanted = [...toPhrase(labelOf(commit.call)).stems].filter((stem) => !own.has(stem));
  const isTicked = opener.call.action === "check";
  return others.some(
    (other) =>
      wanted.some((stem) => toPhrase(readText(other)).stems.has(stem) && !isOnlyInTargets(other, stem)) ||
      (!isTicked && !hasTarget(other, firstWord(visit.node.name))),
  );
}

/**
 * The row has got another state than the one that was asked for: its column has that in other rows, "Done" after "Mark as
 * done", and in a fresh browser the row has a third value there.
 */
function findOtherState(row: RowAction, opener: StepCause, commit: Submission, context: Case): string | null {
  const found = findTarget(opener, context.captured);
  const fresh = findFreshPage(context.freshPages, row.url);
  if (found === null || fresh?.page == null || fresh.note !== null) return null;
  const [before, now] = [found.page.root, fresh.page.root].map(listTableRows);
  const own = before?.find(({ node }) => found.visit.ancestors.includes(node));
  const again = (now ?? []).filter((each) => own !== undefined && keyOf(each) === keyOf(own));
  const [shown] = again;
  if (own === undefined || shown === undefined || again.length > 1) return null;
  const wanted = toPhrase(labelOf(commit.call)).stems;
  for (const [column, cell] of shown.cells) {
    const was = own.cells.get(column)?.text;
    const isWanted = (text: string) => text !== "" && isWithin(toPhrase(text).stems, wanted);
    const isKnown = [...(before ?? []), ...(now ?? [])].some((each) => isWanted(each.cells.get(column)?.text ?? ""));
    const saysIt = [...toPhrase(cell.text).stems].some((stem) => wanted.has(stem));
    if (was === undefined || was === cell.text || cell.text === "" || !isKnown || saysIt) continue;
    return `"${keyOf(own).slice(0, 60)}" is "${cell.text.slice(0, 40)}" in a fresh browser after "${labelOf(commit.call).slice(0, 40)}".`;
  }
  return null;
}

function listTableRows(root: ObservedNode): Row[] {
  return readRecordSets(root).flatMap(({ kind, rows }) => (kind === "table" ? rows : []));
}

function keyOf({ cells }: Row): string {
  return [...cells.values()].find(({ text }) => /[\p{L}\p{N}]/u.test(text))?.text ?? "";
}

function isWithin(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  return one.size > 0 && [...one].every((stem) => other.has(stem));
}

/** The row has its state in the run's own tab: it is there with the same target and says something else. */
function showsOtherRow(root: ObservedNode, row: RowAction): boolean {
  return countRows(root, row) < row.count;
}

function isOnlyInTargets(row: ObservedNode, stem: string): boolean {
  const texts = [...walk(row)].filter(
    ({ node, ancestors }) => node.children.length === 0 && !isTarget(node, ancestors),
  );
  return !texts.some(({ node }) => toPhrase(node.name).stems.has(stem));
}

function isTarget(node: ObservedNode, ancestors: readonly ObservedNode[]): boolean {
  return [node, ...ancestors].some(({ role }) => role === "button" || role === "checkbox" || role === "menuitem");
}

function hasTarget(row: ObservedNode, word: string): boolean {
  return walk(row).some(({ node }) => node.ref !== null && firstWord(node.name) === word);
}

function firstWord(name: string): string {
  return name.trim().split(/\s+/)[0]?.toLowerCase() ?? "";
}

/**
 * Nothing was entered, and the page that the run gave another state with a button still offers that button. Where no fresh page
 * shows a difference, a message says nothing against that.
 */
export function isStillOffered(commit: Submission, context: Case): boolean {
  const opener = findOpener(commit, context);
  if (opener === null || findEntriesBefore(commit, context).length > 0) return false;
  if (![commit, opener].some(({ call }) => CHANGES_STATE.test(labelOf(call).trim()))) return false;
  const target = findTarget(opener, context.captured)?.visit.node;
  const fresh = context.freshPages.find(({ url, note }) => note === null && isSamePage(url, opener.url))?.page;
  if (target === undefined || fresh == null) return false;
  const isSame = ({ node }: { readonly node: ObservedNode }) =>
    node.ref !== null && node.role === target.role && node.name === target.name && node.states.disabled !== true;
  return walk(fresh.root).some(isSame);
}
