import { walk } from "../../browser/observation/observation.ts";
import { readRecordSets, readRecordsAhead } from "../extraction/read-record-sets.ts";
import type { RecordSet } from "../extraction/record-set.ts";
import { parseAmounts } from "../grounding/amounts.ts";
import { type CapturedPage, contains, isSamePage } from "../grounding/captured-pages.ts";
import { findDates } from "../grounding/dates.ts";
import { readText } from "../grounding/page-text.ts";
import { splitClauses } from "../grounding/prose.ts";
import { toPhrase } from "../grounding/similarity.ts";
import type { Case } from "./case.ts";
import type { Check } from "./check.ts";
import { toPageLines } from "./page-lines.ts";

/** One row of a list, with what it says. */
interface Place {
  /** Words that no other row of its list has. */
  readonly names: ReadonlySet<string>;
  readonly words: ReadonlySet<string>;
  readonly values: ReadonlySet<string>;
  /** By the words of its heading. */
  readonly columns: ReadonlyMap<string, ReadonlySet<string>>;
  /** Which list it is in. */
  readonly list: number;
  readonly hasLink: boolean;
  readonly text: string;
}

/** A text of a page with its values. */
interface Stated {
  readonly text: string;
  readonly values: ReadonlySet<string>;
}

/** What the run has read, taken apart. */
interface Places {
  readonly rows: readonly Place[];
  readonly labels: readonly (Stated & { readonly label: string })[];
  /** Lines with values. */
  readonly lines: readonly Stated[];
  /** Those that are neither a row nor the value of a label. */
  readonly outside: readonly Stated[];
  readonly struck: ReadonlySet<string>;
  readonly heading: ReadonlySet<string>;
}

/** One value of an answer. */
interface Said {
  readonly value: string;
  readonly isMoney: boolean;
  readonly clause: string;
  /** The rows that it is said of; empty when that is not clear. */
  readonly subject: readonly Place[];
}

/**
 * A value in an answer is said of the thing that it belongs to on the page: it is in the row that the sentence or the task
 * names, and under the heading or the label that it names.
 */
export function* checkPlaces(context: Case): Generator<void, Check[]> {
  const { claim } = context;
  if (claim.extraction !== null || claim.facts.length === 0) return [];
  const places = yield* readPlaces(context);
  for (const said of findSaid(context, places)) {
    yield;
    const fault =
      findRange(said, context, places) ??
      findOtherRow(said, context, places) ??
      findOtherColumn(said, context) ??
      findOtherLabel(said, context, places) ??
      findOldPrice(said, context, places);
    if (fault === null) continue;
    return [{ about: "Each value belongs to what it is said of", verdict: "contradicted", evidence: fault }];
  }
  return [];
}

/** Every value of the answer that is not in the task. A clause that names no row is about the same one as the one before. */
function findSaid({ claim, task }: Case, { rows }: Places): Said[] {
  const given = valuesOf(task.prompt);
  const asked = findNamed(task.prompt, rows);
  let subject: readonly Place[] = asked ?? [];
  return splitClauses(claim.answer).flatMap((clause) => {
    subject = findNamed(asked === null ? clause : clause.replace(WEEKDAY, ""), rows) ?? subject;
    const values = [...valuesOf(clause), ...(NONE.test(clause) ? ["0"] : [])].filter((value) => !given.has(value));
    const own = subject;
    return values.map((value) => ({ value, isMoney: isMoney(value, clause), clause, subject: own }));
  });
}

const NONE = /\b(?:no|none|zero)\b/i;

function isMoney(value: string, text: string): boolean {
  return parseAmounts(text).some((amount) => `${amount.value}` === value && amount.currency !== null);
}

const WEEKDAY = /\b(mon|tues|wednes|thurs|fri|satur|sun)days?\b/gi;
/** Longer lists are not compared. */
const MAX_ROWS = 500;
const MAX_LINES = 3_000;

function* readPlaces({ captured }: Case): Generator<void, Places> {
  const pages = captured.list();
  const last = pages.filter((page, index) => !pages.slice(index + 1).some(({ url }) => isSamePage(url, page.url)));
  for (const { root } of last) yield* readRecordsAhead(root);
  const sets = last.flatMap(({ root, url }) => readRecordSets(root, url));
  const rows = sets.filter(isComparable).flatMap(toPlaces);
  yield;
  const labelled = sets
    .filter(({ kind }) => kind === "labelled")
    .flatMap((set) => set.rows.flatMap(({ cells }) => [...cells]));
  const texts = new Set([...rows.map(({ text }) => text), ...labelled.map(([, { whole }]) => whole)].map(bare));
  const all = last.flatMap(({ root }) => toPageLines(root)).slice(0, MAX_LINES);
  const lines: Stated[] = [];
  for (const { text } of all) {
    yield;
    const values = valuesOf(text);
    if (values.size > 0) lines.push({ text, values });
  }
  const labels: Places["labels"][number][] = [];
  for (const [label, { whole }] of labelled) {
    yield;
    labels.push({ label, text: whole, values: valuesOf(whole) });
  }
  return {
    rows,
    labels,
    lines,
    outside: lines.filter(({ text }) => !texts.has(bare(text))),
    struck: new Set(last.flatMap(findStruck)),
    heading: toPhrase(all.find(({ isHeading }) => isHeading)?.text ?? "").stems,
  };
}

