import type { Fact } from "../../grounding/claim.ts";
import { compare, type Phrase, toPhrase } from "../../grounding/similarity.ts";
import { MIN_SIMILARITY } from "../columns.ts";
import type { RecordSet } from "../record-set.ts";
import type { Answer } from "./question.ts";

interface Candidate {
  readonly fact: Fact;
  readonly score: number;
  readonly isMain: boolean;
}

/** What the page says under a label; a table with one row says something under its headers too. */
export function answerFromPage(fields: readonly string[], sets: readonly RecordSet[]): Answer {
  const facts: Fact[] = [];
  for (const field of fields) {
    const best = findBest(field, sets);
    const [first] = best;
    if (first === undefined) return { kind: "missing", reason: `The page has no value labelled "${field}".` };
    if (best.some(({ value }) => value !== first.value)) return { kind: "ambiguous", candidates: best };
    facts.push(first);
  }
  const [only] = facts;
  const text =
    facts.length === 1 ? String(only?.value) : facts.map(({ label, value }) => `${label}: ${value}`).join("; ");
  return { kind: "found", facts, text, isPartial: false, scope: null };
}

/** The nearest label wins; at equal distance the main part of the page does. Labels come before column headers. */
function findBest(field: string, sets: readonly RecordSet[]): Fact[] {
  const wanted = toPhrase(field);
  const labelled = sets.filter(({ kind }) => kind === "labelled");
  const found = pickBest(labelled.flatMap((set) => findCandidates(set, wanted, field)));
  if (found.length > 0) return found;
  const tables = sets.filter(({ kind }) => kind === "table");
  return pickBest(tables.flatMap((set) => findCandidates(set, wanted, field)));
}

function findCandidates(set: RecordSet, wanted: Phrase, field: string): Candidate[] {
  const fitting = set.columns.flatMap((column) => {
    const score = compare(wanted, toPhrase(column));
    return score >= MIN_SIMILARITY ? [{ column, score }] : [];
  });
  return fitting.flatMap(({ column, score }) =>
    set.rows.flatMap(({ cells, pageUrl }) => {
      const cell = cells.get(column);
      if (cell === undefined || cell.text === "") return [];
      const fact = { label: field, value: cell.text, quote: cell.quote, url: pageUrl };
      return [{ fact, score, isMain: set.region === "main" }];
    }),
  );
}

function pickBest(candidates: readonly Candidate[]): Fact[] {
  const main = candidates.filter(({ isMain }) => isMain);
  const pool = main.length > 0 ? main : candidates;
  const best = pool.reduce((score, candidate) => Math.max(score, candidate.score), 0);
  return pool.filter(({ score }) => score === best).map(({ fact }) => fact);
}
