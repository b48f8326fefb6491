import type { Extraction } from "../grounding/claim.ts";
import { type DayOrder, findDayOrder } from "../grounding/dates.ts";
import { chooseColumn, chooseRecords, chooseRow, chooseValues } from "./choose-records.ts";
import { absent, Draft, describeLeftOut, fillListInRow, type Outcome, setOwn } from "./draft.ts";
import { findByLabel, indexLabels } from "./find-by-label.ts";
import { type MergedPages, type PageSource, readMerged } from "./merged-pages.ts";
import { findNextPage } from "./pagination.ts";
import { type ReadValue, readLeaf } from "./read-value.ts";
import type { RecordSet, Row } from "./record-set.ts";
import {
  type PropertyShape,
  pointTo,
  type Resolved,
  resolveSchema,
  type ScalarShape,
  type Shape,
} from "./schema-shape.ts";
import { toWanted, type Wanted } from "./wanted-value.ts";

export interface SchemaSources {
  /** One page, or the pages of one list in order. */
  readonly pages: readonly PageSource[];
  /** The records that are asked for, where the task says which. Other lists of the pages are then not considered. */
  readonly records?: MergedPages | null;
}

const MAX_MISSING = 50;

/**
 * Data for a JSON Schema from what pages show, each leaf with its quote. Nothing is made up: a value that is not found is
 * left out, null where the schema allows that, and listed in `missing` where the schema requires it.
 */
export function fillSchema(schema: unknown, sources: SchemaSources, hints = ""): { extraction: Extraction } {
  const { pages, records = null } = sources;
  const draft = new Draft();
  const filler = createFiller({
    root: schema,
    merged: records === null ? readMerged(pages) : [records, ...readMerged(pages).filter(isLabelled)],
    chosen: records?.set ?? null,
    prompt: hints,
    draft,
  });
  const outcome = filler.fillRoot();
  if (outcome.kind === "absent") draft.addMissing("", outcome.reason);
  const data = outcome.kind === "value" ? outcome.value : null;
  return {
    extraction: {
      data,
      leaves: draft.leaves,
      coverage: describeCoverage(draft, data, pages),
      missing: draft.missing.slice(0, MAX_MISSING),
    },
  };
}

function isLabelled({ set }: MergedPages): boolean {
  return set.kind === "labelled";
}

function describeCoverage(draft: Draft, data: unknown, pages: readonly PageSource[]): string {
  const last = pages.at(-1);
  const hasMore = draft.notes.length > 0 && last !== undefined && findNextPage(last.root, last.url) !== null;
  const read =
    draft.notes.length > 0
      ? [...new Set(draft.notes)]
      : [`${pages.length} ${pages.length === 1 ? "page" : "pages"} read`];
  const leftOut = data === null ? [] : describeLeftOut(draft.leftOut, data);
  const missing = draft.missing.length > 0 ? [`${draft.missing.length} required values not found`] : [];
  return `${[...read, ...(hasMore ? ["more pages exist"] : []), ...leftOut, ...missing].join("; ")}.`;
}

interface Filling {
  readonly root: unknown;
  readonly merged: readonly MergedPages[];
  /** The records that the task asks for, where it says which. */
  readonly chosen: RecordSet | null;
  readonly prompt: string;
  readonly draft: Draft;
}

/** One row of a list, which an object is filled from. */
interface OneRecord {
  readonly row: Row;
  readonly set: RecordSet;
}

/** The current place in the schema and in the data. */
interface Position {
  readonly pointer: string;
  /** Property names from the object that the record stands for. */
  readonly path: readonly string[];
  readonly record: OneRecord | null;
  /** Whether the page's labelled values count: inside a list they belong to no item. */
  readonly isPage: boolean;
  /** The schemas around this one, to stop at recursion. */
  readonly open: readonly unknown[];
}

const MAX_DEPTH = 12;
/** A few lines of schema can describe an astronomical number of values. */
const MAX_PAGE_VALUES = 2_000;
const MAX_VALUES = 1_000_000;
const MAX_VISITS = 3_000;

