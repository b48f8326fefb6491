import { type DayOrder, findDayOrder } from "../grounding/dates.ts";
import type { TextKind } from "../grounding/short-texts.ts";
import { compare, isWithin, type Phrase, toPhrase } from "../grounding/similarity.ts";
import { findColumnByForm, MIN_SIMILARITY } from "./columns.ts";
import type { MergedPages } from "./merged-pages.ts";
import { readLeaf } from "./read-value.ts";
import type { RecordSet, Row } from "./record-set.ts";
import { type Resolved, resolveSchema, type ScalarShape } from "./schema-shape.ts";
import { scoreLabel, toWanted, type Wanted } from "./wanted-value.ts";

interface ChosenRecords {
  readonly merged: MergedPages;
  readonly map: ColumnMap;
}

type RecordChoice = ({ readonly kind: "chosen" } & ChosenRecords) | { readonly kind: "none"; readonly reason: string };

const MAX_SETS = 100;

/** The records with the most of what is wanted. None when two different ones fit equally well. */
export function chooseRecords(
  pages: readonly MergedPages[],
  leaves: readonly WantedLeaf[],
  name: string,
  hints: string,
): RecordChoice {
  const hinted = toPhrase(hints);
  const candidates = pickCandidates(pages).flatMap((merged) => {
    const map = mapColumns(merged.set, leaves);
    if (map.score === 0) return [];
    return [
      {
        merged,
        map,
        score: map.score + 0.3 * scoreName(merged.set, toPhrase(name)) + 0.3 * scoreHints(merged.set, hinted),
      },
    ];
  });
  const best = Math.max(0, ...candidates.map(({ score }) => score));
  const chosen = candidates.filter(({ score }) => best - score < 1e-9);
  const [first] = chosen;
  if (first === undefined) return { kind: "none", reason: "No table or list on the page has such columns." };
  if (chosen.some(({ merged }) => textOf(merged.set) !== textOf(first.merged.set))) {
    const names = chosen.map(({ merged: { set } }) => `"${set.name}" (${set.columns.slice(0, 6).join(", ")})`);
    return { kind: "none", reason: `Ambiguous: ${names.slice(0, 5).join(" and ")} fit equally well.` };
  }
  return { kind: "chosen", merged: first.merged, map: first.map };
}

/** Lists in the main part of the page; those around it only when it has none. */
function pickCandidates(pages: readonly MergedPages[]): MergedPages[] {
  const lists = pages.filter(({ set }) => set.kind !== "labelled" || set.rows.length > 1);
  const main = lists.filter(({ set }) => set.region === "main");
  return (main.length > 0 ? main : lists)
    .toSorted((one, other) => other.set.rows.length - one.set.rows.length)
    .slice(0, MAX_SETS);
}

function scoreName({ name, titleColumn }: RecordSet, wanted: Phrase): number {
  const phrases = [toPhrase(name), toPhrase(titleColumn ?? "")];
  return Math.max(...phrases.map((phrase) => (isWithin(wanted, phrase) ? 1 : compare(wanted, phrase))));
}

/** The share of the words in the records' name that the prompt has too. */
function scoreHints({ name, titleColumn }: RecordSet, hinted: Phrase): number {
  const words = [...toPhrase(`${name} ${titleColumn ?? ""}`).stems];
  return words.length === 0 ? 0 : words.filter((word) => hinted.stems.has(word)).length / words.length;
}

function textOf({ rows }: RecordSet): string {
  return JSON.stringify(rows.slice(0, 50).map(({ cells }) => [...cells.values()].map(({ text }) => text)));
}

type ColumnChoice =
  | { readonly kind: "chosen"; readonly merged: MergedPages; readonly column: MappedColumn }
  | { readonly kind: "none"; readonly reason: string };

/** For a list of plain values: the column with that name, or the titles of the list with that name. */
export function chooseColumn(pages: readonly MergedPages[], wanted: Wanted, shape: ScalarShape): ColumnChoice {
  const leaf = { path: [wanted.name], wanted, shape, isRequired: true };
  const candidates = pickCandidates(pages).flatMap((merged) => {
    const { set } = merged;
    const [byName] = mapColumns(set, [leaf]).columns.values();
    const byList = scoreName(set, wanted.phrases[0] ?? toPhrase(wanted.name));
    if (byName !== undefined && byName.score >= byList) return [{ merged, column: byName }];
    if (set.titleColumn === null || byList < MIN_SIMILARITY) return [];
    const titles = set.rows.map(({ cells }) => cells.get(set.titleColumn ?? "")?.text ?? "");
    return [{ merged, column: { column: set.titleColumn, score: byList, order: findDayOrder(titles) } }];
  });
  const best = Math.max(0, ...candidates.map(({ column }) => column.score));
  const [first, second] = candidates.filter(({ column }) => column.score === best);
  if (first === undefined)
    return { kind: "none", reason: `No column or list on the page has a name like "${wanted.name}".` };
  if (second === undefined) return { kind: "chosen", ...first };
  return {
    kind: "none",
    reason: `Ambiguous: "${first.merged.set.name}" and "${second.merged.set.name}" fit equally well.`,
  };
}

