import { foldVisible } from "../../browser/observation/visible-text.ts";
import type { MergedPages } from "./merged-pages.ts";
import { type RecordSet, type Row, titleOf } from "./record-set.ts";
import { toKey, type Wanted } from "./wanted-value.ts";

type Choice<T> = { readonly kind: "chosen"; readonly it: T } | { readonly kind: "none"; readonly reason: string };

/** The column of a property: the one with its name, or the title of the record. */
export function chooseColumn({ columns, titleColumn, rows }: RecordSet, wanted: Wanted): Choice<string> {
  const { name, keys, concept, isTitle } = wanted;
  const named = columns.filter((column) => keys.has(toKey(column)));
  const [column, other] = named;
  if (other !== undefined) return { kind: "none", reason: `Ambiguous: the columns ${named.join(" and ")}.` };
  const isLinked = rows.some(({ cells }) => cells.get(titleColumn ?? "")?.url != null);
  const chosen = column ?? ((concept === "url" ? isLinked : isTitle) ? titleColumn : null);
  if (chosen !== null) return { kind: "chosen", it: chosen };
  return { kind: "none", reason: `There is no column "${name}".` };
}

/**
 * The records for a list: those with its name, or the only ones with its columns. Where several have them, the prompt decides if
 * it names just one of them.
 */
export function chooseRecords(
  pages: readonly MergedPages[],
  names: readonly string[],
  columns: readonly Wanted[],
  prompt: string,
): Choice<MergedPages> {
  const lists = pages.filter(({ set }) => set.kind !== "labelled");
  const main = lists.filter(({ set }) => set.region === "main");
  const candidates = main.length > 0 ? main : lists;
  const keys = new Set(names.map(toKey).filter(Boolean));
  const fitting = candidates.filter(({ set }) => columns.some((wanted) => chooseColumn(set, wanted).kind === "chosen"));
  const most = Math.max(0, ...fitting.map(({ set }) => countColumns(set, columns)));
  const complete = fitting.filter(({ set }) => countColumns(set, columns) === most);
  const levels = [
    fitting.filter(({ set }) => keys.has(toKey(set.name))),
    complete.length > 1 ? complete.filter(({ set }) => isNamedIn(set, prompt)) : [],
    complete,
  ];
  const [first, second] = levels.find(({ length }) => length > 0) ?? [];
  if (first === undefined) {
    return {
      kind: "none",
      reason: `No list on the page has the columns ${columns.map(({ name }) => name).join(", ")}.`,
    };
  }
  if (second === undefined) return { kind: "chosen", it: first };
  return { kind: "none", reason: `Ambiguous: "${first.set.name}" and "${second.set.name}".` };
}

function countColumns(set: RecordSet, columns: readonly Wanted[]): number {
  return columns.filter((wanted) => chooseColumn(set, wanted).kind === "chosen").length;
}

function isNamedIn({ name }: RecordSet, prompt: string): boolean {
  const key = toKey(name);
  return key !== "" && toKey(prompt).includes(key);
}

/** For a list of plain values: the column with that name, or the titles of the list with that name. */
export function chooseValues(
  pages: readonly MergedPages[],
  wanted: Wanted,
): Choice<{ readonly merged: MergedPages; readonly column: string }> {
  const named = pages.flatMap((merged) => {
    const { titleColumn, name, columns } = merged.set;
    const column = columns.find((each) => wanted.keys.has(toKey(each))) ?? null;
    const title = wanted.keys.has(toKey(name)) ? titleColumn : null;
    const chosen = merged.set.kind === "labelled" ? null : (column ?? title);
    return chosen === null ? [] : [{ merged, column: chosen }];
  });
  if (named.length === 0) {
    const choice = chooseRecords(pages, [], [wanted], "");
    if (choice.kind === "none") return choice;
    const column = chooseColumn(choice.it.set, wanted);
    return column.kind === "none" ? column : { kind: "chosen", it: { merged: choice.it, column: column.it } };
  }
  const [first, second] = named;
  if (first !== undefined && second === undefined) return { kind: "chosen", it: first };
  return { kind: "none", reason: `Ambiguous: ${named.map(({ merged }) => `"${merged.set.name}"`).join(" and ")}.` };
}

/** The only row whose whole title is in the prompt: "the price of the Brindle Kettle". */
export function chooseRow(set: RecordSet, prompt: string): Row | null {
  const words = (text: string) => ` ${(foldVisible(text).match(/[\p{L}\p{N}-]+/gu) ?? []).join(" ")} `;
  const said = words(prompt);
  const mentioned = set.rows.filter((row) => {
    const title = words(titleOf(row, set)?.text ?? "");
    return title.trim().length >= 3 && said.includes(title);
  });
  return mentioned.length === 1 ? (mentioned[0] ?? null) : null;
}
