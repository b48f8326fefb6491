import type { ObservedNode } from "../../../browser/observation/observed-node.ts";
import { findInner, hasInner, isButton, readOwnText, readText, squeeze } from "./read-text.ts";
import type { Cell } from "./record-set.ts";
import { isTable } from "./table-rows.ts";

/**
 * A cell for everything that a node says. Buttons say what can be done, and only in a grid are they what is shown; a
 * table inside is read by itself.
 */
export function toCell(node: ObservedNode): Cell {
  const own = readOwnText(node);
  const isApart = hasInner(node, (inner) => isTable(inner) || (isButton(inner) && node.role === "cell"));
  const whole = own === "" && !isApart ? readText(node) : own;
  return toPart(node, whole, whole);
}

/** A cell for a part of what a node says. */
export function toPart(node: ObservedNode, text: string, whole = readText(node)): Cell {
  const link = findLink(node);
  return { text, quote: text, whole, url: link?.url ?? null, ref: link?.ref ?? node.ref, node };
}

/** The heading or the only link of a place is its title; what follows below it is not part of the name. */
export function toTitleCell(node: ObservedNode): Cell {
  const cell = toCell(node);
  const [heading] = findInner(node, ({ role }) => role === "heading");
  const links = findInner(node, isLink);
  const title = heading ?? (links.length === 1 ? links[0] : undefined);
  const text = title === undefined ? "" : squeeze(readText(title));
  if (text === "" || !cell.whole.includes(text)) return cell;
  return { ...cell, text, quote: text };
}

/** Of several that lead to different places none is the link of the cell. */
function findLink(node: ObservedNode): { url: string | null; ref: string | null } | null {
  if (isLink(node)) return node;
  const links = findInner(node, isLink);
  const [first] = links;
  if (first === undefined) return null;
  return links.every(({ url }) => url === first.url) ? first : null;
}

export function isLink(node: ObservedNode): boolean {
  return node.role === "link";
}
