import type { RecordSet, Row } from "../extraction/record-set.ts";
import { parseAmounts } from "../grounding/amounts.ts";
import { type CapturedPage, contains, isSamePage } from "../grounding/captured-pages.ts";
import type { Claim } from "../grounding/claim.ts";
import { findDates } from "../grounding/dates.ts";
import { parseNumberWord, withoutQuotedText } from "../grounding/english-words.ts";
import { readText } from "../grounding/page-text.ts";
import { contentWords, isEnglish, isKnownWord, toKnownWords } from "../grounding/prose.ts";
import { toPhrase } from "../grounding/similarity.ts";
import { redactUrl } from "../safe-text.ts";
import type { Case } from "./case.ts";
import type { Check } from "./check.ts";
import { toPageLines } from "./page-lines.ts";
import { asksForCount, asksForPart, asksForWhole, findParts, findTotal, findUnread, readLists } from "./whole-lists.ts";

const ABOUT = "The answer is about the whole list";
/** So many rows are searched for what a claim quotes. */
const MAX_ROWS = 500;

interface MeantRow {
  readonly text: string;
  readonly stems: ReadonlySet<string>;
  /** Words that no other row has. */
  readonly names: readonly string[];
}

/**
 * An answer about all, the number, or the first of the rows of a list is about every row: those of all its pages, and those of
 * every list of the page that the task does not tell apart.
 */
export function checkCoverage(context: Case): Check[] {
  const { claim, task, captured } = context;
  const words = withoutQuotedText(task.prompt);
  if (asksForPart(words) || !isEnglish(`${words} ${claim.answer}`)) return [];
  const pages = lastStates(captured.list());
  const lists = findMeant(context, pages);
  const rows = toMeantRows(lists.flatMap((set) => set.rows));
  if (rows.length < 2) return [];
  const fault =
    findBetter(words, claim.answer, rows) ??
    findUnreadRest(words, context, rows) ??
    findOtherTotal(words, claim.answer, pages) ??
    (isWhole(task, lists, pages) && !namesRow(words, rows) ? findDifference(words, context, rows, pages) : null);
  return fault === null ? [] : [{ about: ABOUT, verdict: "contradicted", evidence: fault }];
}

/** A list that grows in place is complete in its last state. */
function lastStates(pages: readonly CapturedPage[]): CapturedPage[] {
  return pages.filter((page, index) => !pages.slice(index + 1).some(({ url }) => isSamePage(url, page.url)));
}

function toMeantRows(rows: readonly Row[]): MeantRow[] {
  const read = rows.map(({ node }) => readText(node)).map((text) => ({ text, stems: toPhrase(text).stems }));
  const different = [...new Map(read.map((row) => [row.text, row])).values()];
  const counts = new Map<string, number>();
  for (const { stems } of different) for (const stem of stems) counts.set(stem, (counts.get(stem) ?? 0) + 1);
  return read.map((row) => ({ ...row, names: [...row.stems].filter((stem) => counts.get(stem) === 1) }));
}

/** The lists that the task names; else those of the same kind as the one that the claim cites. */
function findMeant({ claim, task }: Case, pages: readonly CapturedPage[]): RecordSet[] {
  const quotes = [...claim.facts, ...(claim.extraction?.leaves ?? []).slice(0, 50)].flatMap(({ quote }) => quote ?? []);
  const sets = readLists(pages)
    .filter(({ set, unseen }) => set.region === "main" && unseen === null && set.unreadRows === 0)
    .map(({ set }) => set);
  const isCited = (row: Row) => {
    const text = readText(row.node);
    return quotes.some((quote) => contains(text, quote));
  };
  const cited = sets.filter(({ rows }) => rows.slice(0, MAX_ROWS).some(isCited));
  const asked = toPhrase(task.prompt).stems;
  const isNamed = ({ name }: RecordSet) => name !== "" && [...toPhrase(name).stems].every((stem) => asked.has(stem));
  const named = cited.filter(isNamed);
  if (named.length > 0) return named;
  const columns = new Set(cited.map((set) => set.columns.join("\n")));
  return sets.filter((set) => cited.includes(set) || (set.kind === "table" && columns.has(set.columns.join("\n"))));
}

