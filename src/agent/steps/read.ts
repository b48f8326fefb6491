import { type Observation, walk } from "../../browser/observation/observation.ts";
import { type MergedPages, readMerged } from "../extraction/merged-pages.ts";
import { findNextPage } from "../extraction/pagination.ts";
import { type Cell, type Row, titleOf } from "../extraction/record-set.ts";
import { parseAmount, parseAmounts } from "../grounding/amounts.ts";
import type { Fact } from "../grounding/claim.ts";
import { fold, stemNoun } from "../grounding/names.ts";
import { readText } from "../grounding/page-text.ts";
import { growList } from "./complete-list.ts";
import { actOn, locate } from "./elements.ts";
import { chooseList, findColumn, findColumnIn, isAbout, type ReadPage, readColumn, withoutMachines } from "./lists.ts";
import { withoutOtherThings } from "./main-subject.ts";
import { quoteNames, shorten } from "./names.ts";
import type { Running, StepsRun } from "./run.ts";
import { findNumbers, findStatements, linesOf, readTyped, toNumber } from "./sentences.ts";
import { type ReadStep, toTarget } from "./step.ts";

/** A value that was read, or why there is none. */
type Reading =
  | Value
  | { readonly kind: "none"; readonly reason: string }
  | { readonly kind: "several"; readonly values: readonly string[] };

interface Value {
  readonly kind: "value";
  readonly text: string;
  readonly quote: string;
  readonly url: string;
  readonly records?: MergedPages;
}

const MAX_PAGES = 20;
const PATIENCE_MS = 1500;

/** Reads one value from the page's structure, or from sentences that all agree. */
export function* read(step: ReadStep, run: StepsRun): Running {
  const name = step.as ?? step.label ?? step.column ?? step.number_of ?? "value";
  let found = yield* readOnce(step, run);
  if (found.kind === "none") {
    yield* run.pause(PATIENCE_MS);
    yield* run.look("Wait for the page to show the answer.");
    found = yield* readOnce(step, run);
  }
  if (found.kind === "none") throw run.stop("ANSWER_NOT_FOUND", `The ${shorten(name)} was not found. ${found.reason}`);
  if (found.kind === "several") {
    const values = quoteNames(found.values, 5);
    throw run.stop("AMBIGUOUS", `The page gives several values for "${shorten(name)}": ${values}. Say which.`);
  }
  const { text, quote, url, records } = found;
  run.records = records ?? run.records;
  const fact: Fact = { label: name, value: text, quote, url };
  run.facts.push(fact);
  run.answer(text, name);
}

function* readOnce(step: ReadStep, run: StepsRun): Running<Reading> {
  if (step.row !== undefined && step.column !== undefined)
    return yield* readCell(step.row, step.column, step.list ?? null, run);
  if (step.field !== undefined) {
    const node = yield* locate(toTarget(step.field), "read", run);
    const text = readText(node);
    const isEmpty = text === "";
    return isEmpty
      ? { kind: "none", reason: "The field is empty." }
      : toValue({ text, quote: text }, run.observation.url);
  }
  if (step.heading === true) return readHeading(run);
  if (step.after !== undefined) return readAfter(step.after, run);
  if (step.number_of !== undefined) return readNumberOf(step.number_of, step.verb ?? null, run);
  return readLabel(step.label ?? step.as ?? "", null, run);
}

function toValue({ text, quote }: Pick<Cell, "text" | "quote">, url: string): Value {
  return { kind: "value", text, quote, url };
}

/** "€50.00 €39.00": an old price and a new one are two values. */
function splitPrices(text: string): string[] {
  const prices = parseAmounts(text).filter(({ currency }) => currency !== null);
  return prices.length > 1 ? prices.map(({ quote }) => quote) : [text];
}

/** All values of a kind have to be the same. */
function agree(found: readonly Value[]): Reading | null {
  const [first] = found;
  if (first === undefined) return null;
  const values = [...new Set(found.flatMap(({ text }) => splitPrices(text)))];
  return values.length > 1 ? { kind: "several", values } : first;
}

/** A label and its value, anywhere on the page; else what all sentences of the page say. */
function readLabel(label: string, section: string | null, run: StepsRun): Reading {
  const page = section === null ? subjectOf(run) : withoutMachines(run.observation);
  const merged = readMerged([page]).filter(
    ({ set }) =>
      (set.kind === "labelled" || set.rows.length === 1) &&
      (section === null || stemNoun(set.name) === stemNoun(section)),
  );
  const found = readPair(label, merged, page.url) ?? (section === null ? agree(readSentences(label, page)) : null);
  if (found !== null) return found;
  const labels = quoteNames(new Set(merged.flatMap(({ set }) => set.columns)));
  const reason = labels === "" ? "The page has no labelled values." : `The page has values for: ${labels}.`;
  return { kind: "none", reason };
}

