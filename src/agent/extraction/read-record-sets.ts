import type { ObservedNode } from "../../browser/observation/observation.ts";
import { collapseWhitespace, findDescendants, hasDescendant, readText } from "../grounding/page-text.ts";
import { kindOfText, splitLabel } from "../grounding/short-texts.ts";
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
import {
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
  readonly pageUrl: string;
  readonly sets: RecordSet[];
  readonly groups: Map<string, PairGroup>;
  /** Boxes that were asked whether they hold pairs. */
  readonly pairBoxes: Map<ObservedNode, boolean>;
  /** The heading that was passed last. */
  heading: string;
}

/** Everything on a page that has the form of records, in the order of the page; labelled values last. */
export function readRecordSets(root: ObservedNode, pageUrl = ""): RecordSet[] {
  const reading: Reading = { pageUrl, sets: [], groups: new Map(), pairBoxes: new Map(), heading: "" };
  const place = hasDescendant(root, ({ role }) => role === "main") ? "around" : "main";
  visit(root, null, place, reading);
  const record = readPageRecord(root);
  if (record !== null) addPairs(reading, record.pairs, "main", record.name);
  return [...reading.sets, ...[...reading.groups.values()].map((group) => toRecordSet(group, root, pageUrl))];
}

function visit(node: ObservedNode, parent: ObservedNode | null, outside: PageRegion, reading: Reading): void {
  const place = regionOf(node, outside);
  if (isTable(node)) visitTable(node, place, reading);
  else if (node.role === "list") visitList(node, place, reading);
  else visitOther(node, parent, place, reading);
}

function visitOther(node: ObservedNode, parent: ObservedNode | null, place: PageRegion, reading: Reading): void {
  const { pairs, isWhole } = readPairs(node, () => parent !== null && isPairBox(parent, reading));
  if (node.role === "heading") reading.heading = readText(node) || reading.heading;
  addPairs(reading, pairs, place);
  if (isWhole) return;
  const inCard = new Map<ObservedNode, readonly ObservedNode[]>();
  for (const group of findSiblingCards(node)) {
    for (const card of group) for (const part of [card, ...card.children]) inCard.set(part, group);
  }
  const added = new Set<readonly ObservedNode[]>();
  for (const child of node.children) {
    const group = inCard.get(child);
    if (group === undefined) {
      visit(child, node, place, reading);
      continue;
    }
    if (!added.has(group)) addSet(reading, readCards(group, reading.pageUrl), "", place);
    added.add(group);
    visitInside(child, reading);
  }
}

/** Asked once for all that stand in it. */
function isPairBox(parent: ObservedNode, { pairBoxes }: Reading): boolean {
  const known = pairBoxes.get(parent) ?? holdsPairs(parent);
  pairBoxes.set(parent, known);
  return known;
}

function regionOf(node: ObservedNode, outside: PageRegion): PageRegion {
  if (FOREGROUND.has(node.role)) return "main";
  return AROUND.has(node.role) ? "around" : outside;
}

function visitTable(table: ObservedNode, place: PageRegion, reading: Reading): void {
  const { set, labelled } = readTable(table, reading.pageUrl);
  const name = collapseWhitespace(table.name) || findCaption(table);
  if (set !== null) addSet(reading, set, name, place);
  addPairs(reading, labelled, place, name || reading.heading);
  if (set !== null || labelled.length > 0) visitInside(table, reading);
  else for (const child of table.children) visitLayout(child, table, place, reading);
}

/** The cells of a table that only lays out the page are parts of the page like others. */
function visitLayout(node: ObservedNode, parent: ObservedNode, place: PageRegion, reading: Reading): void {
  if (!["rowgroup", "row", "cell", "gridcell"].includes(node.role)) {
    visit(node, parent, place, reading);
    return;
  }
  if (node.children.length === 0) addPairs(reading, readPairs(node, () => false).pairs, place);
  for (const child of node.children) visitLayout(child, node, place, reading);
}

function visitList(list: ObservedNode, place: PageRegion, reading: Reading): void {
  const items = findListItems(list);
  const labelled = readLabelledItems(items);
  if (labelled === null) addSet(reading, readCards(items, reading.pageUrl), collapseWhitespace(list.name), place);
  else addPairs(reading, labelled, place);
  for (const item of items) visitInside(item, reading);
}

/** Inside of a record only tables and lists are read again: its lines and fields are its own. */
function visitInside(node: ObservedNode, reading: Reading): void {
  for (const inner of findDescendants(node, (candidate) => isTable(candidate) || candidate.role === "list")) {
    if (isTable(inner)) visitTable(inner, "around", reading);
    else visitList(inner, "around", reading);
  }
}

function findCaption(table: ObservedNode): string {
  const caption = table.children.find(({ role }) => role === "caption");
  return caption === undefined ? "" : readText(caption);
}

function addSet(reading: Reading, set: Omit<RecordSet, "name" | "place">, name: string, place: PageRegion): void {
  if (set.kind === "table" || set.rows.length > 0) reading.sets.push({ ...set, name: name || reading.heading, place });
}

function addPairs(reading: Reading, pairs: readonly LabelledValue[], place: PageRegion, name = reading.heading): void {
  if (pairs.length === 0) return;
  const key = `${place} ${name}`;
  const group = reading.groups.get(key);
  if (group === undefined) reading.groups.set(key, { name, place, pairs: [...pairs] });
  else group.pairs.push(...pairs);
}

/** Labelled values that stand under one heading. */
interface PairGroup {
  readonly name: string;
  readonly place: PageRegion;
  readonly pairs: LabelledValue[];
}

/** Where a label comes again, the next record begins: nothing is overwritten. */
function toRecordSet({ name, place, pairs }: PairGroup, node: ObservedNode, pageUrl: string): RecordSet {
  const rows: Row[] = [];
  let cells = new Map<string, Cell>();
  for (const { label, cell } of pairs) {
    if (cells.size === 0 || cells.has(label)) {
      cells = new Map();
      rows.push({ cells, node, pageUrl });
    }
    cells.set(label, cell);
  }
  const columns = [...new Set(pairs.map(({ label }) => label))];
  return { kind: "labelled", name, columns, titleColumn: null, rows, place, unreadRows: 0 };
}

/** A page about one thing: its main heading, and the price, rating or date that stands below it without a label. */
function readPageRecord(root: ObservedNode): { name: string; pairs: LabelledValue[] } | null {
  const [main = root] = findDescendants(root, ({ role }) => role === "main");
  const parts = findCardParts(main);
  const at = parts.findIndex(({ kind, node }) => kind === "heading" && node.states.level === 1);
  const title = parts[at];
  if (title === undefined) return null;
  const end = parts.findIndex(({ kind }, index) => index > at && kind === "heading");
  const below = parts.slice(at + 1, end === -1 ? undefined : end);
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
