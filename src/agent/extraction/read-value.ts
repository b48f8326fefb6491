import { EMPTY_NODE } from "../../browser/observation/observation.ts";
import { parseAmount } from "../grounding/amounts.ts";
import type { LeafLocation } from "../grounding/claim.ts";
import { type DayOrder, parseDate } from "../grounding/dates.ts";
import { hasNegation } from "../grounding/english-words.ts";
import { parseBoolean } from "../grounding/short-texts.ts";
import { toPhrase } from "../grounding/similarity.ts";
import { findWantedUnit, readQuantity, type WantedUnit } from "../grounding/units.ts";
import type { Cell, Row } from "./record-set.ts";
import { parsePointer, type Resolved, resolveSchema, type ScalarShape, type ScalarType } from "./schema-shape.ts";
import { toWanted, type Wanted } from "./wanted-value.ts";

export interface ReadValue {
  readonly value: string | number | boolean;
  /** For a URL, the URL itself. */
  readonly quote: string;
}

/** A value with the page that it was read from, and where it is there. */
export interface FoundValue extends ReadValue {
  readonly url: string;
  readonly location: LeafLocation;
}

/** What the schema asks for at one place. */
export interface AskedValue {
  readonly wanted: Wanted;
  readonly shape: ScalarShape;
  readonly unit: WantedUnit;
}

export function toAsked(name: string, resolved: Resolved, shape: ScalarShape, parents: readonly string[]): AskedValue {
  const unit = findWantedUnit(name, resolved.description || resolved.title);
  return { wanted: toWanted(name, resolved, parents), shape, unit };
}

/** What a cell says, and where it is. `column`: its heading, which may name the unit of its numbers. */
export function findValue(
  cell: Cell | undefined,
  row: Row,
  asked: AskedValue,
  order: DayOrder | null,
  column = "",
): FoundValue | null {
  const read = cell === undefined ? null : readValue(cell, asked, order, column);
  if (cell === undefined || read === null) return null;
  const location = { observationNumber: row.observationNumber, box: cell.node.box ?? row.node.box };
  return { ...read, url: row.pageUrl, location };
}

const SMALL_WORDS = new Set(["is", "has", "can", "be"]);

/** What a cell says, in the type and the unit that the schema asks for; null when it says no such thing. */
export function readValue(cell: Cell, asked: AskedValue, order: DayOrder | null, column = ""): ReadValue | null {
  const { wanted, shape, unit } = asked;
  const isNumber = shape.types.includes("number") || shape.types.includes("integer");
  if (isNumber && shape.values === null && wanted.concept !== "url" && wanted.concept !== "count") {
    const [value] = readQuantity(cell.quote, unit, findWantedUnit(column)).filter((number) => fits(number, asked));
    if (value !== undefined) return { value, quote: cell.quote };
    if (shape.types.every((type) => type === "number" || type === "integer")) return null;
  }
  const leaf = readLeaf(cell, shape, wanted, order);
  if (leaf !== null && !(shape.values !== null && isNegated(leaf.value, cell.text))) return leaf;
  const said = shape.values === null ? readMention(cell, asked) : readSynonym(cell, shape.values);
  return said === null ? null : { value: said, quote: cell.quote };
}

/** Every number that a text can be read as, in the unit that the schema asks for. */
export function readNumbers(text: string, asked: AskedValue): number[] {
  return readQuantity(text, asked.unit).filter((number) => fits(number, asked));
}

/** "Shipped" is not what "Not shipped" says. */
function isNegated(value: unknown, text: string): boolean {
  return hasNegation(text) && !hasNegation(String(value).replace(/_/g, " "));
}

function fits(value: number, { shape }: AskedValue): boolean {
  return shape.types.includes("number") || Number.isInteger(value);
}

/** Another way to say yes or no, where only one of the values says it: "Sold out" says out_of_stock. */
function readSynonym(cell: Cell, values: readonly unknown[]): string | null {
  const answer = parseBoolean(cell.text);
  if (answer === null) return null;
  const same = values.filter(
    (value): value is string => typeof value === "string" && parseBoolean(value.replace(/[_-]+/g, " ")) === answer,
  );
  return same.length === 1 ? (same[0] ?? null) : null;
}

/** "Free shipping" says that free_shipping is true, "No free shipping" that it is not. */
function readMention(cell: Cell, { wanted, shape }: AskedValue): boolean | null {
  if (!shape.types.includes("boolean") || cell.text.length > 100) return null;
  const said = toPhrase(cell.text).stems;
  const words = [...toPhrase(wanted.name).stems].filter((word) => !SMALL_WORDS.has(word));
  if (words.length < 2 || !words.every((word) => said.has(word))) return null;
  return !hasNegation(cell.text);
}

const MAX_OPTIONS = 20;

/**
 * Whether a quote says a value in the unit, or as the one of the allowed values, that the schema asks for at its place. Null
 * where the schema does not describe the place.
 */
export function quoteMatchesSchema(value: unknown, quote: string, pointer: string, schema: unknown): boolean | null {
  const steps = parsePointer(pointer);
  const names = steps.filter((step) => !/^\d+$/.test(step));
  const scalars = findScalars(schema, steps, schema);
  if (scalars.length === 0) return null;
  return scalars.some(({ resolved, shape }) => {
    const asked = toAsked(names.at(-1) ?? "", resolved, shape, names.slice(0, -1));
    if (typeof value === "number" && shape.values === null) return readNumbers(quote, asked).includes(value);
    const cell = { text: quote, quote, whole: quote, url: null, ref: null, node: EMPTY_NODE };
    return readValue(cell, asked, null)?.value === value;
  });
}

