import { MIN_SIMILARITY } from "../filters/find-column.ts";
import type { RecordSet } from "../records/record-set.ts";
import { findDayOrder } from "../values/date.ts";
import { compare, toPhrase } from "../words/similarity.ts";
import { readLeaf } from "./read-leaf.ts";
import type { ScalarShape } from "./shape.ts";
import { scoreLabel, type Wanted } from "./wanted.ts";

export interface FoundLeaf {
  readonly value: string | number | boolean;
  readonly quote: string;
  readonly url: string;
}

export type LabelSearch =
  | { readonly kind: "found"; readonly leaf: FoundLeaf }
  | { readonly kind: "none" }
  | { readonly kind: "unclear"; readonly values: readonly string[] };

interface Candidate {
  readonly leaf: FoundLeaf;
  readonly score: number;
}

/**
 * A value by its label; a table with one row has labels too. The nearest label wins, under the heading that is called
 * like the object around the property; in the main part of the page before what is around it.
 */
export function findByLabel(
  sets: readonly RecordSet[],
  wanted: Wanted,
  shape: ScalarShape,
  parents: readonly string[],
): LabelSearch {
  const labelled = sets.filter(({ kind, rows }) => kind === "labelled" || rows.length === 1);
  for (const place of ["main", "around"] as const) {
    for (const kinds of [["labelled"], ["table", "list"]]) {
      const fitting = labelled.filter((set) => set.place === place && kinds.includes(set.kind));
      const result = pickBest(fitting.flatMap((set) => findCandidates(set, wanted, shape, parents)));
      if (result.kind !== "none") return result;
    }
  }
  return { kind: "none" };
}

function findCandidates(set: RecordSet, wanted: Wanted, shape: ScalarShape, parents: readonly string[]): Candidate[] {
  const around = parents.at(-1);
  const bonus = around === undefined ? 0 : 0.3 * compare(toPhrase(around), toPhrase(set.name));
  return set.columns.flatMap((column) => {
    const score = scoreLabel(wanted, column);
    if (score < MIN_SIMILARITY) return [];
    const order = findDayOrder(set.rows.map(({ cells }) => cells.get(column)?.text ?? ""));
    return set.rows.flatMap(({ cells, pageUrl }) => {
      const cell = cells.get(column);
      const leaf = cell === undefined ? null : readLeaf(cell, shape, wanted, order);
      return leaf === null ? [] : [{ leaf: { ...leaf, url: pageUrl }, score: score + bonus }];
    });
  });
}

function pickBest(candidates: readonly Candidate[]): LabelSearch {
  const best = candidates.reduce((score, candidate) => Math.max(score, candidate.score), 0);
  const equal = candidates.filter(({ score }) => score === best).map(({ leaf }) => leaf);
  const [first] = equal;
  if (first === undefined) return { kind: "none" };
  const values = [...new Set(equal.map(({ value }) => String(value)))];
  return values.length > 1 ? { kind: "unclear", values } : { kind: "found", leaf: first };
}
