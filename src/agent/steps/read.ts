import { type Observation, walk } from "../../browser/observation/observation.ts";
import { type MergedPages, readMerged } from "../extraction/merged-pages.ts";
import { findNextPage } from "../extraction/pagination.ts";
import { type Cell, type Row, titleOf } from "../extraction/record-set.ts";
import { parseAmount, parseAmounts } from "../grounding/amounts.ts";
import { fold, stemNoun } from "../grounding/names.ts";
import { readText } from "../grounding/page-text.ts";
import { growList } from "./complete-list.ts";
import { actOn, locate } from "./elements.ts";
import { chooseList, findColumn, findColumnIn, isAbout, readColumn, withoutMachines } from "./lists.ts";
import { withoutOtherThings } from "./main-subject.ts";
import { quoteNames, shorten } from "./names.ts";
import type { Running, StepsRun } from "./run.ts";
import { findNumbers, findStatements, linesOf, readTyped, toNumber } from "./sentences.ts";
import { type ReadStep, toTarget } from "./step.ts";

/** A value that the page gives, with the text that states it. */
interface Value {
  readonly text: string;
  readonly quote: string;
  readonly url: string;
  readonly records?: MergedPages;
}

const MAX_PAGES = 20;
const PATIENCE_MS = 1500;

/** Reads one value from the page's structure, or from sentences. All that the page gives for it must be the same. */
export function* read(step: ReadStep, run: StepsRun): Running {
  const name = step.as ?? step.label ?? step.column ?? step.number_of ?? "value";
  let values = yield* findValues(step, run);
  if (values.length === 0) {
    yield* run.pause(PATIENCE_MS);
    yield* run.look("Wait for the page to show the answer.");
    values = yield* findValues(step, run);
  }
  const [first] = values;
  if (first === undefined)
    throw run.stop("ANSWER_NOT_FOUND", `The ${shorten(name)} was not found. ${explainNone(step, run)}`);
  const texts = new Set(values.map(({ text }) => text));
  if (texts.size > 1)
    throw run.stop(
      "AMBIGUOUS",
      `The page gives several values for "${shorten(name)}": ${quoteNames(texts, 5)}. Say which.`,
    );
  const { text, quote, url, records } = first;
  run.records = records ?? run.records;
  run.facts.push({ label: name, value: text, quote, url });
  run.answer(text, name);
}

function* findValues(step: ReadStep, run: StepsRun): Running<readonly Value[]> {
  const { row, column, field, heading, after, number_of: noun } = step;
  if (row !== undefined && column !== undefined) {
    yield* run.readAhead(withoutMachines(run.observation));
    return yield* readCell(row, column, step.list ?? null, run);
  }
  if (field !== undefined) {
    const text = readText(yield* locate(toTarget(field), "read", run));
    return text === "" ? [] : [{ text, quote: text, url: run.observation.url }];
  }
  if (heading === true) return readHeading(run);
  if (after !== undefined) return readAfter(after, run);
  if (noun !== undefined) return readNumberOf(noun, step.verb ?? null, run);
  // On a large page, finding what it is about takes as long as reading its labels.
  yield* run.readAhead(subjectOf(run));
  return readLabel(labelOf(step), null, run);
}

function labelOf({ label, as }: ReadStep): string {
  return label ?? as ?? "";
}

/** Why the page does not give the value. */
function explainNone(step: ReadStep, run: StepsRun): string {
  const { row, column = "", after, number_of: noun } = step;
  if (row !== undefined) return explainRow(row, column, run);
  if (step.field !== undefined) return "The field is empty.";
  if (step.heading === true) return "The page has no heading.";
  if (after !== undefined) return `No line of the page begins with "${shorten(after)}".`;
  if (noun === undefined) return explainLabels(run);
  const unread = findStatedNumbers(noun, step.verb ?? null, run).find(({ text }) => toNumber(text) === null);
  return unread === undefined
    ? `The page states no number of ${shorten(noun)}.`
    : `The page says "${shorten(unread.quote)}", which is not one number.`;
}

/** "€50.00 €39.00": an old price and a new one are two values. */
function toValues({ text, quote }: Pick<Cell, "text" | "quote">, url: string): Value[] {
  const prices = parseAmounts(text).filter(({ currency }) => currency !== null);
  const texts = prices.length > 1 ? prices.map((price) => price.quote) : [text];
  return texts.map((each) => ({ text: each, quote, url }));
}

function isOne(values: readonly Value[]): boolean {
  return new Set(values.map(({ text }) => text)).size === 1;
}

