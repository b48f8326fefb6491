import { readRecordSets } from "../../../extraction/read-record-sets.ts";
import type { Ordinal } from "../english/ordinals.ts";
import { isInside, type Scene, type Spot } from "./scene.ts";
import { stem, toWords } from "./words.ts";

/** Words for the entries of any list. */
const ANY_ENTRY = /^(?:rows?|items?|entry|entries|one|products?|results?|cards?|records?|lines?|list items?)$/i;

/** "the first address": the spots in the n-th record of the one list whose records hold such spots. */
export function keepInRecord(spots: readonly Spot[], ordinal: Ordinal, noun: string, scene: Scene): Spot[] {
  const { root, url, title } = scene.observation;
  const sets = readRecordSets(root, url).filter(({ kind }) => kind !== "labelled");
  const lists = sets
    .map(({ name, rows }) => {
      const places = rows.flatMap((row) => scene.spots.find(({ node }) => node === row.node) ?? []);
      return { name, places: places.filter((place) => spots.some((spot) => isInside(spot, place))) };
    })
    .filter(({ places }) => places.length > 0);
  const [list, ...others] = lists;
  if (list === undefined || others.length > 0) return [];
  const headings = scene.spots.filter(({ node }) => node.role === "heading").map(({ node }) => node.name);
  if (!ANY_ENTRY.test(noun) && !speaksOf([list.name, title, ...headings], noun)) return [];
  const place = list.places.at(ordinal > 0 ? ordinal - 1 : ordinal);
  return place === undefined ? [] : spots.filter((spot) => isInside(spot, place));
}

function speaksOf(texts: readonly string[], noun: string): boolean {
  const words = new Set(texts.flatMap(toWords).map(stem));
  return toWords(noun).every((word) => words.has(stem(word)));
}
