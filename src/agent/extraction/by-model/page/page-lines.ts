import type { ObservedNode } from "../../../../browser/observation/observed-node.ts";
import { isLink } from "../../records/cell.ts";
import { findInner, hasInner, isCheckable, isField, readText, squeeze } from "../../records/read-text.ts";

/** A line of a page, as it is shown to the model. */
export interface PageLine {
  /** As readText says it, so that what is quoted from it stands on the page. */
  readonly text: string;
  /** Links in it: "e12", or 'e12 "More"' where the line says more than the link. */
  readonly links: readonly string[];
  /** The heading that it stands under. */
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

/** The lines of a page in order. `hidden` are rows that are told elsewhere. */
export function listLines(root: ObservedNode, hidden: ReadonlySet<ObservedNode>): PageLine[] {
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
  if (hasInner(node, ({ role }) => BLOCKS.has(role))) return false;
  return LINES.has(node.role) || node.role === "listitem" || node.children.some(({ role }) => role === "text");
}

/** The label of a field stands in brackets: only what the field holds can be quoted. */
function toLine(node: ObservedNode): string {
  const text = readText(node);
  if (!isField(node)) return text;
  return text === "" ? "" : `[${squeeze(node.name)}] ${text}`;
}

function linksOf(node: ObservedNode, text: string): string[] {
  const links = isLink(node) ? [node] : findInner(node, isLink);
  return links.flatMap((link) => {
    if (link.ref === null) return [];
    const name = readText(link);
    return name === text ? [link.ref] : [`${link.ref} ${JSON.stringify(name.slice(0, 60))}`];
  });
}
