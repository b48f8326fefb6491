import type { MergedPages } from "../pages/merge-pages.ts";
import type { RecordSet } from "../records/record-set.ts";
import { compare, isWithin, type Phrase, toPhrase } from "../words/similarity.ts";
import { type ColumnMap, mapColumns, type WantedLeaf } from "./map-columns.ts";

interface ChosenRecords {
  readonly merged: MergedPages;
  readonly map: ColumnMap;
}

export type RecordChoice =
  | ({ readonly kind: "chosen" } & ChosenRecords)
  | { readonly kind: "none"; readonly reason: string };

const MAX_SETS = 100;

/** The records that say most of what is wanted. Two that do so equally well, and differ, are none. */
export function chooseRecords(
  pages: readonly MergedPages[],
  leaves: readonly WantedLeaf[],
  name: string,
  hints: string,
): RecordChoice {
  const hinted = toPhrase(hints);
  const candidates = pickCandidates(pages).flatMap((merged) => {
    const map = mapColumns(merged.set, leaves);
    if (map.score === 0) return [];
    return [
      {
        merged,
        map,
        score: map.score + 0.3 * scoreName(merged.set, toPhrase(name)) + 0.3 * scoreHints(merged.set, hinted),
      },
    ];
  });
  const best = Math.max(0, ...candidates.map(({ score }) => score));
  const chosen = candidates.filter(({ score }) => best - score < 1e-9);
  const [first] = chosen;
  if (first === undefined) return { kind: "none", reason: "No table or list on the page has such columns." };
  if (chosen.some(({ merged }) => textOf(merged.set) !== textOf(first.merged.set))) {
    const names = chosen.map(({ merged: { set } }) => `"${set.name}" (${set.columns.slice(0, 6).join(", ")})`);
    return { kind: "none", reason: `Ambiguous: ${names.slice(0, 5).join(" and ")} fit equally well.` };
  }
  return { kind: "chosen", merged: first.merged, map: first.map };
}

/** What stands in the main part of the page; only when nothing does, what stands around it. */
export function pickCandidates(pages: readonly MergedPages[]): MergedPages[] {
  const lists = pages.filter(({ set }) => set.kind !== "labelled" || set.rows.length > 1);
  const main = lists.filter(({ set }) => set.place === "main");
  return (main.length > 0 ? main : lists)
    .toSorted((one, other) => other.set.rows.length - one.set.rows.length)
    .slice(0, MAX_SETS);
}

export function scoreName({ name, titleColumn }: RecordSet, wanted: Phrase): number {
  const phrases = [toPhrase(name), toPhrase(titleColumn ?? "")];
  return Math.max(...phrases.map((phrase) => (isWithin(wanted, phrase) ? 1 : compare(wanted, phrase))));
}

/** How many of the words that name the records the prompt has. */
function scoreHints({ name, titleColumn }: RecordSet, hinted: Phrase): number {
  const words = [...toPhrase(`${name} ${titleColumn ?? ""}`).stems];
  return words.length === 0 ? 0 : words.filter((word) => hinted.stems.has(word)).length / words.length;
}

function textOf({ rows }: RecordSet): string {
  return JSON.stringify(rows.slice(0, 50).map(({ cells }) => [...cells.values()].map(({ text }) => text)));
}
