import type { ObservedNode } from "../../../browser/observation/observation.ts";
import { collapseWhitespace } from "../../../browser/observation/visible-text.ts";
import { estimateTokens } from "../../../lib/estimate-tokens.ts";
import { findDescendants, hasDescendant, isCheckable, isField, readText } from "../../grounding/page-text.ts";
import { type Phrase, toPhrase } from "../../grounding/similarity.ts";
import { type Cell, isLink, type RecordSet } from "../record-set.ts";
import type { OfferedRecords, ReadPage } from "./read-page.ts";

const MAX_LINE = 700;
/** Lines shown before and after one that matches. */
const AROUND = 2;
/** Up to this many rows are shown in full. */
const FEW_ROWS = 4;

/**
 * The text of a page within a budget. Where it is too long, lines about the wanted values and the lines around them come
 * first, then the page from its top. Gaps are marked.
 */
export function showText(page: ReadPage, wanted: Phrase, maxTokens: number): string {
  const large = page.offers.filter(({ set }) => set.rows.length > FEW_ROWS);
  const hidden = new Set(large.flatMap(({ set }) => set.rows.map(({ node }) => node)));
  const lines = listLines(page.observation.root, hidden);
  const shown = lines.map(showLine);
  const chosen = choose(rank(lines, wanted), shown, maxTokens);
  const shownLines: string[] = [];
  let left = 0;
  for (const [index, line] of shown.entries()) {
    if (!chosen.has(index)) {
      left += 1;
      continue;
    }
    if (left > 0) shownLines.push(`[${left} lines left out]`);
    left = 0;
    shownLines.push(line);
  }
  return [...shownLines, ...(left > 0 ? [`[${left} lines left out]`] : [])].join("\n");
}

function showLine({ text, links, isHeading }: PageLine): string {
  const cut = text.length <= MAX_LINE ? text : `${text.slice(0, MAX_LINE)} [cut]`;
  const shown = links.slice(0, 8).map((link) => `{${link}}`);
  return [isHeading ? `# ${cut}` : cut, ...shown].join(" ");
}

/** Indexes of lines, the most relevant first. */
function rank(lines: readonly PageLine[], wanted: Phrase): number[] {
  const hits = lines.flatMap((line, index) => {
    const score = scoreLine(line, wanted);
    return score > 0 ? [{ index, score }] : [];
  });
  const near = hits
    .toSorted((one, other) => other.score - one.score)
    .flatMap(({ index }) => Array.from({ length: 2 * AROUND + 1 }, (_, step) => index - AROUND + step));
  return [...new Set([...near, ...lines.keys()])].filter((index) => index >= 0 && index < lines.length);
}

function scoreLine({ text, heading, isHeading }: PageLine, wanted: Phrase): number {
  const own = countShared(toPhrase(text.slice(0, MAX_LINE)), wanted);
  const under = isHeading ? 0 : countShared(toPhrase(heading), wanted);
  // A short line is more likely to be a value with its label than prose about it.
  return (own + 0.5 * under) / (text.length > 200 ? 2 : 1);
}

function countShared({ concepts }: Phrase, wanted: Phrase): number {
  let shared = 0;
  for (const concept of concepts) if (wanted.concepts.has(concept)) shared += 1;
  return shared;
}

function choose(order: readonly number[], shown: readonly string[], maxTokens: number): ReadonlySet<number> {
  const chosen = new Set<number>();
  let left = maxTokens;
  for (const index of order) {
    const tokens = estimateTokens(shown[index] ?? "") + 1;
    if (tokens > left) continue;
    left -= tokens;
    chosen.add(index);
  }
  return chosen;
}

/** A line of a page as the model sees it. */
interface PageLine {
  /** From readText, so that a quote from it can be found on the page. */
  readonly text: string;
  /** Its links: "e12", or 'e12 "More"' where the line has more text than the link. */
  readonly links: readonly string[];
  /** The heading above it. */
  readonly heading: string;
  readonly isHeading: boolean;
}

const LINES: ReadonlySet<string> = new Set(["heading", "paragraph", "term", "definition", "row", "caption", "code"]);
const BLOCKS: ReadonlySet<string> = new Set([
  ...LINES,
  "article",
  "form",
  "grid",
  "group",
  "list",
  "listitem",
  "region",
  "table",
]);

/** The lines of a page in order. `hidden` are rows that are shown elsewhere. */
function listLines(root: ObservedNode, hidden: ReadonlySet<ObservedNode>): PageLine[] {
  const lines: PageLine[] = [];
  let heading = "";
  const add = (node: ObservedNode) => {
    const text = toLine(node);
    const isHeading = node.role === "heading";
    if (isHeading) heading = text;
    if (text !== "") lines.push({ text, links: linksOf(node, text), heading, isHeading });
  };
  const visit = (node: ObservedNode) => {
    if (hidden.has(node)) return;
    if (isOneLine(node)) add(node);
    else for (const child of node.children) visit(child);
  };
  visit(root);
  return lines;
}

function isOneLine(node: ObservedNode): boolean {
  if (node.children.length === 0 || isField(node) || isCheckable(node) || isLink(node)) return true;
  if (hasDescendant(node, ({ role }) => BLOCKS.has(role))) return false;
  return LINES.has(node.role) || node.role === "listitem" || node.children.some(({ role }) => role === "text");
}

/** The label of a field is in brackets: only its value can be quoted. */
function toLine(node: ObservedNode): string {
  const text = readText(node);
  if (!isField(node)) return text;
  return text === "" ? "" : `[${collapseWhitespace(node.name)}] ${text}`;
}

function linksOf(node: ObservedNode, text: string): string[] {
  const links = isLink(node) ? [node] : findDescendants(node, isLink);
  return links.flatMap((link) => {
    if (link.ref === null) return [];
    const name = readText(link);
    return name === text ? [link.ref] : [`${link.ref} ${JSON.stringify(name.slice(0, 60))}`];
  });
}

const MAX_EXAMPLES = 3;
const MAX_EXAMPLE_LENGTH = 60;

/** The tables and lists of a page: their columns with a few examples, never all rows. */
export function showRecords(offers: readonly OfferedRecords[]): string {
  return offers.flatMap(showOffer).join("\n");
}

function showOffer({ id, set, columns }: OfferedRecords): string[] {
  const { kind, name, rows, region } = set;
  const outside = region === "main" ? "" : ", outside the main part";
  return [
    `${id}: ${kind === "table" ? "table" : "list"} ${cut(name)}, ${rows.length} rows${outside}`,
    ...[...columns].map(([column, title]) => ` ${column} ${cut(title)}: ${showExamples(set, title)}`),
  ];
}

function showExamples({ rows }: RecordSet, column: string): string {
  const cells = rows.map((row) => row.cells.get(column)).filter((cell): cell is Cell => cell !== undefined);
  const filled = cells.filter(({ text }) => text !== "");
  const hasLinks = cells.some(({ url }) => url !== null);
  const shown = filled.slice(0, MAX_EXAMPLES).map(({ text }) => cut(text));
  return `${shown.join(" | ") || "(empty)"}${hasLinks ? " (links)" : ""}`;
}

function cut(text: string): string {
  return JSON.stringify(text.length <= MAX_EXAMPLE_LENGTH ? text : `${text.slice(0, MAX_EXAMPLE_LENGTH)}…`);
}
