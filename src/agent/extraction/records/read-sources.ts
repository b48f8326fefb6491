import type { PageSource } from "../page-source.ts";
import { type MergedPages, mergePages } from "../pages/merge-pages.ts";
import { readRecordSets } from "./read-record-sets.ts";
import type { RecordSet } from "./record-set.ts";

/** The records of several pages: sets with the same name and columns on different pages are one that goes on. */
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

/** Columns of cards come and go with what the cards say, so that only their name tells; a name may number the page. */
function keyOf({ kind, name, columns, place }: RecordSet): string {
  return JSON.stringify([kind, place, name.replace(/\d+/g, "#"), kind === "table" ? columns : []]);
}
