import { type AskedValue, toAsked } from "../read-value.ts";
import { type Resolved, resolveSchema, type ScalarShape } from "../schema-shape.ts";

/** One value that the schema asks for. */
export interface ValueSlot extends AskedValue {
  /** "v1", "v2", …: how the model refers to it. */
  readonly id: string;
  /** Property names from the root, or from the item of the list that it is in. Empty: the item itself. */
  readonly path: readonly string[];
  readonly description: string;
  readonly isRequired: boolean;
  /** A list of such values inside an item. */
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

/** A schema as a list of what is to be found. */
export interface Form {
  readonly values: readonly ValueSlot[];
  readonly lists: readonly ListSlot[];
  readonly objects: readonly ObjectSlot[];
}

export function keyOfPath(path: readonly string[]): string {
  return JSON.stringify(path);
}

export function isUrlSlot({ wanted }: Pick<ValueSlot, "wanted">): boolean {
  return wanted.concept === "url";
}

/** A few lines of schema can describe an astronomical number of values. */
const MAX_DEPTH = 8;
const MAX_SLOTS = 150;
const MAX_LISTS = 20;
const MAX_VISITS = 3_000;

/** Lists what a schema asks for. What is beyond the limits is not listed, and missing if it is required. */
export function readForm(schema: unknown): Form {
  const reading = new Reading(schema);
  reading.visit({ schema, path: [], isRequired: true, open: [], depth: 0 }, reading.page);
  return reading.toForm();
}

interface Visit {
  readonly schema: unknown;
  readonly path: readonly string[];
  readonly isRequired: boolean;
  /** The schemas around this one: a schema inside itself would only ask for the same again. */
  readonly open: readonly unknown[];
  readonly depth: number;
}

/** The page, or one list on it. */
interface Scope {
  readonly list: Pick<ListSlot, "path" | "description" | "maxItems"> | null;
  readonly slots: Map<string, ValueSlot>;
}

class Reading {
  readonly page: Scope = { list: null, slots: new Map() };
  readonly #root: unknown;
  readonly #lists = new Map<string, Scope>();
  #visits = 0;
  #slots = 0;

  constructor(root: unknown) {
    this.#root = root;
  }

  visit(visit: Visit, scope: Scope): void {
    this.#visits += 1;
    const resolved = resolveSchema(visit.schema, this.#root);
    if (resolved === null || this.#visits > MAX_VISITS || visit.depth > MAX_DEPTH) return;
    const { shape, source } = resolved;
    if (shape.kind === "scalar") this.#addSlot(visit, resolved, shape, scope, false);
    else if (shape.kind === "array") this.#visitArray(visit, resolved, shape, scope);
    else if (!visit.open.includes(source)) this.#visitInside(visit, resolved, scope);
  }

  toForm(): Form {
    const values = [...this.page.slots.values()];
    const lists = [...this.#lists.values()].flatMap(({ list, slots }, index) =>
      list === null ? [] : [{ id: `l${index + 1}`, ...list, slots: [...slots.values()] }],
    );
    return { values, lists, objects: findObjects(values) };
  }

  #visitInside(visit: Visit, { shape, source }: Resolved, scope: Scope): void {
    const [open, depth] = [[...visit.open, source], visit.depth + 1];
    if (shape.kind === "options") {
      for (const schema of shape.options) this.visit({ ...visit, schema, open, depth }, scope);
    }
    if (shape.kind !== "object") return;
    for (const { name, schema, isRequired } of shape.properties) {
      const path = [...visit.path, name];
      this.visit({ schema, path, isRequired: visit.isRequired && isRequired, open, depth }, scope);
    }
  }

  #visitArray(
    visit: Visit,
    { description, title }: Resolved,
    { items, maxItems }: { items: unknown; maxItems: number | null },
    scope: Scope,
  ): void {
    const inner = resolveSchema(items, this.#root);
    if (inner === null) return;
    if (scope.list !== null) {
      if (inner.shape.kind === "scalar") this.#addSlot(visit, inner, inner.shape, scope, true);
      return;
    }
    const key = keyOfPath(visit.path);
    if (this.#lists.has(key) || this.#lists.size >= MAX_LISTS) return;
    const list: Scope = {
      list: { path: visit.path, description: description || title, maxItems },
      slots: new Map(),
    };
    this.#lists.set(key, list);
    this.visit({ schema: items, path: [], isRequired: true, open: visit.open, depth: visit.depth + 1 }, list);
  }

  #addSlot({ path, isRequired }: Visit, resolved: Resolved, shape: ScalarShape, scope: Scope, isMany: boolean): void {
    if (shape.isConst) return;
    const key = keyOfPath(path);
    const known = scope.slots.get(key);
    if (known !== undefined) {
      scope.slots.set(key, { ...known, shape: unite(known.shape, shape) });
      return;
    }
    if (this.#slots >= MAX_SLOTS) return;
    this.#slots += 1;
    const name = path.at(-1) ?? scope.list?.path.at(-1) ?? "";
    const description = resolved.description || resolved.title;
    scope.slots.set(key, {
      id: `v${this.#slots}`,
      path,
      ...toAsked(name, resolved, shape, path.slice(0, -1)),
      description,
      isRequired,
      isMany,
    });
  }
}

/** For alternatives that give a property several types. */
function unite(one: ScalarShape, other: ScalarShape): ScalarShape {
  const isAny = one.types.length === 0 || other.types.length === 0;
  return {
    ...one,
    types: isAny ? [] : [...new Set([...one.types, ...other.types])],
    format: one.format === other.format ? one.format : null,
    values: one.values === null || other.values === null ? null : [...one.values, ...other.values],
  };
}

/** Each object with its values, including those of the objects inside it. */
function findObjects(values: readonly ValueSlot[]): ObjectSlot[] {
  const objects = new Map<string, { path: readonly string[]; slots: ValueSlot[] }>();
  for (const slot of values) {
    for (let length = 0; length < slot.path.length; length += 1) {
      const path = slot.path.slice(0, length);
      const object = objects.get(keyOfPath(path)) ?? { path, slots: [] };
      object.slots.push(slot);
      objects.set(keyOfPath(path), object);
    }
  }
  return [...objects.values()].map((object, index) => ({ id: `o${index + 1}`, ...object }));
}
