import type { ObservedNode } from "../../../browser/observation/observed-node.ts";

/** One value of a record, with the place where it stands. */
export interface Cell {
  /** What it says: of a title, without the lines below it. */
  readonly text: string;
  /** The text of the page, word for word. */
  readonly quote: string;
  /** Everything that stands in the place, where the text is only its title. */
  readonly whole: string;
  /** Of a link inside. */
  readonly url: string | null;
  /** Of the link or the control inside. */
  readonly ref: string | null;
  readonly node: ObservedNode;
}

export interface Row {
  /** By column; a column that the row does not have is absent. */
  readonly cells: ReadonlyMap<string, Cell>;
  readonly node: ObservedNode;
  /** The page it stands on. */
  readonly pageUrl: string;
}

/** Where on the page something stands: what is in the main part is meant before what is around it. */
export type Place = "main" | "around";

/** Records of one kind that a page shows together. */
export interface RecordSet {
  /** labelled: one record for each time that the labels start over, usually one. */
  readonly kind: "table" | "list" | "labelled";
  /** The caption, the label, or the heading above; may be empty. */
  readonly name: string;
  readonly columns: readonly string[];
  /** The column that says which record it is: the row header, the heading or the link of a card. */
  readonly titleColumn: string | null;
  readonly rows: readonly Row[];
  readonly place: Place;
  /** Rows that could not be told apart into columns, such as those with merged cells. */
  readonly unreadRows: number;
}

/** A label and what stands beside it. */
export interface LabelledValue {
  readonly label: string;
  readonly cell: Cell;
}

export function titleOf(row: Row, set: Pick<RecordSet, "titleColumn">): Cell | null {
  return set.titleColumn === null ? null : (row.cells.get(set.titleColumn) ?? null);
}
