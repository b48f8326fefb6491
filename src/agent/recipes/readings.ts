import { type Observation, walk } from "../../browser/observation/observation.ts";
import { runAtOnce } from "../../lib/waiting.ts";
import { readMerged } from "../extraction/merged-pages.ts";
import { titleOf } from "../extraction/record-set.ts";
import type { Fact } from "../grounding/claim.ts";
import { fold } from "../grounding/names.ts";
import { readText } from "../grounding/page-text.ts";
import { quoteStatesFact } from "../grounding/quoted-values.ts";
import type { Turn } from "../planner/planner.ts";
import { withoutMachines } from "../steps/lists.ts";
import { shorten } from "../steps/names.ts";
import { read } from "../steps/read.ts";
import { type Running, StepsRun, Stop } from "../steps/run.ts";
import { linesOf } from "../steps/sentences.ts";
import type { ReadStep } from "../steps/step.ts";
import { isInPrompt, NotLearnable } from "./prompt-values.ts";

/**
 * How to read a fact again on a page that says something else: by its label, its row and column, the main heading, or the
 * words before it. Only a way that gives just this value on the page as it was is taken.
 */
export function findReading(fact: Fact, page: Observation, prompt: string): ReadStep {
  for (const reading of listReadings(fact, page, prompt)) {
    const step = { as: shorten(fact.label, 90), ...reading };
    if (gives(step, fact, page)) return step;
  }
  throw new NotLearnable(`The ${shorten(fact.label, 60)} was found in a way that steps cannot repeat.`);
}

function listReadings({ label, value }: Fact, page: Observation, prompt: string): ReadStep[] {
  const lines = linesOf(page.root);
  const isFree = (text: string) =>
    text !== "" &&
    text.length < 200 &&
    (isInPrompt(text, prompt) || !(/[\d@]/.test(text) || mayNameSomebody(text, lines)));
  const cells = listCells(value, page).filter(({ column }) => isFree(column));
  const byLabel = cells.filter(({ isAlone }) => isAlone).map(({ column }) => ({ label: column }));
  const byRow = cells.filter(({ row }) => isInPrompt(row, prompt)).map(({ row, column }) => ({ row, column }));
  const named = isFree(label) ? [{ label }] : [];
  return [...byLabel, ...byRow, ...named, ...listHeadings(value, page), ...listBeginnings(value, lines, isFree)];
}

/** The cells of tables and lists, and the labelled values, that state the value. */
function listCells(value: Fact["value"], page: Observation) {
  if (value === null) return [];
  return readMerged([withoutMachines(page)]).flatMap(({ set }) =>
    set.rows.flatMap((row) => {
      const stating = [...row.cells].filter(([, { text }]) => quoteStatesFact(value, text));
      const isAlone = set.kind === "labelled" || set.rows.length === 1;
      return stating.map(([column]) => ({ column, row: titleOf(row, set)?.text ?? "", isAlone }));
    }),
  );
}

function listHeadings(value: Fact["value"], { root }: Observation): ReadStep[] {
  const heading = [...walk(root)].find(({ node }) => node.role === "heading" && node.states.level === 1)?.node;
  return heading !== undefined && fold(readText(heading)) === fold(String(value)) ? [{ heading: true }] : [];
}

/** "Order number: T-1014": the words before the value, if they are the site's own. */
function listBeginnings(value: Fact["value"], lines: readonly string[], isFree: (text: string) => boolean): ReadStep[] {
  const text = String(value);
  return lines.flatMap((line) => {
    const at = line.indexOf(text);
    const before = line.slice(0, Math.max(0, at)).trim();
    const isRest =
      at > 0 &&
      line
        .slice(at + text.length)
        .trim()
        .replace(/[.!]$/, "") === "";
    return isRest && isFree(before) && before.length > 2 ? [{ after: before }] : [];
  });
}

/**
 * In a sentence, a capitalized word may be a person's name, unless it comes first and is never capitalized inside a
 * sentence. A label is no sentence: it stands alone or before a colon, or each of its words is capitalized.
 */
function mayNameSomebody(text: string, lines: readonly string[]): boolean {
  const words = text.match(/[\p{L}'’]+/gu) ?? [];
  const isLabel =
    text.endsWith(":") ||
    words.every((word) => /^\p{Lu}/u.test(word)) ||
    lines.some((line) => line === text || line.startsWith(`${text}:`));
  if (isLabel) return false;
  const [first = "", ...others] = words;
  const inside = new RegExp(`(?:[^.!?\\s] |\\()${first}(?!\\p{L})`, "u");
  return (
    others.some((word) => /^\p{Lu}(?:['’]\p{L}|\p{Ll})/u.test(word)) ||
    (/^\p{Lu}/u.test(first) && lines.some((line) => line === first || inside.test(line)))
  );
}

/** Whether the step gives this value on the page, at once. */
function gives(step: ReadStep, { value }: Fact, page: Observation): boolean {
  const turn: Turn = {
    observation: page,
    reports: [],
    stepsLeft: 1,
    spent: 0,
    takeScreenshot: async () => null,
    signal: AbortSignal.abort(),
  };
  const run = new StepsRun(turn);
  try {
    if (!endsAtOnce(read(step, run), turn)) return false;
  } catch (error) {
    if (error instanceof Stop) return false;
    throw error;
  }
  const [found] = run.facts;
  return found !== undefined && value !== null && quoteStatesFact(value, String(found.value));
}

/** Whether it asks the loop for nothing. Work that only takes long is done here. */
function endsAtOnce(running: Running, turn: Turn): boolean {
  // The first call starts the generator, which has nothing to receive yet.
  let step = running.next(...([] as unknown as [Turn]));
  while (step.done !== true && step.value.kind === "work") {
    runAtOnce(step.value.work);
    step = running.next(turn);
  }
  return step.done === true;
}
