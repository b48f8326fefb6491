import type { Extraction } from "../../grounding/claim.ts";
import { absent, Draft, describeLeftOut, fillListInRow, type Outcome, setOwn } from "../draft.ts";
import { type PropertyShape, pointTo, resolveSchema, type ScalarShape } from "../schema-shape.ts";
import { type Findings, MORE_PAGES } from "./findings.ts";
import { type Form, keyOfPath, type ListSlot, type ValueSlot } from "./form.ts";
import { gatherRows, type MappedRow } from "./gather-rows.ts";
import { type FoundItem, type FoundValue, readRow } from "./ground-values.ts";

const MAX_DEPTH = 12;
const MAX_MISSING = 50;
const MAX_REASONS = 5;

/** Data in the shape of the schema. A value that was not found is null, left out, or listed as missing if required. */
export function assemble(schema: unknown, form: Form, findings: Findings, completeness: readonly string[]): Extraction {
  const draft = new Draft();
  const assembly = new Assembly(schema, form, findings, draft);
  const outcome = assembly.fill(schema, { pointer: "", path: [], item: null, open: [], isRequired: true });
  if (outcome.kind === "absent") draft.addMissing("", outcome.reason);
  const data = outcome.kind === "value" ? outcome.value : null;
  const missing = draft.missing.slice(0, MAX_MISSING);
  const notes = [
    ...new Set(draft.notes),
    ...completeness,
    ...(data === null ? [] : describeLeftOut(draft.leftOut, data)),
    ...assembly.reasons,
    ...(draft.missing.length > 0 ? [`${draft.missing.length} required values not found`] : []),
  ];
  return { data, leaves: draft.leaves, coverage: notes.length === 0 ? "" : `${notes.join("; ")}.`, missing };
}

/** One item of a list. */
type Item =
  | { readonly kind: "row"; readonly list: ListSlot; readonly row: MappedRow }
  | { readonly kind: "named"; readonly list: ListSlot; readonly found: FoundItem };

interface Position {
  readonly pointer: string;
  /** From the root, or from the item. */
  readonly path: readonly string[];
  readonly item: Item | null;
  readonly open: readonly unknown[];
  /** Whether it must be there even if nothing in it is found. */
  readonly isRequired: boolean;
}

class Assembly {
  /** Why optional values are absent. */
  readonly reasons: string[] = [];
  readonly #root: unknown;
  readonly #form: Form;
  readonly #findings: Findings;
  readonly #draft: Draft;

  constructor(root: unknown, form: Form, findings: Findings, draft: Draft) {
    this.#root = root;
    this.#form = form;
    this.#findings = findings;
    this.#draft = draft;
  }

  fill(schema: unknown, position: Position): Outcome {
    const resolved = resolveSchema(schema, this.#root);
    if (resolved === null) return absent("The schema of this value cannot be followed.");
    if (position.path.length > MAX_DEPTH) return absent("The schema is nested too deeply.");
    const { shape, source } = resolved;
    if (shape.kind === "scalar") return this.#fillScalar(shape, position);
    if (shape.kind === "array") return this.#fillArray(shape.items, position);
    if (position.open.includes(source)) return absent("The schema is recursive here.");
    const inside = { ...position, open: [...position.open, source] };
    return shape.kind === "object"
      ? this.#fillObject(shape.properties, inside)
      : this.#fillOptions(shape.options, inside);
  }

  #fillObject(properties: readonly PropertyShape[], position: Position): Outcome {
    const object = {};
    let isEmpty = true;
    for (const { name, schema, isRequired } of properties) {
      const pointer = pointTo(position.pointer, name);
      const undo = this.#draft.mark();
      const isNullable = resolveSchema(schema, this.#root)?.isNullable === true;
      const path = [...position.path, name];
      const outcome = this.fill(schema, { ...position, pointer, path, isRequired: isRequired && !isNullable });
      if (outcome.kind === "value") {
        setOwn(object, name, outcome.value);
        isEmpty = false;
        continue;
      }
      undo();
      if (isNullable) setOwn(object, name, null);
      if (isNullable || !isRequired) this.#leaveOut(pointer, outcome);
      else this.#draft.addMissing(pointer, outcome.reason);
    }
    const isNeeded = position.isRequired || !isEmpty || properties.length === 0;
    return isNeeded ? { kind: "value", value: object } : absent("None of it was found.");
  }

  #leaveOut(pointer: string, { reason, isPlain }: Outcome & { kind: "absent" }): void {
    this.#draft.addLeftOut(pointer);
    if (!isPlain && this.reasons.length < MAX_REASONS) this.reasons.push(`${pointer}: ${reason}`);
  }