/** One leaf of an item, at any depth. */
interface WantedLeaf {
  /** Names from the item to the leaf. */
  readonly path: readonly string[];
  readonly wanted: Wanted;
  readonly shape: ScalarShape;
  readonly isRequired: boolean;
}

interface MappedColumn {
  readonly column: string;
  readonly score: number;
  readonly order: DayOrder | null;
}

export interface ColumnMap {
  /** Keyed by the leaf's path as JSON. */
  readonly columns: ReadonlyMap<string, MappedColumn>;
  /** Leaves for which several columns fit equally well. */
  readonly unclear: ReadonlyMap<string, readonly string[]>;
  /** From 0 to 1: how much of what is wanted has a column. */
  readonly score: number;
}

const SAMPLE = 20;
const FORMS: readonly TextKind[] = ["price", "date", "rating", "availability"];

/** Maps leaves to columns. A column is used once, except that it may also be a link, a currency or a count. */
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

/** A column with the only prices, dates or ratings needs no name that says so. */
function scoreColumn(wanted: Wanted, column: string, set: RecordSet, sample: readonly Row[]): number {
  const byName = scoreLabel(wanted, toPhrase(column));
  const isTitle = column === set.titleColumn;
  if (isTitle && (wanted.concept === "title" || wanted.concept === "url")) return Math.max(byName, 0.6);
  if (isTitle && wanted.concept === "identifier" && holdsCodes(column, sample)) return Math.max(byName, 0.6);
  const form = FORMS.find((known) => known === wanted.concept);
  const isForm = form !== undefined && isOnlyOfForm(column, form, sample);
  return Math.max(byName, isForm ? 0.55 : 0);
}

/** "T-10062": a code that identifies records, whatever the column is called. */
function holdsCodes(column: string, sample: readonly Row[]): boolean {
  return sample.every(({ cells }) => /^#?[\p{L}\d-]*\d[\p{L}\d-]*$/u.test(cells.get(column)?.text ?? ""));
}

function isOnlyOfForm(column: string, form: TextKind, sample: readonly Row[]): boolean {
  return sample.some((row) => findColumnByForm(row, form) === column);
}

/** At least one row must have a value of the right type there. */
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
  return wanted.concept === "url" || wanted.concept === "currency" || wanted.concept === "count";
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

const MAX_DEPTH = 6;
const MAX_LEAVES = 300;
const MAX_VISITS = 3_000;

/** The scalars of an object and of the objects inside it. Lists inside are not columns. */
export function findLeaves(schema: unknown, root: unknown): WantedLeaf[] {
  const leaves: WantedLeaf[] = [];
  const waiting: Visit[] = [{ schema, path: [], isRequired: true, open: [] }];
  for (let visits = 0; visits < MAX_VISITS && leaves.length < MAX_LEAVES; visits += 1) {
    const visit = waiting.pop();
    if (visit === undefined) break;
    const resolved = resolveSchema(visit.schema, root);
    if (resolved === null || visit.path.length > MAX_DEPTH || visit.open.includes(resolved.source)) continue;
    const { shape } = resolved;
    if (shape.kind === "scalar" && !shape.isConst && visit.path.length > 0) {
      const wanted = toWanted(visit.path.at(-1) ?? "", resolved, visit.path.slice(0, -1));
      leaves.push({ path: visit.path, wanted, shape, isRequired: visit.isRequired });
    }
    waiting.push(...findInside(visit, resolved).toReversed());
  }
  return leaves;
}

interface Visit {
  readonly schema: unknown;
  readonly path: readonly string[];
  readonly isRequired: boolean;
  /** The schemas around it, to stop at recursion. */
  readonly open: readonly unknown[];
}

function findInside({ path, isRequired, open }: Visit, { shape, source }: Resolved): Visit[] {
  const inside = [...open, source];
  if (shape.kind === "options") return shape.options.map((schema) => ({ schema, path, isRequired, open: inside }));
  if (shape.kind !== "object") return [];
  return shape.properties.map((property) => ({
    schema: property.schema,
    path: [...path, property.name],
    isRequired: isRequired && property.isRequired,
    open: inside,
  }));
}
