import { foldVisible } from "../../browser/observation/visible-text.ts";
import type { RecordSet, Row } from "../extraction/record-set.ts";
import type { CapturedPage } from "../grounding/captured-pages.ts";
import { toPhrase } from "../grounding/similarity.ts";
import type { Case } from "./case.ts";
import type { Check } from "./check.ts";
import { type Choice, findChoices } from "./choices.ts";
import { findDoubt, findLists, findSameList, findStatesUntil, hasSameRows } from "./cited-lists.ts";

/** A list in which rows show another option than the one that was chosen is not what the choice stands for. */
export function checkFiltered(context: Case): Check[] {
  for (const choice of findChoices(context)) {
    const finding = findDoubt(context, (set, page, rows) => findOther(choice, { set, page, rows }, context));
    if (finding !== null) return [{ about: "The list shows what was chosen", verdict: "unknown", evidence: finding }];
  }
  return [];
}

/** To read all lists of many large pages takes long. */
const MAX_STATES = 5;

interface Shown {
  readonly set: RecordSet;
  readonly page: CapturedPage;
  readonly rows: readonly Row[];
}

function findOther(choice: Choice, { set, page, rows }: Shown, context: Case): string | null {
  const { chosen, others, step } = choice;
  // Numbers are often bounds: "2 guests" finds rooms for 4.
  if (![...chosen, ...others].every((option) => /\p{L}/u.test(option)) || !choice.isShownOn(page)) return null;
  const named = findColumn(choice, set);
  const column = named ?? findColumnOfOptions(choice, set);
  const other = column === null ? undefined : rows.map((row) => read(row, column)).find((text) => others.has(text));
  if (column === null || other === undefined) return null;
  const states = findStatesUntil(step.seen?.observationNumber ?? 0, page, context).slice(-MAX_STATES);
  const before = states.flatMap((state) => findSameList(set, state) ?? []);
  const last = before.at(-1);
  const isAsBefore = last !== undefined && hasSameRows(last, set);
  if (named === null && !isAsBefore) return null;
  if (!isValue(choice, column, [...before, set], isAsBefore)) return null;
  // The choice is for another list.
  if (findLists(page).some((list) => list !== set && showsOnlyChosen(list, choice))) return null;
  return `The list shows "${other}", although "${chosen.join(", ")}" was chosen.`;
}

function read({ cells }: Row, column: string): string {
  return foldVisible(cells.get(column)?.whole ?? "");
}

/** Words of a filter that do not say what it is about. */
const NO_SUBJECT =
  /\b(?:filter(?:ed|s)?|show(?:ing)?|view(?:ing)?|select|choose|pick|display|only|list|sort|order|by)\b/gi;

/** The column that the choice is called after: "Status" or "Filter by status". */
function findColumn({ label }: Choice, { columns }: RecordSet): string | null {
  const subject = subjectOf(label);
  if (subject === "") return null;
  const { concepts } = toPhrase(subject);
  const shared = columns.flatMap((column) => {
    const own = toPhrase(column).concepts;
    return [...own].some((each) => concepts.has(each)) ? [{ column, size: own.size }] : [];
  });
  const exact = shared.filter(({ column, size }) => {
    return size === concepts.size && [...toPhrase(column).concepts].every((each) => concepts.has(each));
  });
  const [only, ...others] = exact.length > 0 ? exact : shared;
  return only === undefined || others.length > 0 ? null : only.column;
}

function subjectOf(label: string): string {
  return label
    .replace(NO_SUBJECT, " ")
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

/** Names that columns get where a page does not give them any. */
const UNNAMED = /^(?:title|text|link|line)(?: \d+)?$/;

/** The only column in which all rows have an option. Other people may be in other columns, so it has no other name than the choice. */
function findColumnOfOptions({ label, chosen, others }: Choice, { columns, rows, kind }: RecordSet): string | null {
  const options = new Set([...chosen, ...others]);
  const found = columns.filter((column) => {
    const texts = rows.map((row) => read(row, column)).filter(Boolean);
    const isUnnamed = subjectOf(label) === "" || (kind === "list" && UNNAMED.test(column));
    return isUnnamed && texts.some((text) => chosen.includes(text)) && texts.every((text) => options.has(text));
  });
  return found.length === 1 ? (found[0] ?? null) : null;
}

/** Options that stand for several others. */
const FOR_SEVERAL =
  /\b(?:all|any|every\w*|both|active|inactive|open|closed|current|past|upcoming|pending|not?|non|un\w+|other|mine|my)\b/;

/** Whether rows have the chosen option as their value. "Unresolved" stands for others, and no row says it. */
function isValue({ chosen }: Choice, column: string, states: readonly RecordSet[], isAsBefore: boolean): boolean {
  if (states.some(({ rows }) => rows.some((row) => chosen.includes(read(row, column))))) return true;
  return isAsBefore && !chosen.some((option) => FOR_SEVERAL.test(option));
}

function showsOnlyChosen(set: RecordSet, choice: Choice): boolean {
  const column = findColumn(choice, set);
  return column !== null && set.rows.length > 0 && set.rows.every((row) => choice.chosen.includes(read(row, column)));
}
