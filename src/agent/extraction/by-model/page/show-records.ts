import type { Cell, RecordSet } from "../../records/record-set.ts";
import type { OfferedRecords } from "./read-page.ts";

const MAX_EXAMPLES = 3;
const MAX_EXAMPLE_LENGTH = 60;

/** What tables and lists there are: their columns with a few examples, never all their rows. */
export function showRecords(offers: readonly OfferedRecords[]): string {
  return offers.flatMap(showOffer).join("\n");
}

function showOffer({ id, set, columns }: OfferedRecords): string[] {
  const { kind, name, rows, place } = set;
  const around = place === "main" ? "" : ", beside the main part";
  return [
    `${id}: ${kind === "table" ? "table" : "list"} ${cut(name)}, ${rows.length} rows${around}`,
    ...[...columns].map(([column, title]) => ` ${column} ${cut(title)}: ${showExamples(set, title)}`),
  ];
}

function showExamples({ rows }: RecordSet, column: string): string {
  const cells = rows.map((row) => row.cells.get(column)).filter((cell): cell is Cell => cell !== undefined);
  const filled = cells.filter(({ text }) => text !== "");
  const hasLinks = cells.some(({ url }) => url !== null);
  const shown = filled.slice(0, MAX_EXAMPLES).map(({ text }) => cut(text));
  return `${shown.join(" | ") || "(empty)"}${hasLinks ? " (links)" : ""}`;
}

function cut(text: string): string {
  return JSON.stringify(text.length <= MAX_EXAMPLE_LENGTH ? text : `${text.slice(0, MAX_EXAMPLE_LENGTH)}…`);
}
