import type { ObservedNode } from "../../browser/observation/observed-node.ts";
import { textOf } from "../../browser/observation/tree.ts";

/** What runs on within a line. */
const INLINE_ROLES: ReadonlySet<string> = new Set([
  "text",
  "link",
  "strong",
  "emphasis",
  "code",
  "mark",
  "deletion",
  "insertion",
  "subscript",
  "superscript",
  "time",
]);

/** The text of a part of a page as a person would copy it: a line per paragraph, heading, item and row. */
export function toReadableText(node: ObservedNode): string {
  return linesOf(node).join("\n");
}

function linesOf(node: ObservedNode): string[] {
  if (node.value !== null) return [`${node.name}: ${node.value}`];
  if (node.role === "row") return [node.children.map(textOf).join(" | ")];
  const lines: string[] = [];
  let isRunning = false;
  for (const child of node.children) {
    const isInline = INLINE_ROLES.has(child.role) && child.value === null;
    const inner = isInline ? [textOf(child)].filter((text) => text !== "") : linesOf(child);
    const [first] = inner;
    if (isRunning && isInline && first !== undefined) lines.push(`${lines.pop()} ${first}`);
    else lines.push(...inner);
    isRunning = isInline && lines.length > 0;
  }
  return lines.length > 0 || node.name === "" ? lines : [node.name];
}
