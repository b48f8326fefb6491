import type { ObservedNode } from "../../../browser/observation/observed-node.ts";
import { kindOfText } from "../values/text-kind.ts";
import { type CardPart, findCardParts } from "./card-parts.ts";
import { toPart } from "./cell.ts";
import { splitLabel } from "./label.ts";
import { CARD_TITLE } from "./read-card.ts";
import { findInner } from "./read-text.ts";
import type { LabelledValue } from "./record-set.ts";

/** A page about one thing: its main heading, and the price, rating or date that stands below it without a label. */
export function readPageRecord(root: ObservedNode): { name: string; pairs: LabelledValue[] } | null {
  const [main = root] = findInner(root, ({ role }) => role === "main");
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
