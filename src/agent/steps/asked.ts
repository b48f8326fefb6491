import type { MergedPages } from "../extraction/merged-pages.ts";
import { type Cell, type RecordSet, titleOf } from "../extraction/record-set.ts";
import { parseAmount } from "../grounding/amounts.ts";
import { findDates } from "../grounding/dates.ts";
import { containsWords, fold, stemNoun, toSingular } from "../grounding/names.ts";
import { parseBoolean } from "../grounding/short-texts.ts";
import { explainLabels, listLabelled, type Value } from "./labels.ts";
import { mainHeadings } from "./lists.ts";
import { capitalize, quoteNames, shorten } from "./names.ts";
import { namesAnother } from "./nouns.ts";
import { findRowsByName, isSubject, listRecords, nameOf, searchPages } from "./rows.ts";
import type { Running, StepsRun } from "./run.ts";
import { isStatusLabel, isStatusOf, says } from "./states.ts";
import { formOf, type Happening, readVerbLabel } from "./verbs.ts";

/** What is asked without the name of a column: when something ends, who owns it, whether it is enabled. */
export type Question = Happening | { readonly kind: "whether"; readonly state: string };

/** Reads what the only column or label says that can answer the question. */
export function* readAsked(
  question: Question,
  name: string | null,
  list: string | null,
  run: StepsRun,
): Running<readonly Value[]> {
  if (name === null) return readLabels(question, "", listOwn(run), run);
  return yield* searchPages(
    { name, list, inLists: () => readRows(question, name, run), onPage: () => readOfPage(question, name, run) },
    run,
  );
}

export function explainAsked(question: Question, name: string | null, run: StepsRun): string {
  const word = wordOf(question);
  const [first] = name === null ? [] : findRowsByName(listRecords(run), name, word, run);
  if (first === undefined) return explainLabels(run);
  const what = question.kind === "whether" ? `whether it is ${shorten(word)}` : `${question.kind} (${shorten(word)})`;
  return `The row "${shorten(name ?? "")}" does not say ${what}. It has: ${quoteNames(first.merged.set.columns)}.`;
}

function wordOf(question: Question): string {
  return question.kind === "whether" ? question.state : question.verb;
}

/** Of each row of this name, what the columns say that can answer. Several columns are several values. */
function readRows(question: Question, name: string, run: StepsRun): Value[] {
  const named = findRowsByName(listRecords(run), name, wordOf(question), run);
  const found = named
    .filter(({ row }) => !isPlural(name) || [...row.cells.values()].some(({ text }) => fold(text) === fold(name)))
    .flatMap(({ row, merged, isPart }) => {
      const { set } = merged;
      const title = titleOf(row, set);
      const cells = [...row.cells].filter(([, cell]) => cell !== title && cell.text !== "");
      const all = cells.map(([label, cell]) => ({ label, cell }));
      const records = { ...merged, set: { ...set, rows: [row] } };
      const values = cells.flatMap(([column, cell]) => answerOfCell(question, name, { column, cell, set, all }, run));
      return values.map((value) => ({ ...value, url: row.pageUrl, records, isPart, of: nameOf(row, merged) }));
    });
  const main = found.filter(({ records }) => records.set.region === "main");
  return main.length > 0 ? main : found;
}

interface Labelled {
  readonly label: string;
  readonly cell: Cell;
}

interface InColumn {
  readonly column: string;
  readonly cell: Cell;
  readonly set: RecordSet;
  readonly all: readonly Labelled[];
}

type Said = Pick<Value, "text" | "quote" | "answer">;

function answerOfCell(question: Question, name: string, { column, cell, set, all }: InColumn, run: StepsRun): Said[] {
  if (question.kind !== "whether") return answerHappening(question, name, { label: column, cell }, all, run);
  const { state } = question;
  if (stemNoun(column) === stemNoun(state)) return toAnswer({ label: column, cell }, says(cell.text, state, "state"));
  if (!isStatusOf(column, state, [name, set.name, set.titleColumn ?? "", ...namesOfPage(run)])) return [];
  const isTold = set.rows.some((row) => says(row.cells.get(column)?.text ?? "", state, "status") !== null);
  // Of a state that the page writes in another word, nobody knows whether it is this one.
  return isTold ? toAnswer({ label: column, cell }, says(cell.text, state, "status"), true) : [];
}

/** A date or a person, from a label that says so. Where it may only be planned, a date that has come, and no other state. */
function answerHappening(
  happening: Happening,
  subject: string,
  { label, cell }: Labelled,
  all: readonly Labelled[],
  run: StepsRun,
): Said[] {
  const form = readVerbLabel(label, happening, subject);
  if (form === null || !isOfKind(happening, cell.text, run.now)) return [];
  const isElsewhere = ({ label: other, cell: { text } }: Labelled) =>
    isStatusOf(other, happening.verb, [subject]) &&
    !text.split(/[^\p{L}]+/u).some((word) => formOf(word, happening.verb) === "past");
  return form === "planned" && all.some(isElsewhere) ? [] : [{ text: cell.text, quote: cell.quote }];
}

