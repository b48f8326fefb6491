import { compare, isWithin, type Phrase, toPhrase } from "../words/similarity.ts";
import type { Resolved } from "./shape.ts";

/** What a property is called, ready to be compared with labels and columns. */
export interface Wanted {
  readonly name: string;
  readonly phrases: readonly Phrase[];
  readonly description: Phrase;
  readonly concept:
    | "address"
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

const CONCEPTS: readonly [NonNullable<Wanted["concept"]>, readonly string[]][] = [
  ["currency", ["currency", "currencyCode"]],
  ["count", ["reviews", "reviewCount", "ratingCount", "votes", "numberOfReviews", "reviewsCount"]],
  ["address", ["url", "link", "href", "productUrl", "detailUrl", "permalink"]],
  ["identifier", ["number", "id", "code", "reference", "identifier", "key", "no"]],
  ["price", ["price", "cost", "amount", "unitPrice"]],
  ["rating", ["rating", "stars", "score"]],
  ["availability", ["availability", "inStock", "available", "isAvailable", "stock"]],
  ["date", ["date", "day", "when"]],
  ["title", ["name", "title", "product", "productName", "itemName", "item", "headline", "subject", "label", "text"]],
];

/** What stands in the same place as something else: the currency in the price, the number of reviews in the rating. */
const BESIDE = new Map<Wanted["concept"], Phrase>([
  ["currency", toPhrase("price")],
  ["count", toPhrase("rating")],
]);

/** `parents` are the names of the properties around it: "price" for the "amount" in `{ price: { amount } }`. */
export function toWanted(name: string, resolved: Resolved | null, parents: readonly string[] = []): Wanted {
  const around = parents.at(-1);
  const names = [name, resolved?.title ?? "", around === undefined ? "" : `${around} ${name}`].filter(Boolean);
  const concept =
    CONCEPTS.find(([, words]) => names.some((word) => words.some((known) => isSame(known, word))))?.[0] ?? null;
  const isUri =
    resolved?.shape.kind === "scalar" && /^(?:uri|url|iri|uri-reference)$/.test(resolved.shape.format ?? "");
  return {
    name,
    phrases: names.map(toPhrase),
    description: toPhrase((resolved?.description ?? "").slice(0, 300)),
    concept: isUri ? "address" : concept,
  };
}

/** How well a label or a column fits, from 0 to 1. A description is longer than a name, so it says less. */
export function scoreLabel(wanted: Wanted, label: string): number {
  const phrase = toPhrase(label);
  const byName = wanted.phrases.reduce((best, name) => Math.max(best, compare(name, phrase)), 0);
  const beside = BESIDE.get(wanted.concept);
  const isBeside = beside !== undefined && compare(beside, phrase) === 1;
  const byDescription = Math.max(
    isWithin(phrase, wanted.description) ? 0.5 : 0,
    0.8 * compare(wanted.description, phrase),
  );
  return Math.max(byName, byDescription, isBeside ? 0.55 : 0);
}

function isSame(one: string, other: string): boolean {
  const [stems, others] = [toPhrase(one).stems, toPhrase(other).stems];
  return stems.size === others.size && [...stems].every((stem) => others.has(stem));
}
