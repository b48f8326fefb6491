import { collapseWhitespace } from "../../browser/observation/visible-text.ts";
import { isSamePage } from "../grounding/captured-pages.ts";
import type { Extraction, Leaf } from "../grounding/claim.ts";
import { type DayOrder, findDayOrders } from "../grounding/dates.ts";
import { quoteStates } from "../grounding/quoted-values.ts";
import { indexOfWhole } from "../grounding/quotes.ts";
import { quoteMatchesSchema } from "./read-value.ts";
import { parsePointer, pointTo, resolveSchema } from "./schema-shape.ts";

/** What a page showed, with runs of whitespace collapsed. */
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
 * The values that no page supports: the quote is not on the page, the value cannot be read from the quote, or there is no
 * quote at all. Constants of the schema need none.
 */
export function findUngrounded(
  extraction: Extraction,
  pages: readonly ShownPage[],
  schema: unknown = null,
): Ungrounded[] {
  const shown = pages.map(toSearchable);
  const byUrl = new Map<string, PageSet>();
  const findPages = (url: string) => {
    const known = byUrl.get(url) ?? toPageSet(shown.filter((page) => isSamePage(page.url, url)));
    byUrl.set(url, known);
    return known;
  };
  const ungrounded: Ungrounded[] = [];
  const grounded = new Map<string, unknown>();
  for (const leaf of extraction.leaves) {
    const reason = findReason(leaf, findPages(leaf.url), schema);
    if (reason !== null) ungrounded.push({ pointer: leaf.pointer, reason });
    grounded.set(leaf.pointer, leaf.value);
  }
  for (const { pointer, value } of scalarsOf(extraction.data, "")) {
    const isGrounded = grounded.has(pointer);
    if (value === null || (isGrounded && grounded.get(pointer) === value)) continue;
    if (isGrounded) ungrounded.push({ pointer, reason: "its leaf has another value" });
    else if (!isConstant(value, pointer, schema)) ungrounded.push({ pointer, reason: "it has no quote" });
  }
  return ungrounded;
}

interface Searchable extends ShownPage {
  has(quote: string): boolean;
}

/** The states of one page. */
interface PageSet {
  readonly pages: readonly Searchable[];
  /** The orders of day and month that its dates reveal. */
  readonly orders: ReadonlySet<DayOrder>;
}

function toPageSet(pages: readonly Searchable[]): PageSet {
  return { pages, orders: findDayOrders(pages.map(({ text }) => text)) };
}

/** Leaves come in page order, so the next quote is usually right after the last one. */
function toSearchable(page: ShownPage): Searchable {
  let last = 0;
  return {
    ...page,
    has(quote) {
      const ahead = indexOfWhole(page.text, quote, last);
      const at = ahead === -1 ? indexOfWhole(page.text, quote) : ahead;
      if (at !== -1) last = at;
      return at !== -1;
    },
  };
}

function findReason({ pointer, value, quote, url }: Leaf, { pages, orders }: PageSet, schema: unknown): string | null {
  if (value === null) return null;
  if (quote === null) return "it has no quote";
  const wanted = collapseWhitespace(quote);
  if (value === quote && pages.some((page) => page.links.has(quote) || page.url === quote)) return null;
  if (wanted === "" || !pages.some((page) => page.has(wanted))) return `"${wanted.slice(0, 60)}" is not on ${url}`;
  const matches = schema === null ? null : quoteMatchesSchema(value, wanted, pointer, schema);
  // A number has to be in the unit that the schema asks for, whatever unit the page uses.
  const isStated =
    matches !== null && typeof value === "number" ? matches : matches === true || quoteStates(value, wanted, orders);
  return isStated ? null : `"${wanted.slice(0, 60)}" does not say it`;
}

function* scalarsOf(data: unknown, pointer: string): Generator<{ pointer: string; value: unknown }> {
  if (typeof data !== "object" || data === null) {
    yield { pointer, value: data };
    return;
  }
  for (const [key, value] of Object.entries(data)) yield* scalarsOf(value, pointTo(pointer, key));
}

function isConstant(value: unknown, pointer: string, schema: unknown): boolean {
  if (schema === null) return false;
  let part: unknown = schema;
  for (const name of parsePointer(pointer)) {
    const shape = resolveSchema(part, schema)?.shape;
    if (shape?.kind === "array") part = shape.items;
    else if (shape?.kind === "object") part = shape.properties.find((property) => property.name === name)?.schema;
    else return false;
  }
  const shape = resolveSchema(part, schema)?.shape;
  return shape?.kind === "scalar" && shape.isConst && shape.values?.[0] === value;
}
