import { matchesFilter } from "./match-rows.ts";
import { findExtreme, sortRows } from "./questions/find-extreme.ts";
import { findNamed } from "./questions/find-named.ts";
import type { Subject } from "./questions/question.ts";
import { type RecordSet, type Row, titleOf } from "./record-set.ts";
import type { RowFilter } from "./row-filter.ts";

/** Which of the records to take. */
export interface RowSelection {
  readonly filter: RowFilter | null;
  readonly limit: number | null;
  readonly subject: Subject | null;
}

export interface ChosenRows {
  readonly rows: readonly Row[];
  /** What was left out, for people; empty when nothing was. */
  readonly note: string;
}

export function chooseRows(set: RecordSet, selection: RowSelection): ChosenRows {
  const { subject } = selection;
  const narrowed = narrow(set, subject);
  const filters = [selection.filter, subject?.kind === "every" ? subject.filter : null].filter(
    (filter) => filter !== null,
  );
  const fitting = narrowed.filter((row) => filters.every((filter) => matchesFilter(row, filter)));
  const limits = [selection.limit, subject?.kind === "every" ? subject.limit : null].filter((limit) => limit !== null);
  const rows = fitting.slice(0, Math.min(...limits, fitting.length));
  const notes = [
    fitting.length < set.rows.length ? `${fitting.length} of them fit` : "",
    rows.length < fitting.length ? `the first ${rows.length} taken` : "",
  ];
  return { rows, note: notes.filter(Boolean).join(", ") };
}

/** The one row that is meant; null when none or several are. */
export function chooseRow(set: RecordSet, { subject }: Pick<RowSelection, "subject">, prompt: string): Row | null {
  const isOne = subject !== null && subject.kind !== "page" && subject.kind !== "every";
  const rows = isOne ? narrow(set, subject) : findMentioned(set, prompt);
  return rows.length === 1 ? (rows[0] ?? null) : null;
}

function narrow(set: RecordSet, subject: Subject | null): readonly Row[] {
  switch (subject?.kind) {
    case "position": {
      const row = set.rows.at(subject.index);
      return row === undefined ? [] : [row];
    }
    case "extreme": {
      const extreme = findExtreme(set, subject.by, subject.direction);
      return extreme.kind === "rows" ? extreme.rows : [];
    }
    case "every": {
      const sorted = subject.order === null ? null : sortRows(set, subject.order);
      return sorted === null ? set.rows : sorted.kind === "rows" ? sorted.rows : [];
    }
    case "named":
      return findNamed([set], subject.name).map(({ row }) => row);
    default:
      return set.rows;
  }
}

/** Rows whose whole title is in the prompt. */
function findMentioned(set: RecordSet, prompt: string): Row[] {
  const text = fold(prompt);
  return set.rows.filter((row) => {
    const title = fold(titleOf(row, set)?.text ?? "");
    return title.trim().length >= 3 && text.includes(title);
  });
}

function fold(text: string): string {
  return ` ${text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}-]+/gu, " ")
    .trim()} `;
}
