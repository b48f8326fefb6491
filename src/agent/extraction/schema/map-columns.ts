import { findColumnByForm, MIN_SIMILARITY } from "../filters/find-column.ts";
import type { RecordSet, Row } from "../records/record-set.ts";
import { type DayOrder, findDayOrder } from "../values/date.ts";
import type { TextKind } from "../values/text-kind.ts";
import { toPhrase } from "../words/similarity.ts";
import { readLeaf } from "./read-leaf.ts";
import type { ScalarShape } from "./shape.ts";
import { scoreLabel, type Wanted } from "./wanted.ts";

/** One leaf of an item, whatever objects stand around it. */
export interface WantedLeaf {
  /** Names from the item to the leaf. */
  readonly path: readonly string[];
  readonly wanted: Wanted;
  readonly shape: ScalarShape;
  readonly isRequired: boolean;
}

export interface MappedColumn {
  readonly column: string;
  readonly score: number;
  readonly order: DayOrder | null;
}

export interface ColumnMap {
  /** By the leaf's path as JSON. */
  readonly columns: ReadonlyMap<string, MappedColumn>;
  /** Leaves for which several columns fit equally well. */
  readonly unclear: ReadonlyMap<string, readonly string[]>;
  /** From 0 to 1: how much of what is wanted has a column. */
  readonly score: number;
}

const SAMPLE = 20;
const FORMS: readonly TextKind[] = ["price", "date", "rating", "availability"];

/** Which column says which leaf. A column says one thing only, except that it may be a link as well. */
export function mapColumns(set: RecordSet, leaves: readonly WantedLeaf[]): ColumnMap {
  const sample = set.rows.slice(0, SAMPLE);
  const orders = new Map(set.columns.map((column) => [column, findDayOrder(textsOf(set.rows, column))]));
  const columns = new Map<string, MappedColumn>();
  const unclear = new Map<string, readonly string[]>();
  const taken = new Set<string>();
  const offersOf = new Map(leaves.map((leaf) => [leaf, findOffers(leaf, set, sample, orders)]));
  const offers = [...offersOf.values()].flat().sort((one, other) => other.score - one.score);
  for (const offer of offers) {
    const key = keyOfLeaf(offer.leaf);
    const isShared = sharesColumn(offer.leaf);
    if (columns.has(key) || unclear.has(key) || (!isShared && taken.has(offer.column))) continue;
    const equal = (offersOf.get(offer.leaf) ?? []).filter(
      (other) => other.score === offer.score && (isShared || !taken.has(other.column)),
    );
    if (equal.length > 1)
      unclear.set(
        key,
        equal.map(({ column }) => column),
      );
    else columns.set(key, { column: offer.column, score: offer.score, order: orders.get(offer.column) ?? null });
    if (equal.length === 1 && !isShared) taken.add(offer.column);
  }
  return { columns, unclear, score: scoreMap(leaves, columns) };
}

export function keyOfLeaf({ path }: Pick<WantedLeaf, "path">): string {
  return JSON.stringify(path);
}

interface Offer {
  readonly leaf: WantedLeaf;
  readonly column: string;
  readonly score: number;
}

function findOffers(
  leaf: WantedLeaf,
  set: RecordSet,
  sample: readonly Row[],
  orders: ReadonlyMap<string, DayOrder | null>,
): Offer[] {
  return set.columns.flatMap((column) => {
    const score = scoreColumn(leaf.wanted, column, set, sample);
    if (score < MIN_SIMILARITY || !canSay(leaf, column, sample, orders.get(column) ?? null)) return [];
    return [{ leaf, column, score }];
  });
}

/** A column that holds the only prices, dates or ratings says so without being called so. */
function scoreColumn(wanted: Wanted, column: string, set: RecordSet, sample: readonly Row[]): number {
  const byName = scoreLabel(wanted, toPhrase(column));
  const isTitle = column === set.titleColumn;
  if (isTitle && (wanted.concept === "title" || wanted.concept === "address")) return Math.max(byName, 0.6);
  if (isTitle && wanted.concept === "identifier" && holdsCodes(column, sample)) return Math.max(byName, 0.6);
  const form = FORMS.find((known) => known === wanted.concept);
  const isForm = form !== undefined && isOnlyOfForm(column, form, sample);
  return Math.max(byName, isForm ? 0.55 : 0);
}

/** "T-10062": a number that tells records apart, whatever its column is called. */
function holdsCodes(column: string, sample: readonly Row[]): boolean {
  return sample.every(({ cells }) => /^#?[\p{L}\d-]*\d[\p{L}\d-]*$/u.test(cells.get(column)?.text ?? ""));
}

function isOnlyOfForm(column: string, form: TextKind, sample: readonly Row[]): boolean {
  return sample.some((row) => findColumnByForm(row, form) === column);
}

/** At least one row must say something of the right type there. */
function canSay(
  { shape, wanted }: WantedLeaf,
  column: string,
  sample: readonly Row[],
  order: DayOrder | null,
): boolean {
  if (sample.length === 0) return true;
  return sample.some(({ cells }) => {
    const cell = cells.get(column);
    return cell !== undefined && readLeaf(cell, shape, wanted, order) !== null;
  });
}

function sharesColumn({ wanted }: WantedLeaf): boolean {
  return wanted.concept === "address" || wanted.concept === "currency" || wanted.concept === "count";
}

function scoreMap(leaves: readonly WantedLeaf[], columns: ReadonlyMap<string, MappedColumn>): number {
  let [got, all] = [0, 0];
  for (const leaf of leaves) {
    const weight = leaf.isRequired ? 2 : 1;
    all += weight;
    got += weight * (columns.get(keyOfLeaf(leaf))?.score ?? 0);
  }
  return all === 0 ? 0 : got / all;
}

function* textsOf(rows: readonly Row[], column: string): Generator<string> {
  for (const { cells } of rows) yield cells.get(column)?.text ?? "";
}
