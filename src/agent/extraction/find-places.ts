import type { Box, ObservedNode } from "../../browser/observation/observed-node.ts";
import type { Leaf, LeafPlace } from "./fact.ts";
import { readText } from "./records/read-text.ts";

/** A page that the run has seen, and with which look. */
export interface SeenPage {
  readonly url: string;
  readonly look: number;
  readonly root: ObservedNode;
}

/**
 * Where leaves stood whose reader did not say so, on the page that they name. A price can stand on a page many times, so
 * the leaves of one record are looked for in the innermost part that says all of them.
 */
export function findPlaces(leaves: readonly Leaf[], pages: readonly SeenPage[]): Map<string, LeafPlace> {
  const places = new Map<string, LeafPlace>();
  const grounded = leaves.filter(({ quote, place }) => quote !== null && place === undefined);
  const records = Map.groupBy(grounded, ({ pointer, url }) => `${pointer.slice(0, pointer.lastIndexOf("/"))} ${url}`);
  const says = rememberTexts();
  for (const record of records.values()) {
    const page = pages.findLast(({ url }) => url === record[0]?.url);
    if (page === undefined) continue;
    const quotes = record.map(({ quote }) => squeeze(quote ?? ""));
    const part = findInnermost({ node: page.root, box: null }, (node) =>
      quotes.every((quote) => holds(node, quote, says)),
    );
    const taken = new Set<ObservedNode>();
    for (const [index, { pointer }] of record.entries()) {
      const spot = part && findSpot(part, quotes[index] ?? "", says, taken);
      if (spot !== null) taken.add(spot.node);
      places.set(pointer, { look: page.look, box: spot?.box ?? null });
    }
  }
  return places;
}

interface Spot {
  readonly node: ObservedNode;
  /** The smallest one around it. */
  readonly box: Box | null;
}

type Texts = (node: ObservedNode) => string;

/** What says just this comes first: a number also stands in longer numbers. Two equal cells are two places. */
function findSpot(part: Spot, quote: string, says: Texts, taken: ReadonlySet<ObservedNode>): Spot | null {
  for (const spot of walkSpots(part)) {
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

function* walkSpots(spot: Spot): Generator<Spot> {
  yield spot;
  for (const node of spot.node.children) yield* walkSpots({ node, box: node.box ?? spot.box });
}

function findInnermost(start: Spot, isIt: (node: ObservedNode) => boolean): Spot | null {
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

function rememberTexts(): Texts {
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
