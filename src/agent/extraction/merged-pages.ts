import type { Observation } from "../../browser/observation/observation.ts";
import { joinWindows } from "./list-windows.ts";
import { isSameList } from "./page-urls.ts";
import { readRecordSets } from "./read-record-sets.ts";
import { type RecordSet, type Row, titleOf } from "./record-set.ts";

/** A page to read from. Several of them are one list over several pages, or pages visited one after the other. */
export type PageSource = Pick<Observation, "url" | "root"> & Partial<Pick<Observation, "number">>;

/** The records of several pages, with how much of each was read: sets with the same name and columns are one set. */
export function readMerged(pages: readonly PageSource[]): MergedPages[] {
  const groups: Group[] = [];
  for (const [page, { root, url, number }] of pages.entries()) {
    const found = readRecordSets(root, url, number);
    for (const set of found) {
      const group = findGroup(
        set,
        found,
        groups.filter((one) => one.page < page),
        url,
      );
      if (group === null) groups.push({ key: keyOf(set), sets: [set], page, url });
      else Object.assign(group, { sets: [...group.sets, set], page, url });
    }
  }
  return groups.map(({ sets }) => mergePages(sets));
}

/** The sets of one list so far. */
interface Group {
  readonly key: string;
  sets: [RecordSet, ...RecordSet[]];
  /** The last page that it was on. */
  page: number;
  url: string;
}

/** The list that a set continues; null when it is a list of its own. */
function findGroup(set: RecordSet, onPage: readonly RecordSet[], earlier: readonly Group[], url: string): Group | null {
  const named = earlier.find(({ key }) => key === keyOf(set));
  if (named !== undefined || set.kind !== "table") return named ?? null;
  // The heading may differ from page to page. The only table with these columns is still the same one.
  const isAlike = (other: RecordSet) => other.kind === "table" && isSameColumns(other, set);
  const [only, ...more] = earlier.filter((group) => isAlike(group.sets[0]) && isSameList(group.url, url));
  return only !== undefined && more.length === 0 && onPage.filter(isAlike).length === 1 ? only : null;
}

function isSameColumns(one: RecordSet, other: RecordSet): boolean {
  return one.columns.join("\n").toLowerCase() === other.columns.join("\n").toLowerCase();
}

/** The columns of cards vary from page to page, so cards are matched by name only. A name may contain the page number. */
function keyOf({ kind, name, columns, region }: RecordSet): string {
  return JSON.stringify([kind, region, name.replace(/\d+/g, "#"), kind === "table" ? columns : []]);
}

export interface MergedPages {
  readonly set: RecordSet;
  readonly pages: number;
  readonly repeated: number;
  /** Why a list that holds only some rows at a time may have others; null when all of its rows were read. */
  readonly unseen: string | null;
  /** In words: "3 pages, 25 rows, 1 repeated". */
  readonly coverage: string;
}

/**
 * The same records over several pages, in order. A row that an earlier page has shown is left out: lists shift while they are
 * read, and "load more" shows everything again. Two equal rows on one page are two rows.
 */
export function mergePages(sets: readonly [RecordSet, ...RecordSet[]]): MergedPages {
  const isWindowed = sets.some(({ window }) => window?.isPartial === true);
  const { rows, repeated, unseen } = isWindowed ? joinWindows(sets) : joinByKey(sets);
  const unreadRows = sets.reduce((sum, set) => sum + set.unreadRows, 0);
  const totals = sets.flatMap((set) => set.totals);
  const columns = [...new Set(sets.flatMap((set) => set.columns))];
  const coverage = [
    count(sets.length, "page"),
    count(rows.length, "row"),
    repeated > 0 && !isWindowed ? `${repeated} repeated` : "",
    unreadRows > 0 ? `${unreadRows} not read` : "",
  ];
  return {
    set: { ...sets[0], columns, rows, totals, unreadRows },
    pages: sets.length,
    // That windows overlap is not remarkable.
    repeated: isWindowed ? 0 : repeated,
    unseen,
    coverage: coverage.filter(Boolean).join(", "),
  };
}

function joinByKey(sets: readonly RecordSet[]) {
  const keyOf = chooseKey(sets);
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
  return { rows, repeated, unseen: null };
}

/** The URL of the title, where that is unique on each page; else the whole row. */
function chooseKey(sets: readonly RecordSet[]): (row: Row) => string {
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
