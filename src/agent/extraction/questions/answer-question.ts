import type { Fact } from "../../grounding/claim.ts";
import { describeRecords } from "../columns.ts";
import { findUnusedWord, matchesFilter } from "../match-rows.ts";
import { type PageSource, readSources } from "../merged-pages.ts";
import { findNextPage } from "../pagination.ts";
import { type RecordSet, type Row, titleOf } from "../record-set.ts";
import { answerCount } from "./answer-count.ts";
import { answerFromPage } from "./answer-from-page.ts";
import { chooseList } from "./choose-list.ts";
import { findExtreme, sortRows } from "./find-extreme.ts";
import { findField } from "./find-field.ts";
import { findNamed, isOnlyKind, type NamedRow } from "./find-named.ts";
import { fitsField } from "./fits-field.ts";
import type { Answer, Question, Subject } from "./question.ts";

/** Answers from what pages show as records and labelled values. Never guesses: two that differ are no answer. */
export function answerQuestion(question: Question, source: PageSource | readonly PageSource[]): Answer {
  const pages = "root" in source ? [source] : source;
  const sets = readSources(pages);
  const last = pages.at(-1);
  const isPartial = last !== undefined && findNextPage(last.root, last.url) !== null;
  if (question.kind === "count") return answerCount(question, sets, pages, isPartial);
  const { subject, fields } = question;
  switch (subject.kind) {
    case "page":
      return answerFromPage(fields, sets);
    case "named":
      return orFurther(
        answerNamed(subject.name, fields, sets),
        isPartial && findNamed(sets, subject.name).length === 0,
      );
    default:
      return answerFromSet({ ...question, subject }, sets, isPartial);
  }
}

function orFurther(answer: Answer, isContinued: boolean): Answer {
  return answer.kind === "missing" && isContinued ? { ...answer, kind: "further" } : answer;
}

/** A name may be a label as well: "how much is the total". */
function answerNamed(name: string, fields: readonly string[], sets: readonly RecordSet[]): Answer {
  const named = findNamed(sets, name);
  const main = named.filter(({ set }) => set.region === "main");
  const answer = collect(main.length > 0 ? main : named, fields, name);
  if (answer.kind !== "missing") return answer;
  const onPage = isOnlyKind(name) ? answerFromPage(fields, sets) : answer;
  if (onPage.kind !== "missing") return onPage;
  const [field, ...more] = fields;
  if (field === undefined || more.length > 0) return answer;
  return keepFitting(answerFromPage([name], sets), field) ?? answer;
}

/** Null when nothing of it is what was asked for. */
function keepFitting(answer: Answer, field: string): Answer | null {
  const facts = answer.kind === "found" ? answer.facts : answer.kind === "ambiguous" ? answer.candidates : [];
  const fitting = facts.filter(({ value }) => fitsField(String(value), field));
  const [first] = fitting;
  if (first === undefined) return null;
  if (fitting.some(({ value }) => value !== first.value)) return { kind: "ambiguous", candidates: fitting };
  return toAnswer([first], false);
}

function collect(named: readonly NamedRow[], fields: readonly string[], name: string): Answer {
  if (named.length === 0) return { kind: "missing", reason: `Nothing on the page is called "${name}".` };
  const facts: Fact[] = [];
  for (const field of fields) {
    const found = named.flatMap(({ row, set }) => toFacts(row, set, field, name));
    const [first] = found;
    if (first === undefined) return { kind: "missing", reason: `The page does not say the ${field} of "${name}".` };
    if (found.some(({ value }) => value !== first.value)) return { kind: "ambiguous", candidates: found };
    facts.push(first);
  }
  return toAnswer(facts, false);
}

function toFacts(row: Row, set: RecordSet, field: string, name: string): Fact[] {
  const found = findField(row, set, field);
  return found === null
    ? []
    : [{ label: `${field} of ${name}`, value: found.value, quote: found.quote, url: row.pageUrl }];
}

function toAnswer(facts: readonly Fact[], isPartial: boolean): Answer {
  const [only] = facts;
  const text =
    facts.length === 1 ? String(only?.value) : facts.map(({ label, value }) => `${label}: ${value}`).join("; ");
  return { kind: "found", facts, text, isPartial, scope: null };
}

type SetSubject = Exclude<Subject, { kind: "page" } | { kind: "named" }>;

