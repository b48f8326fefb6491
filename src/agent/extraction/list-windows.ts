import type { Box, ListExtent, ObservedNode } from "../../browser/observation/observation.ts";
import { identify, type ListWindow, type RecordSet, type Row } from "./record-set.ts";

/**
 * The set with what is known about rows that are not in the document. Rows of such a list may be in any order in the document,
 * so they are put in the order that a person sees.
 */
export function withWindow(set: RecordSet, { extents = [] }: ObservedNode): RecordSet {
  const window = set.kind === "labelled" ? null : findWindow(set.rows, extents);
  if (window === null) return set;
  return { ...set, window, rows: window.isPartial ? sortByPlace(set.rows) : set.rows };
}

function findWindow(rows: readonly Row[], extents: readonly ListExtent[]): ListWindow | null {
  const boxes = rows.flatMap(({ node }) => node.box ?? []);
  const around = extents.filter(({ box }) => boxes.some((row) => isInside(row, box))).toSorted(bySize);
  const area = around.find(({ above, below }) => above > 0 || below > 0);
  const counted = around.find(({ total, isSparse, above, below }) => {
    return (total !== null || isSparse) && above === 0 && below === 0;
  });
  if (area === undefined && counted === undefined) return null;
  const total = counted?.total ?? null;
  const isWhole = total !== null && total <= rows.length;
  return {
    total,
    isPartial: !isWhole && (total !== null || counted?.isSparse === true || area?.isSparse === true),
    area: area?.isPage === false ? "pane" : "page",
    isAtTop: (area?.above ?? 0) <= 1,
    isAtEnd: (area?.below ?? 0) <= 1,
  };
}

function isInside(row: Box, { x, y, width, height }: Box): boolean {
  const center = row.x + Math.min(row.width, width) / 2;
  return center >= x && center <= x + width && row.y < y + height && row.y + row.height > y;
}

function bySize({ box: one }: ListExtent, { box: other }: ListExtent): number {
  return one.width * one.height - other.width * other.height;
}

function sortByPlace(rows: readonly Row[]): readonly Row[] {
  if (rows.some(({ node }) => node.box === null)) return rows;
  const [first] = rows;
  const isColumn = rows.every(({ node }) => Math.abs((node.box?.x ?? 0) - (first?.node.box?.x ?? 0)) <= 1);
  return isColumn ? rows.toSorted((one, other) => (one.node.box?.y ?? 0) - (other.node.box?.y ?? 0)) : rows;
}

interface JoinedWindows {
  readonly rows: readonly Row[];
  /** How many rows were in more than one window. */
  readonly repeated: number;
  /** Why rows may be missing; null when all were seen. */
  readonly unseen: string | null;
}

/**
 * The rows of a list that was scrolled, in order: each window continues where the last one ends. Equal rows are told apart by
 * their place.
 */
export function joinWindows(sets: readonly [RecordSet, ...RecordSet[]]): JoinedWindows {
  const [first, ...others] = sets;
  const keyOf = (row: Row) => identify(row, first);
  const rows = [...first.rows];
  const keys = rows.map(keyOf);
  let [repeated, hasGap, isUnclear] = [0, false, false];
  for (const set of others) {
    const next = set.rows.map(keyOf);
    if (indexOfRun(keys, next) !== -1) {
      repeated += next.length;
      continue;
    }
    const overlaps = next.map((_, index) => index + 1).filter((count) => endsWith(keys, next.slice(0, count)));
    const overlap = overlaps.at(-1) ?? 0;
    const isAllNew = overlap === 0 && !next.some((key) => keys.includes(key));
    hasGap ||= overlap === 0 && keys.length > 0;
    isUnclear ||= overlaps.length > 1;
    const added = set.rows.flatMap((row, index) => {
      return index >= overlap && (overlap > 0 || isAllNew || !keys.includes(next[index] ?? "")) ? [row] : [];
    });
    repeated += set.rows.length - added.length;
    rows.push(...added);
    keys.push(...added.map(keyOf));
  }
  return { rows, repeated, unseen: findUnseen(sets, rows.length, hasGap, isUnclear) };
}

function findUnseen(sets: readonly RecordSet[], count: number, hasGap: boolean, isUnclear: boolean): string | null {
  const windows = sets.flatMap(({ window }) => window ?? []);
  const total = Math.max(-1, ...windows.map((window) => window.total ?? -1));
  if (total === count) return null;
  if (total > count) return `The list says that it has ${total} rows, and ${count} were read.`;
  // At one time all of them were in the document.
  if (sets.some(({ window, rows }) => window?.isPartial !== true && rows.length === count)) return null;
  if (hasGap) return `Between the ${count} rows that were read there may be others that the page did not show.`;
  if (!windows.some(({ isAtTop }) => isAtTop)) return `The list was not read from its top. ${count} rows were read.`;
  if (!windows.some(({ isAtEnd }) => isAtEnd)) return `The list was not scrolled to its end. ${count} rows were read.`;
  return isUnclear ? `Some rows look the same, so it is not known whether ${count} are all.` : null;
}

function endsWith(keys: readonly string[], part: readonly string[]): boolean {
  const from = keys.length - part.length;
  return from >= 0 && part.every((key, index) => keys[from + index] === key);
}

/** Where the whole part is, -1 if nowhere. */
function indexOfRun(keys: readonly string[], part: readonly string[]): number {
  return keys.findIndex((_, at) => part.every((key, index) => keys[at + index] === key));
}
