import type { Fact } from "../../extraction/fact.ts";
import { findUngrounded } from "../../extraction/find-ungrounded.ts";
import type { Evidence, Ground } from "./evidence.ts";
import { findVerbatim } from "./find-verbatim.ts";

/** A fact as a model states it. */
export interface StatedFact {
  readonly about: string;
  readonly value?: string | undefined;
  readonly quote: string;
}

const MAX_QUOTE_CHARS = 1_000;
/** Each is looked for on every page that was seen. */
const MAX_FORMS = 20;

export type Grounded =
  | { readonly kind: "grounded"; readonly fact: Fact; readonly ground: Ground }
  | { readonly kind: "refused"; readonly why: string };

/** A fact with the place where it stands, or why it is none. The reason holds nothing of the page and of the model. */
export function groundFact({ about, value, quote }: StatedFact, evidence: Evidence): Grounded {
  if (quote.length > MAX_QUOTE_CHARS || (value ?? "").length > MAX_QUOTE_CHARS) {
    return { kind: "refused", why: "its quote or its value is too long. Copy one line of the page that says it" };
  }
  const forms = formsOf(quote);
  const saying = value === undefined || value.trim() === "" ? forms : forms.filter((form) => isSaid(value, form));
  if (saying.length === 0) {
    return {
      kind: "refused",
      why: "its value cannot be read from its quote. Give the value as the quote has it, or leave it out",
    };
  }
  const ground = evidence.findText(saying);
  if (ground === null) {
    return {
      kind: "refused",
      why: "its quote stands on no page that you have seen. Copy it word for word, from one line of the page",
    };
  }
  const said = value === undefined || value.trim() === "" ? ground.quote : value.trim();
  return { kind: "grounded", fact: { label: about, value: said, quote: ground.quote, url: ground.url }, ground };
}

/**
 * The quote, and what is left of it without the signs with which pages are told to models: cells stand between bars,
 * things in braces, names in quotation marks.
 */
export function formsOf(quote: string): string[] {
  const whole = quote.slice(0, MAX_QUOTE_CHARS).replace(/\s+/g, " ").trim();
  const pieces = whole.split(/ ?(?:\||…|[{}]|→| = ) ?/);
  const named = [...whole.matchAll(/"([^"]+)"/g)].map((match) => match[1] ?? "");
  const bare = whole.replace(/^(?:(?:f\d+)?[ec]\d+\s|[-#|]+\s)/, "");
  const forms = [whole, bare, ...named, ...pieces].map((form) => form.trim()).filter((form) => form !== "");
  return [...new Set(forms)].slice(0, MAX_FORMS);
}

function isSaid(value: string, quote: string): boolean {
  if (findVerbatim(quote, value) !== null) return true;
  const text = value.trim();
  const number = /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : null;
  const isTold = number !== null || !/\d/.test(text) || /^\d{4}-\d{2}-\d{2}$/.test(text);
  return isTold && canBeRead(number ?? text, quote);
}

function canBeRead(value: string | number, quote: string): boolean {
  const leaf = { pointer: "/value", value, quote, url: "quote:" };
  const page = { url: "quote:", text: quote.replace(/\s+/g, " ").trim(), links: new Set<string>() };
  return findUngrounded({ data: { value }, leaves: [leaf], coverage: "", missing: [] }, [page]).length === 0;
}
