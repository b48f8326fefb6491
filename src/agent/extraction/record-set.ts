import type { ObservedNode } from "../../browser/observation/observation.ts";
import { collapseWhitespace } from "../../browser/observation/visible-text.ts";
import { findDescendants, hasDescendant, isButton, readOwnText, readText } from "../grounding/page-text.ts";
import { withoutFootnote } from "./footnotes.ts";

/** One value of a record, and the node it is in. */
export interface Cell {
  /** Its text; for a title, without the lines below it. */
  readonly text: string;
  /** As the page has it. */
  readonly quote: string;
  /** The whole text of the node, where `text` is only its title. */
  readonly whole: string;
  /** The URL of a link inside. */
  readonly url: string | null;
  /** The ref of the link or the control inside. */
  readonly ref: string | null;
  readonly node: ObservedNode;
}

export interface Row {
  /** By column; columns that the row does not have are absent. */
  readonly cells: ReadonlyMap<string, Cell>;
  readonly node: ObservedNode;
  /** The page it is on, and the observation that shows it. */
  readonly pageUrl: string;
  readonly observationNumber: number;
}

/** A row before it is known which page it is on. */
export type BareRow = Pick<Row, "cells" | "node">;

/** What the reader of a table or a list finds, before it is known where that is. */
export interface BareSet extends Pick<RecordSet, "kind" | "columns" | "titleColumn" | "unreadRows"> {
  readonly rows: readonly BareRow[];
  readonly totals: readonly BareRow[];
}

/** Part of the page. What is in the main part is preferred to what is around it. */
export type PageRegion = "main" | "around";

/** Records of one kind that a page shows together. */
export interface RecordSet {
  /** labelled: one record each time the labels start over, usually one. */
  readonly kind: "table" | "list" | "labelled";
  /** The caption, the label, or the heading above; may be empty. */
  readonly name: string;
  readonly columns: readonly string[];
  /** The column that identifies the record: the row header, the heading or the link of a card. */
  readonly titleColumn: string | null;
  readonly rows: readonly Row[];
  readonly region: PageRegion;
  /** Rows that sum up others ("Total", "Subtotal"). They are not records, and not among `rows`. */
  readonly totals: readonly Row[];
  /** Rows that could not be read: with merged cells, or what may be a card of the list and differs from the others. */
  readonly unreadRows: number;
  /** For a list that scrolls or states its length: how much of it the page holds. */
  readonly window?: ListWindow;
}

/** The part of a list that is in the document. */
export interface ListWindow {
  /** How many rows the list says it has; null when it does not say so. */
  readonly total: number | null;
  /** There are, or may be, rows that are not in the document. */
  readonly isPartial: boolean;
  /** What scrolls it: the page, or a pane of the page. */
  readonly area: "page" | "pane";
  /** Whether that is at its top and at its end. */
  readonly isAtTop: boolean;
  readonly isAtEnd: boolean;
}

/** A label and its value. */
export interface LabelledValue {
  readonly label: string;
  readonly cell: Cell;
}

export function titleOf(row: Row, set: Pick<RecordSet, "titleColumn">): Cell | null {
  return set.titleColumn === null ? null : (row.cells.get(set.titleColumn) ?? null);
}

/** The same for two sights of one row, as long as nothing in it has changed. */
export function identify(row: Row, set: Pick<RecordSet, "titleColumn">): string {
  return JSON.stringify([titleOf(row, set)?.url, ...[...row.cells.values()].map(({ whole }) => whole)]);
}

/**
 * A cell for the whole text of a node. Buttons are left out, except in a grid, where they are often the content; a table
 * inside is read on its own.
 */
export function toCell(node: ObservedNode): Cell {
  const own = readOwnText(node);
  const isSeparate = hasDescendant(node, (inner) => isTable(inner) || (isButton(inner) && node.role === "cell"));
  const whole = own === "" && !isSeparate ? readText(node) : own;
  return toPart(node, whole, whole);
}

/** A cell for a part of the text of a node. */
export function toPart(node: ObservedNode, said: string, whole = readText(node)): Cell {
  const link = findLink(node);
  const text = withoutFootnote(said, node);
  return { text, quote: text, whole, url: link?.url ?? null, ref: link?.ref ?? node.ref, node };
}

/** The heading or the only link of a node is its title; the lines below are not part of the name. */
export function toTitleCell(node: ObservedNode): Cell {
  const cell = toCell(node);
  const [heading] = findDescendants(node, ({ role }) => role === "heading");
  const links = findDescendants(node, isLink);
  const title = heading ?? (links.length === 1 ? links[0] : undefined);
  const text = title === undefined ? "" : collapseWhitespace(readText(title));
  if (text === "" || !cell.whole.includes(text)) return cell;
  return { ...cell, text, quote: text };
}

/** Null when several links lead to different pages. */
function findLink(node: ObservedNode): { url: string | null; ref: string | null } | null {
  if (isLink(node)) return node;
  const links = findDescendants(node, isLink);
  const [first] = links;
  if (first === undefined) return null;
  return links.every(({ url }) => url === first.url) ? first : null;
}

export function isLink(node: ObservedNode): boolean {
  return node.role === "link";
}

const TABLES = new Set(["table", "grid", "treegrid"]);

export function isTable(node: ObservedNode): boolean {
  return TABLES.has(node.role);
}