/** The task asks for the rows of the lists and says nothing that only some of them are. */
function isWhole(
  { prompt, outputSchema }: Case["task"],
  lists: readonly RecordSet[],
  pages: readonly CapturedPage[],
): boolean {
  const described = JSON.stringify(outputSchema ?? "").match(/"description":"[^"]*"/g) ?? [];
  const words = withoutQuotedText([prompt, ...described.map((each) => each.slice(15))].join(" "));
  if (/\d/.test(words) || RESTRICTING.test(words) || findParts(words).size > 0) return false;
  const headings = pages.flatMap(({ root }) =>
    toPageLines(root)
      .filter(({ isHeading }) => isHeading)
      .slice(0, 1),
  );
  const known = toKnownWords([
    ...lists.flatMap(({ name, columns }) => [name, ...columns]),
    ...headings.map(({ text }) => text),
    "list extract give show tell collect every whole complete entire count many there record row item entry result data table",
  ]);
  return contentWords(words).every((word) => isKnownWord(word, known));
}

const RESTRICTING =
  /\b(?:under|over|above|below|more than|less than|between|before|after|since|until|without|except|only|not|cheap\w*|expensive|newest|latest|oldest|highest|lowest|first|last|top|where|whose|that|which)\b/i;

/** What is missing or too much. */
function findDifference(
  words: string,
  { claim }: Case,
  rows: readonly MeantRow[],
  pages: readonly CapturedPage[],
): string | null {
  const counts = [rows.length, new Set(rows.map(({ text }) => text)).size];
  const isCount = asksForCount(words) && claim.extraction === null;
  if (!isCount && !asksForWhole(words)) return null;
  const [items] = listsIn(claim.extraction?.data);
  const said = isCount ? numbersIn(claim.answer) : items === undefined ? [] : [items.length];
  const known = isCount ? [...counts, findTotal(pages)] : counts;
  if (said.length > 0 && !said.some((each) => known.includes(each)))
    return `The pages show ${rows.length} rows, and the answer has ${said[0]}.`;
  return isCount || claim.extraction !== null ? null : findLeftOut(claim, rows);
}

function findLeftOut({ answer, facts }: Claim, rows: readonly MeantRow[]): string | null {
  const said = toPhrase([answer, ...facts.map(({ quote }) => quote ?? "")].join("\n")).stems;
  const left = rows.find((row) => !row.names.some((name) => said.has(name)));
  return left === undefined ? null : `The answer leaves out "${left.text.slice(0, 80)}".`;
}

/** "How many seats does the Company plan have?" is about a row. */
function namesRow(words: string, rows: readonly MeantRow[]): boolean {
  const asked = toPhrase(words).stems;
  return rows.some((row) => row.names.some((name) => asked.has(name)));
}

/** The page says how many there are of what the task wants to be counted. */
function findOtherTotal(words: string, answer: string, pages: readonly CapturedPage[]): string | null {
  const noun = /\bhow many ([a-z]{3,30})\b/i.exec(words)?.[1];
  if (noun === undefined || /\d/.test(words) || RESTRICTING.test(words)) return null;
  const form = new RegExp(`^(?:found |showing |all )?(\\d+) ${noun.replace(/s$/i, "")}s?(?: found)?[.:]?$`, "i");
  const lines = pages.flatMap(({ root }) => toPageLines(root).flatMap(({ text }) => form.exec(text)?.[1] ?? []));
  const [stated, ...others] = new Set(lines.map(Number));
  const said = numbersIn(answer);
  if (stated === undefined || others.length > 0 || said.length === 0 || said.includes(stated)) return null;
  return `The page says that there are ${stated}, and the answer says ${said[0]}.`;
}

function listsIn(data: unknown): (readonly unknown[])[] {
  if (typeof data !== "object" || data === null) return [];
  return Array.isArray(data) ? [data] : Object.values(data).flatMap(listsIn);
}

export function numbersIn(text: string): number[] {
  const spelled = (text.match(/\p{L}+/gu) ?? []).flatMap((word) => parseNumberWord(word) ?? []);
  return [
    ...parseAmounts(text)
      .filter(({ currency }) => currency === null)
      .map(({ value }) => value),
    ...spelled,
  ];
}

