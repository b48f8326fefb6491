import type { ObservedNode } from "../../browser/observation/observation.ts";
import { collapseWhitespace } from "../../browser/observation/visible-text.ts";
import { oncePer } from "../../lib/once-per.ts";
import { findDescendants, hasDescendant, readText } from "../grounding/page-text.ts";
import { isLabel, kindOfText, splitLabel } from "../grounding/short-texts.ts";
import {
  CARD_TITLE,
  type CardPart,
  findCardParts,
  findListItems,
  findSiblingCards,
  readCards,
  readLabelledItems,
} from "./cards.ts";
import { holdsPairs, readPairs } from "./labelled-values.ts";
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
import { readTable } from "./tables.ts";

const AROUND = new Set(["banner", "contentinfo", "navigation", "complementary", "search"]);
const FOREGROUND = new Set(["main", "dialog", "alertdialog"]);

interface Reading {
  readonly page: Pick<Row, "pageUrl" | "observationNumber">;
  readonly sets: RecordSet[];
  readonly groups: Map<string, PairGroup>;
  /** Nodes that are known to hold pairs, or not to. */
  readonly pairContainers: Map<ObservedNode, boolean>;
  /** The last heading passed. */
  heading: string;
}

/** All records on a page, in page order; labelled values last. A page is read once, however many ask for its records. */
export function readRecordSets(root: ObservedNode, pageUrl = "", observationNumber = 0): readonly RecordSet[] {
  const known = setsOf(root);
  const key = `${observationNumber} ${pageUrl}`;
  const sets = known.get(key) ?? readSets(root, { pageUrl, observationNumber });
  known.set(key, sets);
  return sets;
}

const setsOf = oncePer((_root: ObservedNode) => new Map<string, readonly RecordSet[]>());

function readSets(root: ObservedNode, page: Reading["page"]): RecordSet[] {
  const reading: Reading = { page, sets: [], groups: new Map(), pairContainers: new Map(), heading: "" };
  const region = hasDescendant(root, ({ role }) => role === "main") ? "around" : "main";
  visit(root, null, region, reading);
  const record = readPageRecord(root);
  if (record !== null) addPairs(reading, record.pairs, "main", record.name);
  const sets = reading.sets.map((set) => withWindow(set, root));
  return [...sets, ...[...reading.groups.values()].map((group) => toRecordSet(group, root, page))];
}

function visit(node: ObservedNode, parent: ObservedNode | null, outside: PageRegion, reading: Reading): void {
  const region = regionOf(node, outside);
  if (isTable(node)) visitTable(node, region, reading);
  else if (node.role === "list") visitList(node, region, reading);
  else visitOther(node, parent, region, reading);
}

function visitOther(node: ObservedNode, parent: ObservedNode | null, region: PageRegion, reading: Reading): void {
  const { pairs, isWhole } = readPairs(node, () => parent !== null && isPairContainer(parent, reading));
  if (node.role === "heading") reading.heading = readText(node) || reading.heading;
  addPairs(reading, pairs, region);
  if (isWhole) return;
  const inCard = new Map<ObservedNode, readonly ObservedNode[]>();
  for (const group of findSiblingCards(node)) {
    for (const card of group) for (const part of [card, ...card.children]) inCard.set(part, group);
  }
  const added = new Set<readonly ObservedNode[]>();
  for (const child of node.children) {
    const group = inCard.get(child);
    if (group === undefined) {
      visit(child, node, region, reading);
      continue;
    }
    if (!added.has(group)) addSet(reading, readCards(group), "", region);
    added.add(group);
    visitInside(child, reading);
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

function visitTable(table: ObservedNode, region: PageRegion, reading: Reading): void {
  const { set, labelled } = readTable(table);
  const name = findOwnName(table) || findCaption(table);
  if (set !== null) addSet(reading, set, name, region);
  addPairs(reading, labelled, region, name || reading.heading);
  if (set !== null || labelled.length > 0) visitInside(table, reading);
  else for (const child of table.children) visitLayout(child, table, region, reading);
}

/** The cells of a table that only lays out the page are read like any other part of the page. */
function visitLayout(node: ObservedNode, parent: ObservedNode, region: PageRegion, reading: Reading): void {
  if (!["rowgroup", "row", "cell", "gridcell"].includes(node.role)) {
    visit(node, parent, region, reading);
    return;
  }
  if (node.children.length === 0) addPairs(reading, readPairs(node, () => false).pairs, region);
  for (const child of node.children) visitLayout(child, node, region, reading);
}

function visitList(list: ObservedNode, region: PageRegion, reading: Reading): void {
  const items = findListItems(list);
  const labelled = readLabelledItems(items);
  const heading = findOwnHeading(list, items);
  const name = collapseWhitespace(list.name) || heading;
  if (labelled === null) addSet(reading, readCards(items), name, region);
  else addPairs(reading, labelled, region);
  addPairs(reading, readOnlyItem(list, heading, items), region);
  for (const item of items) visitInside(item, reading);
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
function visitInside(node: ObservedNode, reading: Reading): void {
  for (const inner of findDescendants(node, (candidate) => isTable(candidate) || candidate.role === "list")) {
    if (isTable(inner)) visitTable(inner, "around", reading);
    else visitList(inner, "around", reading);
  }
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

function addSet({ sets, heading, page }: Reading, set: BareSet, name: string, region: PageRegion): void {
  if (set.kind !== "table" && set.rows.length === 0) return;
  const [rows, totals] = [set.rows, set.totals].map((some) => some.map((row) => ({ ...row, ...page }))) as [
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
function toRecordSet({ name, region, pairs }: PairGroup, node: ObservedNode, page: Reading["page"]): RecordSet {
  const rows: Row[] = [];
  let cells = new Map<string, Cell>();
  for (const { label, cell } of pairs) {
    if (cells.size === 0 || cells.has(label)) {
      cells = new Map();
      rows.push({ cells, node, ...page });
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
