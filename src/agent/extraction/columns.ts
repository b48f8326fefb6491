import { kindOfText } from "../grounding/short-texts.ts";
import { compare, type Phrase, toPhrase } from "../grounding/similarity.ts";
import type { Row } from "./record-set.ts";

export const MIN_SIMILARITY = 0.5;

/** The column with the closest name; null when none is close, or two are equally close. */
export function findColumn(columns: Iterable<string>, about: string | Phrase): string | null {
  const wanted = typeof about === "string" ? toPhrase(about) : about;
  let best: { column: string; score: number } | null = null;
  let isTied = false;
  for (const column of columns) {
    const score = compare(wanted, toPhrase(column));
    if (score < MIN_SIMILARITY || score < (best?.score ?? 0)) continue;
    isTied = score === best?.score;
    best = { column, score };
  }
  return best === null || isTied ? null : best.column;
}

/** The only column of the row whose text is of this kind; null when there is none or several. */
export function findColumnByForm(row: Row, form: ReturnType<typeof kindOfText>): string | null {
  const fitting = [...row.cells].filter(([, cell]) => kindOfText(cell.text) === form).map(([column]) => column);
  return fitting.length === 1 ? (fitting[0] ?? null) : null;
}
