import { EMPTY_NODE, type ObservedNode } from "../../browser/observation/observation.ts";
import { collapseWhitespace } from "../../browser/observation/visible-text.ts";
import { oncePer } from "../../lib/once-per.ts";
import { runAtOnce } from "../../lib/waiting.ts";
import { findDescendants, hasDescendant, readText } from "../grounding/page-text.ts";
import { isLabel, kindOfText, splitLabel } from "../grounding/short-texts.ts";
import {
  CARD_TITLE,
  type CardPart,
  findCardParts,
  findListItems,
  findPairLabels,
  readCards,
  readLabelledItems,
} from "./cards.ts";
import { holdsPairs, readPairOf, readPairs } from "./labelled-values.ts";
import { withWindow } from "./list-windows.ts";
import {
  type BareSet,
  type Cell,
  isTable,
  type LabelledValue,
  type PageRegion,
  type RecordSet,
  type Row,
  toPart,
} from "./record-set.ts";
import { type CardGroup, findSiblingCards } from "./sibling-cards.ts";
import { readTable } from "./tables.ts";

const AROUND = new Set(["banner", "contentinfo", "navigation", "complementary", "search"]);
const FOREGROUND = new Set(["main", "dialog", "alertdialog"]);

interface Reading {
  readonly sets: RecordSet[];
  readonly groups: Map<string, PairGroup>;
  /** Nodes that are known to hold pairs, or not to. */
  readonly pairContainers: Map<ObservedNode, boolean>;
  /** The groups of cards that are among the sets. */
  readonly cards: Set<CardGroup>;
  /** The last heading passed. */
  heading: string;
}

type PageOfRow = Pick<Row, "pageUrl" | "observationNumber">;

/** All records on a page, in page order; labelled values last. A page is read once, however many ask for its records. */
export function readRecordSets(root: ObservedNode, pageUrl = "", observationNumber = 0): readonly RecordSet[] {
  const known = setsOf(root);
  const key = `${observationNumber} ${pageUrl}`;
  const sets = known.get(key) ?? placeOn({ pageUrl, observationNumber }, runAtOnce(readOnce(root)));
  known.set(key, sets);
  return sets;
}

const setsOf = oncePer((_root: ObservedNode) => new Map<string, readonly RecordSet[]>());

/** Reads the records ahead, so that `readRecordSets` has them. Yields now and then: on a large page it takes long. */
export function* readRecordsAhead(root: ObservedNode): Generator<void, void> {
  yield* readOnce(root);
}

const NO_PAGE: PageOfRow = { pageUrl: "", observationNumber: 0 };
const setsWithoutPage = new WeakMap<ObservedNode, readonly RecordSet[]>();

function* readOnce(root: ObservedNode): Generator<void, readonly RecordSet[]> {
  const sets = setsWithoutPage.get(root) ?? (yield* readSets(root));
  setsWithoutPage.set(root, sets);
  return sets;
}

function placeOn(page: PageOfRow, sets: readonly RecordSet[]): RecordSet[] {
  const place = (rows: readonly Row[]) => rows.map((row) => ({ ...row, ...page }));
  return sets.map((set) => ({ ...set, rows: place(set.rows), totals: place(set.totals) }));
}

function* readSets(root: ObservedNode): Generator<void, RecordSet[]> {
  const reading: Reading = { sets: [], groups: new Map(), pairContainers: new Map(), cards: new Set(), heading: "" };
  const region = hasDescendant(root, ({ role }) => role === "main") ? "around" : "main";
  const left: Visit[] = [{ node: root, parent: null, region, as: "part" }];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const inner = visit(next, reading);
    for (let at = inner.length - 1; at >= 0; at--) left.push(inner[at] as Visit);
    yield;
  }
  const record = readPageRecord(root);
  if (record !== null) addPairs(reading, record.pairs, "main", record.name);
  yield;
  const sets = reading.sets.map((set) => withWindow(set, root));
  return [...sets, ...[...reading.groups.values()].map((group) => toRecordSet(group, root))];
}

/** A node that is to be read. */
interface Visit {
  readonly node: ObservedNode;
  readonly parent: ObservedNode | null;
  /** The region that the node is in, if it is not one itself. */
  readonly region: PageRegion;
  /** A part of the page, a part of a table that only lays out the page, or one of these cards. */
  readonly as: "part" | "layout" | CardGroup;
}