  /** The first that is found completely, else the first of which something is found. */
  #fillOptions(options: readonly unknown[], position: Position): Outcome {
    let best: unknown = null;
    for (const option of options) {
      const before = this.#draft.missing.length;
      const undo = this.#draft.mark();
      const outcome = this.fill(option, position);
      if (outcome.kind === "value" && this.#draft.missing.length === before) return outcome;
      undo();
      if (outcome.kind === "value") best ??= option;
    }
    return best === null ? absent("None of the alternatives was found.") : this.fill(best, position);
  }

  #fillScalar(shape: ScalarShape, { pointer, path, item }: Position): Outcome {
    // A constant of the schema needs no quote.
    if (shape.isConst) return { kind: "value", value: shape.values?.[0] };
    const slot = findSlot(item === null ? this.#form.values : item.list.slots, path);
    if (slot === null) return absent("The schema asks for too many values.");
    const found = this.#find(slot, item);
    if (found === null) {
      const reason = this.#findings.reasons.get(slot.id);
      return reason === undefined ? absentFrom(item === null ? "page" : "record") : absent(reason);
    }
    if (!fits(found.value, shape)) return absent(`${JSON.stringify(found.value)} has another type.`);
    this.#draft.addLeaf({ pointer, ...found });
    return { kind: "value", value: found.value };
  }

  #find(slot: ValueSlot, item: Item | null): FoundValue | null {
    if (item === null) return this.#findings.values.get(slot.id) ?? null;
    return item.kind === "row" ? readRow(item.row, slot) : (item.found.get(slot.id) ?? null);
  }

  #fillArray(items: unknown, position: Position): Outcome {
    const { item, path } = position;
    if (item !== null) return this.#fillInner(item, position);
    const list = this.#form.lists.find((candidate) => keyOfPath(candidate.path) === keyOfPath(path));
    if (list === undefined) return absent("The schema asks for too many lists.");
    const [first, ...others] = this.#findings.sources.get(list.id) ?? [];
    if (first === undefined) return this.#fillNamed(list, items, position);
    const { rows, coverage, problem, awaitsPages, unseen } = gatherRows([first, ...others], list.maxItems);
    const partial = unseen === null ? null : `${unseen} Scroll the list down and extract again.`;
    if (problem !== null || partial !== null || awaitsPages) return absent(problem ?? partial ?? MORE_PAGES);
    this.#draft.notes.push(coverage);
    return this.#fillItems(
      rows.map((row) => ({ kind: "row", list, row })),
      items,
      position,
    );
  }

  #fillNamed(list: ListSlot, items: unknown, position: Position): Outcome {
    const named = this.#findings.items.get(list.id) ?? [];
    if (named.length === 0) {
      return absent(this.#findings.reasons.get(list.id) ?? "No table or list on the page has it.");
    }
    const kept = named.slice(0, list.maxItems ?? named.length);
    this.#draft.notes.push(`${kept.length} items from running text, which may not be all`);
    return this.#fillItems(
      kept.map(({ item }) => ({ kind: "named", list, found: item })),
      items,
      position,
    );
  }

  #fillItems(all: readonly Item[], schema: unknown, { pointer }: Position): Outcome {
    const isPlain = resolveSchema(schema, this.#root)?.shape.kind === "scalar";
    const values: unknown[] = [];
    for (const item of all) {
      const undo = this.#draft.mark();
      const outcome = this.fill(schema, {
        pointer: pointTo(pointer, values.length),
        path: [],
        item,
        open: [],
        isRequired: true,
      });
      if (outcome.kind === "value") values.push(outcome.value);
      else undo();
    }
    // Rows that cannot be read are not an empty list.
    if (values.length === 0 && all.length > 0) return absent(`None of the ${all.length} rows can be read as an item.`);
    if (isPlain && values.length < all.length) this.#draft.notes.push(`${all.length - values.length} without a value`);
    return { kind: "value", value: values };
  }

  /** A list inside a record: the items of its cell. */
  #fillInner(item: Item, { pointer, path }: Position): Outcome {
    const slot = findSlot(item.list.slots, path);
    if (slot === null || item.kind !== "row") {
      return absent("A list inside a list item is only read when it holds plain values.");
    }
    const column = item.row.source.mapping.columns.get(slot.id);
    if (column === undefined) return absentFrom("record");
    return fillListInRow(item.row.row, { ...slot.wanted, name: column }, slot.shape, pointer, this.#draft);
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
