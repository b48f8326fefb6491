import type { ObservedNode } from "../../../browser/observation/observed-node.ts";
import { kindOfText } from "../values/text-kind.ts";
import { type CardPart, findCardParts } from "./card-parts.ts";
import { toPart } from "./cell.ts";
import { splitLabel } from "./label.ts";
import { readMark, readOwnText, squeeze } from "./read-text.ts";
import type { Cell } from "./record-set.ts";

export const CARD_TITLE = "title";

/** What a card says, by column: its title, then each line by its label or by what its form says it is. */
export function readCard(node: ObservedNode): ReadonlyMap<string, Cell> {
  const parts = findCardParts(node);
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

/** Links that say what to do with a card and not what it is. */
const ACTION =
  /^(?:edit|delete|remove|view|see|show|read|details?|more|learn|open|add|buy|order|book|reply|share|save|download|change|cancel|track|quick)\b/i;

function findTitle(parts: readonly CardPart[]): CardPart | null {
  const byKind = (kind: CardPart["kind"]) => parts.find((part) => part.kind === kind);
  const line = parts.find(
    ({ kind, text }) => kind === "line" && kindOfText(text) === "text" && splitLabel(text) === null,
  );
  const link = parts.find((part) => part.kind === "link" && !ACTION.test(part.text));
  return byKind("heading") ?? link ?? byKind("check") ?? byKind("strong") ?? line ?? byKind("image") ?? null;
}

function addTitle(cells: Map<string, Cell>, title: CardPart, card: ObservedNode): void {
  const text = title.kind === "check" ? squeeze(title.node.name) : title.text;
  const cell = toPart(title.node, text, title.text);
  // A card that is a link as a whole leads where its title says.
  cells.set(CARD_TITLE, {
    ...cell,
    url: cell.url ?? card.url,
    ref: cell.url === null ? (card.ref ?? cell.ref) : cell.ref,
  });
  if (title.kind === "check") cells.set("checked", { ...cell, text: readMark(title.node), quote: title.text });
}

/** A part that only names the next one. */
function readLabel(part: CardPart): string | null {
  if (part.kind === "term") return part.text.replace(/\s*:$/, "");
  const isNaming = /^[^:]{1,50}:$/.test(part.text) && part.kind !== "definition";
  return isNaming ? part.text.slice(0, -1).trim() : null;
}

function addPart(cells: Map<string, Cell>, part: CardPart, label: string | null): void {
  const split = label === null ? splitLabel(part.text) : null;
  const column = label ?? split?.label ?? nameOf(part);
  const text = split?.value ?? (part.kind === "check" ? readMark(part.node) : part.text);
  const isTold = [...cells.values()].some((cell) => cell.text === text && column === "link");
  if (!isTold) cells.set(nextFree(cells, column), { ...toPart(part.node, text), quote: split?.value ?? part.text });
}

function nameOf(part: CardPart): string {
  const kind = kindOfText(part.text);
  switch (part.kind) {
    case "field":
      return squeeze(part.node.name) || "value";
    case "check":
      return squeeze(part.node.name) || "checked";
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
