import { type Box, type ObservedNode, walk } from "../../../browser/observation/observation.ts";
import { parseDate } from "../../grounding/dates.ts";
import { isNegatedBy } from "../../grounding/english-words.ts";
import { findDescendants, readText } from "../../grounding/page-text.ts";
import { findOccurrences, findQuote, type Occurrence } from "../../grounding/quotes.ts";
import { findByLabel, indexLabels } from "../find-by-label.ts";
import { type FoundValue, findValue, type ReadValue, readNumbers, readValue } from "../read-value.ts";
import { type Cell, isLink, type RecordSet } from "../record-set.ts";
import { isUrlSlot, type ListSlot, type ValueSlot } from "./form.ts";
import type { MappedRow } from "./gather-rows.ts";
import type { PageAnswer } from "./page-answer.ts";
import type { OfferedRecords, ReadPage } from "./read-page.ts";

/** Keyed by the id of the value slot. */
export type FoundItem = ReadonlyMap<string, FoundValue>;

/** One value as the model gives it. */
export type Answered = PageAnswer["values"][number];

/** The value of a slot in a row, read by code. */
export function readRow({ row, source }: MappedRow, slot: ValueSlot): FoundValue | null {
  const column = source.mapping.columns.get(slot.id);
  if (column === undefined) return null;
  return findValue(row.cells.get(column), row, slot, source.orders.get(column) ?? null, column);
}

/** A found value; null when the model says that there is none; or a sentence that says why it is rejected. */
export function groundValue(answer: Answered, slot: ValueSlot, page: ReadPage): FoundValue | string | null {
  const { value, quote = null, ref = null } = answer;
  const grounding = groundAnswer({ value, quote, ref }, slot, page);
  if (grounding.kind === "none") return null;
  if (grounding.kind === "ungrounded") return grounding.reason;
  const better = findContradiction(grounding.value, grounding.quote, slot, page);
  if (better !== null)
    return `the page says "${better.slice(0, 80)}" next to its label, while this is from running text`;
  const box = page.byRef.get(ref ?? "")?.box ?? findInnermostNode(grounding.quote, page)?.box ?? null;
  const { url, number: observationNumber } = page.observation;
  return { value: grounding.value, quote: grounding.quote, url, location: { observationNumber, box } };
}

/** An item with the rows of a table or list that it is in; `place` is null for one in running text. */
export interface GroundedItem {
  readonly item: FoundItem;
  readonly place: ItemPlace | null;
}

interface ItemPlace {
  readonly offer: OfferedRecords;
  readonly rows: readonly number[];
  /** Those that are in these rows. */
  readonly quotes: readonly string[];
}

/** Rejects an item that is made of whole cells: code reads them from all rows, and the model may not choose some. */
export function groundItem(
  parts: readonly Answered[],
  { slots }: ListSlot,
  page: ReadPage,
  rowsOf: (quote: string) => RowsOf,
): GroundedItem | string {
  const item = new Map<string, FoundValue>();
  for (const part of parts) {
    const slot = slots.find(({ id }) => id === part.leaf);
    const found = slot === undefined ? null : groundValue(part, slot, page);
    if (typeof found === "string") return `${part.leaf}: ${found}`;
    if (found !== null) item.set(part.leaf, found);
  }
  if (item.size === 0) return "none of its values is given";
  const located = [...item.values()].map(({ quote }) => ({ quote, rowsOf: rowsOf(quote) }));
  const offers = new Set(located.flatMap((each) => [...each.rowsOf.keys()]));
  const places = [...offers].filter(({ set }) => set.region === "main").map((offer) => findPlace(offer, located));
  const whole = places.find(({ rows }) => rows.length === 0);
  if (whole === undefined) return { item, place: places[0] ?? null };
  const { id } = whole.offer;
  return `it is in ${id}: name the columns of ${id}, and code reads all its rows`;
}

/** The rows that have all of the quotes in their cells, at least one of them as a part of a cell. */
function findPlace(offer: OfferedRecords, located: readonly { quote: string; rowsOf: RowsOf }[]): ItemPlace {
  const own = located.filter(({ rowsOf }) => rowsOf.has(offer));
  const quotes = own.map(({ quote }) => quote);
  const rows = [...offer.set.rows.entries()].filter(([index, row]) => {
    const cells = [...row.cells.values()];
    const isCell = (quote: string) => cells.some(({ text, whole }) => text === quote || whole === quote);
    const isInCell = (quote: string) => cells.some((cell) => findQuote(cell.whole, quote) !== null);
    const isInRow = own.every(({ quote, rowsOf }) => rowsOf.get(offer)?.has(index) === true && isInCell(quote));
    return isInRow && !quotes.every(isCell);
  });
  return { offer, quotes, rows: rows.map(([index]) => index) };
}

