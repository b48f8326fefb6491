import { type Observation, walk } from "../../browser/observation/observation.ts";
import { type MergedPages, readMerged } from "../extraction/merged-pages.ts";
import { type Cell, type RecordSet, type Row, titleOf } from "../extraction/record-set.ts";
import { withoutMachineText } from "../grounding/machine-text.ts";
import { fold, stemNoun, toSingular } from "../grounding/names.ts";
import { readText } from "../grounding/page-text.ts";
import { listTexts, shorten } from "./names.ts";
import { mayMean } from "./nouns.ts";
import { isOfAnother } from "./other-values.ts";

/** A page that records are read from. */
export type ReadPage = Pick<Observation, "url" | "root" | "title" | "number">;

/** The list that is meant: what its entries are called, and columns that it must have. */
export interface WantedList {
  readonly noun: string;
  readonly columns?: readonly string[];
}

export type ListChoice =
  | {
      readonly kind: "chosen";
      readonly merged: MergedPages;
      /** Words before the noun that are not part of the list's name, as in "open issues": they are a value of its rows. */
      readonly state: string | null;
    }
  | { readonly kind: "none"; readonly reason: string };

/** Any list is meant by these. */
const ANY = new Set(
  ["", "row", "item", "entry", "result", "record", "link", "thing", "line", "search result"].map(stemNoun),
);
const PAGER = /^(?:[\d\s›»‹«<>←→…]+|next.*|prev.*)$/i;

/** The lists of the pages that could be meant: of the main part, with rows, and not the page numbers below a list. */
function listCandidates(pages: readonly ReadPage[]): MergedPages[] {
  const merged = readMerged(pages.map(withoutMachines)).filter(({ set }) => set.kind !== "labelled" && !isPager(set));
  const main = merged.filter(({ set }) => set.region === "main");
  return main.length > 0 ? main : merged;
}

/** Text that addresses machines is not a source. */
export function withoutMachines<Page extends Pick<ReadPage, "root">>(page: Page): Page {
  return { ...page, root: withoutMachineText(page.root) ?? { ...page.root, children: [] } };
}

function isPager({ rows, titleColumn }: RecordSet): boolean {
  return (
    rows.length > 0 &&
    rows.every((row) => PAGER.test((titleOf(row, { titleColumn }) ?? [...row.cells.values()][0])?.text ?? ""))
  );
}

/**
 * The table or list that a noun means, without scores: a list of that name, then one whose name contains it, then one whose
 * rows are named by such a column, then the list of a page that is about it, then the only list of the page if its name is another word for the
 * noun or says nothing, then the only list that has the columns that are spoken of.
 */
export function chooseList(pages: readonly ReadPage[], { noun, columns = [] }: WantedList): ListChoice {
  const candidates = listCandidates(pages);
  const stem = stemNoun(noun);
  if (ANY.has(stem)) return chooseOnly(candidates, stem, columns);
  const named = chooseNamed(candidates, noun, { pages, isOnly: withoutMinor(candidates).length === 1 });
  if (named !== null) return named;
  // A price or a date is in lists of anything: lamps are not blankets because both have prices.
  const isTold = columns.some((column) => !COMMON_COLUMNS.has(stemNoun(column)));
  const having = !isTold ? [] : candidates.filter(({ set }) => hasColumns(set, columns));
  const [only, ...more] = having;
  if (only !== undefined && more.length === 0) return { kind: "chosen", merged: only, state: null };
  const shown = candidates.length === 0 ? "It shows no table or list." : `It shows: ${listNames(candidates)}.`;
  return { kind: "none", reason: `The page has no list of "${shorten(noun)}". ${shown}` };
}

