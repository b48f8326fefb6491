import { readText } from "../../grounding/page-text.ts";
import { isWithin, toPhrase } from "../../grounding/similarity.ts";
import { type RecordSet, type Row, titleOf } from "../record-set.ts";

export interface NamedRow {
  readonly row: Row;
  readonly set: RecordSet;
}

const KINDS = toPhrase(
  "order product item article book invoice ticket row entry result page user account city country",
);

/** The records that go by this name; those that go by exactly this name before those that contain it. */
export function findNamed(sets: readonly RecordSet[], name: string): NamedRow[] {
  const wanted = toPhrase(name);
  const exact: NamedRow[] = [];
  const near: NamedRow[] = [];
  for (const set of sets) {
    for (const row of set.rows) {
      const title = nameOf(row, set);
      if (title === "") continue;
      if (fold(title) === fold(name)) exact.push({ row, set });
      else if (isMeant(title, wanted)) near.push({ row, set });
    }
  }
  return exact.length > 0 ? exact : near;
}

/** "the order", "this product": it names no particular one, so the one that the page is about is meant. */
export function isOnlyKind(name: string): boolean {
  return isWithin(toPhrase(name), KINDS);
}

/** Labelled values belong to the heading above them. */
function nameOf(row: Row, set: RecordSet): string {
  if (set.kind === "labelled") return row.cells.get("title")?.text ?? set.name;
  return titleOf(row, set)?.text ?? readText(row.node);
}

/** "the kettle" means "Brindle Kettle"; "order T-10055" means "T-10055", but "Brindle Kettle Deluxe" is another thing. */
function isMeant(title: string, wanted: ReturnType<typeof toPhrase>): boolean {
  const phrase = toPhrase(title);
  if (isWithin(wanted, phrase)) return true;
  return isWithin(phrase, wanted) && [...wanted.stems].every((stem) => phrase.stems.has(stem) || KINDS.stems.has(stem));
}

function fold(text: string): string {
  return text.normalize("NFKC").toLowerCase().replace(/\s+/g, " ").trim();
}
