import { kindOfText } from "../grounding/short-texts.ts";
import { compare, type Phrase, toPhrase } from "../grounding/similarity.ts";
import { type RecordSet, type Row, titleOf } from "./record-set.ts";

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

type Described = Pick<RecordSet, "columns" | "titleColumn" | "rows">;

/** One line for each record, for people: the requested fields, or all of them. */
export function describeRecords(set: Described, fields: readonly string[] = []): string {
  return set.rows.map((row) => describeRow(row, set, fields)).join("\n");
}

/** The records as plain data, by column. */
export function recordsToJson(set: Described, fields: readonly string[] = []): Record<string, string>[] {
  return set.rows.map((row) => Object.fromEntries(pick(row, set, fields)));
}

function describeRow(row: Row, set: Described, fields: readonly string[]): string {
  const title = titleOf(row, set)?.text;
  return pick(row, set, fields)
    .map(([column, text]) => (text === title ? text : `${column}: ${text}`))
    .join(", ");
}

function pick(row: Row, set: Described, fields: readonly string[]): [string, string][] {
  if (fields.length === 0) return set.columns.flatMap((column) => toEntry(row, column, column));
  return fields.flatMap((field) => {
    const column = findColumn(set.columns, field) ?? (/^(?:name|title)s?$/i.test(field) ? set.titleColumn : null);
    return column === null ? [] : toEntry(row, column, field);
  });
}

function toEntry(row: Row, column: string, name: string): [string, string][] {
  const text = row.cells.get(column)?.text ?? "";
  return text === "" ? [] : [[name, text]];
}
