import type { ObservedNode } from "../../../browser/observation/observed-node.ts";
import { kindOfText } from "../values/text-kind.ts";
import { type CardPart, findCardParts } from "./card-parts.ts";

const CARD_ROLES = new Set(["article", "generic", "group", "region", "link", "figure", "treeitem", "option"]);
const MAX_PARTS = 40;

/** Neighbours that are built alike and say something of the same kind each: the cards of a grid without a list. */
export function findSiblingCards(parent: ObservedNode): ObservedNode[][] {
  if (parent.children.length < 2) return [];
  const groups = new Map<string, ObservedNode[]>();
  for (const child of parent.children) {
    const shape = findShape(child);
    if (shape === null) continue;
    const group = groups.get(shape);
    if (group === undefined) groups.set(shape, [child]);
    else group.push(child);
  }
  const found = [...groups.values()].filter((cards) => cards.length >= 2);
  return found.length > 0 ? found : findSegments(parent);
}

/** What cards of one kind share; null for what is no card. */
function findShape(node: ObservedNode): string | null {
  if (!CARD_ROLES.has(node.role) || node.children.length === 0) return null;
  const parts = findCardParts(node);
  if (parts.length < 2 || parts.length > MAX_PARTS) return null;
  const levels = parts.filter(({ kind }) => kind === "heading").map(({ node: { states } }) => states.level ?? 0);
  if (levels.length > 0) {
    const top = Math.min(...levels);
    return levels.filter((level) => level === top).length === 1 ? `${node.role} h${top}` : null;
  }
  if (parts.some(({ kind }) => kind === "term" || kind === "field")) return null;
  if (!parts.some(saysMore)) return null;
  if (parts.some(({ kind }) => kind === "link") || node.role === "link") return `${node.role} link`;
  return parts.length >= 3 ? `${node.role} ${parts.length} lines` : null;
}

function saysMore({ text }: CardPart): boolean {
  return kindOfText(text) !== "text";
}

/** Headings of one level with what follows each, all on one level: cards without a box around them. */
function findSegments(parent: ObservedNode): ObservedNode[][] {
  const level = findCommonLevel(parent.children);
  if (level === null) return [];
  const segments: ObservedNode[][] = [];
  let isOpen = false;
  for (const child of parent.children) {
    const ownLevel = child.role === "heading" ? (child.states.level ?? 0) : Number.POSITIVE_INFINITY;
    if (ownLevel === level) segments.push([]);
    if (ownLevel <= level) isOpen = ownLevel === level;
    if (isOpen) segments.at(-1)?.push(child);
  }
  const cards = segments.map((children) => ({ ...parent, role: "generic", name: "", children }));
  return cards.every((card) => findCardParts(card).some(saysMore)) ? [cards] : [];
}

/** The level that comes most often, and more than once. */
function findCommonLevel(nodes: readonly ObservedNode[]): number | null {
  const counts = new Map<number, number>();
  for (const { role, states } of nodes) {
    if (role === "heading") counts.set(states.level ?? 0, (counts.get(states.level ?? 0) ?? 0) + 1);
  }
  const [level, times] = [...counts].sort((one, other) => other[1] - one[1])[0] ?? [0, 0];
  return times >= 2 ? level : null;
}
