import type { MergedPages } from "../extraction/merged-pages.ts";
import { findNextPage } from "../extraction/pagination.ts";
import { type Row, titleOf } from "../extraction/record-set.ts";
import { parseAmount } from "../grounding/amounts.ts";
import { fold, stemNoun } from "../grounding/names.ts";
import { growList } from "./complete-list.ts";
import { actOn } from "./elements.ts";
import { explainLabels, isOne, readAll, readLabel, toValues, type Value } from "./labels.ts";
import { chooseList, findColumn, findColumnIn, isAbout, mainHeadings, readColumn } from "./lists.ts";
import { quoteNames, shorten } from "./names.ts";
import { mayMean } from "./nouns.ts";
import type { Running, StepsRun } from "./run.ts";

const MAX_PAGES = 20;

/** How a value of something named is found: in its row of a list, or on a page that is about it. */
export interface Search {
  readonly name: string;
  readonly list: string | null;
  inLists(): readonly Value[];
  onPage(): readonly Value[];
}

/** The cell in a row and a column of a table or list; else the label under the heading, or on the page, of that name. */
export function* readCell(row: string, column: string, list: string | null, run: StepsRun): Running<readonly Value[]> {
  return yield* searchPages(
    {
      name: row,
      list,
      inLists: () => findCrossing(row, column, list, run),
      onPage: () => readOfPage(row, column, run),
    },
    run,
  );
}

/**
 * Looks on the page, then on the further pages of its list. Where only a part of a row's name was given, a row of just that name,
 * or another that it is a part of, may come later.
 */
export function* searchPages(search: Search, run: StepsRun): Running<readonly Value[]> {
  const { name, inLists, onPage } = search;
  const parts: Value[] = [];
  for (let page = 1; page <= MAX_PAGES; page++) {
    const found = inLists();
    if (found.some(({ isPart }) => isPart !== true)) return demandOne(name, found, run);
    parts.push(...demandOne(name, [...parts, ...found], run).slice(parts.length));
    const next = findNextPage(run.observation.root, run.observation.url);
    if (next === null) return parts.length > 0 ? parts : yield* searchPage(search, run);
    if (page === 1 && parts.length === 0 && isOne(onPage())) return onPage();
    const { failure } = yield* actOn(next, "click", {}, `Look for "${shorten(name)}" on the next page.`, run);
    if (failure !== null) break;
  }
  if (parts.length === 0) return yield* searchPage(search, run);
  throw run.stop("PARTIAL_LIST", `The list has more pages, which may have other rows for "${shorten(name)}". ${FULL}`);
}

/** What the page itself says, else a row that it shows after scrolling. */
function* searchPage({ name, list, inLists, onPage }: Search, run: StepsRun): Running<readonly Value[]> {
  const ofPage = onPage();
  if (ofPage.length > 0) return ofPage;
  yield* growList({ noun: list ?? "" }, run);
  return demandOne(name, inLists(), run);
}

const FULL = "Use the full name of the row that is meant.";

/** Rows of different names may say the same by chance. */
function demandOne(name: string, values: readonly Value[], run: StepsRun): readonly Value[] {
  const rows = new Set(values.flatMap(({ of }) => of ?? []));
  if (rows.size > 1)
    throw run.stop("AMBIGUOUS", `Several rows could be meant by "${shorten(name)}": ${quoteNames(rows, 5)}. ${FULL}`);
  return values;
}

/** The row is there, and the column is not, or there are several; or nothing is called so. */
export function explainRow(name: string, column: string, run: StepsRun): string {
  const [first] = findRowsByName(listRecords(run), name, column, run);
  if (first !== undefined) {
    const shown = quoteNames(first.merged.set.columns);
    return `The row "${shorten(name)}" has no single column "${shorten(column)}". It has: ${shown}.`;
  }
  return isSubject(name, run) ? explainLabels(run) : `Nothing on the page is called "${shorten(name)}".`;
}

export function listRecords(run: StepsRun): MergedPages[] {
  return run.once("records", readAll).filter(({ set }) => set.kind !== "labelled");
}

/** Tables have what is asked about in rows or in columns. */
function findCrossing(row: string, column: string, list: string | null, run: StepsRun): readonly Value[] {
  const found = findCell(row, column, list, run);
  return found.length > 0 ? found : findCell(column, row, list, run);
}

/** The page, or a section of it, is about what was asked for. */
function readOfPage(name: string, label: string, run: StepsRun): readonly Value[] {
  const inSection = readLabel(label, name, run);
  if (inSection.length > 0) return inSection;
  // "the customer's name" where the label is only "Customer": a name has no digits.
  const named = fold(label) === "name" ? readLabel(name, null, run) : [];
  if (named.length > 0 && named.every(({ text }) => /^[^\d@]+$/.test(text))) return named;
  // "What is the driver's license number?" may ask for the label.
  const whole = readLabel(`${name}'s ${label}`, null, run);
  if (whole.length > 0) return whole;
  return isSubject(name, run) ? readLabel(label, null, run) : readPrice(name, label, run);
}

/** The page, or the tab that was opened last, is about it. */
export function isSubject(name: string, run: StepsRun): boolean {
  const stem = stemNoun(name);
  return isAbout(run.observation, stem) || stemNoun(run.lastOpened ?? "") === stem;
}

