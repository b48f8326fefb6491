import type { Extraction } from "../../grounding/claim.ts";
import { absent, Draft, fillListInRow, type Outcome, type Place, type Source } from "../draft.ts";
import type { FoundValue } from "../read-value.ts";
import { type ArrayShape, pointTo, type Resolved, type ScalarShape } from "../schema-shape.ts";
import { type Findings, MORE_PAGES } from "./findings.ts";
import { type Form, keyOfPath, type ListSlot, type ValueSlot } from "./form.ts";
import { gatherRows, type MappedRow } from "./gather-rows.ts";
import { type FoundItem, readRow } from "./ground-values.ts";

/** Data in the shape of the schema. A value that was not found is null, left out, or listed as missing if required. */
export function assemble(schema: unknown, form: Form, findings: Findings, completeness: readonly string[]): Extraction {
  const { draft } = new Assembly(schema, form, findings);
  return draft.fillRoot(null, (leftOut) => [...new Set(draft.notes), ...completeness, ...leftOut, ...draft.reasons]);
}

/** One item of a list. */
type Item =
  | { readonly kind: "row"; readonly list: ListSlot; readonly row: MappedRow }
  | { readonly kind: "named"; readonly list: ListSlot; readonly found: FoundItem };

type Here = Place<Item | null>;

class Assembly implements Source<Item | null> {
  readonly draft: Draft<Item | null>;
  readonly #form: Form;
  readonly #findings: Findings;

  constructor(root: unknown, form: Form, findings: Findings) {
    this.draft = new Draft(root, this);
    this.#form = form;
    this.#findings = findings;
  }

  isNeeded({ isRequired }: Here): boolean {
    return isRequired;
  }

  fillValue(_: Resolved, shape: ScalarShape, { pointer, path, item }: Here): Outcome {
    const slot = findSlot(item === null ? this.#form.values : item.list.slots, path);
    if (slot === null) return absent("The schema asks for too many values.");
    const found = this.#find(slot, item);
    if (found === null) {
      const reason = this.#findings.reasons.get(slot.id);
      return reason === undefined ? absentFrom(item === null ? "page" : "record") : absent(reason);
    }
    if (!fits(found.value, shape)) return absent(`${JSON.stringify(found.value)} has another type.`);
    return this.draft.addValue(pointer, found);
  }

  #find(slot: ValueSlot, item: Item | null): FoundValue | null {
    if (item === null) return this.#findings.values.get(slot.id) ?? null;
    return item.kind === "row" ? readRow(item.row, slot) : (item.found.get(slot.id) ?? null);
  }

  fillList(_: Resolved, { items }: ArrayShape, place: Here): Outcome {
    const { item, path, pointer } = place;
    if (item !== null) return this.#fillInner(item, place);
    const list = this.#form.lists.find((candidate) => keyOfPath(candidate.path) === keyOfPath(path));
    if (list === undefined) return absent("The schema asks for too many lists.");
    const [first, ...others] = this.#findings.sources.get(list.id) ?? [];
    if (first === undefined) return this.#fillNamed(list, items, pointer);
    const { rows, coverage, problem, awaitsPages, unseen } = gatherRows([first, ...others], list.maxItems);
    const partial = unseen === null ? null : `${unseen} Scroll the list down and extract again.`;
    if (problem !== null || partial !== null || awaitsPages) return absent(problem ?? partial ?? MORE_PAGES);
    this.draft.notes.push(coverage);
    const entries = rows.map((row) => ({ kind: "row", list, row }) as const);
    return this.#fillItems(entries, items, pointer);
  }

  #fillNamed(list: ListSlot, items: unknown, pointer: string): Outcome {
    const named = this.#findings.items.get(list.id) ?? [];
    if (named.length === 0) {
      return absent(this.#findings.reasons.get(list.id) ?? "No table or list on the page has it.");
    }
    const kept = named.slice(0, list.maxItems ?? named.length);
    this.draft.notes.push(`${kept.length} items given one by one, which may not be all`);
    const entries = kept.map(({ item }) => ({ kind: "named", list, found: item }) as const);
    return this.#fillItems(entries, items, pointer);
  }

  #fillItems(all: readonly Item[], schema: unknown, pointer: string): Outcome {
    const isPlain = this.draft.resolve(schema)?.shape.kind === "scalar";
    const values: unknown[] = [];
    for (const item of all) {
      const undo = this.draft.mark();
      const outcome = this.draft.fillItem(schema, pointTo(pointer, values.length), item);
      if (outcome.kind === "value") values.push(outcome.value);
      else undo();
    }
    // Rows that cannot be read are not an empty list.
    if (values.length === 0 && all.length > 0) return absent(`None of the ${all.length} rows can be read as an item.`);
    if (isPlain && values.length < all.length) this.draft.notes.push(`${all.length - values.length} without a value`);
    return { kind: "value", value: values };
  }

  /** A list inside a record: the items of its cell. */
  #fillInner(item: Item, { pointer, path }: Here): Outcome {
    const slot = findSlot(item.list.slots, path);
    if (slot === null || item.kind !== "row") {
      return absent("A list inside a list item is only read when it holds plain values.");
    }
    const column = item.row.source.mapping.columns.get(slot.id);
    if (column === undefined) return absentFrom("record");
    return fillListInRow(item.row.row, column, slot, pointer, this.draft);
  }
}

function absentFrom(source: "page" | "record"): Outcome {
  return absent(`The ${source} does not have it.`, { isPlain: true });
}

function findSlot(slots: readonly ValueSlot[], path: readonly string[]): ValueSlot | null {
  return slots.find((slot) => keyOfPath(slot.path) === keyOfPath(path)) ?? null;
}

function fits(value: FoundValue["value"], { types, values }: ScalarShape): boolean {
  if (values !== null) return values.includes(value);
  if (types.length === 0) return true;
  return types.some((type) => type === typeof value || (type === "integer" && Number.isInteger(value)));
}
