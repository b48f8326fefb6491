import type { ObservedNode } from "../../../browser/observation/observed-node.ts";
import { findCardParts } from "./card-parts.ts";
import { toPart } from "./cell.ts";
import { splitLabel } from "./label.ts";
import { CARD_TITLE, readCard } from "./read-card.ts";
import { findInner } from "./read-text.ts";
import type { LabelledValue, RecordSet } from "./record-set.ts";

export function findListItems(list: ObservedNode): ObservedNode[] {
  return findInner(list, ({ role }) => role === "listitem" || role === "list").filter(
    ({ role }) => role === "listitem",
  );
}

/** One record for each item or card. */
export function readCards(cards: readonly ObservedNode[], pageUrl: string): Omit<RecordSet, "name" | "place"> {
  const rows = cards.map((node) => ({ cells: readCard(node), node, pageUrl })).filter(({ cells }) => cells.size > 0);
  const columns = new Set(rows.flatMap(({ cells }) => [...cells.keys()]));
  return {
    kind: "list",
    columns: [...columns],
    titleColumn: columns.has(CARD_TITLE) ? CARD_TITLE : null,
    rows,
    unreadRows: 0,
  };
}

/** A list of nothing but "label: value" is one record; null for any other. */
export function readLabelledItems(items: readonly ObservedNode[]): LabelledValue[] | null {
  const pairs: LabelledValue[] = [];
  for (const item of items) {
    const parts = findCardParts(item);
    const text = parts.length === 0 ? item.name : parts.map((part) => part.text).join(" ");
    // A heading or a link is what a thing is called: "Oak Spoon €3.50" is a product and its price.
    const isThing = parts.length > 1 && (parts[0]?.kind === "heading" || parts[0]?.kind === "link");
    const split = parts.length > 2 || isThing ? null : splitLabel(text);
    if (split === null) return null;
    pairs.push({ label: split.label, cell: toPart(item, split.value) });
  }
  return pairs.length > 1 ? pairs : null;
}
