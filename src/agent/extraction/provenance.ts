import type { Extraction, LeafPlace } from "./fact.ts";

/** Where one value of the data comes from, to be kept with the run. */
export interface Provenance {
  readonly pointer: string;
  readonly value: unknown;
  readonly quote: string | null;
  readonly url: string;
  /** The observation it was read from, whose picture shows it; null where that was not noted. */
  readonly look: number | null;
  readonly box: LeafPlace["box"];
}

export function toProvenance({ leaves }: Pick<Extraction, "leaves">): Provenance[] {
  return leaves.map(({ pointer, value, quote, url, place }) => ({
    pointer,
    value,
    quote,
    url,
    look: place?.look ?? null,
    box: place?.box ?? null,
  }));
}