function answerFromSet(
  question: Question & { kind: "value"; subject: SetSubject },
  sets: readonly RecordSet[],
  isPartial: boolean,
): Answer {
  const { subject, fields } = question;
  const choice = chooseList(question, sets);
  if (choice.kind === "none")
    return {
      kind: "missing",
      reason: `No list of "${subject.noun || "records"}" with ${fields.join(" and ") || "rows"} is on the page.`,
    };
  if (choice.kind === "unclear") {
    return {
      kind: "missing",
      reason: `Several lists could be meant: ${choice.sets.map(({ name }) => `"${name}"`).join(", ")}.`,
    };
  }
  const { set } = choice;
  if (subject.kind === "every") return answerEvery(subject, fields, set, isPartial);
  if (subject.kind === "extreme") return answerExtreme(subject, fields, set, isPartial);
  const row = set.rows.at(subject.index);
  if (row === undefined) {
    const answer: Answer = { kind: "missing", reason: `"${set.name}" has only ${set.rows.length} rows.` };
    return orFurther(answer, isPartial);
  }
  return withPartial(collect([{ row, set }], fields, nameOfPosition(subject)), isPartial && subject.index < 0);
}

/** Where only the name is asked for, what decided is said with it. */
function answerExtreme(
  subject: SetSubject & { kind: "extreme" },
  fields: readonly string[],
  set: RecordSet,
  isPartial: boolean,
): Answer {
  const { noun, by, direction } = subject;
  const extreme = findExtreme(set, by, direction);
  if (extreme.kind === "missing") return extreme;
  const label = `the ${noun || "row"} with the ${direction} ${by}`;
  const answer = collect(
    extreme.rows.map((row) => ({ row, set })),
    fields,
    label,
  );
  if (answer.kind !== "found") return answer;
  const scope = { name: set.name, rows: set.rows.length };
  const [row] = extreme.rows;
  const cell = row?.cells.get(extreme.column);
  const isNameOnly = fields.length === 1 && /^(?:name|title)$/i.test(fields[0] ?? "");
  if (row === undefined || cell === undefined || !isNameOnly) return { ...answer, isPartial, scope };
  const decided: Fact = { label: `${by} of ${label}`, value: cell.text, quote: cell.quote, url: row.pageUrl };
  const value = /^[\d.,]+$/.test(cell.text) ? `${by} ${cell.text}` : cell.text;
  return { ...answer, facts: [...answer.facts, decided], text: `${answer.text}, ${value}`, isPartial, scope };
}

function withPartial(answer: Answer, isPartial: boolean): Answer {
  return answer.kind === "found" ? { ...answer, isPartial } : answer;
}

function nameOfPosition({ index, noun }: { index: number; noun: string }): string {
  return index < 0 ? `the last ${noun || "row"}` : `${noun || "row"} ${index + 1}`;
}

function answerEvery(
  { filter, limit, noun, order }: SetSubject & { kind: "every" },
  fields: readonly string[],
  set: RecordSet,
  isPartial: boolean,
): Answer {
  const sorted = order === null ? null : sortRows(set, order);
  if (sorted?.kind === "missing") return sorted;
  const listed = sorted?.rows ?? set.rows;
  const all = filter === null ? listed : listed.filter((row) => matchesFilter(row, filter));
  const rows = limit === null ? all : all.slice(0, limit);
  const absent = fields.find((field) => set.rows.every((row) => findField(row, set, field) === null));
  if (absent !== undefined && set.rows.length > 0) {
    const shown = set.columns.map((column) => `"${column}"`).join(", ");
    return { kind: "missing", reason: `"${set.name || noun}" does not show the ${absent}. It shows: ${shown}.` };
  }
  const asked = fields.length > 0 ? fields : set.columns;
  const facts = rows.flatMap((row, index) =>
    asked.flatMap((field) => toFacts(row, set, field, `${noun} ${index + 1}`)),
  );
  const unused = filter === null ? null : findUnusedWord(set.rows, filter);
  if (facts.length === 0 || unused !== null) {
    const answer: Answer = { kind: "missing", reason: `None of the ${set.rows.length} rows of "${set.name}" fits.` };
    return orFurther(answer, isPartial);
  }
  const text =
    fields.length === 0
      ? describeRecords({ ...set, rows })
      : rows.map((row) => describeFields(row, set, fields)).join("\n");
  return {
    kind: "found",
    facts,
    text,
    isPartial: isPartial && (limit === null || order !== null || rows.length < limit),
    scope: null,
  };
}

/** One line: the asked fields, each with its name, except what the record is called. */
function describeFields(row: Row, set: RecordSet, fields: readonly string[]): string {
  const title = titleOf(row, set)?.text;
  return fields
    .flatMap((field) => {
      const found = findField(row, set, field);
      return found === null ? [] : [found.value === title ? found.value : `${field}: ${found.value}`];
    })
    .join(", ");
}
