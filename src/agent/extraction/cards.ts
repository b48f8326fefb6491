import type { ObservedNode } from "../../browser/observation/observation.ts";
import { collapseWhitespace } from "../../browser/observation/visible-text.ts";
import {
  findDescendants,
  hasDescendant,
  isButton,
  isCheckable,
  isField,
  readMark,
  readOwnText,
  readText,
} from "../grounding/page-text.ts";
import { isLabel, kindOfText, parseBoolean, splitLabel } from "../grounding/short-texts.ts";
import { withoutFootnote } from "./footnotes.ts";
import { splitLabels } from "./labels-in-line.ts";
import { type BareSet, type Cell, isLink, isTable, type LabelledValue, toPart } from "./record-set.ts";

export function findListItems(list: ObservedNode): ObservedNode[] {
  return findDescendants(list, ({ role }) => role === "listitem" || role === "list").filter(
    ({ role }) => role === "listitem",
  );
}

/** One record for each list item or card. */
export function readCards(cards: readonly ObservedNode[], unreadRows = 0): BareSet {
  const labels = findCommonLabels(cards);
  const rows = cards.map((node) => ({ cells: readCard(node, labels), node })).filter(({ cells }) => cells.size > 0);
  const columns = new Set(rows.flatMap(({ cells }) => [...cells.keys()]));
  return {
    kind: "list",
    columns: [...columns],
    titleColumn: columns.has(CARD_TITLE) ? CARD_TITLE : null,
    rows,
    totals: [],
    unreadRows,
  };
}

/** A list of nothing but "label: value" items is one record; null for any other list. */
export function readLabelledItems(items: readonly ObservedNode[]): LabelledValue[] | null {
  const pairs: LabelledValue[] = [];
  for (const item of items) {
    const parts = findCardParts(item);
    const text = withoutFootnote(parts.length === 0 ? item.name : parts.map((part) => part.text).join(" "), item);
    // A heading or a link is a name: "Oak Spoon €3.50" is a product and its price.
    const isNamed = parts.length > 1 && (parts[0]?.kind === "heading" || parts[0]?.kind === "link");
    const split = parts.length > 2 || isNamed ? null : splitLabel(text);
    if (split === null) return null;
    pairs.push({ label: split.label, cell: toPart(item, split.value) });
  }
  return pairs.length > 1 ? pairs : null;
}

export const CARD_TITLE = "title";

/** The cells of a card: its title, then each line by its label or by its kind. */
function readCard(node: ObservedNode, labels: ReadonlySet<string>): ReadonlyMap<string, Cell> {
  const parts = findCardParts(node, labels);
  const cells = new Map<string, Cell>();
  const title = findTitle(parts);
  if (title === null) {
    const text = readOwnText(node);
    if (text !== "") cells.set(CARD_TITLE, toPart(node, text));
    return cells;
  }
  addTitle(cells, title, node);
  let label: string | null = null;
  for (const part of parts) {
    if (part === title || part.kind === "image") continue;
    const ownLabel = readLabel(part);
    if (ownLabel === null) addPart(cells, part, label);
    label = ownLabel;
  }
  return cells;
}

/** Links that act on a card instead of naming it. */
export const ACTION =
  /^(?:edit|delete|remove|view|see|show|read|details?|more|learn|open|add|buy|order|book|reply|share|save|download|change|cancel|track|quick)\b/i;

export function findTitle(parts: readonly CardPart[]): CardPart | null {
  const byKind = (kind: CardPart["kind"]) => parts.find((part) => part.kind === kind);
  const isName = ({ kind, text }: CardPart) =>
    kind === "line" && splitLabel(text) === null && kindOfText(text) === "text";
  return (
    byKind("heading") ??
    parts.find(({ kind, text }) => kind === "link" && !ACTION.test(text)) ??
    byKind("check") ??
    byKind("strong") ??
    parts.find(isName) ??
    byKind("image") ??
    null
  );
}

function addTitle(cells: Map<string, Cell>, title: CardPart, card: ObservedNode): void {
  const text = title.kind === "check" ? collapseWhitespace(title.node.name) : title.text;
  const cell = toPart(title.node, text, title.text);
  // The URL of a card that is a link as a whole is the URL of its title.
  cells.set(CARD_TITLE, {
    ...cell,
    url: cell.url ?? card.url,
    ref: cell.url === null ? (card.ref ?? cell.ref) : cell.ref,
  });
  if (title.kind === "check") cells.set("checked", { ...cell, text: readMark(title.node), quote: title.text });
}

/** The label in a part that is only the label of the next one. */
function readLabel(part: CardPart): string | null {
  if (part.kind === "term") return part.text.replace(/\s*:$/, "");
  const isNaming = /^[^:]{1,50}:$/.test(part.text) && part.kind !== "definition";
  return isNaming ? part.text.slice(0, -1).trim() : null;
}

function addPart(cells: Map<string, Cell>, part: CardPart, label: string | null): void {
  const labelled = label === null && part.kind === "line" ? splitLabels(part.text) : [];
  if (labelled.length > 0) {
    for (const each of labelled) cells.set(nextFree(cells, each.label), toPart(part.node, each.value, each.value));
    return;
  }
  const split = label === null ? splitLabel(part.text) : null;
  const column = label ?? split?.label ?? nameOf(part);
  const text = split?.value ?? (part.kind === "check" ? readMark(part.node) : part.text);
  const isRepeated = [...cells.values()].some((cell) => cell.text === text && column === "link");
  if (!isRepeated) cells.set(nextFree(cells, column), { ...toPart(part.node, text), quote: split?.value ?? part.text });
}

