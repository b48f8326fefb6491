import { MIN_SIMILARITY } from "../filters/find-column.ts";
import type { MergedPages } from "../pages/merge-pages.ts";
import { findDayOrder } from "../values/date.ts";
import { toPhrase } from "../words/similarity.ts";
import { pickCandidates, scoreName } from "./choose-records.ts";
import { type MappedColumn, mapColumns } from "./map-columns.ts";
import type { ScalarShape } from "./shape.ts";
import type { Wanted } from "./wanted.ts";

export type ColumnChoice =
  | { readonly kind: "chosen"; readonly merged: MergedPages; readonly column: MappedColumn }
  | { readonly kind: "none"; readonly reason: string };

/** For a list of plain values: the column that is called so, or the titles of the list that is called so. */
export function chooseColumn(pages: readonly MergedPages[], wanted: Wanted, shape: ScalarShape): ColumnChoice {
  const leaf = { path: [wanted.name], wanted, shape, isRequired: true };
  const candidates = pickCandidates(pages).flatMap((merged) => {
    const { set } = merged;
    const [byName] = mapColumns(set, [leaf]).columns.values();
    const byList = scoreName(set, wanted.phrases[0] ?? toPhrase(wanted.name));
    if (byName !== undefined && byName.score >= byList) return [{ merged, column: byName }];
    if (set.titleColumn === null || byList < MIN_SIMILARITY) return [];
    const titles = set.rows.map(({ cells }) => cells.get(set.titleColumn ?? "")?.text ?? "");
    return [{ merged, column: { column: set.titleColumn, score: byList, order: findDayOrder(titles) } }];
  });
  const best = Math.max(0, ...candidates.map(({ column }) => column.score));
  const [first, second] = candidates.filter(({ column }) => column.score === best);
  if (first === undefined)
    return { kind: "none", reason: `No column or list on the page is called like "${wanted.name}".` };
  if (second === undefined) return { kind: "chosen", ...first };
  return {
    kind: "none",
    reason: `Ambiguous: "${first.merged.set.name}" and "${second.merged.set.name}" fit equally well.`,
  };
}
