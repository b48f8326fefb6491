import type { Box, ObservedNode } from "../../browser/observation/observation.ts";
import type { Extraction, Leaf, LeafLocation } from "../grounding/claim.ts";
import { readText } from "../grounding/page-text.ts";

/** Where one value of the data comes from, to be kept with the run. */
export interface Provenance {
  readonly pointer: string;
  readonly value: unknown;
  readonly quote: string | null;
  readonly url: string;
  /** The id of the picture that shows it; null where there is none. */
  readonly screenshot: string | null;
  /** In that picture. */
  readonly box: LeafLocation["box"];
}

/** `pages`: what the run has seen, for values whose reader did not say where they stood. */
export function toProvenance(
  { leaves }: Pick<Extraction, "leaves">,
  pictureOf: (look: number) => string | null,
  pages: readonly SeenPage[],
): Provenance[] {
  const found = findLocations(
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

/** A page that the run has seen, and with which look. */
interface SeenPage {
  readonly url: string;
  readonly look: number;
  readonly root: ObservedNode;
}

/**
 * Where leaves stood whose reader did not say so, on the page that they name. A price can stand on a page many times, so
 * the leaves of one record are looked for in the innermost part that says all of them.
 */
function findLocations(leaves: readonly Leaf[], pages: readonly SeenPage[]): Map<string, LeafLocation> {
  const places = new Map<string, LeafLocation>();
  const grounded = leaves.filter(({ quote, place }) => quote !== null && place === undefined);
  const records = Map.groupBy(grounded, ({ pointer, url }) => `${pointer.slice(0, pointer.lastIndexOf("/"))} ${url}`);
  const says = cacheTexts();
  for (const record of records.values()) {
    const page = pages.findLast(({ url }) => url === record[0]?.url);
    if (page === undefined) continue;
    const quotes = record.map(({ quote }) => squeeze(quote ?? ""));
    const part = findInnermost({ node: page.root, box: null }, (node) =>
      quotes.every((quote) => holds(node, quote, says)),
    );
    const taken = new Set<ObservedNode>();
    for (const [index, { pointer }] of record.entries()) {
      const spot = part && findLocation(part, quotes[index] ?? "", says, taken);
      if (spot !== null) taken.add(spot.node);
      places.set(pointer, { look: page.look, box: spot?.box ?? null });
    }
  }
  return places;
}

interface NodeLocation {
  readonly node: ObservedNode;
  /** The smallest one around it. */
  readonly box: Box | null;
}

type Texts = (node: ObservedNode) => string;

/** What says just this comes first: a number also stands in longer numbers. Two equal cells are two places. */
function findLocation(
  part: NodeLocation,
  quote: string,
  says: Texts,
  taken: ReadonlySet<ObservedNode>,
): NodeLocation | null {
  for (const spot of walkLocations(part)) {
    if (
      says(spot.node) === quote &&
      !taken.has(spot.node) &&
      !spot.node.children.some((child) => says(child) === quote)
    ) {
      return spot;
    }
  }
  return findInnermost(part, (node) => holds(node, quote, says));
}

function* walkLocations(spot: NodeLocation): Generator<NodeLocation> {
  yield spot;
  for (const node of spot.node.children) yield* walkLocations({ node, box: node.box ?? spot.box });
}

function findInnermost(start: NodeLocation, isIt: (node: ObservedNode) => boolean): NodeLocation | null {
  if (!isIt(start.node)) return null;
  let spot = start;
  for (;;) {
    const inner = spot.node.children.find(isIt);
    if (inner === undefined) return spot;
    spot = { node: inner, box: inner.box ?? spot.box };
  }
}

/** The quote of an address is the address of a link. */
function holds(node: ObservedNode, quote: string, says: Texts): boolean {
  return says(node).includes(quote) || leadsTo(node, quote);
}

function leadsTo(node: ObservedNode, url: string): boolean {
  return node.url === url || node.children.some((child) => leadsTo(child, url));
}

function cacheTexts(): Texts {
  const texts = new Map<ObservedNode, string>();
  return (node) => {
    const text = texts.get(node) ?? squeeze(readText(node));
    texts.set(node, text);
    return text;
  };
}

function squeeze(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