/** "Kettle: €12.50" is a price, and says so by its currency. */
function readPrice(name: string, label: string, run: StepsRun): readonly Value[] {
  if (findColumn(["price"], label) === null) return [];
  const found = readLabel(name, null, run);
  return isOne(found) && parseAmount(found[0]?.text ?? "")?.currency == null ? [] : found;
}

interface NamedRow {
  readonly row: Row;
  readonly merged: MergedPages;
  /** The row has a longer name, or the name is in another column: there may be more such rows. */
  readonly isPart: boolean;
}

/** The cells of all rows of this name, those in the main part of the page first. */
function findCell(name: string, column: string, list: string | null, run: StepsRun): readonly Value[] {
  const { observation } = run;
  const choice = list === null ? null : chooseList([observation], { noun: list, columns: [column] });
  const lists = choice?.kind === "chosen" ? [choice.merged] : listRecords(run);
  const found = findRowsByName(lists, name, column, run).flatMap(({ row, merged, isPart }) => {
    const cell = readColumn(row, merged.set, column);
    const records = { ...merged, set: { ...merged.set, rows: [row] } };
    const of = nameOf(row, merged);
    return cell === null ? [] : toValues(cell, row.pageUrl).map((value) => ({ ...value, records, isPart, of }));
  });
  const main = found.filter(({ records }) => records.set.region === "main");
  return main.length > 0 ? main : found;
}

/**
 * Rows of exactly this name, then rows with a cell of exactly this text, then "order T-1" and "Team plan" as the row T-1 of a
 * list of orders and the row Team of a list of plans, then rows whose name contains it.
 */
export function findRowsByName(lists: readonly MergedPages[], name: string, column: string, run: StepsRun): NamedRow[] {
  const rows = lists.flatMap((merged) => merged.set.rows.map((row) => ({ row, merged })));
  const words = name.split(/\s+/);
  const [first = "", last = ""] = [words[0], words.at(-1)];
  const [code, title] = [words.slice(1).join(" "), words.slice(0, -1).join(" ")];
  const isOnly = lists.filter(({ set }) => set.region === "main").length === 1;
  const levels: ((named: Pick<NamedRow, "row" | "merged">) => boolean)[] = [
    ({ row, merged }) => withoutArticle(nameOf(row, merged)) === withoutArticle(name),
    ({ row, merged }) => hasCell(row, merged, name, column),
    ({ row, merged }) => code !== "" && isKind(first, merged) && hasCell(row, merged, code, column),
    ({ row, merged }) =>
      code !== "" && isNounOf(first, merged, isOnly, run) && fold(codeOf(row, merged)) === fold(code.replace(/^#/, "")),
    ({ row, merged }) =>
      title !== "" && isNounOf(last, merged, isOnly, run) && fold(nameOf(row, merged)) === fold(title),
    // "T-1" in a list of orders whose rows are called "Order T-1".
    ({ row, merged }) =>
      stemNoun(nameOf(row, merged))
        .split(" ")
        .filter((word) => !isKind(word, merged))
        .join(" ") === stemNoun(name),
    ({ row, merged }) => ` ${stemNoun(nameOf(row, merged))} `.includes(` ${stemNoun(name)} `),
  ];
  for (const [level, isNamed] of levels.entries()) {
    const named = rows.filter(isNamed);
    // Kim, who is in another column, may be in more rows.
    const isPart = (each: (typeof rows)[number]) =>
      level === levels.length - 1 || (level === 1 && fold(codeOf(each.row, each.merged)) !== fold(name));
    if (named.length > 0) return named.map((each) => ({ ...each, isPart: isPart(each) }));
  }
  return [];
}

/** "The Salt Road" is asked for as "Salt Road". Two rows that differ only in it are both meant. */
function withoutArticle(name: string): string {
  return fold(name).replace(/^the /, "");
}

/** A cell of just this text, outside of the column that is asked for. */
function hasCell(row: Row, { set }: MergedPages, text: string, column: string): boolean {
  const asked = findColumnIn(set, column);
  return [...row.cells].some(([name, cell]) => name !== asked && fold(cell.text) === fold(text));
}

/** Whether the list holds things of this kind: "order". */
function isKind(word: string, { set }: MergedPages): boolean {
  return [set.name, ...set.columns].some((text) => stemNoun(text).split(" ").includes(stemNoun(word)));
}

/** The same by what the page is about; or where it is the only list, by another word for what it holds. */
function isNounOf(word: string, merged: MergedPages, isOnly: boolean, run: StepsRun): boolean {
  if (isKind(word, merged) || isSubject(word, run)) return true;
  return isOnly && mayMean(word, [merged.set.name, ...mainHeadings(run.observation)]);
}

const CODES = /^(?:#|id|no\.?|nr\.?|number|code|ref\.?|reference|key|column 1)$/i;

/** What a row is numbered with: "12" in the column "#", or in the first one. */
function codeOf(row: Row, { set }: MergedPages): string {
  const [first = ""] = set.columns;
  const column = set.columns.find((name) => CODES.test(name)) ?? first;
  return row.cells.get(column)?.text.replace(/^#/, "") ?? "";
}

/** The title of a row; of a table without one, its first cell with words or a code. */
export function nameOf(row: Row, { set }: MergedPages): string {
  return (titleOf(row, set) ?? [...row.cells.values()].find(({ text }) => /[\p{L}\d]/u.test(text)))?.text ?? "";
}
