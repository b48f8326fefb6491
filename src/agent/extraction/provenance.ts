import type { Box, ObservedNode } from "../../browser/observation/observation.ts";
import type { Extraction, Leaf, LeafLocation } from "../grounding/claim.ts";
import { collapseWhitespace, readText } from "../grounding/page-text.ts";

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

/** `pages` are those the run has seen: they locate the values whose reader recorded no location. */
export function toProvenance(
  { leaves }: Pick<Extraction, "leaves">,
  screenshotOf: (observationNumber: number) => string | null,
  pages: readonly SeenPage[],
): Provenance[] {
  const found = findLocations(
    leaves,
    pages.filter(({ observationNumber }) => screenshotOf(observationNumber) !== null),
  );
  return leaves.map(({ pointer, value, quote, url, location = found.get(pointer) }) => ({
    pointer,
    value,
    quote,
    url,
    screenshot: location === undefined ? null : screenshotOf(location.observationNumber),
    box: location?.box ?? null,
  }));
}

/** A page that the run has seen, and in which observation. */
interface SeenPage {
  readonly url: string;
  readonly observationNumber: number;
  readonly root: ObservedNode;
}

/**
 * The locations of leaves whose reader recorded none, on the page that they name. A price may be on a page many times, so the
 * leaves of one record are searched in the innermost node that contains all of them.
 */
function findLocations(leaves: readonly Leaf[], pages: readonly SeenPage[]): Map<string, LeafLocation> {
  const locations = new Map<string, LeafLocation>();
  const grounded = leaves.filter(({ quote, location }) => quote !== null && location === undefined);
  const records = Map.groupBy(grounded, ({ pointer, url }) => `${pointer.slice(0, pointer.lastIndexOf("/"))} ${url}`);
  const says = cacheTexts();
  for (const record of records.values()) {
    const page = pages.findLast(({ url }) => url === record[0]?.url);
    if (page === undefined) continue;
    const quotes = record.map(({ quote }) => collapseWhitespace(quote ?? ""));
    const part = findInnermost({ node: page.root, box: null }, (node) =>
      quotes.every((quote) => holds(node, quote, says)),
    );
    const taken = new Set<ObservedNode>();
    for (const [index, { pointer }] of record.entries()) {
      const found = part && findLocation(part, quotes[index] ?? "", says, taken);
      if (found !== null) taken.add(found.node);
      locations.set(pointer, { observationNumber: page.observationNumber, box: found?.box ?? null });
    }
  }
  return locations;
}

interface NodeLocation {
  readonly node: ObservedNode;
  /** The smallest box around the node. */
  readonly box: Box | null;
}

type Texts = (node: ObservedNode) => string;

/** A node with just this text comes first: a number is also part of longer numbers. Two equal cells are two locations. */
function findLocation(
  part: NodeLocation,
  quote: string,
  says: Texts,
  taken: ReadonlySet<ObservedNode>,
): NodeLocation | null {
  for (const found of walkLocations(part)) {
    if (
      says(found.node) === quote &&
      !taken.has(found.node) &&
      !found.node.children.some((child) => says(child) === quote)
    ) {
      return found;
    }
  }
  return findInnermost(part, (node) => holds(node, quote, says));
}

function* walkLocations(found: NodeLocation): Generator<NodeLocation> {
  yield found;
  for (const node of found.node.children) yield* walkLocations({ node, box: node.box ?? found.box });
}

function findInnermost(start: NodeLocation, isIt: (node: ObservedNode) => boolean): NodeLocation | null {
  if (!isIt(start.node)) return null;
  let found = start;
  for (;;) {
    const inner = found.node.children.find(isIt);
    if (inner === undefined) return found;
    found = { node: inner, box: inner.box ?? found.box };
  }
}

/** The quote of a URL is the URL of a link. */
function holds(node: ObservedNode, quote: string, says: Texts): boolean {
  return says(node).includes(quote) || leadsTo(node, quote);
}

function leadsTo(node: ObservedNode, url: string): boolean {
  return node.url === url || node.children.some((child) => leadsTo(child, url));
}

function cacheTexts(): Texts {
  const texts = new Map<ObservedNode, string>();
  return (node) => {
    const text = texts.get(node) ?? collapseWhitespace(readText(node));
    texts.set(node, text);
    return text;
  };
}
