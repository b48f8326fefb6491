import type { Extraction } from "../grounding/claim.ts";
import { type DayOrder, findDayOrder } from "../grounding/dates.ts";
import { chooseColumn, chooseRecords, chooseRow, chooseValues } from "./choose-records.ts";
import { absent, Draft, fillListInRow, type Outcome, type Place, type Source } from "./draft.ts";
import { findByLabel, indexLabels } from "./find-by-label.ts";
import { type MergedPages, type PageSource, readMerged } from "./merged-pages.ts";
import { findNextPage } from "./pagination.ts";
import { type AskedValue, type FoundValue, findValue, toAsked } from "./read-value.ts";
import type { RecordSet, Row } from "./record-set.ts";
import { type ArrayShape, pointTo, type Resolved, type ScalarShape } from "./schema-shape.ts";
import { toWanted, type Wanted } from "./wanted-value.ts";

export interface SchemaSources {
  /** One page, or the pages of one list in order. */
  readonly pages: readonly PageSource[];
  /** The records that are asked for, where the task says which. Other lists of the pages are then not considered. */
  readonly records?: MergedPages | null;
}

/**
 * Data for a JSON Schema from what pages show, each leaf with its quote. Nothing is made up: a value that is not found is
 * left out, null where the schema allows that, and listed in `missing` where the schema requires it.
 */
export function fillSchema(schema: unknown, sources: SchemaSources, hints = ""): Extraction {
  const { pages, records = null } = sources;
  const merged = readMerged(pages);
  const filler = new PageFiller(schema, {
    merged: records === null ? merged : [records, ...merged.filter(({ set }) => set.kind === "labelled")],
    chosen: records?.set ?? null,
    prompt: hints,
  });
  const last = pages.at(-1);
  const hasMore = () => last !== undefined && findNextPage(last.root, last.url) !== null;
  return filler.draft.fillRoot(filler.findRecord(), (leftOut) => {
    const notes = [...new Set(filler.draft.notes)];
    const read = `${pages.length} ${pages.length === 1 ? "page" : "pages"} read`;
    const lists = notes.length === 0 ? [read] : [...notes, ...(hasMore() ? ["more pages exist"] : [])];
    return [...lists, ...leftOut];
  });
}

interface Known {
  readonly merged: readonly MergedPages[];
  /** The records that the task asks for, where it says which. */
  readonly chosen: RecordSet | null;
  readonly prompt: string;
}

/** One row of a list, which an object is filled from. */
interface OneRecord {
  readonly row: Row;
  readonly set: RecordSet;
}

type Here = Place<OneRecord | null>;

const MAX_DEPTH = 12;
/** A few lines of schema can describe an astronomical number of values. */
const MAX_VISITS = 3_000;

/** Fills a schema by the names in it: from the columns of records and, outside of lists, from the labels of the page. */
class PageFiller implements Source<OneRecord | null> {
  readonly draft: Draft<OneRecord | null>;
  readonly #root: unknown;
  readonly #known: Known;
  readonly #labels: ReturnType<typeof indexLabels>;
  // Cached: each row of a list asks for the same.
  readonly #asked = new Map<Resolved, Map<string, AskedValue>>();
  readonly #columns = new Map<RecordSet, Map<Wanted, Column>>();

  constructor(root: unknown, known: Known) {
    this.draft = new Draft(root, this);
    this.#root = root;
    this.#known = known;
    this.#labels = indexLabels(known.merged.map(({ set }) => set));
  }

