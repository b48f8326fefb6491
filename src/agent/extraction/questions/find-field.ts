import type { TextKind } from "../../grounding/short-texts.ts";
import { toStem } from "../../grounding/similarity.ts";
import { findColumn, findColumnByForm } from "../columns.ts";
import { type Cell, type RecordSet, type Row, titleOf } from "../record-set.ts";

const TITLES = new Set(["name", "title", "product", "item"].map(toStem));
const ADDRESSES = new Set(["link", "url", "href", "address"].map(toStem));
const FORMS = new Map<string, TextKind>(
  (["price", "cost", "rating", "date", "availability"] as const).map((word) => [
    toStem(word),
    word === "cost" ? "price" : word,
  ]),
);

export interface FieldValue {
  readonly value: string;
  readonly quote: string;
}

/** What a record says about something; null when it does not, or not clearly. A column of just this name comes first. */
export function findField(row: Row, set: Pick<RecordSet, "titleColumn" | "columns">, field: string): FieldValue | null {
  const title = titleOf(row, set);
  const word = toStem(field.trim().toLowerCase());
  if (ADDRESSES.has(word)) {
    return title?.url == null ? null : { value: title.url, quote: title.url };
  }
  const namesake = [...row.cells].find(([name]) => toStem(name.trim().toLowerCase()) === word)?.[1];
  if (namesake !== undefined && namesake.text !== "") return toValue(namesake);
  if (TITLES.has(word) && title !== null) return toValue(title);
  const column = findColumn(row.cells.keys(), field);
  const form = FORMS.get(word);
  const chosen = column ?? (form === undefined ? null : findColumnByForm(row, form));
  const cell = chosen === null ? null : row.cells.get(chosen);
  return toValue(cell ?? null);
}

function toValue(cell: Cell | null): FieldValue | null {
  return cell === null || cell.text === "" ? null : { value: cell.text, quote: cell.quote };
}
