import { toSingular } from "../grounding/names.ts";
import { splitWords } from "../grounding/similarity.ts";
import type { Resolved } from "./schema-shape.ts";

/** The name of a property, prepared for comparison with labels and columns. */
export interface Wanted {
  readonly name: string;
  /** Of the name, with and without the property around it, of the title and of a short description. */
  readonly keys: ReadonlySet<string>;
  /** Values that are found where another one is: the URL of a link, the currency of a price, the count behind a rating. */
  readonly concept: "url" | "currency" | "count" | null;
  /** Whether it means what identifies a record or a page, whatever that is called. */
  readonly isTitle: boolean;
}

const TITLE_KEYS: ReadonlySet<string> = new Set(["name", "title"]);

const NAMES: Readonly<Record<NonNullable<Wanted["concept"]>, readonly string[]>> = {
  currency: ["currency", "currencyCode"],
  count: ["reviews", "reviewCount", "ratingCount", "votes", "numberOfReviews", "reviewsCount"],
  url: ["url", "link", "href", "productUrl", "detailUrl", "permalink"],
};
const CONCEPTS = new Map(
  (["currency", "count", "url"] as const).flatMap((concept) => NAMES[concept].map((name) => [toKey(name), concept])),
);
/** Properties that are all of the one around them, or a part of its text: `{ price: { amount, currency } }`. */
const PART_KEYS: ReadonlySet<string> = new Set(["amount", "value", "currency"]);
const URI_FORMAT = /^(?:uri|url|iri|uri-reference)$/;
const MAX_DESCRIPTION = 60;

/** `parents` are the names of the properties around it: "price" for the "amount" in `{ price: { amount } }`. */
export function toWanted(name: string, resolved: Resolved | null, parents: readonly string[] = []): Wanted {
  const around = parents.at(-1);
  const { title = "", description = "", shape } = resolved ?? {};
  const names = [name, title, around === undefined ? "" : `${around} ${name}`];
  if (around !== undefined && PART_KEYS.has(toKey(name))) names.push(around);
  if (description.length <= MAX_DESCRIPTION) names.push(description);
  const keys = names.map(toKey).filter(Boolean);
  const isUri = shape?.kind === "scalar" && URI_FORMAT.test(shape.format ?? "");
  const concept = keys.map((key) => CONCEPTS.get(key)).find((known) => known !== undefined) ?? null;
  const isTitle = keys.some((key) => TITLE_KEYS.has(key));
  return { name, keys: new Set(keys), concept: isUri ? "url" : concept, isTitle };
}

/**
 * Two names with the same key are the same name: upper and lower case, separators and plurals do not matter, nor does what is in
 * brackets. "inStock" is "In stock", "prices" is "Price (EUR)".
 */
export function toKey(name: string): string {
  const words = splitWords(name.replace(/\([^()]*\)/g, " "));
  return words.map(toSingular).join("");
}
