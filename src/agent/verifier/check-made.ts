import { labelOf, type ObservedNode, walk } from "../../browser/observation/observation.ts";
import { readRecordSets, readRecordsAhead } from "../extraction/read-record-sets.ts";
import type { Row } from "../extraction/record-set.ts";
import { parseAmounts } from "../grounding/amounts.ts";
import { type CapturedPage, contains, isSamePage } from "../grounding/captured-pages.ts";
import { findDates } from "../grounding/dates.ts";
import { isField, isSameValue, readText } from "../grounding/page-text.ts";
import { type Case, type Entry, findUntouched } from "./case.ts";
import type { Check } from "./check.ts";
import { isTelling } from "./check-kept.ts";
import { findEntriesBefore } from "./commit-entries.ts";
import { findSubmissions, isLookup } from "./sent-entries.ts";

/** What a page says about one thing, by folded label. */
type Said = ReadonlyMap<string, readonly string[]>;

/**
 * What a form made shows what was entered: a new row with it, or the page that the form has led to. A value there under the
 * label of a field is the one that was entered into it.
 */
export function* checkMade(context: Case): Generator<void, Check[]> {
  const commit = findSubmissions(context).at(-1);
  if (commit === undefined) return [];
  const entries = findEntriesBefore(commit, context).filter(
    (entry) => (entry.kind === "text" || entry.kind === "choice") && entry.label !== "" && !isLookup(entry, context),
  );
  const telling = entries.filter(({ kind, value }) => kind === "text" && isTelling(value));
  if (telling.length === 0 || entries.length < 2) return [];
  for (const { page, note } of context.freshPages) {
    if (page === null || note !== null) continue;
    yield* readRecordsAhead(page.root);
    const pages = findPageOfIt(page, commit.url, entries, context);
    const records = [...findNewRows(page, telling, context), ...pages];
    const cut = pages.length === 0 ? [] : telling.flatMap((entry) => findCutHeading(entry, page));
    const [wrong] = [...records.flatMap((said) => entries.flatMap((entry) => findOther(entry, said))), ...cut];
    if (wrong !== undefined) {
      const evidence = `"${wrong.label.slice(0, 60)}" is "${wrong.shown.slice(0, 60)}" in a fresh browser, and "${wrong.value.slice(0, 60)}" was entered.`;
      return [{ about: "What was made is as entered", verdict: "unknown", evidence }];
    }
    yield;
  }
  return [];
}

/** The one row of each list that has come with a text that was entered. */
function findNewRows(page: CapturedPage, telling: readonly Entry[], context: Case): Said[] {
  const before = findUntouched(page.url, context)?.root;
  const known = new Set(before === undefined ? [] : listRows(before).map(({ node }) => readText(node)));
  const rows = listRows(page.root).filter(({ node }) => {
    const text = readText(node);
    return !known.has(text) && telling.some(({ value }) => contains(text, value));
  });
  return rows.length === 1 ? rows.map(({ cells }) => toSaid([...cells].map(([name, { whole }]) => [name, whole]))) : [];
}

function listRows(root: ObservedNode): Row[] {
  return readRecordSets(root).flatMap(({ kind, rows }) => (kind === "table" ? rows : []));
}

/**
 * Another page than that of the form, about the same thing: it has the values of two fields under their labels, or the labels, and
 * the run was led to it below the page of the form, from "/issues" to "/issues/15".
 */
function findPageOfIt(
  { url, root }: CapturedPage,
  formUrl: string,
  entries: readonly Entry[],
  { live }: Pick<Case, "live">,
): Said[] {
  if (isSamePage(url, formUrl)) return [];
  const fields = [...walk(root)].filter(({ node }) => isField(node) && node.value !== null);
  const labelled = readRecordSets(root).flatMap(({ kind, rows }) => (kind === "labelled" ? rows : []));
  const said = toSaid([
    ...fields.map(({ node }): [string, string] => [labelOf(node), node.value ?? ""]),
    ...labelled.flatMap(({ cells }) =>
      [...cells].flatMap(([name, { whole }]): [string, string][] => (name === HEADING ? [] : [[name, whole]])),
    ),
  ]);
  const known = entries.filter((entry) => valuesOf(entry, said).length > 0);
  const same = known.filter((entry) => valuesOf(entry, said).some((shown) => isSaidAs(entry, shown)));
  const isBelow = isSamePage(url, live.url) && url.startsWith(`${formUrl.replace(/[?#].*$/, "")}/`);
  return (isBelow ? known : same).length >= 2 ? [said] : [];
}