const MAX_ROWS_LISTED = 50;
const MAX_ROW = 160;

/** Parts of cells are given for every row, or are all of one cell. Says which rows are left out; null when none are. */
export function findLeftOut(items: readonly GroundedItem[]): string | null {
  const places = items.flatMap(({ place }) => place ?? []);
  for (const [{ id, set }, own] of Map.groupBy(places, ({ offer }) => offer)) {
    if (set.window?.isPartial === true) return `not all rows of ${id} are on the page`;
    const isOneCell = set.rows.some((row, index) =>
      [...row.cells.values()].some(({ whole }) =>
        own.every(
          ({ rows, quotes }) => rows.includes(index) && quotes.some((quote) => findQuote(whole, quote) !== null),
        ),
      ),
    );
    if (isOneCell && own.length > 1) continue;
    const known = new Set(own.flatMap(({ rows }) => rows));
    const left = set.rows.filter((_, index) => !known.has(index));
    if (left.length === 0) continue;
    const texts = left.slice(0, MAX_ROWS_LISTED).map(({ node }) => JSON.stringify(readText(node).slice(0, MAX_ROW)));
    return `give all items again, with one for each row of ${id}; these rows have none: ${texts.join(", ")}`;
  }
  return null;
}

/** A model's answer for one value. */
interface ValueAnswer {
  readonly value: string | number | boolean | null;
  readonly quote: string | null;
  readonly ref: string | null;
}

type Grounding =
  | ({ readonly kind: "grounded" } & ReadValue)
  /** The model says that the page does not have it. */
  | { readonly kind: "none" }
  | { readonly kind: "ungrounded"; readonly reason: string };

const PAGE_ITSELF = "page";

/**
 * Checks an answer against the page: the quote is there, cuts no word or number, and code reads the same value from it. A URL
 * is never what the model writes, but where the link leads.
 */
function groundAnswer(answer: ValueAnswer, slot: ValueSlot, page: ReadPage): Grounding {
  if (isUrlSlot(slot)) return groundUrl(answer, page);
  const { quote } = answer;
  const value = toType(answer.value, slot);
  if (value === null) return { kind: "none" };
  if (quote === null || quote.trim() === "") return ungrounded("it has no quote");
  const occurrences = findOccurrences(page.text, quote, page.folded);
  if (occurrences.length === 0) return ungrounded(`"${quote.slice(0, 80)}" is not on the page`);
  for (const occurrence of occurrences) {
    const read = readOccurrence(value, occurrence, slot, page);
    if (read !== null) return { kind: "grounded", ...read };
  }
  const said = occurrences[0]?.whole ?? quote;
  return ungrounded(`"${said.slice(0, 80)}" does not say ${JSON.stringify(value)}`);
}

/** Models write numbers as text and codes as numbers; the schema says which is meant. */
function toType(value: ValueAnswer["value"], { shape: { types, values } }: ValueSlot): ValueAnswer["value"] {
  if (values !== null || types.length === 0) return value;
  const allows = (...some: typeof types) => some.some((type) => types.includes(type));
  if (typeof value === "number" && !allows("number", "integer") && allows("string")) return String(value);
  if (typeof value !== "string" || allows("string")) return value;
  if (allows("number", "integer") && /^-?\d+(?:\.\d+)?$/.test(value.trim())) return Number(value);
  return allows("boolean") && /^(?:true|false)$/.test(value) ? value === "true" : value;
}

function groundUrl({ ref, value }: ValueAnswer, page: ReadPage): Grounding {
  if (ref === null) return value === null ? { kind: "none" } : ungrounded("a URL needs the ref of its link");
  if (ref === PAGE_ITSELF) return { kind: "grounded", value: page.observation.url, quote: page.observation.url };
  const node = page.byRef.get(ref);
  const url = node === undefined ? null : findUrl(node, page);
  return url === null
    ? ungrounded(`${ref.slice(0, 20)} is not a link on the page`)
    : { kind: "grounded", value: url, quote: url };
}

/** The URL of the link itself, of the only link inside it, or of the link around it. */
function findUrl(node: ObservedNode, page: ReadPage): string | null {
  if (node.url !== null) return node.url;
  const inside = new Set(findDescendants(node, isLink).map(({ url }) => url));
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
  return isText ? readAsText(value, occurrence, slot, page) : null;
}

function allowsText({ shape }: ValueSlot): boolean {
  const isFree = shape.format === null || !/^(?:date|date-time|email|uri|iri)$/.test(shape.format);
  return isFree && (shape.types.length === 0 || shape.types.includes("string"));
}

