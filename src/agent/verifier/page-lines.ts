import type { ObservedNode } from "../../browser/observation/observation.ts";
import { estimateTokens } from "../../lib/estimate-tokens.ts";
import { collapseWhitespace, hasDescendant, isButton, isCheckable, isField, readText } from "../grounding/page-text.ts";

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
  const name = collapseWhitespace(node.name);
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
  return RECORDS.has(node.role) && !hasDescendant(node, isRecord) ? readText(node) : null;
}

function describeField({ name, value, field }: ObservedNode): string {
  const shown = field?.isSecret === true ? "(not shown)" : `"${collapseWhitespace(value ?? "")}"`;
  return `${collapseWhitespace(name) || collapseWhitespace(field?.placeholder ?? "") || "field"} = ${shown}`;
}

function describeLeaf(node: ObservedNode): string {
  const text = readText(node);
  if (text === "") return "";
  if (node.role === "heading") return `# ${text}`;
  return isButton(node) ? `[${text}]` : text;
}

function describeRow(node: ObservedNode): string | null {
  if (hasDescendant(node, isRecord) || hasDescendant(node, isField)) return null;
  const cells = node.children.filter(({ role }) => CELLS.has(role));
  return cells.length < 2 ? readText(node) : cells.map(readText).join(" | ");
}

function isRecord({ role }: ObservedNode): boolean {
  return RECORDS.has(role);
}

const NEIGHBOURS = 3;
/** What "12 lines are left out" costs. */
const OMISSION_TOKENS = 8;

/**
 * As many lines as fit, in their order, those that matter first: lines with a wanted text and those around them, then
 * lines that share words with what is looked for, then the rest from the top. What is left out is counted in its place.
 */
export function fitLines(
  lines: readonly string[],
  { quotes, words, maxTokens }: { quotes: readonly string[]; words: ReadonlySet<string>; maxTokens: number },
): string {
  const ranked = lines
    .map((line, index) => ({ index, rank: rankOf(index, lines, quotes, words), tokens: estimateTokens(line) + 1 }))
    .sort((one, other) => other.rank - one.rank || one.index - other.index);
  const kept = new Set<number>();
  let left = maxTokens;
  for (const { index, tokens } of ranked) {
    const cost = tokens + (kept.has(index - 1) || kept.has(index + 1) ? 0 : OMISSION_TOKENS);
    if (cost > left) continue;
    left -= cost;
    kept.add(index);
  }
  return join(lines, kept);
}

function rankOf(
  index: number,
  lines: readonly string[],
  quotes: readonly string[],
  words: ReadonlySet<string>,
): number {
  const around = lines.slice(Math.max(0, index - NEIGHBOURS), index + NEIGHBOURS + 1);
  const line = lines[index] ?? "";
  if (quotes.some((quote) => line.includes(quote))) return 1_000;
  if (around.some((near) => quotes.some((quote) => near.includes(quote)))) return 500;
  const shared = new Set(toWords(line).filter((word) => words.has(word))).size;
  return shared * 2 + (line.startsWith("# ") ? 1 : 0);
}

/** Words that can tell one line from another. */
export function toWords(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? [];
}

function join(lines: readonly string[], kept: ReadonlySet<number>): string {
  const told: string[] = [];
  let missing = 0;
  const tellGap = () => {
    if (missing > 0) told.push(`… ${missing} lines are left out …`);
    missing = 0;
  };
  for (const [index, line] of lines.entries()) {
    if (!kept.has(index)) {
      missing += 1;
      continue;
    }
    tellGap();
    told.push(line);
  }
  tellGap();
  return told.join("\n");
}
