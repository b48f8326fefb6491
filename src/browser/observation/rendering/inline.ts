import type { ObservedNode } from "../observed-node.ts";
import { walk } from "../tree.ts";
import { withoutLabels } from "./alike.ts";
import { cap, describeThing, isGroup, isThing } from "./describe-thing.ts";
import type { Detail } from "./detail.ts";
import { LANDMARKS } from "./landmarks.ts";
import { unfold } from "./unfold.ts";

/** What stands in one of these reads as one line. */
const LINES: ReadonlySet<string> = new Set([
  "caption",
  "cell",
  "code",
  "columnheader",
  "definition",
  "emphasis",
  "figure",
  "gridcell",
  "heading",
  "img",
  "listitem",
  "note",
  "paragraph",
  "row",
  "rowheader",
  "strong",
  "term",
  "time",
]);
const BLOCKS: ReadonlySet<string> = new Set(["heading", "list", "listitem", "paragraph", "row", ...LANDMARKS]);
const MAX_LINE_NODES = 40;

export function isOneLine(node: ObservedNode): boolean {
  if (!LINES.has(node.role)) return false;
  let count = 0;
  for (const { node: inner } of walk(node)) {
    if (++count > MAX_LINE_NODES || (inner !== node && BLOCKS.has(inner.role))) return false;
  }
  return true;
}

/** A node with all that is in it, in running text; what can be acted on stands in braces. */
export function toInline(node: ObservedNode, pageUrl: string, detail: Detail): string {
  if (node.role === "text") return cap(node.name, detail.maxTextChars);
  const isWhole = isThing(node) && !isGroup(node, detail);
  if (!isWhole) {
    const line = decorate(node, toInlineContent(node, pageUrl, detail), detail);
    return node.ref === null ? line : `${node.ref} ${line}`;
  }
  const { outer, inner } = unfold(node);
  const thing = outer === null ? "" : `{${describeThing(outer, pageUrl, detail)}}`;
  return join([thing, ...inner.map((child) => toInline(child, pageUrl, detail))]);
}

function toInlineContent({ role, name, children }: ObservedNode, pageUrl: string, detail: Detail): string {
  if (children.length === 0) return cap(name, detail.maxTextChars);
  const parts = withoutLabels(children).map((child) => toInline(child, pageUrl, detail));
  return role === "row" ? parts.join(" | ") : join(parts);
}

function decorate({ role, name, states }: ObservedNode, inner: string, { maxNameChars }: Detail): string {
  switch (role) {
    case "heading":
      return `${"#".repeat(states.level ?? 2)} ${inner}`;
    case "listitem":
      return `- ${inner}`;
    case "row":
      return `| ${inner}${states.selected ? " [selected]" : ""}`;
    case "columnheader":
      return states.sort === undefined ? inner : `${inner} [sorted ${states.sort}]`;
    case "img":
      return name === "" ? inner : `img "${cap(name, maxNameChars)}"`;
    default:
      return inner;
  }
}

function join(parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join(" ");
}
