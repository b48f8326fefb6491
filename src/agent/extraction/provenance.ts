import type { Extraction, LeafLocation } from "../grounding/claim.ts";

/** The source of one extracted value, stored with the execution. */
export interface Provenance {
  readonly pointer: string;
  readonly value: unknown;
  readonly quote: string | null;
  readonly url: string;
  /** The id of the screenshot that shows it; null without one. */
  readonly screenshot: string | null;
  /** In that screenshot. */
  readonly box: LeafLocation["box"];
}

export function toProvenance(
  { leaves }: Pick<Extraction, "leaves">,
  screenshotOf: (observationNumber: number) => string | null,
): Provenance[] {
  return leaves.map(({ pointer, value, quote, url, location }) => ({
    pointer,
    value,
    quote,
    url,
    screenshot: location === undefined ? null : screenshotOf(location.observationNumber),
    box: location?.box ?? null,
  }));
}