/** By the noun; then by its end, whose beginning is a value of the rows. */
function chooseNamed(candidates: readonly MergedPages[], noun: string, around: Surroundings): ListChoice | null {
  const words = noun.trim().split(/\s+/);
  for (let skip = 0; skip < words.length; skip++) {
    const name = stemNoun(words.slice(skip).join(" "));
    const found = LEVELS.map((isMeant) => candidates.filter(({ set }) => isMeant(set, name, around)));
    const meant = withoutMinor(found.find(({ length }) => length > 0) ?? []);
    const [first, ...others] = meant;
    if (first === undefined) continue;
    if (others.length > 0) {
      const reason = `Several lists could be meant by "${shorten(noun)}": ${listNames(meant)}. Name one.`;
      return { kind: "none", reason };
    }
    const state = words.slice(0, skip);
    if (state.some((word) => NO_STATE.test(word)))
      return { kind: "none", reason: `It is not clear which rows are meant by "${shorten(state.join(" "))}".` };
    return { kind: "chosen", merged: first, state: skip === 0 ? null : state.join(" ") };
  }
  return null;
}

/** Words before a noun that say how many or which ones, and are no value of a row: "the oldest 3 orders", "the next orders". */
const NO_STATE =
  /^(?:\d{1,3}|some|few|several|many|most|half|other|another|remaining|next|last|first|second|third|only|no|none|not)$/i;

const COMMON_COLUMNS = new Set(
  "name title price cost amount total date day time rating status state number no id link url description type"
    .split(" ")
    .map(stemNoun),
);

/** Of several: those with rows before empty ones, and a table with rows before lists, which menus are too. */
function withoutMinor(lists: readonly MergedPages[]): readonly MergedPages[] {
  if (lists.length < 2) return lists;
  const filled = lists.filter(({ set }) => set.rows.length > 0);
  const tables = filled.filter(({ set }) => set.kind === "table" && set.rows.length > 1);
  return tables.length === 1 ? tables : filled.length > 0 ? filled : lists;
}

const RESULTS = /\b(?:search|results?|matches|hits)\b/i;

/** "the rows", "the results": the only list of the page, the only one that says "results", or the only one with the columns. */
function chooseOnly(candidates: readonly MergedPages[], stem: string, columns: readonly string[]): ListChoice {
  const results = stem.endsWith("result")
    ? candidates.filter(({ set }) => RESULTS.test(set.name) && set.rows.length > 0)
    : [];
  const having = columns.length === 0 ? [] : candidates.filter(({ set }) => hasColumns(set, columns));
  const lists = results.length === 1 ? results : having.length === 1 ? having : withoutMinor(candidates);
  const [first, ...others] = lists;
  if (first === undefined) return { kind: "none", reason: "The page shows no table or list." };
  if (others.length > 0)
    return { kind: "none", reason: `The page shows several lists: ${listNames(lists)}. Name one.` };
  return { kind: "chosen", merged: first, state: null };
}

/** What is known of a list beside its own name. */
interface Surroundings {
  readonly pages: readonly ReadPage[];
  readonly isOnly: boolean;
}

type Level = (set: RecordSet, stem: string, around: Surroundings) => boolean;

const LEVELS: readonly Level[] = [
  ({ name }, stem) => stemNoun(name) === stem,
  ({ name }, stem) => hasWords(stemNoun(name), stem),
  // A list of invoices with a column "Customer" is no list of customers.
  (set, stem) => {
    const column = set.titleColumn ?? set.columns[0] ?? "";
    const names = set.rows.map(({ cells }) => fold(cells.get(column)?.text ?? ""));
    return stemNoun(column) === stem && new Set(names).size === names.length;
  },
  ({ region, name }, stem, { pages }) =>
    region === "main" &&
    (pages.some((page) => isTitled(page, stem)) ||
      // A heading of its own says what else the list may be: "Recent activity".
      (pages.some((page) => endsIn(page.url, stem)) && ["", ...pages.flatMap(mainHeadings)].includes(name))),
  ({ name, region }, stem, { pages, isOnly }) =>
    isOnly && region === "main" && pages.some((page) => mayMean(stem, [name, ...mainHeadings(page)])),
];

/** Whether the title or a main heading of the page has the words, or its URL ends with them: "/orders", "#/orders". */
export function isAbout(page: ReadPage, stem: string): boolean {
  return isTitled(page, stem) || endsIn(page.url, stem);
}

function isTitled(page: ReadPage, stem: string): boolean {
  return [page.title, ...mainHeadings(page)].some((text) => hasWords(stemNoun(text), stem));
}

export function mainHeadings({ root }: Pick<ReadPage, "root">): string[] {
  const headings = [...walk(root)].filter(({ node }) => node.role === "heading" && node.states.level === 1);
  return headings.map(({ node }) => readText(node));
}

