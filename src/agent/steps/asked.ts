import { type Cell, type RecordSet, type Row, titleOf } from "../extraction/record-set.ts";
import { parseAmount } from "../grounding/amounts.ts";
import { findDates } from "../grounding/dates.ts";
import { containsWords, fold, stemNoun } from "../grounding/names.ts";
import { parseBoolean } from "../grounding/short-texts.ts";
import { explainLabels, listLabelled, type Value } from "./labels.ts";
import { capitalize, quoteNames, shorten } from "./names.ts";
import { findRowsByName, isSubject, listRecords, searchPages } from "./rows.ts";
import type { Running, StepsRun } from "./run.ts";

/** What is asked without the name of a column: when something ends, who owns it, whether it is enabled. */
export interface Question {
  readonly kind: "when" | "who" | "whether";
  readonly word: string;
}

/** Reads what the only column or label says that can answer the question. */
export function* readAsked(
  question: Question,
  name: string | null,
  list: string | null,
  run: StepsRun,
): Running<readonly Value[]> {
  if (name === null) return readLabels(question, "", run);
  return yield* searchPages(
    { name, list, inLists: () => readRows(question, name, run), onPage: () => readOfPage(question, name, run) },
    run,
  );
}

export function explainAsked({ kind, word }: Question, name: string | null, run: StepsRun): string {
  const [first] = name === null ? [] : findRowsByName(listRecords(run), name, word, run);
  if (first === undefined) return explainLabels(run);
  const what = kind === "whether" ? `whether it is ${shorten(word)}` : `${kind} (${shorten(word)})`;
  return `The row "${shorten(name ?? "")}" does not say ${what}. It has: ${quoteNames(first.merged.set.columns)}.`;
}

/** Of each row of this name, what the columns say that can answer. Several columns are several values. */
function readRows(question: Question, name: string, run: StepsRun): Value[] {
  const found = findRowsByName(listRecords(run), name, question.word, run).flatMap(({ row, merged }) => {
    const records = { ...merged, set: { ...merged.set, rows: [row] } };
    return answersOf(question, name, row, merged.set).map((cell) => ({
      ...toValue(question, cell, row.pageUrl),
      records,
    }));
  });
  const main = found.filter(({ records }) => records.set.region === "main");
  return main.length > 0 ? main : found;
}

function answersOf(question: Question, name: string, row: Row, set: RecordSet): Cell[] {
  const title = titleOf(row, set);
  return [...row.cells]
    .filter(([, cell]) => cell !== title && cell.text !== "")
    .filter(([column, cell]) => canAnswer(question, name, column, cell.text, set))
    .map(([, cell]) => cell);
}

function canAnswer({ kind, word }: Question, name: string, column: string, text: string, { rows }: RecordSet): boolean {
  if (kind !== "whether") return isOfVerb(column, word, name) && isOfKind(kind, text);
  if (stemNoun(column) === stemNoun(word)) return says(text, word) !== null;
  // "Two-factor: Enabled" does not say that a person is enabled.
  if (!STATE_LABEL.test(column)) return false;
  return rows.some(({ cells }) => says(cells.get(column)?.text ?? "", word) !== null);
}