  /** The root object may be the one record that was asked for, or one that the prompt names: "the price of the Brindle Kettle". */
  findRecord(): OneRecord | null {
    const { chosen, merged, prompt } = this.#known;
    const [only, other] = chosen?.rows ?? [];
    if (chosen !== null && only !== undefined && other === undefined) return { row: only, set: chosen };
    const wanted = this.#listWanted(this.#root);
    const found = merged.flatMap(({ set }) => {
      const row = set.kind === "labelled" || set.region !== "main" ? null : chooseRow(set, prompt);
      const hasColumn = wanted.some((each) => this.#findColumn(set, each).kind === "chosen");
      return row === null || !hasColumn ? [] : [{ row, set }];
    });
    return found.length === 1 ? (found[0] ?? null) : null;
  }

  isNeeded({ path }: Here): boolean {
    return path.length === 0;
  }

  fillValue(resolved: Resolved, shape: ScalarShape, { pointer, path, item, isPage }: Here): Outcome {
    const asked = this.#ask(resolved, shape, path);
    const said = this.#readRecord(item, asked);
    if (typeof said !== "string") return this.draft.addValue(pointer, said);
    // Inside a list, the labelled values of the page belong to no item.
    if (!isPage) return absent(said);
    const search = findByLabel(this.#labels, asked, path.slice(0, -1));
    if (search.kind === "none") return absent(`Nothing on the page has the label "${asked.wanted.name}".`);
    if (search.kind === "unclear") return absent(`Ambiguous: ${search.values.slice(0, 5).join(" or ")}.`);
    return this.draft.addValue(pointer, search.leaf);
  }

  fillList(resolved: Resolved, { items, maxItems }: ArrayShape, place: Here): Outcome {
    const { pointer, path, item } = place;
    const inner = this.draft.resolve(items);
    const name = path.at(-1) ?? "";
    if (!place.isPage) {
      if (item === null || inner === null || inner.shape.kind !== "scalar")
        return absent("A list inside a list item is only read when it holds plain values.");
      return fillListInRow(item.row, name, toAsked(name, inner, inner.shape, []), pointer, this.draft);
    }
    if (inner === null) return absent("The schema of the items cannot be followed.");
    if (inner.shape.kind === "scalar") {
      const asked = toAsked(name || resolved.title, inner, inner.shape, []);
      return this.#fillValues(asked, maxItems, pointer);
    }
    const { merged, prompt } = this.#known;
    const choice = chooseRecords(merged, [name, resolved.title], this.#listWanted(items), prompt);
    if (choice.kind === "none") return absent(choice.reason);
    const { set, coverage } = choice.it;
    const unread = this.#findUnread(set);
    if (unread !== null) return absent(unread);
    const { rows, note } = takeRows(set, maxItems);
    this.draft.notes.push([coverage, note].filter(Boolean).join(", "));
    const values = rows.map((row, index) => {
      const outcome = this.draft.fillItem(items, pointTo(pointer, index), { row, set });
      return outcome.kind === "value" ? outcome.value : null;
    });
    return { kind: "value", value: values };
  }

  /** A list of plain values: one column of a table or list. */
  #fillValues(asked: AskedValue, maxItems: number | null, pointer: string): Outcome {
    const choice = chooseValues(this.#known.merged, asked.wanted);
    if (choice.kind === "none") return absent(choice.reason);
    const { merged, column } = choice.it;
    const unread = this.#findUnread(merged.set);
    if (unread !== null) return absent(unread);
    const { rows, note } = takeRows(merged.set, maxItems);
    const order = findOrder(merged.set, column);
    const leaves = rows.flatMap((row) => findValue(row.cells.get(column), row, asked, order, column) ?? []);
    for (const [index, leaf] of leaves.entries()) this.draft.addValue(pointTo(pointer, index), leaf);
    const skipped = rows.length - leaves.length;
    const without = skipped > 0 ? `${skipped} without such a value` : "";
    this.draft.notes.push([merged.coverage, note, without].filter(Boolean).join(", "));
    return { kind: "value", value: leaves.map(({ value }) => value) };
  }

  /** Why a list may have other entries; null when it has not, and for records that the task has chosen. */
  #findUnread({ kind, unreadRows }: RecordSet): string | null {
    if (kind !== "list" || unreadRows === 0 || this.#known.chosen !== null) return null;
    return `${unreadRows} entries of the list could not be read: they differ from the others.`;
  }

  /** What the record says about a value, or why it says nothing. */
  #readRecord(record: OneRecord | null, asked: AskedValue): FoundValue | string {
    if (record === null) return "There is no record.";
    const column = this.#findColumn(record.set, asked.wanted);
    if (column.kind === "none") return column.reason;
    const cell = record.row.cells.get(column.it);
    if (cell === undefined || cell.whole === "") return "The record does not have it.";
    const found = findValue(cell, record.row, asked, column.order, column.it);
    return found ?? `"${cell.text.slice(0, 80)}" cannot be read as what the schema asks for.`;
  }

  /** The properties of an object and of the objects inside it that a column may have. */
  #listWanted(schema: unknown): Wanted[] {
    let visits = 0;
    const visit = (at: unknown, path: readonly string[], open: readonly unknown[]): Wanted[] => {
      const resolved = this.draft.resolve(at);
      visits += 1;
      if (resolved === null || visits > MAX_VISITS || path.length > MAX_DEPTH || open.includes(resolved.source))
        return [];
      const { shape } = resolved;
      const inside = [...open, resolved.source];
      switch (shape.kind) {
        case "scalar":
          return shape.isConst || path.length === 0 ? [] : [this.#ask(resolved, shape, path).wanted];
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

  #ask(resolved: Resolved, shape: ScalarShape, path: readonly string[]): AskedValue {
    const key = JSON.stringify(path);
    const byPath = this.#asked.get(resolved) ?? new Map<string, AskedValue>();
    const named = byPath.get(key) ?? toAsked(path.at(-1) ?? "", resolved, shape, path.slice(0, -1));
    // The whole answer has no name of its own.
    const asked = path.length > 0 ? named : { ...named, wanted: toWanted(this.#known.prompt, resolved) };
    this.#asked.set(resolved, byPath.set(key, asked));
    return asked;
  }

  #findColumn(set: RecordSet, wanted: Wanted): Column {
    const known = this.#columns.get(set) ?? new Map<Wanted, Column>();
    const column = known.get(wanted) ?? toColumn(set, wanted);
    this.#columns.set(set, known.set(wanted, column));
    return column;
  }
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