function endsIn(url: string, stem: string): boolean {
  const { pathname = "", hash = "" } = URL.parse(url) ?? {};
  const end = (hash.includes("/") ? hash : pathname).split(/[/#!?]/).findLast(Boolean) ?? "";
  return stem !== "" && stemNoun(end.replace(/\.\w+$/, "")) === stem;
}

function hasWords(text: string, words: string): boolean {
  return words !== "" && ` ${text} `.includes(` ${words} `);
}

function listNames(lists: readonly MergedPages[]): string {
  const names = lists.map(({ set }) => {
    const columns = set.columns.slice(0, 5).join(", ");
    return `${set.name === "" ? `a ${set.kind}` : `"${shorten(set.name, 40)}"`} (${set.rows.length} rows${set.kind === "table" && columns !== "" ? `: ${shorten(columns, 60)}` : ""})`;
  });
  return listTexts(names);
}

const TITLES = new Set(["name", "title"].map(toSingular));
const LINKS = new Set(["link", "url", "address"].map(toSingular));
/** Columns that pages name in different ways. */
const SYNONYMS: readonly ReadonlySet<string>[] = [
  "price, cost, amount",
  "date, day",
  "rating, star, score",
  "status, state",
  "author, writer",
  "number, no, id",
  "email, email address, e mail, e mail address, mail",
  "phone, phone number, telephone, telephone number, tel",
].map((words) => new Set(words.split(", ").map(stemNoun)));

/** The column that is meant: of that name, then without endings, then the only one that contains it, then the only synonym. */
export function findColumn(columns: readonly string[], name: string): string | null {
  const stem = stemNoun(name);
  const levels: ((column: string) => boolean)[] = [
    (column) => fold(column) === fold(name),
    (column) => stemNoun(column) === stem,
    (column) => hasWords(stemNoun(column), stem) && !isOfAnother(column, stem),
    (column) => SYNONYMS.some((words) => words.has(stem) && words.has(stemNoun(column))),
  ];
  for (const isMeant of levels) {
    const meant = columns.filter(isMeant);
    if (meant.length > 0) return meant.length === 1 ? (meant[0] ?? null) : null;
  }
  return null;
}

const NUMBERS = new Set(["number", "no", "id", "code"]);

/** "phone number" where the label is only "Phone", provided that each value has a digit: a customer's name is no number. */
export function findColumnIn({ columns, rows }: Pick<RecordSet, "columns" | "rows">, name: string): string | null {
  const found = findColumn(columns, name);
  if (found !== null) return found;
  const words = stemNoun(name).split(" ");
  if (words.length < 2 || !NUMBERS.has(words.at(-1) ?? "")) return null;
  const rest = words.slice(0, -1).join(" ");
  const [column, ...others] = columns.filter((each) => stemNoun(each) === rest);
  if (column === undefined || others.length > 0) return null;
  const texts = rows.map(({ cells }) => cells.get(column)?.text ?? "").filter(Boolean);
  return texts.length > 0 && texts.every((text) => /\d/.test(text)) ? column : null;
}

/** What a row says in a column; null when it says nothing there. "name" is its title, "link" the URL of its title. */
export function readColumn(row: Row, set: RecordSet, name: string): Pick<Cell, "text" | "quote"> | null {
  const stem = stemNoun(name);
  const column = findColumnIn(set, name);
  const cell = column === null ? null : (row.cells.get(column) ?? null);
  if (cell !== null) return cell.text === "" ? null : cell;
  const title = titleOf(row, set);
  if (LINKS.has(stem)) return title?.url == null ? null : { text: title.url, quote: title.url };
  return TITLES.has(stem) && column === null && title !== null && title.text !== "" ? title : null;
}

function hasColumns(set: RecordSet, names: readonly string[]): boolean {
  return names.every((name) => hasColumn(set, name));
}

/** Whether the list has such a column at all. */
export function hasColumn(set: RecordSet, name: string): boolean {
  const stem = stemNoun(name);
  return findColumnIn(set, name) !== null || (set.titleColumn !== null && (TITLES.has(stem) || LINKS.has(stem)));
}
