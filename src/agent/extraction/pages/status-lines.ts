import type { ObservedNode } from "../../../browser/observation/observed-node.ts";
import { readText } from "../records/read-text.ts";
import type { RecordSet } from "../records/record-set.ts";
import { parseAmount } from "../values/amount.ts";

const RECORDS = new Set(["table", "grid", "treegrid", "list", "article", "navigation", "dialog"]);
const MAX_LENGTH = 80;
const SHOWN_OF = /(?:(\d[\d.,]*)\s*(?:-|–|—|to)\s*)?(\d[\d.,]*)\s+(?:out )?of\s+(?:about\s+)?(\d[\d.,]*)/i;

/** Short lines of the main part outside of records: what one record says about itself is no total. */
export function findStatusLines(root: ObservedNode): string[] {
  const [main = root] = root.children.filter(({ role }) => role === "main");
  return findLines(main);
}

function findLines(node: ObservedNode): string[] {
  if (RECORDS.has(node.role)) return [];
  if (node.children.length === 0 || node.children.every(({ role }) => role === "text")) {
    const text = readText(node);
    return text.length <= MAX_LENGTH ? [text] : [];
  }
  return node.children.flatMap(findLines);
}

/** "12 of 57", "1–12 of 57 products": how many there are, where the page's own count of what it shows is right. */
export function findStatedTotal(root: ObservedNode, { rows }: Pick<RecordSet, "rows">): number | null {
  for (const line of findStatusLines(root)) {
    const match = SHOWN_OF.exec(line);
    if (match === null || /\b(?:page|step)\s*$/i.test(line.slice(0, match.index))) continue;
    const [first, last, total] = match.slice(1).map((number) => parseAmount(number ?? "")?.value ?? null);
    if (last == null || total == null) continue;
    const shown = first == null ? last : last - first + 1;
    if (shown === rows.length && total > last) return total;
  }
  return null;
}
