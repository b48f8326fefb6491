import { findColumn } from "../filters/find-column.ts";
import { type RecordSet, type Row, titleOf } from "./record-set.ts";

type Described = Pick<RecordSet, "columns" | "titleColumn" | "rows">;

/** One line for each record, for people: the asked fields, or everything it says. */
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
