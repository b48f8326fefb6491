import type { ObservedNode } from "../../../../browser/observation/observed-node.ts";
import { walk } from "../../../../browser/observation/tree.ts";
import { isLink } from "../../records/cell.ts";
import { findInner } from "../../records/read-text.ts";
import type { Cell } from "../../records/record-set.ts";
import { parseDate } from "../../values/date.ts";
import { isAddress, type ValueSlot } from "../form/form.ts";
import type { ReadPage } from "../page/read-page.ts";
import { locateQuote, type Occurrence } from "./locate-quote.ts";
import { isTurnedRound, type ReadValue, readNumbers, readValue } from "./read-value.ts";

/** What a model answers for one value. */
export interface ValueAnswer {
  readonly value: string | number | boolean | null;
  readonly quote: string | null;
  readonly ref: string | null;
}

export type Grounding =
  | ({ readonly kind: "grounded" } & ReadValue)
  /** The model says that the page does not say it. */
  | { readonly kind: "none" }
  | { readonly kind: "ungrounded"; readonly reason: string };

const PAGE_ITSELF = "page";

/**
 * Holds an answer against the page: the quote stands there word for word and does not cut words or numbers, and code reads
 * the same value from it. An address is never what the model writes but where the link leads.
 */
export function groundAnswer(answer: ValueAnswer, slot: ValueSlot, page: ReadPage): Grounding {
  if (isAddress(slot)) return groundAddress(answer, page);
  const { quote } = answer;
  const value = toType(answer.value, slot);
  if (value === null) return { kind: "none" };
  if (quote === null || quote.trim() === "") return ungrounded("it has no quote");
  const occurrences = locateQuote(page.text, quote, page.folded);
  if (occurrences.length === 0) return ungrounded(`"${quote.slice(0, 80)}" does not stand on the page`);
  for (const occurrence of occurrences) {
    const read = readOccurrence(value, occurrence, slot, page);
    if (read !== null) return { kind: "grounded", ...read };
  }
  const said = occurrences[0]?.whole ?? quote;
  return ungrounded(`"${said.slice(0, 80)}" does not say ${JSON.stringify(value)}`);
}

/** Models write numbers as texts and codes as numbers; what is meant is clear from what is asked for. */
function toType(value: ValueAnswer["value"], { shape: { types, values } }: ValueSlot): ValueAnswer["value"] {
  if (values !== null || types.length === 0) return value;
  const allows = (...some: typeof types) => some.some((type) => types.includes(type));
  if (typeof value === "number" && !allows("number", "integer") && allows("string")) return String(value);
  if (typeof value !== "string" || allows("string")) return value;
  if (allows("number", "integer") && /^-?\d+(?:\.\d+)?$/.test(value.trim())) return Number(value);
  return allows("boolean") && /^(?:true|false)$/.test(value) ? value === "true" : value;
}

function groundAddress({ ref, value }: ValueAnswer, page: ReadPage): Grounding {
  if (ref === null) return value === null ? { kind: "none" } : ungrounded("an address needs the ref of its link");
  if (ref === PAGE_ITSELF) return { kind: "grounded", value: page.observation.url, quote: page.observation.url };
  const node = page.byRef.get(ref);
  const url = node === undefined ? null : findAddress(node, page);
  return url === null
    ? ungrounded(`${ref.slice(0, 20)} is no link of the page`)
    : { kind: "grounded", value: url, quote: url };
}

/** Of the link itself, of the only one in it, or of the one around it. */
function findAddress(node: ObservedNode, page: ReadPage): string | null {
  if (node.url !== null) return node.url;
  const inside = new Set(findInner(node, isLink).map(({ url }) => url));
  const [only] = inside;
  if (inside.size === 1) return only ?? null;
  const visit = walk(page.observation.root).find(({ node: other }) => other === node);
  return visit?.ancestors.findLast(isLink)?.url ?? null;
}

function readOccurrence(
  value: string | number | boolean,
  occurrence: Occurrence,
  slot: ValueSlot,
  page: ReadPage,
): ReadValue | null {
  const { whole } = occurrence;
  if (typeof value === "number" && slot.shape.values === null) {
    return readNumbers(whole, slot).includes(value) ? { value, quote: whole } : null;
  }
  const said = withNegation(occurrence);
  const read = readValue(toCell(said, page.observation.root), slot, page.order);
  if (read !== null && read.value === value) return { value, quote: said };
  const isText = typeof value === "string" && slot.shape.values === null && allowsText(slot);
  return isText ? readText(value, occurrence, slot, page) : null;
}

function allowsText({ shape }: ValueSlot): boolean {
  const isFree = shape.format === null || !/^(?:date|date-time|email|uri|iri)$/.test(shape.format);
  return isFree && (shape.types.length === 0 || shape.types.includes("string"));
}

/** The words of the page for it, whole words and not turned round; or a day that the quote names in its own way. */
function readText(value: string, occurrence: Occurrence, slot: ValueSlot, page: ReadPage): ReadValue | null {
  const said = withNegation(occurrence);
  for (const { quote, whole, before } of locateQuote(said, value)) {
    const isWhole =
      whole.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, "") === quote.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, "");
    if (isWhole && !isTurnedRound(quote, before)) return { value: quote, quote: occurrence.quote };
  }
  if (slot.wanted.concept === "currency") return null;
  const date = parseDate(occurrence.whole, page.order);
  return date !== null && date.day === value ? { value, quote: occurrence.whole } : null;
}

/** "No" before a number is short for it: "Order no 12". */
function withNegation({ whole, before }: Occurrence): string {
  const isNegation = isTurnedRound("", before) && !(/^no\.?$/i.test(before) && /\d/.test(whole));
  return isNegation ? `${before} ${whole}` : whole;
}

function toCell(text: string, node: ObservedNode): Cell {
  return { text, quote: text, whole: text, url: null, ref: null, node };
}

function ungrounded(reason: string): Grounding {
  return { kind: "ungrounded", reason };
}
