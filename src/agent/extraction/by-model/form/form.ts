import type { ScalarShape } from "../../schema/shape.ts";
import type { Wanted } from "../../schema/wanted.ts";
import type { WantedUnit } from "../../units/wanted-unit.ts";

/** One value that the schema asks for. */
export interface ValueSlot {
  /** "v1", "v2", …: how the model names it. */
  readonly id: string;
  /** Property names from the root, or from the item of the list that it is in. Empty: the item itself. */
  readonly path: readonly string[];
  readonly wanted: Wanted;
  readonly shape: ScalarShape;
  readonly unit: WantedUnit;
  readonly description: string;
  readonly isRequired: boolean;
  /** A list of such values inside of an item. */
  readonly isMany: boolean;
}

/** A list of records or of plain values. */
export interface ListSlot {
  /** "l1", "l2", … */
  readonly id: string;
  readonly path: readonly string[];
  readonly description: string;
  readonly slots: readonly ValueSlot[];
  readonly maxItems: number | null;
}

/** An object that may be one row of a table. */
export interface ObjectSlot {
  /** "o1", "o2", … */
  readonly id: string;
  readonly path: readonly string[];
  readonly slots: readonly ValueSlot[];
}

/** A schema as a list of what is to be found out. */
export interface Form {
  readonly values: readonly ValueSlot[];
  readonly lists: readonly ListSlot[];
  readonly objects: readonly ObjectSlot[];
}

export function keyOfPath(path: readonly string[]): string {
  return JSON.stringify(path);
}

export function isAddress({ wanted }: Pick<ValueSlot, "wanted">): boolean {
  return wanted.concept === "address";
}
