import type { Extraction, LeafPlace } from "./fact.ts";
import { findPlaces, type SeenPage } from "./find-places.ts";

/** Where one value of the data comes from, to be kept with the run. */
export interface Provenance {
  readonly pointer: string;
  readonly value: unknown;
  readonly quote: string | null;
  readonly url: string;
  /** The id of the picture that shows it; null where there is none. */
  readonly screenshot: string | null;
  /** In that picture. */
  readonly box: LeafPlace["box"];
}

/** `pages`: what the run has seen, for values whose reader did not say where they stood. */
export function toProvenance(
  { leaves }: Pick<Extraction, "leaves">,
  pictureOf: (look: number) => string | null,
  pages: readonly SeenPage[],
): Provenance[] {
  const found = findPlaces(
    leaves,
    pages.filter(({ look }) => pictureOf(look) !== null),
  );
  return leaves.map(({ pointer, value, quote, url, place = found.get(pointer) }) => ({
    pointer,
    value,
    quote,
    url,
    screenshot: place === undefined ? null : pictureOf(place.look),
    box: place?.box ?? null,
  }));
}