/** Whole words of the page that are not negated; or a day that the quote writes in its own way. */
function readAsText(value: string, occurrence: Occurrence, slot: ValueSlot, page: ReadPage): ReadValue | null {
  const said = withNegation(occurrence);
  for (const { quote, whole, before } of findOccurrences(said, value)) {
    const isWhole =
      whole.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, "") === quote.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, "");
    if (isWhole && !isNegatedBy(before, quote)) return { value: quote, quote: occurrence.quote };
  }
  if (slot.wanted.concept === "currency") return null;
  const date = parseDate(occurrence.whole, page.order);
  return date !== null && date.day === value ? { value, quote: occurrence.whole } : null;
}

function withNegation({ whole, before }: Occurrence): string {
  return isNegatedBy(before, whole) ? `${before} ${whole}` : whole;
}

function toCell(text: string, node: ObservedNode): Cell {
  return { text, quote: text, whole: text, url: null, ref: null, node };
}

function ungrounded(reason: string): Grounding {
  return { kind: "ungrounded", reason };
}

/** A quote in a text that is longer by this much is in running text. */
const PROSE = 40;

/**
 * A value next to its label counts for more than what running text, such as a review, says about it. Returns the quote of the
 * labelled value that contradicts a value from running text; null when none does.
 */
function findContradiction(value: unknown, quote: string, slot: ValueSlot, page: ReadPage): string | null {
  const { shape, path } = slot;
  if (typeof value !== "number" && typeof value !== "boolean" && shape.format === null && shape.values === null) {
    return null;
  }
  const found = findInnermostNode(quote, page);
  if (found === null || readText(found.node).length <= quote.length + PROSE) return null;
  const search = findByLabel(indexLabels(page.sets.map(withoutProse)), slot, path.slice(0, -1));
  return search.kind === "found" && search.leaf.value !== value ? search.leaf.quote : null;
}

/** Sentences name values too: "the price is 0". They are not labels. */
function withoutProse(set: RecordSet): RecordSet {
  if (set.kind !== "labelled") return set;
  const isPlain = ([, { text, whole }]: [string, Cell]) => whole.length <= text.length + PROSE;
  return { ...set, rows: set.rows.map((row) => ({ ...row, cells: new Map([...row.cells].filter(isPlain)) })) };
}

/** The rows of each table or list with a quote that is nowhere else on the page. */
type RowsOf = ReadonlyMap<OfferedRecords, ReadonlySet<number>>;

/** Finds the rows of the page's tables and lists that contain a quote. */
export function createRowFinder({ offers, observation }: ReadPage): (quote: string) => RowsOf {
  const several = offers.filter(({ set }) => set.rows.length > 1);
  const texts = new Map(several.map((offer) => [offer, offer.set.rows.map(({ node }) => readText(node))]));
  const inRows = new Set(several.flatMap(({ set }) => set.rows.map(({ node }) => node)));
  const outside = readOutside(observation.root, inRows);
  return (quote) => {
    if (outside.includes(quote)) return new Map();
    const found = [...texts].map(([offer, rows]) => [offer, findIndexes(rows, quote)] as const);
    return new Map(found.filter(([, rows]) => rows.size > 0));
  };
}

/** The table or list in which these quotes are in different rows; null when they may all be in one row. */
export function findMixed(quotes: readonly RowsOf[]): OfferedRecords | null {
  const rowsOf = new Map<OfferedRecords, ReadonlySet<number>>();
  for (const quote of quotes) {
    // A quote in two lists, one inside the other, belongs to no row in particular.
    if (quote.size !== 1) continue;
    for (const [offer, rows] of quote) {
      const known = rowsOf.get(offer);
      const shared = known === undefined ? rows : new Set([...rows].filter((row) => known.has(row)));
      if (shared.size === 0) return offer;
      rowsOf.set(offer, shared);
    }
  }
  return null;
}

function findIndexes(rows: readonly string[], quote: string): ReadonlySet<number> {
  return new Set(rows.flatMap((row, index) => (row.includes(quote) ? [index] : [])));
}

function readOutside(node: ObservedNode, rows: ReadonlySet<ObservedNode>): string {
  if (rows.has(node)) return "";
  if (node.children.length === 0) return readText(node);
  return node.children
    .map((child) => readOutside(child, rows))
    .filter(Boolean)
    .join(" ");
}

/** The innermost node that contains a text, and the smallest box around it. */
interface InnermostNode {
  readonly node: ObservedNode;
  readonly box: Box | null;
}

/** Null for text that no node contains as a whole, such as the title. */
function findInnermostNode(text: string, { observation: { root }, says }: ReadPage): InnermostNode | null {
  const wanted = text.toLowerCase();
  const holds = (node: ObservedNode) => says(node).includes(wanted);
  if (!holds(root)) return null;
  let [node, box] = [root, root.box];
  for (;;) {
    const inner = node.children.find(holds);
    if (inner === undefined) return { node, box };
    node = inner;
    box = inner.box ?? box;
  }
}
