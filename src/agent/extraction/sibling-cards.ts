import type { Box, ObservedNode } from "../../browser/observation/observation.ts";
import { hasDescendant, isButton, readOwnText } from "../grounding/page-text.ts";
import { areOfOneKind, CARD_ROLES, describeCards, judgeSibling, saysMore } from "./card-likeness.ts";
import { type CardPart, findCardParts, findPairLabels } from "./cards.ts";
import { isTable } from "./record-set.ts";

/** The cards of one list, which is not marked up as a list. */
export interface CardGroup {
  readonly cards: readonly ObservedNode[];
  /** The children of the parent that the cards are made of. */
  readonly nodes: ReadonlySet<ObservedNode>;
  /** How many siblings may be cards of the list too, or hold more than one card. */
  readonly unread: number;
}

/** Siblings with the same structure and the same kind of content, and those among them that are cards with less or other content. */
export function findSiblingCards(parent: ObservedNode): CardGroup[] {
  if (parent.children.length < 2) return [];
  const grids = findGrids(parent);
  const rest = parent.children.filter((child) => !grids.some(({ nodes }) => nodes.has(child)));
  const found = [...grids, ...groupSiblings(rest)];
  return found.length > 0 ? found : findSegments(parent);
}

interface SiblingGroup extends CardGroup {
  readonly unreadNodes: ReadonlySet<ObservedNode>;
}

function groupSiblings(siblings: readonly ObservedNode[]): SiblingGroup[] {
  const shapes = new Map<string, ObservedNode[]>();
  for (const node of siblings) {
    const shape = findShape(node);
    if (shape === null) continue;
    const alike = shapes.get(shape);
    if (alike === undefined) shapes.set(shape, [node]);
    else alike.push(node);
  }
  const cores = [...shapes.values()].filter((cards) => cards.length >= 2);
  const taken = new Set(cores.flat());
  return cores.map((core) => {
    const found = addOthers(core, siblings, taken);
    for (const node of found.nodes) taken.add(node);
    return found;
  });
}

const MAX_PARTS = 40;

/** What cards of one kind have in common; null for a node that is not a card. */
function findShape(node: ObservedNode): string | null {
  if (!CARD_ROLES.has(node.role) || node.children.length === 0 || hasDescendant(node, isTable)) return null;
  const parts = findCardParts(node);
  if (parts.length < 2 || parts.length > MAX_PARTS) return null;
  const levels = parts.filter(({ kind }) => kind === "heading").map(({ node: { states } }) => states.level ?? 0);
  if (levels.length > 0) return shapeByHeading(node, levels);
  const lines = shapeByLines(node, parts);
  return lines === `${node.role} link` ? lines : (shapeByLabels(node, parts) ?? lines);
}

/** A title, and labels with their values. */
function shapeByLabels(node: ObservedNode, parts: readonly CardPart[]): string | null {
  const labels = findPairLabels(node);
  return labels.length === 0 || parts.length <= 2 * labels.length
    ? null
    : `${node.role} ${labels.toSorted().join(", ")}`;
}

function shapeByHeading({ role }: ObservedNode, levels: readonly number[]): string | null {
  const top = Math.min(...levels);
  // The first level is the title of the page; of a card only where each is an article.
  if (top === 1 && role !== "article") return null;
  return levels.filter((level) => level === top).length === 1 ? `${role} h${top}` : null;
}

function shapeByLines({ role }: ObservedNode, parts: readonly CardPart[]): string | null {
  if (parts.some(({ kind }) => kind === "term" || kind === "field")) return null;
  const isLinked = parts.some(({ kind }) => kind === "link") || role === "link";
  // An article is a record of its own, whatever it says.
  if (!parts.some(saysMore) && !(role === "article" && isLinked)) return null;
  if (isLinked) return `${role} link`;
  return parts.length >= 3 ? `${role} ${parts.length} lines` : null;
}

/** Each other sibling is a card of the list, or may be one, or is something else. */
function addOthers(
  core: readonly ObservedNode[],
  siblings: readonly ObservedNode[],
  taken: ReadonlySet<ObservedNode>,
): SiblingGroup {
  const profile = describeCards(core);
  const [first, last] = [siblings.indexOf(core[0] as ObservedNode), siblings.indexOf(core.at(-1) as ObservedNode)];
  const [nodes, unreadNodes] = [new Set(core), new Set<ObservedNode>()];
  for (const [index, node] of siblings.entries()) {
    if (nodes.has(node)) continue;
    const standing = judgeSibling(node, profile, index < first ? "before" : index > last ? "after" : "between");
    if (standing === "unread" || (standing === "card" && taken.has(node))) unreadNodes.add(node);
    else if (standing === "card") nodes.add(node);
  }
  return { cards: siblings.filter((node) => nodes.has(node)), nodes, unread: unreadNodes.size, unreadNodes };
}

