import type { Cell } from "../../records/record-set.ts";
import { readLeaf } from "../../schema/read-leaf.ts";
import { readQuantity } from "../../units/read-quantity.ts";
import { findWantedUnit } from "../../units/wanted-unit.ts";
import { parseBoolean } from "../../values/boolean.ts";
import type { DayOrder } from "../../values/date.ts";
import { toPhrase } from "../../words/similarity.ts";
import { isAddress, type ValueSlot } from "../form/form.ts";

export interface ReadValue {
  readonly value: string | number | boolean;
  readonly quote: string;
}

type Asked = Pick<ValueSlot, "wanted" | "shape" | "unit">;

const NEGATION = /(?<![\p{L}\d])(?:not|no|never|without|non|un(?:available|checked))(?![\p{L}\d])|n['’]t\b/iu;
const SMALL_WORDS = new Set(["is", "has", "can", "be"]);

/** What a cell says in the type and the unit that is wanted, read by code alone; null when it says no such thing. */
export function readValue(cell: Cell, asked: Asked, order: DayOrder | null, column = ""): ReadValue | null {
  const { wanted, shape, unit } = asked;
  const isNumber = shape.types.includes("number") || shape.types.includes("integer");
  if (isNumber && shape.values === null && !isAddress(asked) && wanted.concept !== "count") {
    const [value] = readQuantity(cell.quote, unit, findWantedUnit(column)).filter((number) => fits(number, asked));
    if (value !== undefined) return { value, quote: cell.quote };
    if (shape.types.every((type) => type === "number" || type === "integer")) return null;
  }
  const leaf = readLeaf(cell, shape, wanted, order);
  if (leaf !== null && !(shape.values !== null && isTurnedRound(leaf.value, cell.text))) return leaf;
  const said = shape.values === null ? readMention(cell, asked) : readSynonym(cell, shape.values);
  return said === null ? null : { value: said, quote: cell.quote };
}

/** Every number that a text can be read as, in the unit that is wanted. */
export function readNumbers(text: string, asked: Asked): number[] {
  return readQuantity(text, asked.unit).filter((number) => fits(number, asked));
}

/** "Shipped" is not what "Not shipped" says. */
export function isTurnedRound(value: unknown, text: string): boolean {
  return NEGATION.test(text) && !NEGATION.test(String(value).replace(/_/g, " "));
}

function fits(value: number, { shape }: Asked): boolean {
  return shape.types.includes("number") || Number.isInteger(value);
}

/** Two ways to say yes or no, where only one of the values does: "Sold out" says out_of_stock. */
function readSynonym(cell: Cell, values: readonly unknown[]): string | null {
  const answer = parseBoolean(cell.text);
  if (answer === null) return null;
  const same = values.filter(
    (value): value is string => typeof value === "string" && parseBoolean(value.replace(/[_-]+/g, " ")) === answer,
  );
  return same.length === 1 ? (same[0] ?? null) : null;
}

/** "Free shipping" says that free_shipping is true, "No free shipping" that it is not. */
function readMention(cell: Cell, { wanted, shape }: Asked): boolean | null {
  if (!shape.types.includes("boolean") || cell.text.length > 100) return null;
  const [name] = wanted.phrases;
  const said = toPhrase(cell.text).stems;
  const words = [...(name?.stems ?? [])].filter((word) => !SMALL_WORDS.has(word));
  if (words.length < 2 || !words.every((word) => said.has(word))) return null;
  return !NEGATION.test(cell.text);
}