interface AskedScalar {
  readonly resolved: Resolved;
  readonly shape: ScalarShape;
}

function findScalars(schema: unknown, steps: readonly string[], root: unknown, hops = 0): AskedScalar[] {
  const resolved = resolveSchema(schema, root);
  if (resolved === null || hops > MAX_OPTIONS) return [];
  const { shape } = resolved;
  if (shape.kind === "options") {
    return shape.options.slice(0, MAX_OPTIONS).flatMap((option) => findScalars(option, steps, root, hops + 1));
  }
  const [step, ...rest] = steps;
  if (shape.kind === "scalar") return step === undefined ? [{ resolved, shape }] : [];
  if (step === undefined) return [];
  if (shape.kind === "array") return findScalars(shape.items, rest, root, hops);
  const inner = shape.properties.find(({ name }) => name === step);
  return inner === undefined ? [] : findScalars(inner.schema, rest, root, hops);
}

const EMAIL = /[^\s@<>()]+@[^\s@<>()]+\.[\p{L}]{2,}/u;

/** What a cell says in the type that the schema asks for, whatever its unit; null when it says no such thing. */
function readLeaf(cell: Cell, shape: ScalarShape, wanted: Wanted, order: DayOrder | null): ReadValue | null {
  if (wanted.concept === "url") return cell.url === null ? null : { value: cell.url, quote: cell.url };
  if (cell.text === "") return null;
  if (shape.values !== null) return readEnum(cell, shape.values);
  if (shape.types.length === 0) return readText(cell, shape, wanted, order);
  for (const type of shape.types) {
    const leaf = readAs(type, cell, shape, wanted, order);
    if (leaf !== null) return leaf;
  }
  return null;
}

function readAs(
  type: ScalarType,
  cell: Cell,
  shape: ScalarShape,
  wanted: Wanted,
  order: DayOrder | null,
): ReadValue | null {
  switch (type) {
    case "boolean": {
      const value = parseBoolean(cell.text) ?? parseBoolean(cell.quote);
      return value === null ? null : { value, quote: cell.quote };
    }
    case "number":
    case "integer":
      return readNumber(cell, type, wanted);
    case "string":
      return readText(cell, shape, wanted, order);
  }
}

/** "★ 4.7 (128)": the count is in brackets. */
function readNumber(cell: Cell, type: "number" | "integer", wanted: Wanted): ReadValue | null {
  const bracketed = wanted.concept === "count" ? /\(\s*[\d.,]+\s*(?:\p{L}+\s*)?\)/u.exec(cell.whole)?.[0] : undefined;
  const quote = bracketed ?? cell.quote;
  const value = parseAmount(quote)?.value;
  if (value === undefined || (type === "integer" && !Number.isInteger(value))) return null;
  return { value, quote };
}

function readText(cell: Cell, shape: ScalarShape, wanted: Wanted, order: DayOrder | null): ReadValue | null {
  if (wanted.concept === "currency") {
    const amount = parseAmount(cell.text);
    return amount?.currency == null ? null : { value: amount.currency, quote: cell.quote };
  }
  switch (shape.format) {
    case "date": {
      const date = parseDate(cell.text, order);
      return date === null ? null : { value: date.day, quote: cell.quote };
    }
    case "date-time": {
      const date = parseDate(cell.text, order);
      if (date?.time == null || date.offset === null) return null;
      return { value: `${date.day}T${date.time}${date.offset}`, quote: cell.quote };
    }
    case "email": {
      const email = EMAIL.exec(cell.whole)?.[0];
      return email === undefined ? null : { value: email, quote: email };
    }
    default:
      return { value: cell.text, quote: cell.quote };
  }
}

/** The value that the cell says in another spelling, or the only one of the values that it contains. */
function readEnum(cell: Cell, values: readonly unknown[]): ReadValue | null {
  const texts = [cell.text, cell.whole].map(fold);
  const equal = values.find((value) => texts.includes(fold(String(value))));
  const contained = values.filter((value) => containsWords(fold(cell.whole), fold(String(value))));
  const value =
    equal ?? (contained.length === 1 ? contained[0] : (readAmountIn(cell, values) ?? readBooleanIn(cell, values)));
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? { value, quote: cell.quote }
    : null;
}

function readAmountIn(cell: Cell, values: readonly unknown[]): unknown {
  const amount = parseAmount(cell.text)?.value;
  return values.find((value) => typeof value === "number" && value === amount);
}

function readBooleanIn(cell: Cell, values: readonly unknown[]): unknown {
  const answer = parseBoolean(cell.text);
  return values.find((value) => typeof value === "boolean" && value === answer);
}

/** Values in snake_case and kebab-case mean the words that pages write. */
function fold(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[\s_-]+/g, " ")
    .trim();
}

function containsWords(text: string, words: string): boolean {
  return words !== "" && ` ${text.replace(/[^\p{L}\p{N} ]+/gu, " ")} `.replace(/\s+/g, " ").includes(` ${words} `);
}
