import type { Cell } from "../records/record-set.ts";
import { parseAmount } from "../values/amount.ts";
import { parseBoolean } from "../values/boolean.ts";
import { type DayOrder, parseDate } from "../values/date.ts";
import type { ScalarShape, ScalarType } from "./shape.ts";
import type { Wanted } from "./wanted.ts";

export interface ReadLeaf {
  readonly value: string | number | boolean;
  /** Of an address the address itself. */
  readonly quote: string;
}

const EMAIL = /[^\s@<>()]+@[^\s@<>()]+\.[\p{L}]{2,}/u;

/** What a cell says in the type that the schema asks for; null when it does not say such a thing. */
export function readLeaf(cell: Cell, shape: ScalarShape, wanted: Wanted, order: DayOrder | null): ReadLeaf | null {
  if (wanted.concept === "address") return cell.url === null ? null : { value: cell.url, quote: cell.url };
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
): ReadLeaf | null {
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

/** "★ 4.7 (128)": how many there are stands in brackets. */
function readNumber(cell: Cell, type: "number" | "integer", wanted: Wanted): ReadLeaf | null {
  const bracketed = wanted.concept === "count" ? /\(\s*[\d.,]+\s*(?:\p{L}+\s*)?\)/u.exec(cell.whole)?.[0] : undefined;
  const quote = bracketed ?? cell.quote;
  const value = parseAmount(quote)?.value;
  if (value === undefined || (type === "integer" && !Number.isInteger(value))) return null;
  return { value, quote };
}

function readText(cell: Cell, shape: ScalarShape, wanted: Wanted, order: DayOrder | null): ReadLeaf | null {
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

/** The value that the cell says in other letters, or the only one of them that it contains. */
function readEnum(cell: Cell, values: readonly unknown[]): ReadLeaf | null {
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

/** snake_case and kebab-case values stand for the words that pages write. */
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