/** The main part of the page first, and labels before tables with one row. */
function readPair(label: string, merged: readonly MergedPages[], url: string): Reading | null {
  for (const region of ["main", "around"]) {
    for (const kind of ["labelled", "table", "list"]) {
      const sets = merged.filter(({ set }) => set.region === region && set.kind === kind);
      const found = sets.flatMap(({ set }) => {
        const column = findColumnIn(set, label);
        const cells = column === null ? [] : set.rows.flatMap(({ cells: own }) => own.get(column) ?? []);
        const values = cells.map((cell) => withoutNextLabel(cell)).filter(({ text }) => text !== "");
        return values.map((value) => ({ ...toValue(value, url), column }));
      });
      // A label of exactly this name before one that only contains it.
      const exact = found.filter(({ column }) => stemNoun(column ?? "") === stemNoun(label));
      const agreed = agree(exact.length > 0 ? exact : found);
      if (agreed !== null) return agreed;
    }
  }
  return null;
}

/** What the page says about itself, for people. */
function subjectOf({ observation }: StepsRun): Observation {
  return withoutOtherThings(withoutMachines(observation));
}

/** "Your ticket number is T-4711": every sentence that states a value counts. */
function readSentences(label: string, { root, url }: ReadPage): Value[] {
  return linesOf(root).flatMap((line) =>
    findStatements(line, label).map((text) => toValue({ text, quote: line }, url)),
  );
}

const NEXT_LABEL = /\s\p{L}[\p{L}\d]*:\s/u;

/** Without the lines that ran into it. */
function withoutNextLabel({ text, quote }: Pick<Cell, "text" | "quote">): Pick<Cell, "text" | "quote"> {
  if (!NEXT_LABEL.test(text)) return { text, quote };
  const value = readTyped(text) ?? "";
  return { text: value, quote: value };
}

/** The cell in a row and a column of a table or list; else the label under the heading, or on the page, of that name. */
function* readCell(row: string, column: string, list: string | null, run: StepsRun): Running<Reading> {
  for (let page = 1; ; page++) {
    const found = findCrossing(row, column, list, run);
    if (found !== null) return found;
    const next = page < MAX_PAGES ? findNextPage(run.observation.root, run.observation.url) : null;
    if (next === null) break;
    if (page === 1 && readOfPage(row, column, run).kind === "value") break;
    const { failure } = yield* actOn(next, "click", {}, `Look for "${shorten(row)}" on the next page.`, run);
    if (failure !== null) break;
  }
  const ofPage = readOfPage(row, column, run);
  if (ofPage.kind !== "none") return ofPage;
  yield* growList({ noun: list ?? "" }, run);
  return findCrossing(row, column, list, run) ?? explainRow(row, column, run) ?? ofPage;
}

/** The row is there, and the column is not, or there are several. */
function explainRow(name: string, column: string, run: StepsRun): Reading | null {
  const lists = readMerged([withoutMachines(run.observation)]).filter(({ set }) => set.kind !== "labelled");
  const [first] = findRowsByName(lists, name, column);
  if (first === undefined) return null;
  const shown = quoteNames(first.merged.set.columns);
  return {
    kind: "none",
    reason: `The row "${shorten(name)}" has no single column "${shorten(column)}". It has: ${shown}.`,
  };
}

/** Tables have what is asked about in rows or in columns. */
function findCrossing(row: string, column: string, list: string | null, run: StepsRun): Reading | null {
  return findCell(row, column, list, run) ?? findCell(column, row, list, run);
}

/** The page, or a section of it, is about what was asked for. */
function readOfPage(name: string, label: string, run: StepsRun): Reading {
  const inSection = readLabel(label, name, run);
  if (inSection.kind !== "none") return inSection;
  if (isAbout(run.observation, stemNoun(name))) return readLabel(label, null, run);
  return readPrice(name, label, run) ?? { kind: "none", reason: `Nothing on the page is called "${shorten(name)}".` };
}

/** "Kettle: €12.50" is a price, and says so by its currency. */
function readPrice(name: string, label: string, run: StepsRun): Reading | null {
  if (findColumn(["price"], label) === null) return null;
  const found = readLabel(name, null, run);
  if (found.kind === "none") return null;
  return found.kind === "value" && parseAmount(found.text)?.currency == null ? null : found;
}

interface NamedRow {
  readonly row: Row;
  readonly merged: MergedPages;
}