const MIN_CUT = 5;

/** A heading is the start of what was entered, and the page has no more of it. */
function findCutHeading({ label, value }: Entry, { root, text }: CapturedPage) {
  if (contains(text, value)) return [];
  const headings = [...walk(root)]
    .filter(({ node }) => node.role === "heading")
    .map(({ node }) => readText(node).trim());
  const cut = headings.find(
    (shown) => shown.length >= MIN_CUT && fold(value).startsWith(fold(shown)) && !/[….]$/.test(shown),
  );
  return cut === undefined ? [] : [{ label, value, shown: cut }];
}

/** What labelled values call the heading above them. */
const HEADING = "title";

function toSaid(pairs: readonly (readonly [string, string])[]): Said {
  return new Map(
    [...Map.groupBy(pairs, ([label]) => fold(label))].map(([label, all]) => [label, all.map(([, value]) => value)]),
  );
}

function valuesOf({ label }: Entry, said: Said): readonly string[] {
  return (said.get(fold(label)) ?? []).filter((shown) => /[\p{L}\p{N}]/u.test(shown));
}

function findOther(entry: Entry, said: Said) {
  const shown = valuesOf(entry, said);
  const [first] = shown;
  if (first === undefined || shown.some((each) => isSaidAs(entry, each) || !isComparable(entry, each))) return [];
  return [{ label: entry.label, value: entry.value, shown: first }];
}

const TIME = /^\d{1,2}:\d{2}/;
const CODE = /^[A-Z]{1,4}$/;
const MAX_LENGTH = 200;

/** Codes, times, masked and long texts are written in too many ways. */
function isComparable({ value, kind }: Entry, shown: string): boolean {
  if (value.length > MAX_LENGTH || TIME.test(value) || /[•*]{3}/.test(shown)) return false;
  if (kind === "choice" && CODE.test(shown.trim())) return false;
  return findDates(value).length === 0 || findDates(shown).length > 0;
}

/** The same as pages write it: with a unit, in another order, shortened with dots, in another format. */
function isSaidAs({ value, parts, kind }: Entry, shown: string): boolean {
  const [entered, said] = [value, shown].map(fold);
  if (entered === undefined || said === undefined || said === "") return false;
  if (isSameValue(value, shown) || said.includes(entered) || isShortened(entered, shown)) return true;
  if (parts.length > 1 && parts.every((part) => said.includes(fold(part)))) return true;
  const days = findDates(value).map(({ day }) => day);
  if (days.length > 0)
    return [...findDates(shown, "dmy"), ...findDates(shown, "mdy")].some(({ day }) => days.includes(day));
  const [amount, ...others] = parseAmounts(value);
  if (amount !== undefined && others.length === 0 && /^[^\p{L}]*$/u.test(value))
    return parseAmounts(shown).some((each) => each.value === amount.value) || isSamePhone(value, shown);
  const words = wordsOf(value);
  const own = wordsOf(shown);
  const isPart = own.length > 1 || kind === "choice";
  return words.every((word) => own.includes(word)) || (isPart && own.every((word) => words.includes(word)));
}

function isShortened(entered: string, shown: string): boolean {
  return /(?:…|\.\.\.)\s*$/.test(shown) && entered.startsWith(fold(shown));
}

function isSamePhone(one: string, other: string): boolean {
  const [first = "", second = ""] = [one, other].map((text) => text.replace(/\D/g, ""));
  return first.length >= 7 && second.endsWith(first.slice(-7));
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

function fold(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");
}
