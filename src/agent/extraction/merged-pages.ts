import type { Observation } from "../../browser/observation/observation.ts";
import { readRecordSets } from "./read-record-sets.ts";
import { type RecordSet, type Row, titleOf } from "./record-set.ts";

/** A page to read from. Several of them are one list over several pages, or pages visited one after the other. */
export type PageSource = Pick<Observation, "url" | "root">;

/** The records of several pages: sets with the same name and columns on different pages are one set. */
export function readSources(pages: readonly PageSource[]): RecordSet[] {
  return readMerged(pages).map(({ set }) => set);
}

/** The same, with how much of each was read. */
export function readMerged(pages: readonly PageSource[]): MergedPages[] {
  const groups = new Map<string, { sets: [RecordSet, ...RecordSet[]]; page: number }>();
  for (const [page, { root, url }] of pages.entries()) {
    for (const [index, set] of readRecordSets(root, url).entries()) {
      const key = keyOf(set);
      const group = groups.get(key);
      if (group === undefined) groups.set(key, { sets: [set], page });
      else if (group.page < page) groups.set(key, { sets: [...group.sets, set], page });
      else groups.set(`${key} ${page} ${index}`, { sets: [set], page });
    }
  }
  return [...groups.values()].map(({ sets }) => mergePages(sets));
}

/** The columns of cards vary from page to page, so cards are matched by name only. A name may contain the page number. */
function keyOf({ kind, name, columns, region }: RecordSet): string {
  return JSON.stringify([kind, region, name.replace(/\d+/g, "#"), kind === "table" ? columns : []]);
}

export interface MergedPages {
  readonly set: RecordSet;
  readonly pages: number;
  readonly repeated: number;
  /** In words: "3 pages, 25 rows, 1 repeated". */
  readonly coverage: string;
}

/**
 * The same records over several pages, in order. A row that an earlier page has shown is left out: lists shift while they are
 * read, and "load more" shows everything again. Two equal rows on one page are two rows.
 */
export function mergePages(sets: readonly [RecordSet, ...RecordSet[]], key: string | null = null): MergedPages {
  const keyOf = chooseKey(sets, key);
  const seen = new Set<string>();
  const rows: Row[] = [];
  let repeated = 0;
  for (const set of sets) {
    const keys = set.rows.map(keyOf);
    for (const [index, row] of set.rows.entries()) {
      if (seen.has(keys[index] ?? "")) repeated += 1;
      else rows.push(row);
    }
    for (const rowKey of keys) seen.add(rowKey);
  }
  const unreadRows = sets.reduce((sum, set) => sum + set.unreadRows, 0);
  const columns = [...new Set(sets.flatMap((set) => set.columns))];
  const coverage = [
    count(sets.length, "page"),
    count(rows.length, "row"),
    repeated > 0 ? `${repeated} repeated` : "",
    unreadRows > 0 ? `${unreadRows} with merged cells not read` : "",
  ];
  return {
    set: { ...sets[0], columns, rows, unreadRows },
    pages: sets.length,
    repeated,
    coverage: coverage.filter(Boolean).join(", "),
  };
}

/** The given column; else the URL of the title, where that is unique on each page; else the whole row. */
function chooseKey(sets: readonly RecordSet[], key: string | null): (row: Row) => string {
  if (key !== null) return (row) => JSON.stringify(row.cells.get(key)?.text ?? wholeText(row));
  const [first] = sets;
  const urlOf = (row: Row) => (first === undefined ? null : (titleOf(row, first)?.url ?? null));
  const isUnique = sets.every(({ rows }) => {
    const urls = new Set(rows.map(urlOf));
    return urls.size === rows.length && !urls.has(null);
  });
  return isUnique ? (row) => urlOf(row) ?? "" : wholeText;
}

function wholeText(row: Row): string {
  return JSON.stringify([...row.cells].map(([column, { whole, text }]) => [column, text, whole]));
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
