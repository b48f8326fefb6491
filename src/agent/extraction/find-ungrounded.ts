import { parseAmount } from "../grounding/amounts.ts";
import type { Extraction, Leaf } from "../grounding/claim.ts";
import { findDates } from "../grounding/dates.ts";
import { parseBoolean } from "../grounding/short-texts.ts";
import { quoteMatchesSchema } from "./read-value.ts";
import { resolveSchema } from "./schema-shape.ts";

/** What a page showed, with runs of white space made one space. */
export interface ShownPage {
  readonly url: string;
  readonly text: string;
  readonly links: ReadonlySet<string>;
}

export interface Ungrounded {
  readonly pointer: string;
  readonly reason: string;
}

/**
 * The values that no page speaks for: the quote does not stand on the page, the value cannot be read from the quote, or
 * a value has no quote at all. Constants of the schema need none.
 */
export function findUngrounded(
  extraction: Extraction,
  pages: readonly ShownPage[],
  schema: unknown = null,
): Ungrounded[] {
  const byUrl = Map.groupBy(pages.map(toSearchable), ({ url }) => withoutFragment(url));
  const ungrounded: Ungrounded[] = [];
  const grounded = new Map<string, unknown>();
  for (const leaf of extraction.leaves) {
    const reason = findReason(leaf, byUrl.get(withoutFragment(leaf.url)) ?? [], schema);
    if (reason !== null) ungrounded.push({ pointer: leaf.pointer, reason });
    grounded.set(leaf.pointer, leaf.value);
  }
  for (const { pointer, value } of scalarsOf(extraction.data, "")) {
    const isGrounded = grounded.has(pointer);
    if (value === null || (isGrounded && grounded.get(pointer) === value)) continue;
    if (isGrounded) ungrounded.push({ pointer, reason: "its leaf says something else" });
    else if (!isConstant(value, pointer, schema)) ungrounded.push({ pointer, reason: "it has no quote" });
  }
  return ungrounded;
}

interface Searchable extends Pick<ShownPage, "url" | "links"> {
  has(quote: string): boolean;
}

/** Leaves come in the order of the page, so that the next quote mostly stands just behind the last. */
function toSearchable({ url, links, text }: ShownPage): Searchable {
  let last = 0;
  return {
    url,
    links,
    has(quote) {
      const ahead = text.indexOf(quote, last);
      const at = ahead === -1 ? text.indexOf(quote) : ahead;
      if (at !== -1) last = at;
      return at !== -1;
    },
  };
}

function findReason(
  { pointer, value, quote, url }: Leaf,
  pages: readonly Searchable[],
  schema: unknown,
): string | null {
  if (value === null) return null;
  if (quote === null) return "it has no quote";
  const wanted = squeeze(quote);
  if (value === quote && pages.some((page) => page.links.has(quote) || page.url === quote)) return null;
  if (wanted === "" || !pages.some((page) => page.has(wanted))) return `"${wanted.slice(0, 60)}" is not on ${url}`;
  return isSaid(value, wanted, pointer, schema) ? null : `"${wanted.slice(0, 60)}" does not say it`;
}

/** A number has to be in the unit that is asked for, whatever unit the page uses. */
function isSaid(value: unknown, quote: string, pointer: string, schema: unknown): boolean {
  const asAsked = schema === null ? null : quoteMatchesSchema(value, quote, pointer, schema);
  if (asAsked !== null && typeof value === "number") return asAsked;
  return asAsked === true || canBeRead(value, quote);
}

/** An address counts only as a link, or as the page it is of: one that stands in the text may be anything. */
function canBeRead(value: unknown, quote: string): boolean {
  switch (typeof value) {
    case "number": {
      const amount = parseAmount(quote);
      return amount !== null && (amount.value === value || amount.otherValue === value);
    }
    case "boolean":
      return parseBoolean(quote) === value || fold(quote) === String(value);
    case "string":
      return canBeReadAsText(value, quote);
    default:
      return false;
  }
}

function canBeReadAsText(value: string, quote: string): boolean {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(value)) return false;
  if (value.trim() !== "" && fold(quote).includes(fold(value))) return true;
  if (/^\d{4}-\d{2}-\d{2}(?:T.+)?$/.test(value)) {
    const dates = [...findDates(quote, "dmy"), ...findDates(quote, "mdy")];
    return dates.some(({ day, time, offset }) => value === day || value === `${day}T${time}${offset}`);
  }
  return parseAmount(quote)?.currency === value;
}

function* scalarsOf(data: unknown, pointer: string): Generator<{ pointer: string; value: unknown }> {
  if (typeof data !== "object" || data === null) {
    yield { pointer, value: data };
    return;
  }
  for (const [key, value] of Object.entries(data)) {
    yield* scalarsOf(value, `${pointer}/${key.replace(/~/g, "~0").replace(/\//g, "~1")}`);
  }
}

function isConstant(value: unknown, pointer: string, schema: unknown): boolean {
  if (schema === null) return false;
  let part: unknown = schema;
  for (const step of pointer.split("/").slice(1)) {
    const shape = resolveSchema(part, schema)?.shape;
    const name = step.replace(/~1/g, "/").replace(/~0/g, "~");
    if (shape?.kind === "array") part = shape.items;
    else if (shape?.kind === "object") part = shape.properties.find((property) => property.name === name)?.schema;
    else return false;
  }
  const shape = resolveSchema(part, schema)?.shape;
  return shape?.kind === "scalar" && shape.isConst && shape.values?.[0] === value;
}

function withoutFragment(url: string): string {
  return url.split("#", 1)[0] ?? url;
}

/** Enums are written in other letters than pages: "on_its_way" is said by "On its way". */
function fold(text: string): string {
  return squeeze(text.normalize("NFKC").toLowerCase().replace(/[_-]+/g, " "));
}

function squeeze(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
