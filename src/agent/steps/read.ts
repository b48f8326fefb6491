import { walk } from "../../browser/observation/observation.ts";
import { fold } from "../grounding/names.ts";
import { readText } from "../grounding/page-text.ts";
import { explainAsked, type Question, readAsked } from "./asked.ts";
import { locate } from "./elements.ts";
import {
  explainLabels,
  findStatedNumbers,
  readLabel,
  readNumberOf,
  subjectOf,
  toValues,
  type Value,
} from "./labels.ts";
import { withoutMachines } from "./lists.ts";
import { quoteNames, shorten } from "./names.ts";
import { explainRow, readCell } from "./rows.ts";
import type { Running, StepsRun } from "./run.ts";
import { linesOf, toNumber } from "./sentences.ts";
import { type ReadStep, toTarget } from "./step.ts";
import { isPastForm } from "./verbs.ts";

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
  if (first === undefined) {
    const what = toQuestion(step) === null ? `The ${shorten(name)} was not found.` : `No answer to "${shorten(name)}".`;
    throw run.stop("ANSWER_NOT_FOUND", `${what} ${explainNone(step, run)}`);
  }
  const texts = new Set(values.map(({ text }) => text));
  if (texts.size > 1)
    throw run.stop(
      "AMBIGUOUS",
      `The page gives several values for "${shorten(name)}": ${quoteNames(texts, 5)}. Say which.`,
    );
  const { text, quote, url, records, answer = text } = first;
  run.records = records ?? run.records;
  run.facts.push({ label: name, value: text, quote, url });
  run.answer(answer, name);
}

function* findValues(step: ReadStep, run: StepsRun): Running<readonly Value[]> {
  const { row, column, field, heading, after, number_of: noun } = step;
  const asked = toQuestion(step);
  if (asked !== null) {
    yield* run.readAhead(withoutMachines(run.observation));
    return yield* readAsked(asked, row ?? null, step.list ?? null, run);
  }
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

function toQuestion({ when, who, whether, past }: ReadStep): Question | null {
  const isPast = past === true;
  if (whether !== undefined) return { kind: "whether", state: whether };
  if (when !== undefined) return { kind: "when", verb: when, isPast };
  return who === undefined ? null : { kind: "who", verb: who, isPast: isPast || isPastForm(who) };
}

function labelOf({ label, as }: ReadStep): string {
  return label ?? as ?? "";
}

/** Why the page does not give the value. */
function explainNone(step: ReadStep, run: StepsRun): string {
  const { row, column = "", after, number_of: noun } = step;
  const asked = toQuestion(step);
  if (asked !== null) return explainAsked(asked, row ?? null, run);
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