/** Returns what is to be read next. */
function visit({ node, parent, region: outside, as }: Visit, reading: Reading): readonly Visit[] {
  if (as === "layout" && LAYOUT.has(node.role)) return visitLayout(node, outside, reading);
  if (typeof as !== "string") {
    if (!reading.cards.has(as)) addCards(reading, as, outside);
    reading.cards.add(as);
    return findInside(node);
  }
  const region = regionOf(node, outside);
  if (isTable(node)) return visitTable(node, region, reading);
  if (node.role === "list") return visitList(node, region, reading);
  return visitOther(node, parent, region, reading);
}

function visitOther(
  node: ObservedNode,
  parent: ObservedNode | null,
  region: PageRegion,
  reading: Reading,
): readonly Visit[] {
  const { pairs, isWhole } = readPairs(node, () => parent !== null && isPairContainer(parent, reading));
  if (node.role === "heading") reading.heading = readText(node) || reading.heading;
  addPairs(reading, pairs, region);
  if (isWhole) return [];
  const groups = findSiblingCards(node);
  if (groups.length === 0) return node.children.map((child) => ({ node: child, parent: node, region, as: "part" }));
  return node.children.map((child) => {
    return { node: child, parent: node, region, as: groups.find(({ nodes }) => nodes.has(child)) ?? "part" };
  });
}

function addCards(reading: Reading, { cards, unread }: CardGroup, region: PageRegion): void {
  const set = readCards(cards, unread);
  addSet(reading, set, "", region);
  // "Plan: Pro" in the card Billing beside "Language: English" in the card Profile: parts of one thing, and no records.
  const labels = cards.flatMap((card) => [...new Set(findPairLabels(card))]);
  if (new Set(labels).size < labels.length) return;
  for (const card of cards) {
    const title = readText(findDescendants(card, ({ role }) => role === "heading")[0] ?? EMPTY_NODE);
    const found = findDescendants(card, (node) => holdsPairs(node));
    const holders = holdsPairs(card) ? [card] : found;
    for (const holder of holders)
      addPairs(reading, holder.children.flatMap(readPairOf), region, title || reading.heading);
  }
}

/** Cached, because every child asks. */
function isPairContainer(parent: ObservedNode, { pairContainers }: Reading): boolean {
  const known = pairContainers.get(parent) ?? holdsPairs(parent);
  pairContainers.set(parent, known);
  return known;
}

function regionOf(node: ObservedNode, outside: PageRegion): PageRegion {
  if (FOREGROUND.has(node.role)) return "main";
  return AROUND.has(node.role) ? "around" : outside;
}

function visitTable(table: ObservedNode, region: PageRegion, reading: Reading): readonly Visit[] {
  const { set, labelled } = readTable(table);
  const name = findOwnName(table) || findCaption(table);
  if (set !== null) addSet(reading, set, name, region);
  addPairs(reading, labelled, region, name || reading.heading);
  return set === null && labelled.length === 0 ? toLayout(table, region) : findInside(table);
}

const LAYOUT: ReadonlySet<string> = new Set(["rowgroup", "row", "cell", "gridcell"]);

/** The cells of a table that only lays out the page are read like any other part of the page. */
function visitLayout(node: ObservedNode, region: PageRegion, reading: Reading): readonly Visit[] {
  if (node.children.length === 0) addPairs(reading, readPairs(node, () => false).pairs, region);
  return toLayout(node, region);
}

function toLayout(parent: ObservedNode, region: PageRegion): readonly Visit[] {
  return parent.children.map((node) => ({ node, parent, region, as: "layout" }));
}

function visitList(list: ObservedNode, region: PageRegion, reading: Reading): readonly Visit[] {
  const items = findListItems(list);
  const labelled = readLabelledItems(items);
  const heading = findOwnHeading(list, items);
  const name = collapseWhitespace(list.name) || heading;
  if (labelled === null) addSet(reading, readCards(items), name, region);
  else addPairs(reading, labelled, region);
  addPairs(reading, readOnlyItem(list, heading, items), region);
  return items.flatMap(findInside);
}

/** A heading in the list, above its items. */
function findOwnHeading(list: ObservedNode, items: readonly ObservedNode[]): string {
  const isItem = (node: ObservedNode) => items.includes(node);
  const above = list.children.slice(
    0,
    list.children.findIndex((child) => isItem(child) || hasDescendant(child, isItem)),
  );
  const [heading] = findDescendants({ ...list, children: above }, ({ role }) => role === "heading");
  return heading === undefined ? "" : readText(heading);
}

