import type { ObservedNode } from "../../../browser/observation/observed-node.ts";
import { isLink } from "./cell.ts";
import { hasInner, isButton, isCheckable, isField, readText } from "./read-text.ts";
import { isTable } from "./table-rows.ts";

/** A line of a card: what stands together and is read in one go. */
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

/** The lines of a node in order. Buttons, and lists and tables inside, are no part of it. */
export function findCardParts(node: ObservedNode): CardPart[] {
  return isLine(node) ? toParts(node, "line") : node.children.flatMap(readParts);
}

function readParts(node: ObservedNode): CardPart[] {
  if (isButton(node) || node.role === "list" || isTable(node)) return [];
  const kind = findKind(node);
  if (kind === "heading" || kind === "link") return readTitle(node, kind);
  if (kind !== null) return toParts(node, kind);
  if (node.children.length === 0 || isLine(node)) return toParts(node, "line");
  return node.children.flatMap(readParts);
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

/** A link around a whole card: its heading is the title, and its lines are lines of the card. */
function readTitle(node: ObservedNode, kind: "heading" | "link"): CardPart[] {
  const isWrapper = kind === "link" && hasInner(node, ({ role }) => role === "heading" || role === "paragraph");
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

/** Text and marked-up words in one row. Blocks of their own, without any text between them, are lines of their own. */
export function isLine(node: ObservedNode): boolean {
  return node.children.some(({ role }) => role === "text") && node.children.every(isInline);
}

function isInline(node: ObservedNode): boolean {
  if (findKind(node) !== null && node.role !== "strong" && node.role !== "img") return false;
  if (isButton(node) || node.role === "paragraph" || node.role === "list" || isTable(node)) return false;
  return node.children.every(isInline);
}
