import type { ObservedNode } from "../../../browser/observation/observed-node.ts";
import { hasInner, isButton, isCheckable, isField, readText, squeeze } from "../../extraction/records/read-text.ts";

const RECORDS = new Set(["row", "listitem", "option", "treeitem", "article"]);
const CELLS = new Set(["cell", "gridcell", "rowheader", "columnheader"]);
const MAX_LENGTH = 400;

/** A page as lines to be read, without references: what belongs together, such as a row, stands in one line. */
export function toPageLines(root: ObservedNode): string[] {
  return linesOf(root)
    .map((line) => (line.length <= MAX_LENGTH ? line : `${line.slice(0, MAX_LENGTH)}…`))
    .filter((line, index, lines) => line !== lines[index - 1]);
}

function linesOf(node: ObservedNode): string[] {
  const own = ownLine(node);
  if (own !== null) return own === "" ? [] : [own];
  const inner = node.children.flatMap(linesOf);
  const name = squeeze(node.name);
  const isSaid = name === "" || node.role === "document" || inner.some((line) => line.includes(name));
  return isSaid ? inner : [`${name}:`, ...inner];
}

/** Null for what holds more than one line. */
function ownLine(node: ObservedNode): string | null {
  if (isField(node)) return describeField(node);
  if (isCheckable(node)) return readText(node);
  if (node.children.length === 0) return describeLeaf(node);
  if (node.role === "heading") return `# ${readText(node)}`;
  if (isButton(node)) return `[${readText(node)}]`;
  if (node.role === "link") return readText(node);
  if (node.role === "row") return describeRow(node);
  return RECORDS.has(node.role) && !hasInner(node, isRecord) ? readText(node) : null;
}

function describeField({ name, value, field }: ObservedNode): string {
  const shown = field?.isSecret === true ? "(not shown)" : `"${squeeze(value ?? "")}"`;
  return `${squeeze(name) || squeeze(field?.placeholder ?? "") || "field"} = ${shown}`;
}

function describeLeaf(node: ObservedNode): string {
  const text = readText(node);
  if (text === "") return "";
  if (node.role === "heading") return `# ${text}`;
  return isButton(node) ? `[${text}]` : text;
}

function describeRow(node: ObservedNode): string | null {
  if (hasInner(node, isRecord) || hasInner(node, isField)) return null;
  const cells = node.children.filter(({ role }) => CELLS.has(role));
  return cells.length < 2 ? readText(node) : cells.map(readText).join(" | ");
}

function isRecord({ role }: ObservedNode): boolean {
  return RECORDS.has(role);
}