function createFiller({ root, merged, chosen, prompt, draft }: Filling) {
  const labels = indexLabels(merged.map(({ set }) => set));

  // Cached: each row of a list asks for the same.
  const resolvedBefore = new Map<unknown, Resolved | null>();
  const wantedBefore = new Map<Resolved, Map<string, Wanted>>();
  const columnsBefore = new Map<RecordSet, Map<Wanted, Column>>();
  let tried = 0;
  let triedOnPage = 0;

  function resolve(schema: unknown): Resolved | null {
    const known = resolvedBefore.get(schema);
    if (known !== undefined) return known;
    const resolved = resolveSchema(schema, root);
    resolvedBefore.set(schema, resolved);
    return resolved;
  }

  function want(resolved: Resolved, path: readonly string[]): Wanted {
    const key = JSON.stringify(path);
    const byPath = wantedBefore.get(resolved) ?? new Map<string, Wanted>();
    const wanted = byPath.get(key) ?? toWanted(path.at(-1) ?? prompt, resolved, path.slice(0, -1));
    wantedBefore.set(resolved, byPath.set(key, wanted));
    return wanted;
  }

  function findColumn(set: RecordSet, wanted: Wanted): Column {
    const known = columnsBefore.get(set) ?? new Map<Wanted, Column>();
    columnsBefore.set(set, known);
    const column = known.get(wanted) ?? toColumn(set, wanted);
    known.set(wanted, column);
    return column;
  }

  /** The properties of an object and of the objects inside it that a column may have. */
  function listWanted(schema: unknown): Wanted[] {
    let visits = 0;
    const visit = (at: unknown, path: readonly string[], open: readonly unknown[]): Wanted[] => {
      const resolved = resolve(at);
      visits += 1;
      if (resolved === null || visits > MAX_VISITS || path.length > MAX_DEPTH || open.includes(resolved.source))
        return [];
      const { shape } = resolved;
      const inside = [...open, resolved.source];
      switch (shape.kind) {
        case "scalar":
          return shape.isConst || path.length === 0 ? [] : [want(resolved, path)];
        case "options":
          return shape.options.flatMap((option) => visit(option, path, inside));
        case "object":
          return shape.properties.flatMap(({ name, schema: inner }) => visit(inner, [...path, name], inside));
        case "array":
          return [];
      }
    };
    return visit(schema, [], []);
  }

  function fill(schema: unknown, position: Position): Outcome {
    const resolved = resolve(schema);
    if (resolved === null) return absent("The schema of this value cannot be followed.");
    tried += 1;
    if (position.isPage) triedOnPage += 1;
    const isTooMuch = tried > MAX_VALUES || triedOnPage > MAX_PAGE_VALUES;
    if (isTooMuch || position.path.length > MAX_DEPTH) return absent("The schema is too large or nested too deeply.");
    const { shape, source } = resolved;
    if (shape.kind === "scalar" || shape.kind === "array") return fillShape(resolved, shape, position);
    // A schema inside itself would only be filled with the same values again.
    if (position.open.includes(source)) return absent("The schema is recursive here.");
    return fillShape(resolved, shape, { ...position, open: [...position.open, source] });
  }

  function fillShape(resolved: Resolved, shape: Shape, position: Position): Outcome {
    switch (shape.kind) {
      case "object":
        return fillObject(shape.properties, position);
      case "array":
        return position.isPage ? fillList(resolved, shape, position) : fillInner(shape, position);
      case "scalar":
        return fillScalar(resolved, shape, position);
      case "options":
        return fillOptions(shape.options, position);
    }
  }

  function fillObject(properties: readonly PropertyShape[], position: Position): Outcome {
    const object = {};
    let isEmpty = true;
    for (const { name, schema, isRequired } of properties) {
      const pointer = pointTo(position.pointer, name);
      const undo = draft.mark();
      const outcome = fill(schema, { ...position, pointer, path: [...position.path, name] });
      if (outcome.kind === "value") {
        setOwn(object, name, outcome.value);
        isEmpty = false;
        continue;
      }
      undo();
      const isNullable = resolve(schema)?.isNullable === true;
      if (isNullable) setOwn(object, name, null);
      if (isNullable || !isRequired) draft.addLeftOut(pointer);
      else draft.addMissing(pointer, outcome.reason);
    }
    const isNeeded = position.path.length === 0 || !isEmpty || properties.length === 0;
    return isNeeded ? { kind: "value", value: object } : absent("None of it was found.");
  }

  /** The first that is found completely, else the first of which something is found. */
  function fillOptions(options: readonly unknown[], position: Position): Outcome {
    let best: unknown = null;
    for (const option of options) {
      const before = draft.missing.length;
      const undo = draft.mark();
      const outcome = fill(option, position);
      const isWhole = draft.missing.length === before;
      if (outcome.kind === "value" && isWhole) return outcome;
      undo();
      if (outcome.kind === "value") best ??= option;
    }
    return best === null ? absent("None of the alternatives was found.") : fill(best, position);
  }

  function fillScalar(resolved: Resolved, shape: ScalarShape, position: Position): Outcome {
    // A constant of the schema needs no quote.
    if (shape.isConst) return { kind: "value", value: shape.values?.[0] };
    const name = position.path.at(-1) ?? prompt;
    const parents = position.path.slice(0, -1);
    const wanted = want(resolved, position.path);
    const { pointer } = position;
    const said = readRecord(position.record, shape, wanted);
    if (said.kind === "leaf") {
      draft.addLeaf({ pointer, ...said.leaf, url: said.url });
      return { kind: "value", value: said.leaf.value };
    }
    if (!position.isPage) return absent(said.reason);
    const search = findByLabel(labels, wanted, shape, parents);
    if (search.kind === "none") return absent(`Nothing on the page has the label "${name}".`);
    if (search.kind === "unclear") return absent(`Ambiguous: ${search.values.slice(0, 5).join(" or ")}.`);
    draft.addLeaf({ pointer, ...search.leaf });
    return { kind: "value", value: search.leaf.value };
  }

  function fillList(resolved: Resolved, { items, maxItems }: Shape & { kind: "array" }, position: Position): Outcome {
    const shape = resolve(items);
    const name = position.path.at(-1) ?? "";
    if (shape === null) return absent("The schema of the items cannot be followed.");
    if (shape.shape.kind === "scalar")
      return fillValues(shape, shape.shape, maxItems, name || resolved.title, position);
    const choice = chooseRecords(merged, [name, resolved.title], listWanted(items), prompt);
    if (choice.kind === "none") return absent(choice.reason);
    const { set, coverage } = choice.it;
    const { rows, note } = takeRows(set, maxItems);
    draft.notes.push([coverage, note].filter(Boolean).join(", "));
    const values = rows.map((row, index) => {
      const pointer = pointTo(position.pointer, index);
      const outcome = fill(items, { pointer, path: [], record: { row, set }, isPage: false, open: [] });
      return outcome.kind === "value" ? outcome.value : null;
    });
    return { kind: "value", value: values };
  }

  function fillValues(
    resolved: Resolved,
    shape: ScalarShape,
    maxItems: number | null,
    name: string,
    position: Position,
  ): Outcome {
    const wanted = toWanted(name, resolved);
    const choice = chooseValues(merged, wanted);
    if (choice.kind === "none") return absent(choice.reason);
    const { set, coverage } = choice.it.merged;
    const { rows, note } = takeRows(set, maxItems);
    const order = findOrder(set, choice.it.column);
    const values: unknown[] = [];
    for (const row of rows) {
      const cell = row.cells.get(choice.it.column);
      const leaf = cell === undefined ? null : readLeaf(cell, shape, wanted, order);
      if (leaf === null) continue;
      draft.addLeaf({ pointer: pointTo(position.pointer, values.length), ...leaf, url: row.pageUrl });
      values.push(leaf.value);
    }
    const skipped = rows.length - values.length;
    draft.notes.push([coverage, note, skipped > 0 ? `${skipped} without such a value` : ""].filter(Boolean).join(", "));
    return { kind: "value", value: values };
  }

  /** A list inside a record. */
  function fillInner({ items }: Shape & { kind: "array" }, position: Position): Outcome {
    const shape = resolve(items);
    const row = position.record?.row;
    if (row === undefined || shape === null || shape.shape.kind !== "scalar") {
      return absent("A list inside a list item is only read when it holds plain values.");
    }
    return fillListInRow(row, toWanted(position.path.at(-1) ?? "", shape), shape.shape, position.pointer, draft);
  }

  /** The root object may be the one record that was asked for, or one that the prompt names: "the price of the Brindle Kettle". */
  function findRecord(): OneRecord | null {
    const [only, other] = chosen?.rows ?? [];
    if (chosen !== null && only !== undefined && other === undefined) return { row: only, set: chosen };
    const wanted = listWanted(root);
    const found = merged.flatMap(({ set }) => {
      const row = set.kind === "labelled" || set.region !== "main" ? null : chooseRow(set, prompt);
      const hasColumn = wanted.some((each) => findColumn(set, each).kind === "chosen");
      return row === null || !hasColumn ? [] : [{ row, set }];
    });
    return found.length === 1 ? (found[0] ?? null) : null;
  }

  type Said =
    | { readonly kind: "leaf"; readonly leaf: ReadValue; readonly url: string }
    | { readonly kind: "nothing"; readonly reason: string };

  /** What the current record says about a leaf. */
  function readRecord(record: OneRecord | null, shape: ScalarShape, wanted: Wanted): Said {
    if (record === null) return { kind: "nothing", reason: "There is no record." };
    const column = findColumn(record.set, wanted);
    if (column.kind === "none") return { kind: "nothing", reason: column.reason };
    const cell = record.row.cells.get(column.it);
    if (cell === undefined || cell.whole === "") return { kind: "nothing", reason: "The record does not have it." };
    const leaf = readLeaf(cell, shape, wanted, column.order);
    if (leaf !== null) return { kind: "leaf", leaf, url: record.row.pageUrl };
    return { kind: "nothing", reason: `"${cell.text.slice(0, 80)}" cannot be read as what the schema asks for.` };
  }

  return {
    fillRoot(): Outcome {
      return fill(root, { pointer: "", path: [], record: findRecord(), isPage: true, open: [] });
    },
  };
}

function takeRows({ rows }: RecordSet, maxItems: number | null): { rows: readonly Row[]; note: string } {
  if (maxItems === null || rows.length <= maxItems) return { rows, note: "" };
  return { rows: rows.slice(0, maxItems), note: `the first ${maxItems} taken` };
}

type Column = ReturnType<typeof chooseColumn> & { readonly order: DayOrder | null };

function toColumn(set: RecordSet, wanted: Wanted): Column {
  const choice = chooseColumn(set, wanted);
  return { ...choice, order: choice.kind === "chosen" ? findOrder(set, choice.it) : null };
}

function findOrder({ rows }: RecordSet, column: string): DayOrder | null {
  return findDayOrder(rows.map(({ cells }) => cells.get(column)?.text ?? ""));
}