/** Null when no list has such a row with such a column. */
function findCell(name: string, column: string, list: string | null, run: StepsRun): Reading | null {
  const page = run.observation;
  const choice = list === null ? null : chooseList([page], { noun: list, columns: [column] });
  const lists =
    choice?.kind === "chosen"
      ? [choice.merged]
      : readMerged([withoutMachines(page)]).filter(({ set }) => set.kind !== "labelled");
  const found = findRowsByName(lists, name, column).flatMap(({ row, merged }) => {
    const cell = readColumn(row, merged.set, column);
    if (cell === null) return [];
    const records = { ...merged, set: { ...merged.set, rows: [row] } };
    return [{ ...toValue(cell, row.pageUrl), records }];
  });
  const main = found.filter(({ records }) => records.set.region === "main");
  return agree(main.length > 0 ? main : found);
}

/**
 * Rows of exactly this name, then rows with a cell of exactly this text, then "order T-1" as the row T-1 of a list of orders,
 * then rows whose name contains it.
 */
function findRowsByName(lists: readonly MergedPages[], name: string, column: string): NamedRow[] {
  const rows = lists.flatMap((merged) => merged.set.rows.map((row) => ({ row, merged })));
  const [first = "", ...rest] = name.split(/\s+/);
  const levels: ((named: NamedRow) => boolean)[] = [
    ({ row, merged }) => fold(nameOf(row, merged)) === fold(name),
    ({ row, merged }) => hasCell(row, merged, name, column),
    ({ row, merged }) => rest.length > 0 && isKind(first, merged) && hasCell(row, merged, rest.join(" "), column),
    ({ row, merged }) => ` ${stemNoun(nameOf(row, merged))} `.includes(` ${stemNoun(name)} `),
  ];
  for (const isNamed of levels) {
    const named = rows.filter(isNamed);
    if (named.length > 0) return named;
  }
  return [];
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

/** The title of a row; of a table without one, its first cell with words or a code. */
function nameOf(row: Row, { set }: MergedPages): string {
  return (titleOf(row, set) ?? [...row.cells.values()].find(({ text }) => /[\p{L}\d]/u.test(text)))?.text ?? "";
}

function readHeading({ observation }: StepsRun): Reading {
  const headings = [...walk(observation.root)].filter(({ node }) => node.role === "heading").map(({ node }) => node);
  const main = headings.filter(({ states }) => states.level === 1);
  const [heading] = main.length > 0 ? main : headings;
  if (heading === undefined) return { kind: "none", reason: "The page has no heading." };
  const text = readText(heading);
  if (main.length > 1 && main.some((other) => readText(other) !== text))
    return { kind: "several", values: main.map(readText) };
  return toValue({ text, quote: text }, observation.url);
}

/** The rest of every line that begins with the text. */
function readAfter(marker: string, { observation }: StepsRun): Reading {
  const wanted = fold(marker);
  const found = linesOf(withoutMachines(observation).root).flatMap((line) => {
    const at = fold(line).startsWith(wanted) ? line.toLowerCase().indexOf(marker.toLowerCase()) : -1;
    const rest = at === -1 ? "" : line.slice(at + marker.length);
    const text = rest.replace(/^[\s:–—-]+/, "").trim();
    return text === "" ? [] : [toValue({ text, quote: text }, observation.url)];
  });
  return agree(found) ?? { kind: "none", reason: `No line of the page begins with "${shorten(marker)}".` };
}

/** "Seats: 6" as a label; else "seats 6" and "six people" in sentences, which must all say the same number. */
function readNumberOf(noun: string, verb: string | null, run: StepsRun): Reading {
  const page = subjectOf(run);
  const { root, url } = page;
  const merged = readMerged([page]).filter(({ set }) => set.kind === "labelled");
  for (const label of [noun, ...(verb === null ? [] : [verb])]) {
    const labelled = readPair(label, merged, url);
    if (labelled?.kind === "several") return labelled;
    if (labelled?.kind === "value" && toNumber(labelled.text) !== null) return labelled;
  }
  const stated = linesOf(root).flatMap((line) => findNumbers(line, noun, verb).map((text) => ({ text, quote: line })));
  const [first] = stated;
  if (first === undefined) return { kind: "none", reason: `The page states no number of ${shorten(noun)}.` };
  const unread = stated.find(({ text }) => toNumber(text) === null);
  if (unread !== undefined)
    return { kind: "none", reason: `The page says "${shorten(unread.quote)}", which is not one number.` };
  const numbers = new Set(stated.map(({ text }) => toNumber(text)));
  if (numbers.size > 1) return { kind: "several", values: stated.map(({ text }) => text) };
  return toValue(first, url);
}
