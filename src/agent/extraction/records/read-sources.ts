import type { PageSource } from "../page-source.ts";
import { mergePages } from "../pages/merge-pages.ts";
import { readRecordSets } from "./read-record-sets.ts";
import type { RecordSet } from "./record-set.ts";

/** The records of several pages: sets with the same name and columns on different pages are one that goes on. */
export function readSources(pages: readonly PageSource[]): RecordSet[] {
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
  return [...groups.values()].map(({ sets }) => (sets.length === 1 ? sets[0] : mergePages(sets).set));
}

/** Columns of cards come and go with what the cards say, so that only their name tells. */
export function keyOf({ kind, name, columns, place }: RecordSet): string {
  return JSON.stringify([kind, place, name, kind === "table" ? columns : []]);
}
