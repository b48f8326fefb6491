import type { Extraction, Leaf } from "../grounding/claim.ts";
import { findDescendants } from "../grounding/page-text.ts";
import { findListItems } from "./cards.ts";
import { type AskedValue, findValue } from "./read-value.ts";
import { type Cell, type Row, toCell, toPart } from "./record-set.ts";
import {
  type ArrayShape,
  type PropertyShape,
  parsePointer,
  pointTo,
  type Resolved,
  resolveSchema,
  type ScalarShape,
} from "./schema-shape.ts";
import { toKey } from "./wanted-value.ts";

/** A place in the schema and in the data. */
export interface Place<Item> {
  readonly pointer: string;
  /** Property names from the root, or from the item of the list that the place is in. */
  readonly path: readonly string[];
  /** What is filled from; outside of lists, what the source has for the root. */
  readonly item: Item;
  /** Whether it is outside of lists. */
  readonly isPage: boolean;
  readonly isRequired: boolean;
  /** The schemas around this one: a schema inside itself would only be filled with the same values again. */
  readonly open: readonly unknown[];
}

/** Where the values and lists for a schema come from. */
export interface Source<Item> {
  fillValue(resolved: Resolved, shape: ScalarShape, place: Place<Item>): Outcome;
  fillList(resolved: Resolved, shape: ArrayShape, place: Place<Item>): Outcome;
  /** Whether an object is there even if nothing in it was found. */
  isNeeded(place: Place<Item>): boolean;
}

const MAX_DEPTH = 12;
/** A few lines of schema can describe an astronomical number of values. */
const MAX_PAGE_VALUES = 2_000;
const MAX_VALUES = 1_000_000;
const MAX_MISSING = 50;
const MAX_REASONS = 5;

/** Data in the shape of a schema: what has been found so far, and what has not. */
export class Draft<Item> {
  readonly leaves: Leaf[] = [];
  readonly missing: Extraction["missing"][number][] = [];
  /** How complete the lists are, in words. */
  readonly notes: string[] = [];
  /** Why optional values are absent. */
  readonly reasons: string[] = [];
  readonly #root: unknown;
  readonly #source: Source<Item>;
  /** Pointers of values that the schema does not require and the page does not have. */
  readonly #leftOut: string[] = [];
  readonly #resolved = new Map<unknown, Resolved | null>();
  #tried = 0;
  #triedOnPage = 0;

  constructor(root: unknown, source: Source<Item>) {
    this.#root = root;
    this.#source = source;
  }

  /** A value that is not found is left out, null where the schema allows that, and missing where the schema requires it. */
  fillRoot(item: Item, describe: (leftOut: readonly string[]) => readonly string[]): Extraction {
    const outcome = this.#fill(this.#root, { ...ROOT, item, isPage: true });
    if (outcome.kind === "absent") this.missing.push({ pointer: "", reason: outcome.reason });
    const data = outcome.kind === "value" ? outcome.value : null;
    const notes = [...describe(data === null ? [] : describeLeftOut(this.#leftOut, data))];
    if (this.missing.length > 0) notes.push(`${this.missing.length} required values not found`);
    const coverage = notes.length === 0 ? "" : `${notes.join("; ")}.`;
    return { data, leaves: this.leaves, coverage, missing: this.missing.slice(0, MAX_MISSING) };
  }

  fillItem(schema: unknown, pointer: string, item: Item): Outcome {
    return this.#fill(schema, { ...ROOT, pointer, item, isPage: false });
  }

  addValue(pointer: string, leaf: Omit<Leaf, "pointer">): Outcome {
    this.leaves.push({ pointer, ...leaf });
    return { kind: "value", value: leaf.value };
  }

  /** Cached: each row of a list asks for the same. */
  resolve(schema: unknown): Resolved | null {
    const resolved = this.#resolved.get(schema) ?? resolveSchema(schema, this.#root);
    this.#resolved.set(schema, resolved);
    return resolved;
  }

  /** Returns a function that takes back everything added since. */
  mark(): () => void {
    const added = [this.leaves, this.missing, this.notes, this.#leftOut].map((list) => ({ list, length: list.length }));
    return () => {
      for (const { list, length } of added) list.length = length;
    };
  }

  #fill(schema: unknown, place: Place<Item>): Outcome {
    const resolved = this.resolve(schema);
    if (resolved === null) return absent("The schema of this value cannot be followed.");
    this.#tried += 1;
    if (place.isPage) this.#triedOnPage += 1;
    const isTooMuch = this.#tried > MAX_VALUES || this.#triedOnPage > MAX_PAGE_VALUES;
    if (isTooMuch || place.path.length > MAX_DEPTH) return absent("The schema is too large or nested too deeply.");
    const { shape, source } = resolved;
    if (shape.kind === "scalar") {
      // A constant of the schema needs no quote.
      if (shape.isConst) return { kind: "value", value: shape.values?.[0] };
      return this.#source.fillValue(resolved, shape, place);
    }
    if (shape.kind === "array") return this.#source.fillList(resolved, shape, place);
    if (place.open.includes(source)) return absent("The schema is recursive here.");
    const inside = { ...place, open: [...place.open, source] };
    return shape.kind === "object"
      ? this.#fillObject(shape.properties, inside)
      : this.#fillOptions(shape.options, inside);
  }

  #fillObject(properties: readonly PropertyShape[], place: Place<Item>): Outcome {
    const object = {};
    let isEmpty = properties.length > 0;
    for (const { name, schema, isRequired } of properties) {
      const [pointer, path] = [pointTo(place.pointer, name), [...place.path, name]];
      const isNullable = this.resolve(schema)?.isNullable === true;
      const undo = this.mark();
      const outcome = this.#fill(schema, { ...place, pointer, path, isRequired: isRequired && !isNullable });
      if (outcome.kind === "value") {
        setOwn(object, name, outcome.value);
        isEmpty = false;
        continue;
      }
      undo();
      if (isNullable) setOwn(object, name, null);
      if (isNullable || !isRequired) this.#leaveOut(pointer, outcome);
      else this.missing.push({ pointer, reason: outcome.reason });
    }
    return isEmpty && !this.#source.isNeeded(place)
      ? absent("None of it was found.")
      : { kind: "value", value: object };
  }

  #leaveOut(pointer: string, { reason, isPlain }: Outcome & { kind: "absent" }): void {
    this.#leftOut.push(pointer);
    if (!isPlain && this.reasons.length < MAX_REASONS) this.reasons.push(`${pointer}: ${reason}`);
  }

  /** The first that is found completely, else the first of which something is found. */
  #fillOptions(options: readonly unknown[], place: Place<Item>): Outcome {
    let best: unknown = null;
    for (const option of options) {
      const before = this.missing.length;
      const undo = this.mark();
      const outcome = this.#fill(option, place);
      if (outcome.kind === "value" && this.missing.length === before) return outcome;
      undo();
      if (outcome.kind === "value") best ??= option;
    }
    return best === null ? absent("None of the alternatives was found.") : this.#fill(best, place);
  }
}