const GRID_ROLES = new Set(["generic", "group", "region"]);

/** Cards in several rows of a grid are one list. Headings begin another. */
function findGrids(parent: ObservedNode): CardGroup[] {
  const rows = new Set(parent.children.filter(isGridRow));
  if (rows.size === 0) return [];
  const runs: ObservedNode[][] = [[]];
  for (const child of parent.children) {
    if (child.role === "heading") runs.push([]);
    else runs.at(-1)?.push(child);
  }
  return runs.flatMap((run) => findGridsOf(run, rows));
}

function findGridsOf(run: readonly ObservedNode[], rows: ReadonlySet<ObservedNode>): CardGroup[] {
  const cellsOf = (node: ObservedNode) => (rows.has(node) ? node.children : [node]);
  return groupSiblings(run.flatMap(cellsOf)).flatMap((group) => {
    const within = (some: ReadonlySet<ObservedNode>) =>
      run.filter((node) => cellsOf(node).some((cell) => some.has(cell)));
    const nodes = within(group.nodes);
    if (!nodes.some((node) => rows.has(node)) || new Set([...nodes, ...within(group.unreadNodes)]).size < 2) return [];
    const isGrid = areOfOneKind(group.cards) && isLaidOut(nodes, rows);
    return [{ cards: group.cards, nodes: new Set(nodes), unread: group.unread + (isGrid ? 0 : nodes.length) }];
  });
}

/** Nothing but cards of one list. */
function isGridRow(node: ObservedNode): boolean {
  if (!GRID_ROLES.has(node.role) || node.children.length < 2) return false;
  const [group, ...others] = groupSiblings(node.children);
  if (group === undefined || others.length > 0) return false;
  return node.children.every(
    (child) => group.nodes.has(child) || group.unreadNodes.has(child) || isButton(child) || readOwnText(child) === "",
  );
}

/** Rows stand below each other, and the cards of a row beside each other. */
function isLaidOut(nodes: readonly ObservedNode[], rows: ReadonlySet<ObservedNode>): boolean {
  const isBelow = (one: Box, other: Box) => other.y >= one.y + one.height - 1;
  const isBeside = (one: Box, other: Box) => other.x >= one.x + one.width - 1;
  return (
    follow(nodes, isBelow) && nodes.every((node) => !rows.has(node) || follow(node.children.filter(hasBox), isBeside))
  );
}

function hasBox({ box }: ObservedNode): boolean {
  return box !== null && box.width > 0;
}

function follow(nodes: readonly ObservedNode[], isNext: (one: Box, other: Box) => boolean): boolean {
  return nodes.every(({ box }, index) => {
    const before = nodes[index - 1]?.box ?? null;
    return box !== null && (index === 0 || (before !== null && isNext(before, box)));
  });
}

/** Headings of one level, each with the nodes that follow it: cards without an element around them. */
function findSegments(parent: ObservedNode): CardGroup[] {
  const level = findCommonLevel(parent.children);
  // The first level is the title of the site or the page, and sections with tables are not records.
  if (level === null || level === 1 || parent.children.some(isTable)) return [];
  const segments: ObservedNode[][] = [];
  let isOpen = false;
  for (const child of parent.children) {
    const ownLevel = child.role === "heading" ? (child.states.level ?? 0) : Number.POSITIVE_INFINITY;
    if (ownLevel === level) segments.push([]);
    if (ownLevel <= level) isOpen = ownLevel === level;
    if (isOpen) segments.at(-1)?.push(child);
  }
  const cards = segments.map((children) => ({ ...parent, role: "generic", name: "", children }));
  if (!cards.every((card) => findCardParts(card).some(saysMore))) return [];
  return [{ cards, nodes: new Set(segments.flat()), unread: 0 }];
}

/** The most frequent level; null when none occurs twice. */
function findCommonLevel(nodes: readonly ObservedNode[]): number | null {
  if (!nodes.some(({ role }) => role === "heading")) return null;
  const counts = new Map<number, number>();
  for (const { role, states } of nodes) {
    if (role === "heading") counts.set(states.level ?? 0, (counts.get(states.level ?? 0) ?? 0) + 1);
  }
  const [level, times] = [...counts].sort((one, other) => other[1] - one[1])[0] ?? [0, 0];
  return times >= 2 ? level : null;
}