/** "Author" above a list with nothing but "Ines Vogel". A link or a button may lead to something else, or to more. */
function readOnlyItem(list: ObservedNode, heading: string, items: readonly ObservedNode[]): LabelledValue[] {
  const [item, ...others] = items;
  if (item === undefined || item.ref !== null || others.length > 0 || !isLabel(heading)) return [];
  if (hasDescendant(item, ({ ref, role }) => ref !== null || role === "link" || role === "button")) return [];
  const texts = new Set(findCardParts(item).map(({ text }) => text));
  const [text = ""] = texts;
  const isAlone = readText({ ...list, name: "" }) === `${heading} ${text}`;
  return texts.size === 1 && text !== "" && isAlone && splitLabel(text) === null
    ? [{ label: heading, cell: toPart(item, text) }]
    : [];
}

/** Inside a record only tables and lists are read again: its lines and fields belong to the record. */
function findInside(parent: ObservedNode): readonly Visit[] {
  const inner = findDescendants(parent, (candidate) => isTable(candidate) || candidate.role === "list");
  return inner.map((node) => ({ node, parent, region: "around", as: "part" }));
}

/** A grid that takes clicks may be called by all of its text, which is no name. */
function findOwnName(table: ObservedNode): string {
  const name = collapseWhitespace(table.name);
  return name.length > MAX_NAME && readText({ ...table, name: "" }).startsWith(name.slice(0, MAX_NAME)) ? "" : name;
}

const MAX_NAME = 60;

function findCaption(table: ObservedNode): string {
  const caption = table.children.find(({ role }) => role === "caption");
  return caption === undefined ? "" : readText(caption);
}

function addSet({ sets, heading }: Reading, set: BareSet, name: string, region: PageRegion): void {
  if (set.kind !== "table" && set.rows.length === 0) return;
  const [rows, totals] = [set.rows, set.totals].map((some) => some.map((row) => ({ ...row, ...NO_PAGE }))) as [
    Row[],
    Row[],
  ];
  sets.push({ ...set, rows, totals, name: name || heading, region });
}

function addPairs(reading: Reading, pairs: readonly LabelledValue[], region: PageRegion, name = reading.heading): void {
  if (pairs.length === 0) return;
  const key = `${region} ${name}`;
  const group = reading.groups.get(key);
  if (group === undefined) reading.groups.set(key, { name, region, pairs: [...pairs] });
  else group.pairs.push(...pairs);
}

/** The labelled values under one heading. */
interface PairGroup {
  readonly name: string;
  readonly region: PageRegion;
  readonly pairs: LabelledValue[];
}

/** A repeated label starts the next record, so that nothing is overwritten. */
function toRecordSet({ name, region, pairs }: PairGroup, node: ObservedNode): RecordSet {
  const rows: Row[] = [];
  let cells = new Map<string, Cell>();
  for (const { label, cell } of pairs) {
    if (cells.size === 0 || cells.has(label)) {
      cells = new Map();
      rows.push({ cells, node, ...NO_PAGE });
    }
    cells.set(label, cell);
  }
  const columns = [...new Set(pairs.map(({ label }) => label))];
  return { kind: "labelled", name, columns, titleColumn: null, rows, totals: [], region, unreadRows: 0 };
}

/** The price of what a page is about is near its title. */
const MAX_BELOW = 200;

/** A page about one thing: its main heading, and the price, rating or date below it that has no label. */
function readPageRecord(root: ObservedNode): { name: string; pairs: LabelledValue[] } | null {
  const [main = root] = findDescendants(root, ({ role }) => role === "main");
  const parts = findCardParts(main);
  const at = parts.findIndex(({ kind, node }) => kind === "heading" && node.states.level === 1);
  const title = parts[at];
  if (title === undefined) return null;
  const end = parts.findIndex(({ kind }, index) => index > at && kind === "heading");
  const below = parts.slice(at + 1, end === -1 ? undefined : end).slice(0, MAX_BELOW);
  return {
    name: title.text,
    pairs: [{ label: CARD_TITLE, cell: toPart(title.node, title.text) }, ...below.flatMap(toPair)],
  };
}

function toPair({ kind, text, node }: CardPart): LabelledValue[] {
  if (kind !== "line" && kind !== "strong") return [];
  const form = kindOfText(text);
  return form === "text" || splitLabel(text) !== null ? [] : [{ label: form, cell: toPart(node, text) }];
}
