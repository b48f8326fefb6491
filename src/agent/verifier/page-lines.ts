import { labelOf, type ObservedNode } from "../../browser/observation/observation.ts";
import { collapseWhitespace } from "../../browser/observation/visible-text.ts";
import { estimateTokens } from "../../lib/estimate-tokens.ts";
import { oncePer } from "../../lib/once-per.ts";
import { hasDescendant, isButton, isCheckable, isField, readText } from "../grounding/page-text.ts";

/** One line of a page, without refs. What belongs together, such as a row, is one line. */
export interface PageLine {
  readonly text: string;
  readonly isHeading: boolean;
  /** The texts it is made of, such as the cells of a row. */
  readonly parts: readonly string[];
}

const RECORDS = new Set(["row", "listitem", "option", "treeitem", "article"]);
const CELLS = new Set(["cell", "gridcell", "rowheader", "columnheader"]);
const MAX_LENGTH = 400;

/** A page is read once, however many checks ask for its lines. */
export const toPageLines: (root: ObservedNode) => readonly PageLine[] = oncePer((root) =>
  linesOf(root)
    .map(cutLine)
    .filter(({ text }, index, lines) => text !== lines[index - 1]?.text),
);

function renderLine({ text, isHeading }: PageLine): string {
  return isHeading ? `# ${text}` : text;
}

function cutLine(line: PageLine): PageLine {
  if (line.text.length <= MAX_LENGTH) return line;
  const text = `${line.text.slice(0, MAX_LENGTH)}…`;
  return { ...line, text, parts: [text] };
}

function linesOf(node: ObservedNode): PageLine[] {
  const own = ownLine(node);
  if (own !== null) return own.text === "" ? [] : [own];
  const inner = node.children.flatMap(linesOf);
  const name = collapseWhitespace(node.name);
  const isRepeated = name === "" || node.role === "document" || inner.some(({ text }) => text.includes(name));
  return isRepeated ? inner : [plainLine(`${name}:`), ...inner];
}

/** Null for a node with more than one line. */
function ownLine(node: ObservedNode): PageLine | null {
  if (isField(node)) return fieldLine(node);
  if (node.role === "row") return rowLine(node);
  const isLine = isCheckable(node) || node.role === "heading" || isButton(node) || node.role === "link";
  const isWhole = isLine || node.children.length === 0 || (RECORDS.has(node.role) && !hasDescendant(node, isRecord));
  if (!isWhole) return null;
  const text = readText(node);
  if (node.role === "heading") return { text, isHeading: text !== "", parts: [text] };
  if (isButton(node)) return { text: text === "" ? "" : `[${text}]`, isHeading: false, parts: [text] };
  return plainLine(text);
}

function plainLine(text: string): PageLine {
  return { text, isHeading: false, parts: [text] };
}

function fieldLine(node: ObservedNode): PageLine {
  const { value, field } = node;
  const label = collapseWhitespace(labelOf(node)) || collapseWhitespace(field?.placeholder ?? "") || "field";
  // An editor may draw its text elsewhere.
  if (value === null) return plainLine(label);
  const held = collapseWhitespace(value);
  const isSecret = field?.isSecret === true;
  const text = `${label} = ${isSecret ? "(not shown)" : `"${held}"`}`;
  return { text, isHeading: false, parts: isSecret ? [label] : [label, held] };
}

function rowLine(node: ObservedNode): PageLine | null {
  if (hasDescendant(node, isRecord) || hasDescendant(node, isField)) return null;
  const cells = node.children.filter(({ role }) => CELLS.has(role)).map(readText);
  return cells.length < 2 ? plainLine(readText(node)) : { text: cells.join(" | "), isHeading: false, parts: cells };
}

function isRecord({ role }: ObservedNode): boolean {
  return RECORDS.has(role);
}

const NEIGHBOURS = 3;
/** The cost of "… 12 lines left out …". */
const OMISSION_TOKENS = 8;

interface Relevance {
  readonly quotes: readonly string[];
  readonly words: ReadonlySet<string>;
}

export interface FittedLines {
  readonly text: string;
  readonly lines: readonly PageLine[];
}

/**
 * As many lines as fit, in their order. Lines with a quote and those around them come first, then lines that share words with
 * the task, then the rest from the top. Gaps are marked with the number of lines left out.
 */
export function fitLines(lines: readonly PageLine[], relevance: Relevance, maxTokens: number): FittedLines {
  const ranked = lines
    .map((line, index) => ({
      index,
      rank: rankOf(index, lines, relevance),
      tokens: estimateTokens(renderLine(line)) + 1,
    }))
    .sort((one, other) => other.rank - one.rank || one.index - other.index);
  const kept = new Set<number>();
  let left = maxTokens;
  for (const { index, tokens } of ranked) {
    const cost = tokens + (kept.has(index - 1) || kept.has(index + 1) ? 0 : OMISSION_TOKENS);
    if (cost > left) continue;
    left -= cost;
    kept.add(index);
  }
  return { text: join(lines, kept), lines: lines.filter((_, index) => kept.has(index)) };
}

function rankOf(index: number, lines: readonly PageLine[], { quotes, words }: Relevance): number {
  const around = lines.slice(Math.max(0, index - NEIGHBOURS), index + NEIGHBOURS + 1);
  const { text = "", isHeading = false } = lines[index] ?? {};
  if (quotes.some((quote) => text.includes(quote))) return 1_000;
  if (around.some((near) => quotes.some((quote) => near.text.includes(quote)))) return 500;
  const shared = new Set(toWords(text).filter((word) => words.has(word))).size;
  return shared * 2 + (isHeading ? 1 : 0);
}

/** Words that can distinguish one line from another. */
export function toWords(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? [];
}

function join(lines: readonly PageLine[], kept: ReadonlySet<number>): string {
  const rendered: string[] = [];
  let missing = 0;
  const addGap = () => {
    if (missing > 0) rendered.push(`… ${missing} lines left out …`);
    missing = 0;
  };
  for (const [index, line] of lines.entries()) {
    if (!kept.has(index)) {
      missing += 1;
      continue;
    }
    addGap();
    rendered.push(renderLine(line));
  }
  addGap();
  return rendered.join("\n");
}