/**
 * A label and its value, anywhere on the page or under a heading; else an entry of a list that has the name and one number or
 * code; else what all sentences of the page say.
 */
function readLabel(label: string, section: string | null, run: StepsRun): readonly Value[] {
  const { root, url } = section === null ? subjectOf(run) : withoutMachines(run.observation);
  const found = readPair(label, listLabelled(section, run), url);
  if (found.length > 0 || section !== null) return found;
  const entries = readEntries(label, run);
  if (entries.length > 0) return entries;
  const sentences = readSentences(label, { root, url });
  return sentences.length > 0 ? sentences : readEmail(label, url, run);
}

const EMAIL_ASKED = /\se-?mail(?: address)?$/i;
const MAX_EMAIL = 254;
const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

/** "the support email address" is beside "Support", if that is one. */
function readEmail(label: string, url: string, run: StepsRun): readonly Value[] {
  if (!EMAIL_ASKED.test(label)) return [];
  const name = stemNoun(label.replace(EMAIL_ASKED, ""));
  return listLabelled(null, run)
    .filter(({ set }) => set.kind === "labelled")
    .flatMap(({ set }) => set.rows.flatMap(({ cells }) => [...cells].filter(([column]) => stemNoun(column) === name)))
    .map(([, { text, quote }]) => ({ text, quote, url }))
    .filter(({ text }) => text.length <= MAX_EMAIL && EMAIL.test(text));
}

/** A number alone beside a name is most likely a count, as in a list of topics. */
const COUNT = /^[([]?\d{1,3}(?:[.,\s]?\d{3})*\+?[)\]]?$/;

/** "latest 2.0.3" in a list of tags: the only other value of the entry with exactly this name. */
function readEntries(label: string, run: StepsRun): readonly Value[] {
  const lists = readSubject(run).filter(({ set }) => set.kind === "list" && set.region === "main");
  return lists.flatMap(({ set }) =>
    set.rows.flatMap((row) => {
      const title = titleOf(row, set);
      const [value, ...others] = [...row.cells.values()].filter((cell) => cell !== title && cell.text !== "");
      const isMeant = fold(title?.text ?? "") === fold(label) && others.length === 0;
      const isValue = value !== undefined && /\d/.test(value.text) && !COUNT.test(value.text.trim());
      return isMeant && isValue ? toValues(value, row.pageUrl) : [];
    }),
  );
}

function readSubject(run: StepsRun): MergedPages[] {
  return run.once("labels", () => readMerged([subjectOf(run)]));
}

/** The labels of the page, or those under a heading, with their values. */
function listLabelled(section: string | null, run: StepsRun): MergedPages[] {
  const merged = section === null ? readSubject(run) : run.once("records", readAll);
  return merged.filter(
    ({ set }) =>
      (set.kind === "labelled" || set.rows.length === 1) &&
      (section === null || stemNoun(set.name) === stemNoun(section)),
  );
}

function readAll(observation: Observation): MergedPages[] {
  return readMerged([withoutMachines(observation)]);
}

function explainLabels(run: StepsRun): string {
  const labels = quoteNames(new Set(listLabelled(null, run).flatMap(({ set }) => set.columns)));
  return labels === "" ? "The page has no labelled values." : `The page has values for: ${labels}.`;
}

/**
 * Labels before tables with one row, whose values are about that row: the total of a cart, and not of its only item. Of
 * each, the main part of the page first.
 */
function readPair(label: string, merged: readonly MergedPages[], url: string): readonly Value[] {
  for (const kind of ["labelled", "table", "list"]) {
    for (const region of ["main", "around"]) {
      const sets = merged.filter(({ set }) => set.region === region && set.kind === kind);
      const found = sets.flatMap(({ set }) => {
        const column = findColumnIn(set, label);
        const cells = column === null ? [] : set.rows.flatMap(({ cells: own }) => own.get(column) ?? []);
        const values = cells.map((cell) => withoutNextLabel(cell)).filter(({ text }) => text !== "");
        return values.flatMap((value) => toValues(value, url)).map((value) => ({ ...value, column }));
      });
      // A label of exactly this name before one that only contains it.
      const exact = found.filter(({ column }) => stemNoun(column ?? "") === stemNoun(label));
      if (found.length > 0) return exact.length > 0 ? exact : found;
    }
  }
  return [];
}

/** What the page says about itself, for people. */
function subjectOf(run: StepsRun): Observation {
  return run.once("subject", (observation) =>
    withoutOtherThings(withoutMachines(observation), (name) => run.hasOpened(name)),
  );
}

