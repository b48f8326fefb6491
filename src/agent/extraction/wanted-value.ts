import { compare, isWithin, type Phrase, toPhrase } from "../grounding/similarity.ts";
import type { Resolved } from "./schema-shape.ts";

/** The name of a property, prepared for comparison with labels and columns. */
export interface Wanted {
  readonly name: string;
  readonly phrases: readonly Phrase[];
  readonly description: Phrase;
  readonly concept:
    | "url"
    | "identifier"
    | "title"
    | "currency"
    | "price"
    | "date"
    | "rating"
    | "availability"
    | "count"
    | null;
}

const NAMES: readonly [NonNullable<Wanted["concept"]>, readonly string[]][] = [
  ["currency", ["currency", "currencyCode"]],
  ["count", ["reviews", "reviewCount", "ratingCount", "votes", "numberOfReviews", "reviewsCount"]],
  ["url", ["url", "link", "href", "productUrl", "detailUrl", "permalink"]],
  ["identifier", ["number", "id", "code", "reference", "identifier", "key", "no"]],
  ["price", ["price", "cost", "amount", "unitPrice"]],
  ["rating", ["rating", "stars", "score"]],
  ["availability", ["availability", "inStock", "available", "isAvailable", "stock"]],
  ["date", ["date", "day", "when"]],
  ["title", ["name", "title", "product", "productName", "itemName", "item", "headline", "subject", "label", "text"]],
];

/** Keyed by the sorted words of a name. */
const CONCEPTS = new Map(
  NAMES.flatMap(([concept, names]) => names.map((name) => [keyOf(toPhrase(name)), concept] as const)),
);

/** Values that are found where another one is: the currency in the price, the number of reviews in the rating. */
const BESIDE = new Map<Wanted["concept"], Phrase>([
  ["currency", toPhrase("price")],
  ["count", toPhrase("rating")],
]);

/** `parents` are the names of the properties around it: "price" for the "amount" in `{ price: { amount } }`. */
export function toWanted(name: string, resolved: Resolved | null, parents: readonly string[] = []): Wanted {
  const around = parents.at(-1);
  const names = [name, resolved?.title ?? "", around === undefined ? "" : `${around} ${name}`].filter(Boolean);
  const phrases = names.map(toPhrase);
  const concept = phrases.map((phrase) => CONCEPTS.get(keyOf(phrase))).find((known) => known !== undefined) ?? null;
  const isUri =
    resolved?.shape.kind === "scalar" && /^(?:uri|url|iri|uri-reference)$/.test(resolved.shape.format ?? "");
  return {
    name,
    phrases,
    description: toPhrase((resolved?.description ?? "").slice(0, 300)),
    concept: isUri ? "url" : concept,
  };
}

/** How well a label or a column fits, from 0 to 1. A description is longer than a name, so it counts for less. */
export function scoreLabel(wanted: Wanted, phrase: Phrase): number {
  const byName = wanted.phrases.reduce((best, name) => Math.max(best, compare(name, phrase)), 0);
  const beside = BESIDE.get(wanted.concept);
  const isBeside = beside !== undefined && compare(beside, phrase) >= 0.5;
  const mentioned = scoreMention(phrase, wanted.description);
  const byDescription = Math.max(mentioned, 0.8 * compare(wanted.description, phrase));
  return Math.max(byName, byDescription, isBeside ? 0.55 : 0);
}

/** A label fits only if it has one of these words. */
export function wordsOf({ phrases, description, concept }: Wanted): ReadonlySet<string> {
  const beside = BESIDE.get(concept);
  const all = [...phrases, description, ...(beside === undefined ? [] : [beside])];
  return new Set(all.flatMap(({ stems, concepts }) => [...stems, ...concepts]));
}

/** A description starts with what it is about: "the status of the order". */
function scoreMention(label: Phrase, description: Phrase): number {
  if (!isWithin(label, description)) return 0;
  const [first] = description.stems;
  return first !== undefined && label.stems.has(first) ? 0.6 : 0.5;
}

function keyOf({ stems }: Phrase): string {
  return [...stems].sort().join(" ");
}