const ROOT = { pointer: "", path: [], isRequired: true, open: [] };

export type Outcome =
  | { readonly kind: "value"; readonly value: unknown }
  | {
      readonly kind: "absent";
      readonly reason: string;
      /** The page just does not have it: there is nothing to explain. */
      readonly isPlain: boolean;
    };

export function absent(reason: string, { isPlain = false } = {}): Outcome {
  return { kind: "absent", reason, isPlain };
}

/** Sets an own property whatever its name: "__proto__" must not reach the prototype. */
function setOwn(object: object, name: string, value: unknown): void {
  Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
}

/** A list inside a record: the column with that name, split at commas, or the only list in the record. */
export function fillListInRow<Item>(
  row: Row,
  column: string,
  asked: AskedValue,
  pointer: string,
  draft: Draft<Item>,
): Outcome {
  const cells = findCells(row, column);
  if (cells === null) return absent("The record has no such list.");
  const leaves = cells.flatMap((cell) => findValue(cell, row, asked, null, column) ?? []);
  for (const [index, leaf] of leaves.entries()) draft.addValue(pointTo(pointer, index), leaf);
  return { kind: "value", value: leaves.map(({ value }) => value) };
}

function findCells(row: Row, name: string): Cell[] | null {
  const [, cell] = [...row.cells].find(([column]) => toKey(column) === toKey(name)) ?? [];
  const [list, second] = findDescendants(cell?.node ?? row.node, ({ role }) => role === "list");
  if (list !== undefined && second === undefined) return findListItems(list).map(toCell);
  if (cell === undefined || cell.text === "") return null;
  return cell.text
    .split(/\s*[,;·|]\s+/)
    .filter(Boolean)
    .map((text) => toPart(cell.node, text));
}

const MAX_NAMES = 10;

/** One line for each property that was left out: "weight was not found", "color was not found in 3 of 12". */
function describeLeftOut(pointers: readonly string[], data: unknown): string[] {
  const counts = new Map<string, number>();
  for (const pointer of pointers) {
    const pattern = pointer.replace(/\/\d+(?=\/)/g, "/*");
    counts.set(pattern, (counts.get(pattern) ?? 0) + 1);
  }
  const lines = [...counts].map(([pattern, count]) => {
    const rows = countRows(pattern, data);
    const isEverywhere = rows === null || count >= rows;
    return `${toName(pattern)} was not found${isEverywhere ? "" : ` in ${count} of ${rows}`}`;
  });
  const more = lines.length - MAX_NAMES;
  return more > 0 ? [...lines.slice(0, MAX_NAMES), `${more} other properties were not found`] : lines;
}

/** The length of the only list that contains a property; null when there is none, or a list in a list. */
function countRows(pattern: string, data: unknown): number | null {
  const [path = "", ...inner] = pattern.split("/*");
  if (inner.length !== 1) return null;
  let at = data;
  for (const step of parsePointer(path)) {
    at = typeof at === "object" && at !== null ? (at as Record<string, unknown>)[step] : undefined;
  }
  return Array.isArray(at) ? at.length : null;
}

/** Without the list around it. */
function toName(pattern: string): string {
  return parsePointer(pattern.split("/*").at(-1) ?? pattern).join(".");
}