const STATE_LABEL = /(?:^|\s)(?:status|state|availability|stock|stage)(?: \d)?$/i;
const DAY = /\b(?:today|yesterday|tomorrow|ago|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b/i;

function isOfKind(kind: "when" | "who", text: string): boolean {
  if (kind === "when") return findDates(text).length === 1;
  const isPlain = parseBoolean(text) === null && parseAmount(text) === null && findDates(text).length === 0;
  return isPlain && /\p{L}{2}/u.test(text) && !DAY.test(text);
}

/** Labels that name the thing and what happens to it, "Trial ends"; or where the page is about the thing, only that. */
function readOfPage(question: Question, name: string, run: StepsRun): readonly Value[] {
  const named = readLabels(question, stemNoun(name), run);
  return named.length > 0 || !isSubject(name, run) ? named : readLabels(question, "", run);
}

function readLabels(question: Question, subject: string, run: StepsRun): readonly Value[] {
  const { url } = run.observation;
  const { kind, word } = question;
  const sets = listLabelled(null, run).map(({ set }) => set);
  for (const region of ["main", "around"]) {
    const all = sets
      .filter((set) => set.region === region)
      .flatMap((set) => set.rows.flatMap(({ cells }) => [...cells].map(([label, cell]) => ({ label, cell }))));
    // "Delivery: Available" below the title is no availability of the page's own.
    const isCopy = (text: string) => all.some(({ label, cell }) => cell.text === text && !STATE_LABEL.test(label));
    const found = all
      .filter(({ label, cell }) => label !== "availability" || !isCopy(cell.text))
      .filter(({ label, cell: { text } }) => {
        if (subject !== "" && !containsWords(stemNoun(label), subject)) return false;
        if (kind !== "whether") return isOfVerb(label, word, subject) && isOfKind(kind, text);
        // "Two-factor authentication" and "Gift wrap enabled", but not "Two-factor authentication policy".
        const rest = stemNoun(label).replace(subject, "").trim();
        const isMeant = rest === stemNoun(word) || (subject === "" ? STATE_LABEL.test(label) : rest === "");
        return isMeant && says(text, word) !== null;
      });
    if (found.length > 0) return found.map(({ cell }) => toValue(question, cell, url));
  }
  return [];
}

/** A mark has no words. Of a state that the page writes in another word, nobody knows whether it is this one. */
function toValue({ kind, word }: Question, { text, quote }: Cell, url: string): Value {
  const verdict = kind === "whether" ? says(text, word) : null;
  if (verdict === null) return { text, quote, url };
  const answer = verdict ? "Yes" : "No";
  return {
    text,
    quote,
    url,
    answer: fold(text) === fold(answer) || !/\p{L}/u.test(text) ? answer : `${answer}: ${capitalize(text)}`,
  };
}

const STOCK = /\b(?:stock|available|unavailable|sold out)\b/i;
const PLAIN = /^(?:yes|no|true|false|[^\p{L}\d]+)$/iu;

/** Whether a text says that something is in a state; null when it does not tell. */
function says(text: string, state: string): boolean | null {
  const [said, wanted] = [fold(text), fold(state)];
  if (said === wanted) return true;
  if ([`not ${wanted}`, `un${wanted}`, `in${wanted}`].includes(said)) return false;
  if ([`not ${said}`, `un${said}`, `in${said}`].includes(wanted)) return false;
  const [found, meant] = [parseBoolean(text), parseBoolean(state)];
  if (PLAIN.test(said)) return found !== null ? found === (meant ?? true) : null;
  if (found === null || meant === null || STOCK.test(said) !== STOCK.test(wanted)) return null;
  return found === meant;
}

/** Verbs whose noun is another word. */
const NOUNS: Readonly<Record<string, string>> = {
  wrote: "author",
  written: "author",
  began: "begin",
  ran: "run",
  made: "maker",
  built: "builder",
};
const VERB_END = /(?:ing|ied|ies|ed|es|s|e|y)$/;
const NOUN_END = /^(?:e|s|es|ed|er|or|ee|y|ies|ied|ing|al|ion|ation|ment)?$/;
/** What stands beside the verb and changes nothing: "Renewal date", but not "Renewal reminder". */
const BESIDE = new Set(["on", "at", "by", "to", "of", "the", "date", "day", "time", "next", "is", "was"]);

/** "Renewal", "Renews on" and "Next renewal" are of "renew"; "Owner" and "Owned by" of "own". Other words must be of the subject. */
function isOfVerb(label: string, verb: string, subject: string): boolean {
  const known = NOUNS[verb.toLowerCase()] ?? verb.toLowerCase();
  const bare = known.replace(VERB_END, "");
  const root = (bare.length < 3 ? known : bare).replace(/([^ls])\1$/, "$1");
  const isVerb = (word: string) => {
    const end = word.startsWith(root) ? word.slice(root.length) : null;
    return end !== null && (NOUN_END.test(end) || (end[0] === root.at(-1) && NOUN_END.test(end.slice(1))));
  };
  const words = fold(label)
    .split(/[^\p{L}]+/u)
    .filter(Boolean);
  const own = ` ${stemNoun(subject)} `;
  const isPlain = (word: string) =>
    BESIDE.has(word) || own.includes(` ${stemNoun(word)} `) || (word === "last" && /ed$/.test(verb));
  return words.some(isVerb) && words.every((word) => isVerb(word) || isPlain(word));
}
