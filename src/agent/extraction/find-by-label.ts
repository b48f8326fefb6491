import { type DayOrder, findDayOrder } from "../grounding/dates.ts";
import { compare, type Phrase, toPhrase } from "../grounding/similarity.ts";
import { MIN_SIMILARITY } from "./columns.ts";
import { readLeaf } from "./read-value.ts";
import type { Cell, RecordSet } from "./record-set.ts";
import type { ScalarShape } from "./schema-shape.ts";
import { scoreLabel, type Wanted, wordsOf } from "./wanted-value.ts";

interface FoundLeaf {
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

/** A label of the page, prepared for many comparisons. */
interface KnownLabel {
  readonly phrase: Phrase;
  readonly heading: Phrase;
  /** Lower wins: labels before the headers of a one-row table, the main part of the page before the rest. */
  readonly rank: number;
  readonly cells: readonly { readonly cell: Cell; readonly url: string }[];
  readonly order: DayOrder | null;
}

/** Keyed by each word and concept: a label that shares none with the wanted value need not be compared. */
export type LabelIndex = ReadonlyMap<string, readonly KnownLabel[]>;

const MAX_LABELS = 3_000;

export function indexLabels(sets: readonly RecordSet[]): LabelIndex {
  const index = new Map<string, KnownLabel[]>();
  for (const label of listLabels(sets).slice(0, MAX_LABELS)) {
    for (const word of new Set([...label.phrase.stems, ...label.phrase.concepts])) {
      const known = index.get(word);
      if (known === undefined) index.set(word, [label]);
      else known.push(label);
    }
  }
  return index;
}

function listLabels(sets: readonly RecordSet[]): KnownLabel[] {
  return sets
    .filter(({ kind, rows }) => kind === "labelled" || rows.length === 1)
    .flatMap((set) => {
      const rank = (set.region === "main" ? 0 : 2) + (set.kind === "labelled" ? 0 : 1);
      const heading = toPhrase(set.name);
      return set.columns.map((column) => {
        const cells = set.rows.flatMap(({ cells: row, pageUrl }) => {
          const cell = row.get(column);
          return cell === undefined ? [] : [{ cell, url: pageUrl }];
        });
        return {
          phrase: toPhrase(column),
          heading,
          rank,
          cells,
          order: findDayOrder(cells.map(({ cell }) => cell.text)),
        };
      });
    });
}

/** Finds a value by its label. The closest label wins, preferably under a heading named like the object around it. */
export function findByLabel(
  index: LabelIndex,
  wanted: Wanted,
  shape: ScalarShape,
  parents: readonly string[],
): LabelSearch {
  const around = toPhrase(parents.at(-1) ?? "");
  const labels = new Set([...wordsOf(wanted)].flatMap((word) => index.get(word) ?? []));
  const fitting = [...labels].flatMap((label) => {
    const score = scoreLabel(wanted, label.phrase);
    return score < MIN_SIMILARITY ? [] : [{ label, score: score + 0.3 * compare(around, label.heading) }];
  });
  for (const rank of [0, 1, 2, 3]) {
    const ranked = fitting.filter(({ label }) => label.rank === rank);
    const result = pickBest(ranked.flatMap(({ label, score }) => readLabel(label, score, wanted, shape)));
    if (result.kind !== "none") return result;
  }
  return { kind: "none" };
}

function readLabel({ cells, order }: KnownLabel, score: number, wanted: Wanted, shape: ScalarShape): Candidate[] {
  return cells.flatMap(({ cell, url }) => {
    const leaf = readLeaf(cell, shape, wanted, order);
    return leaf === null ? [] : [{ leaf: { ...leaf, url }, score }];
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
