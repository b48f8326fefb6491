import { type Observation, type ObservedNode, walk } from "../../browser/observation/observation.ts";
import { findUnsplit } from "../extraction/labels-in-line.ts";
import { type MergedPages, readMerged } from "../extraction/merged-pages.ts";
import { type Cell, type PageRegion, titleOf } from "../extraction/record-set.ts";
import { parseAmounts } from "../grounding/amounts.ts";
import { fold, stemNoun } from "../grounding/names.ts";
import { findColumnIn, withoutMachines } from "./lists.ts";
import { withoutOtherThings } from "./main-subject.ts";
import { quoteNames } from "./names.ts";
import type { StepsRun } from "./run.ts";
import { findNumbers, findStatements, isPartOfSentence, linesOf, readTyped, toNumber } from "./sentences.ts";

/** A value that the page gives, with the text that states it. */
export interface Value {
  readonly text: string;
  readonly quote: string;
  readonly url: string;
  readonly records?: MergedPages;
  /** The name of the row that has it, and whether other rows may be meant by the name that was asked for, too. */
  readonly of?: string;
  readonly isPart?: boolean;
  /** The answer that is shown, where the text alone is none: "Yes: Enabled". */
  readonly answer?: string;
}

/** "€50.00 €39.00": an old price and a new one are two values. */
export function toValues({ text, quote }: Pick<Cell, "text" | "quote">, url: string): Value[] {
  const prices = parseAmounts(text).filter(({ currency }) => currency !== null);
  const texts = prices.length > 1 ? prices.map((price) => price.quote) : [text];
  return texts.map((each) => ({ text: each, quote, url }));
}

export function isOne(values: readonly Value[]): boolean {
  return new Set(values.map(({ text }) => text)).size === 1;
}

/**
 * A label and its value, anywhere on the page or under a heading; else an entry of a list that has the name and one number or
 * code; else what all sentences of the page say.
 */
export function readLabel(label: string, section: string | null, run: StepsRun): readonly Value[] {
  const { root, url } = section === null ? subjectOf(run) : withoutMachines(run.observation);
  const found = readPair(label, listLabelled(section, run), url);
  if (section !== null) return found;
  if (found.length > 0) return [...found, ...findUnread(found, root, url)];
  const entries = readEntries(label, run);
  if (entries.length > 0) return entries;
  const sentences = readSentences(label, { root, url });
  return sentences.length > 0 ? sentences : readEmail(label, url, run);
}

/** A value with its label. */
interface Pair extends Value {
  readonly column: string;
  readonly region: PageRegion;
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

/** The labels of the page, or those under a heading, with their values. The only entry of a list is no label of the page. */
export function listLabelled(section: string | null, run: StepsRun): MergedPages[] {
  const merged = section === null ? readSubject(run) : run.once("records", readAll);
  return merged.filter(
    ({ set }) =>
      (set.kind === "labelled" || (set.rows.length === 1 && (section !== null || set.kind !== "list"))) &&
      (section === null || stemNoun(set.name) === stemNoun(section)),
  );
}

export function readAll(observation: Observation): MergedPages[] {
  return readMerged([withoutMachines(observation)]);
}

export function explainLabels(run: StepsRun): string {
  const labels = quoteNames(new Set(listLabelled(null, run).flatMap(({ set }) => set.columns)));
  return labels === "" ? "The page has no labelled values." : `The page has values for: ${labels}.`;
}

/**
 * Labels before tables with one row, whose values are about that row: the total of a cart, and not of its only item. Of
 * each, the main part of the page first.
 */
function readPair(label: string, merged: readonly MergedPages[], url: string): readonly Pair[] {
  for (const kind of ["labelled", "table", "list"]) {
    for (const region of ["main", "around"] as const) {
      const sets = merged.filter(({ set }) => set.region === region && set.kind === kind);
      const found = sets.flatMap(({ set }) => {
        const column = findColumnIn(set, label);
        if (column === null) return [];
        const cells = set.rows.flatMap(({ cells: own }) => own.get(column) ?? []).filter(isMeantBy(label, column));
        const whole = cells.filter((cell) => cell.text === cell.whole || !isPartOfSentence(cell.text, cell.whole));
        const values = whole.map((cell) => withoutNextLabel(cell) ?? { ...cell, isUnread: true });
        return values.flatMap((value) =>
          toValues(value, url).map((each) => ({ ...each, column, region, isUnread: "isUnread" in value })),
        );
      });
      if (found.every(({ isUnread }) => isUnread)) continue;
      // A label of exactly this name before one that only contains it.
      const exact = found.filter(({ column }) => stemNoun(column) === stemNoun(label));
      return exact.some(({ isUnread }) => !isUnread) ? exact : found;
    }
  }
  return [];
}

const CHOICES = new Set("combobox listbox radio slider spinbutton".split(" "));

/** What is chosen in a field for "Stars" is no rating: it may be one that nobody has given yet. */
function isMeantBy(label: string, column: string): (cell: Cell) => boolean {
  const isNamed = ` ${stemNoun(column)} `.includes(` ${stemNoun(label)} `);
  return ({ node }) => isNamed || !CHOICES.has(node.role);
}

/** What the page says about itself, for people. */
export function subjectOf(run: StepsRun): Observation {
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

const AROUND = new Set("banner navigation complementary contentinfo".split(" "));
const RECORDS = new Set("table grid treegrid list article".split(" "));

/** What lines that cannot be divided say for the labels of the values, in the same part of the page or before it. */
function findUnread(found: readonly Pair[], root: ObservedNode, url: string): Value[] {
  const isInMain = found.some(({ region }) => region === "main");
  const main = isInMain ? walk(root).find(({ node }) => node.role === "main")?.node : undefined;
  const skipped = (node: ObservedNode) => RECORDS.has(node.role) || (isInMain && AROUND.has(node.role));
  const prune = (node: ObservedNode): ObservedNode => ({
    ...node,
    children: node.children.filter((child) => !skipped(child)).map(prune),
  });
  const lines = linesOf(prune(main ?? root));
  const columns = [...new Set(found.map(({ column }) => column))];
  return lines.flatMap((line) =>
    columns
      .flatMap((column) => findUnsplit(line, column))
      .filter((text) => !found.some((value) => value.text === text))
      .map((text) => ({ text, quote: line, url })),
  );
}

const NEXT_LABEL = /\s\p{L}[\p{L}\d]*:\s/u;

/** Without the lines that ran into it; null where it is not certain where they begin. */
function withoutNextLabel({ text, quote }: Pick<Cell, "text" | "quote">): Pick<Cell, "text" | "quote"> | null {
  if (!NEXT_LABEL.test(text)) return { text, quote };
  const value = readTyped(text);
  return value === null ? null : { text: value, quote: value };
}

/** "Seats: 6" as a label; else "seats 6" and "six people" in sentences, which must all say the same number. */
export function readNumberOf(noun: string, verb: string | null, run: StepsRun): readonly Value[] {
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

export function findStatedNumbers(noun: string, verb: string | null, run: StepsRun): Value[] {
  const { root, url } = subjectOf(run);
  return linesOf(root).flatMap((line) => findNumbers(line, noun, verb).map((text) => ({ text, quote: line, url })));
}