const DAY = /\b(?:today|yesterday|tomorrow|ago|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b/i;
/** A page may be in a time zone that is ahead. */
const DAY_MS = 86_400_000;

function isOfKind({ kind, isPast }: Happening, text: string, now: Date): boolean {
  if (kind === "when") {
    const [date, ...others] = findDates(text);
    const isOver = date !== undefined && Date.parse(`${date.day}T00:00:00Z`) <= now.getTime() + DAY_MS;
    return date !== undefined && others.length === 0 && (!isPast || isOver);
  }
  const isPlain = parseBoolean(text) === null && parseAmount(text) === null && findDates(text).length === 0;
  return isPlain && /\p{L}{2}/u.test(text) && !DAY.test(text);
}

/** "invoices": not one thing, so neither "Invoice 1" nor a page about invoices is meant. "Ines" and "Larch Farms" are names. */
function isPlural(name: string): boolean {
  const last = name.split(/\s+/).at(-1) ?? "";
  return /^\p{Ll}/u.test(last) && toSingular(last) !== last;
}

function namesOfPage({ observation }: StepsRun): string[] {
  const { pathname = "" } = URL.parse(observation.url) ?? {};
  return [...mainHeadings(observation), observation.title, pathname];
}

/** Labels that name the thing and what happens to it, "Trial ends"; or where the page or a part of it is about the thing, only that. */
function readOfPage(question: Question, name: string, run: StepsRun): readonly Value[] {
  const named = readLabels(question, name, listLabelled(null, run), run);
  if (named.length > 0 || isPlural(name)) return named;
  const inPart = readLabels(question, "", listLabelled(name, run), run);
  return inPart.length > 0 || !isSubject(name, run) ? inPart : readLabels(question, "", listOwn(run, name), run);
}

/** What the page says about its own subject, and not about other things such as the customer of an order. */
function listOwn(run: StepsRun, name = ""): MergedPages[] {
  return listLabelled(null, run).filter(({ set }) => !namesAnother(set.name, [...namesOfPage(run), name]));
}

/** `name`: what the labels must name; empty where all of them are about what is meant. */
function readLabels(question: Question, name: string, merged: readonly MergedPages[], run: StepsRun): readonly Value[] {
  const { url } = run.observation;
  const subject = stemNoun(name);
  for (const region of ["main", "around"]) {
    const all = merged
      .filter(({ set }) => set.region === region)
      .flatMap(({ set }) => set.rows.flatMap(({ cells }) => [...cells].map(([label, cell]) => ({ label, cell }))));
    // "Delivery: Available" below the title is no availability of the page's own.
    const isCopy = ({ text }: Cell) => all.some(({ label, cell }) => cell.text === text && !isStatusLabel(label));
    const found = all
      .filter(({ label, cell }) => label !== "availability" || !isCopy(cell))
      .filter(({ label }) => name === "" || containsWords(stemNoun(label), subject))
      .filter(({ label }) => !isPlural(name) || containsWords(fold(label), fold(name)))
      .flatMap(({ label, cell }) =>
        question.kind === "whether"
          ? answerOfLabel(question.state, subject, { label, cell }, run)
          : answerHappening(question, name, { label, cell }, all, run),
      );
    if (found.length > 0) return found.map((said) => ({ ...said, url }));
  }
  return [];
}

/** "Two-factor authentication" and "Gift wrap enabled", but not "Two-factor authentication policy". */
function answerOfLabel(state: string, subject: string, { label, cell }: Labelled, run: StepsRun): Said[] {
  const rest = stemNoun(label).replace(subject, "").trim();
  if (rest === stemNoun(state)) return toAnswer({ label, cell }, says(cell.text, state, "state"));
  if (rest === "" && subject !== "") return toAnswer({ label, cell }, says(cell.text, state, "thing"));
  const isStatus = isStatusOf(label, state, subject === "" ? namesOfPage(run) : [subject]);
  return isStatus ? toAnswer({ label, cell }, says(cell.text, state, "status")) : [];
}

/** Yes or no with the words of the page. A mark has no words. */
function toAnswer({ label, cell: { text, quote } }: Labelled, verdict: boolean | null, isShown = false): Said[] {
  if (verdict === null) return isShown ? [{ text, quote }] : [];
  const answer = verdict ? "Yes" : "No";
  const isPlain = fold(text) === fold(answer) || !/\p{L}/u.test(text);
  // "Is the backup off?" and "Backup: Yes"
  const said = /^(?:yes|no|true|false)$/i.test(text) ? `${label} – ${text}` : capitalize(text);
  return [{ text, quote, answer: isPlain ? answer : `${answer}: ${said}` }];
}