function bare(text: string): string {
  return text.replace(/[^\p{L}\p{N}]/gu, "");
}

function isComparable({ kind, rows }: RecordSet): boolean {
  return kind !== "labelled" && rows.length > 1 && rows.length <= MAX_ROWS;
}

function toPlaces(set: RecordSet, list: number): Place[] {
  const all = [...set.rows, ...set.totals].map(({ cells, node }) => {
    const text = readText(node);
    const columns =
      set.kind === "table" ? [...cells].map(([column, { whole }]) => [column, valuesOf(whole)] as const) : [];
    const hasLink = [...cells.values()].some(({ url }) => url !== null);
    return { text, words: toPhrase(text).stems, values: valuesOf(text), columns: new Map(columns), list, hasLink };
  });
  const counts = new Map<string, number>();
  for (const { words } of all) for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return all.map((place) => ({
    ...place,
    names: new Set([...place.words].filter((word) => counts.get(word) === 1 && isName(word))),
  }));
}

function isName(word: string): boolean {
  return /\p{L}{2}/u.test(word) && !/^(?:day|week|month|year|hour|minut|night|euro?|usd|gbp)s?$/.test(word);
}

/** Amounts, days, times and days of the week, each in one form. */
function valuesOf(text: string): Set<string> {
  const amounts = parseAmounts(text).flatMap(({ value, otherValue }) => [
    value,
    ...(otherValue === null ? [] : [otherValue]),
  ]);
  const times = [...text.matchAll(TIME)].map(([, hours, minutes = "0", half]) => {
    const hour = half === undefined ? Number(hours) : (Number(hours) % 12) + (half.toLowerCase() === "p" ? 12 : 0);
    return hour * 60 + Number(minutes);
  });
  const weekdays = [...text.matchAll(WEEKDAY)].map(([, day]) => day ?? "");
  return new Set([
    ...amounts.map((value) => `${value}`),
    ...times.map((minutes) => `at ${minutes}`),
    ...findDates(text).map(({ day }) => day),
    ...weekdays.map((day) => day.toLowerCase()),
  ]);
}

const TIME = /(?<![\d.,:])(\d{1,2})(?::(\d{2}))?(?:(?<=:\d{2})(?!\s?[ap]\.?m)|\s?([ap])\.?m\b)/gi;

function findStruck({ root }: CapturedPage): string[] {
  const texts = [...walk(root)].filter(({ node }) => node.role === "deletion").map(({ node }) => readText(node));
  return texts.flatMap((text) => [...valuesOf(text)]);
}

/** The rows that a text names, by words that only they have; null when it names none, empty when it is not clear which. */
function findNamed(text: string, rows: readonly Place[]): readonly Place[] | null {
  const words = toPhrase(text).stems;
  const named = rows.filter(({ names }) => [...names].some((name) => words.has(name)));
  if (named.length === 0) return null;
  const isClear = new Set(named.map(({ list }) => list)).size === named.length;
  return isClear ? named : [];
}

const RANGE = /[€£$¥]?\s?\d[\d.,]*\s?(?:[-–—]|to)\s?[€£$¥]?\s?\d[\d.,]*\s?[€£$¥]?/g;
const RANGE_WORD =
  /\b(?:from|start\w*|at least|minimum|lowest|cheapest|up to|at most|maximum|highest|between|to|or more)\b|[-–—]/i;

/** One end of a range of prices, as if it were the price. */
function findRange({ value }: Said, { claim }: Case, { lines }: Places): string | null {
  if (RANGE_WORD.test(claim.answer)) return null;
  const having = lines.filter(({ values }) => values.has(value));
  const isEnd = ({ text }: Stated) =>
    (text.match(RANGE) ?? []).some(
      (range) => /[€£$¥]/.test(range) && valuesOf(range).size > 1 && valuesOf(range).has(value),
    );
  return having.length > 0 && having.every(isEnd) ? `The page says "${having[0]?.text.slice(0, 80)}".` : null;
}