const SUPERLATIVES: readonly (readonly [RegExp, "money" | "day", -1 | 1])[] = [
  [/\b(?:cheapest|least expensive|lowest[- ]priced?)\b/i, "money", 1],
  [/\b(?:most expensive|dearest|highest[- ]priced?)\b/i, "money", -1],
  [/\b(?:newest|latest|most recent)\b/i, "day", -1],
  [/\b(?:oldest|earliest)\b/i, "day", 1],
];
/** "The three cheapest", "the newest first": several, or an order. */
const SEVERAL = /\b(?:two|three|four|five|ten|\d+) (?:cheapest|most|newest|latest|oldest|least)|\bfirst\b|\bsort/i;

interface Ranked {
  readonly row: MeantRow;
  readonly key: number;
}

/** The rows that the task is about, by what it wants to be lowest; null where a row does not state exactly one. */
function rank(words: string, rows: readonly MeantRow[]): Ranked[] | null {
  const found = SUPERLATIVES.filter(([form]) => form.test(words));
  const [only, ...others] = found;
  if (only === undefined || others.length > 0 || SEVERAL.test(words)) return null;
  const [, kind, sign] = only;
  // "The newest message from Tom": rows that share the most words with the task.
  const asked = toPhrase(words).stems;
  const shared = rows.map(({ stems }) => [...stems].filter((stem) => asked.has(stem)).length);
  const meant = rows.filter((_, index) => shared[index] === Math.max(...shared));
  const keys = meant.map(({ text }) => keyIn(text, kind));
  if (keys.includes(null)) return null;
  return meant.map((row, index) => ({ row, key: sign * (keys[index] ?? 0) }));
}

function keyIn(text: string, kind: "money" | "day"): number | null {
  const keys = kind === "day" ? findDates(text).map(({ day }) => Date.parse(day)) : moneyIn(text);
  const [only, ...others] = new Set(keys);
  return only === undefined || others.length > 0 ? null : only;
}

function moneyIn(text: string): number[] {
  return parseAmounts(text).flatMap(({ value, currency }) => (currency === null ? [] : [value]));
}

const EXTREME =
  /\b(?:cheap|high|low|larg|small|bigg?|long|short|old|new|lat|earli|fast|slow|heavi|light|strong|weak|tall|young|wid|hott?|cold|busi)est\b|\b(?:best|worst|most recent|(?:most|least) (?!of\b|likely\b)\p{L}{4,})\b/iu;

/** Whether the task asks for the row that is first by something: "the cheapest". */
export function findExtreme(words: string): boolean {
  return EXTREME.test(words) && !SEVERAL.test(words);
}

/** Whether the first row of these is the one, because they are sorted by what the task wants to be lowest. */
export function isSortedFor(words: string, rows: readonly Row[]): boolean {
  const ranked = rank(words, toMeantRows(rows));
  if (ranked === null) return false;
  const isSorted = ranked.every(({ key }, index) => index === 0 || key >= (ranked[index - 1]?.key ?? 0));
  return isSorted && new Set(ranked.map(({ key }) => key)).size > 2;
}

/** The answer names a row, and another one is cheaper, newer or whatever the task asks for. */
function findBetter(words: string, answer: string, rows: readonly MeantRow[]): string | null {
  const [ranked, said] = [rank(words, rows), toPhrase(answer).stems];
  if (ranked === null) return null;
  const best = Math.min(...ranked.map(({ key }) => key));
  const right = ranked.filter(({ key }) => key === best).map(({ row }) => row);
  const named = rows.filter((row) => row.names.some((name) => said.has(name)));
  if (named.length === 0 || named.some((row) => right.includes(row))) return null;
  return `The answer names "${named[0]?.text.slice(0, 60)}"; the page also has "${right[0]?.text.slice(0, 60)}".`;
}

/** A list that goes on, unless it is sorted so that the first row is the one. */
function findUnreadRest(words: string, { claim, captured }: Case, rows: readonly MeantRow[]): string | null {
  const ranked = rank(words, rows);
  if (ranked === null || ranked.every(({ key }, index) => index === 0 || key >= (ranked[index - 1]?.key ?? 0))) {
    if (ranked === null || new Set(ranked.map(({ key }) => key)).size > 2) return null;
  }
  const cited = lastStates(captured.list()).filter(({ url }) => claim.facts.some((fact) => isSamePage(fact.url, url)));
  const open = findUnread(cited, captured.list());
  return open === undefined ? null : `The list at ${redactUrl(open.url)} continues on a page that was not read.`;
}