/** "Your ticket number is T-4711": every sentence that states a value counts. */
function readSentences(label: string, { root, url }: Pick<Observation, "root" | "url">): Value[] {
  return linesOf(root).flatMap((line) =>
    findStatements(line, label).flatMap((text) => toValues({ text, quote: line }, url)),
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
function* readCell(row: string, column: string, list: string | null, run: StepsRun): Running<readonly Value[]> {
  for (let page = 1; ; page++) {
    const found = findCrossing(row, column, list, run);
    if (found.length > 0) return found;
    const next = page < MAX_PAGES ? findNextPage(run.observation.root, run.observation.url) : null;
    if (next === null) break;
    if (page === 1 && isOne(readOfPage(row, column, run))) break;
    const { failure } = yield* actOn(next, "click", {}, `Look for "${shorten(row)}" on the next page.`, run);
    if (failure !== null) break;
  }
  const ofPage = readOfPage(row, column, run);
  if (ofPage.length > 0) return ofPage;
  yield* growList({ noun: list ?? "" }, run);
  return findCrossing(row, column, list, run);
}

/** The row is there, and the column is not, or there are several; or nothing is called so. */
function explainRow(name: string, column: string, run: StepsRun): string {
  const [first] = findRowsByName(listRecords(run), name, column);
  if (first !== undefined) {
    const shown = quoteNames(first.merged.set.columns);
    return `The row "${shorten(name)}" has no single column "${shorten(column)}". It has: ${shown}.`;
  }
  const isSubject = isAbout(run.observation, stemNoun(name));
  return isSubject ? explainLabels(run) : `Nothing on the page is called "${shorten(name)}".`;
}

function listRecords(run: StepsRun): MergedPages[] {
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
  return isAbout(run.observation, stemNoun(name)) ? readLabel(label, null, run) : readPrice(name, label, run);
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
}

/** The cells of all rows of this name, those in the main part of the page first. */
function findCell(name: string, column: string, list: string | null, run: StepsRun): readonly Value[] {
  const choice = list === null ? null : chooseList([run.observation], { noun: list, columns: [column] });
  const lists = choice?.kind === "chosen" ? [choice.merged] : listRecords(run);
  const found = findRowsByName(lists, name, column).flatMap(({ row, merged }) => {
    const cell = readColumn(row, merged.set, column);
    const records = { ...merged, set: { ...merged.set, rows: [row] } };
    return cell === null ? [] : toValues(cell, row.pageUrl).map((value) => ({ ...value, records }));
  });
  const main = found.filter(({ records }) => records.set.region === "main");
  return main.length > 0 ? main : found;
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

function readHeading({ observation: { root, url } }: StepsRun): readonly Value[] {
  const headings = [...walk(root)].map(({ node }) => node).filter(({ role }) => role === "heading");
  const main = headings.filter(({ states }) => states.level === 1);
  const found = main.length > 0 ? main : headings.slice(0, 1);
  return found.map((node) => ({ text: readText(node), quote: readText(node), url }));
}

/** The rest of every line that begins with the text. */
function readAfter(marker: string, { observation }: StepsRun): readonly Value[] {
  const wanted = fold(marker);
  return linesOf(withoutMachines(observation).root).flatMap((line) => {
    const at = fold(line).startsWith(wanted) ? line.toLowerCase().indexOf(marker.toLowerCase()) : -1;
    const rest = at === -1 ? "" : line.slice(at + marker.length);
    const text = rest.replace(/^[\s:–—-]+/, "").trim();
    return text === "" ? [] : toValues({ text, quote: text }, observation.url);
  });
}

/** "Seats: 6" as a label; else "seats 6" and "six people" in sentences, which must all say the same number. */
function readNumberOf(noun: string, verb: string | null, run: StepsRun): readonly Value[] {
  const { url } = run.observation;
  const merged = listLabelled(null, run).filter(({ set }) => set.kind === "labelled");
  for (const label of [noun, ...(verb === null ? [] : [verb])]) {
    const labelled = readPair(label, merged, url);
    const [first] = labelled;
    if (first !== undefined && (!isOne(labelled) || toNumber(first.text) !== null)) return labelled;
  }
  const stated = findStatedNumbers(noun, verb, run);
  const numbers = new Set(stated.map(({ text }) => toNumber(text)));
  if (numbers.has(null)) return [];
  return numbers.size > 1 ? stated : stated.slice(0, 1);
}

function findStatedNumbers(noun: string, verb: string | null, run: StepsRun): Value[] {
  const { root, url } = subjectOf(run);
  return linesOf(root).flatMap((line) => findNumbers(line, noun, verb).map((text) => ({ text, quote: line, url })));
}