/** The claim took it from a row that is about something else. */
function findOtherRow({ value, clause, subject }: Said, { claim, task }: Case, places: Places): string | null {
  const { rows, labels, outside, heading } = places;
  const having = rows.filter(({ values }) => values.has(value));
  // A whole number may have been counted, and be in a row by chance: then no quote is from there.
  const isFrom = ({ text }: Place) => claim.facts.some(({ quote }) => quote !== null && contains(text, quote));
  const taken = having.find((place) => !/^\d+$/.test(value) || isFrom(place));
  const isLabelled = labels.some(
    ({ label, values }) => values.has(value) && !having.some(({ text }) => text.includes(label)),
  );
  if (taken === undefined || isLabelled || outside.some(({ values }) => values.has(value))) return null;
  const said = `It is in "${taken.text.slice(0, 80)}"`;
  if (subject.length > 0) {
    const isOwn = subject.some(({ values }) => values.has(value));
    return isOwn ? null : `${said}, and not in "${subject[0]?.text.slice(0, 80)}".`;
  }
  // The page is about the thing that the task names, and the list on it is about others.
  const asked = toPhrase(`${task.prompt} ${clause}`).stems;
  const named = [...heading].filter((word) => asked.has(word));
  const isOfOthers = having.every(({ hasLink, words }) => hasLink && named.some((word) => !words.has(word)));
  const hasOwn = [...outside, ...labels].some(({ text }) =>
    parseAmounts(text).some(({ currency }) => currency !== null),
  );
  return named.length > 0 && isOfOthers && hasOwn ? `${said}, which is about something else.` : null;
}

/** The only one of these headings that the clause names, or else the task. */
function findHeading(headings: readonly string[], clause: string, { task }: Case): string | null {
  const namedIn = (text: string) => {
    const { concepts } = toPhrase(text);
    return headings.filter((heading) => {
      const own = [...toPhrase(heading).concepts];
      return own.length > 0 && own.every((concept) => concepts.has(concept));
    });
  };
  const own = namedIn(clause);
  const [only, ...others] = own.length > 0 ? own : namedIn(task.prompt);
  return only === undefined || others.length > 0 ? null : only;
}

function findOtherColumn({ value, clause, subject }: Said, context: Case): string | null {
  const all = [...valuesOf(clause)].filter((each) => /\d/.test(each));
  for (const { columns, text, values } of subject) {
    // "Open from 9:00 to 17:00" has the values of two columns.
    if (all.filter((each) => values.has(each)).length > 1) continue;
    const filled = [...columns].filter(([, values]) => values.size > 0);
    const holding = filled.filter(([, values]) => values.has(value)).map(([column]) => column);
    const wanted = findHeading(
      filled.map(([column]) => column),
      clause,
      context,
    );
    if (holding.length === 0 || wanted === null || holding.includes(wanted)) continue;
    return `In "${text.slice(0, 80)}" it is under "${holding[0]?.slice(0, 40)}", and not under "${wanted.slice(0, 40)}".`;
  }
  return null;
}

function findOtherLabel({ value, isMoney: isAmount, clause }: Said, context: Case, places: Places): string | null {
  const { labels, rows, outside } = places;
  const wanted = findHeading([...new Set(labels.map(({ label }) => label))], clause, context);
  const stated = labels.filter(({ label }) => label === wanted);
  const hasMoney = stated.some(({ text }) => parseAmounts(text).some(({ currency }) => currency !== null));
  if (stated.every(({ values }) => values.size === 0 || values.has(value)) || isAmount !== hasMoney) return null;
  if (stated.some(({ values }) => values.has(value)) || outside.some(({ values }) => values.has(value))) return null;
  const isCount = /\bhow many\b/i.test(context.task.prompt) && stated.every(({ values }) => values.size === 1);
  const isOfOther = labels.some(({ values }) => values.has(value)) && !rows.some(({ values }) => values.has(value));
  return isCount || isOfOther ? `The page states something else for "${wanted?.slice(0, 60)}".` : null;
}

const OLD_PRICE =
  /\b(?:before|was|were|used to|normally|usually|sale|old|original|originally|previous|previously|regular|list price|reduced|discount\w*|instead|sav(?:e|es|ed|ings?)|rrp|down|from)\b/i;
const SAVING = /\b(?:sav(?:e|es|ed|ings?)|discount\w*|off)\b/i;

function findOldPrice({ value, clause }: Said, { task }: Case, { struck, lines }: Places): string | null {
  if (OLD_PRICE.test(task.prompt) || OLD_PRICE.test(clause)) return null;
  const having = lines.filter(({ values }) => values.has(value));
  const isPriced = having.length > 0 && having.every(({ text }) => /[€£$¥]/.test(text));
  if (isPriced && struck.has(value) && having.every(({ values }) => values.size <= 2))
    return "It is struck out on the page: an old price.";
  return isPriced && having.every(({ text }) => SAVING.test(text))
    ? `The page says "${having[0]?.text.slice(0, 80)}".`
    : null;
}