function nameOf(part: CardPart): string {
  const kind = kindOfText(part.text);
  switch (part.kind) {
    case "field":
      return collapseWhitespace(part.node.name) || "value";
    case "check":
      return collapseWhitespace(part.node.name) || "checked";
    case "deleted":
      return kind === "price" ? "old price" : kind;
    case "link":
      return kind === "text" ? "link" : kind;
    default:
      return kind;
  }
}

function nextFree(cells: ReadonlyMap<string, Cell>, column: string): string {
  let name = column;
  for (let times = 2; cells.has(name); times += 1) name = `${column} ${times}`;
  return name;
}

/** A line of a card: text that is read in one go. */
export interface CardPart {
  readonly node: ObservedNode;
  readonly text: string;
  readonly kind:
    | "heading"
    | "link"
    | "strong"
    | "term"
    | "definition"
    | "field"
    | "check"
    | "deleted"
    | "line"
    | "image";
}

const NO_LABELS: ReadonlySet<string> = new Set();

/**
 * The lines of a node in order, without buttons and without the lists and tables inside. Two texts in one element are a term
 * and its definition if the first is one of the labels.
 */
export function findCardParts(node: ObservedNode, labels = NO_LABELS): CardPart[] {
  return isLine(node) ? toParts(node, "line") : node.children.flatMap((child) => readParts(child, labels));
}

function readParts(node: ObservedNode, labels: ReadonlySet<string>): CardPart[] {
  if (isButton(node) || node.role === "list" || isTable(node)) return [];
  const kind = findKind(node);
  if (kind === "heading" || kind === "link") return readTitle(node, kind);
  if (kind !== null) return toParts(node, kind);
  if (node.children.length === 0 || isLine(node)) return toParts(node, "line");
  const pair = labels.size === 0 ? null : findPair(node);
  if (pair !== null && labels.has(pair.label))
    return [{ node: pair.name, text: pair.label, kind: "term" }, ...toParts(pair.value, "definition")];
  return node.children.flatMap((child) => readParts(child, labels));
}

function findKind(node: ObservedNode): CardPart["kind"] | null {
  if (isCheckable(node)) return "check";
  if (isField(node)) return "field";
  if (isLink(node)) return "link";
  switch (node.role) {
    case "heading":
    case "strong":
    case "term":
    case "definition":
      return node.role;
    case "deletion":
      return "deleted";
    case "img":
    case "image":
      return "image";
    default:
      return null;
  }
}

/** For a link around a whole card, its heading is the title and its lines are lines of the card. */
function readTitle(node: ObservedNode, kind: "heading" | "link"): CardPart[] {
  const isWrapper = kind === "link" && hasDescendant(node, ({ role }) => role === "heading" || role === "paragraph");
  if (!isWrapper) return toParts(node, kind);
  const inner = findCardParts(node);
  const title = inner.find((part) => part.kind === "heading") ?? inner[0];
  return inner.map((part) =>
    part === title ? { ...part, node: { ...node, name: "", children: part.node.children } } : part,
  );
}

function toParts(node: ObservedNode, kind: CardPart["kind"]): CardPart[] {
  const text = readText(node);
  return text === "" ? [] : [{ node, text, kind }];
}

/** What stands first in every card, before another text, is the label of that text: "Role", and not "Confirmed". */
function findCommonLabels(cards: readonly ObservedNode[]): ReadonlySet<string> {
  const [first = [], ...others] = cards.map(findPairLabels);
  return others.length === 0 ? NO_LABELS : new Set(first.filter((label) => others.every((own) => own.includes(label))));
}

/** The labels of the pairs in a card. */
export function findPairLabels(card: ObservedNode): string[] {
  return card.children.flatMap((child) => {
    if (isButton(child) || child.role === "list" || isTable(child) || isLine(child)) return [];
    const pair = findPair(child);
    const isName = pair !== null && kindOfText(pair.label) === "text" && parseBoolean(pair.label) === null;
    return isName ? [pair.label] : findPairLabels(child);
  });
}

interface Pair {
  readonly label: string;
  readonly name: ObservedNode;
  readonly value: ObservedNode;
}

/** Two texts in one element, of which the first can be a label. Buttons behind them belong to neither. */
export function findPair(node: ObservedNode): Pair | null {
  const [name, value, ...others] = node.children;
  if (name === undefined || value === undefined || !others.every(isButton)) return null;
  if (!isPlain(name) || !(isPlain(value) || isLink(value))) return null;
  const label = readText(name).replace(/\s*:$/, "");
  return isLabel(label) && readText(value) !== "" ? { label, name, value } : null;
}

/** One run of text, however it is marked up. */
function isPlain(node: ObservedNode): boolean {
  const isText = ["generic", "text", "strong", "paragraph", "emphasis", "time"].includes(node.role);
  if (!isText || node.children.length === 0) return isText;
  return node.children.every(isPlain) && (node.children.length === 1 || isLine(node));
}

/** Text with marked-up words in it. Blocks without any text between them are lines of their own. */
export function isLine(node: ObservedNode): boolean {
  return node.children.some(({ role }) => role === "text") && node.children.every(isInline);
}

function isInline(node: ObservedNode): boolean {
  if (findKind(node) !== null && node.role !== "strong" && node.role !== "img") return false;
  if (isButton(node) || node.role === "paragraph" || node.role === "list" || isTable(node)) return false;
  return node.children.every(isInline);
}
