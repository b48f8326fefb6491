import { estimateTokens } from "../../../../lib/estimate-tokens.ts";
import { type Phrase, toPhrase } from "../../words/similarity.ts";
import { listLines, type PageLine } from "./page-lines.ts";
import type { ReadPage } from "./read-page.ts";

const MAX_LINE = 700;
/** How many lines around one that fits are shown with it. */
const AROUND = 2;
/** Fewer rows than this are shown as they are: who maps them sees them whole. */
const FEW_ROWS = 4;

/**
 * The text of a page within a budget. Where it is too long, what speaks of the wanted things and what stands around that
 * comes first, then the page from its top; gaps are marked.
 */
export function showText(page: ReadPage, wanted: Phrase, maxTokens: number): string {
  const isTold = page.offers.filter(({ set }) => set.rows.length > FEW_ROWS);
  const hidden = new Set(isTold.flatMap(({ set }) => set.rows.map(({ node }) => node)));
  const lines = listLines(page.observation.root, hidden);
  const shown = lines.map(showLine);
  const chosen = choose(rank(lines, wanted), shown, maxTokens);
  const told: string[] = [];
  let left = 0;
  for (const [index, line] of shown.entries()) {
    if (!chosen.has(index)) {
      left += 1;
      continue;
    }
    if (left > 0) told.push(`[${left} lines left out]`);
    left = 0;
    told.push(line);
  }
  return [...told, ...(left > 0 ? [`[${left} lines left out]`] : [])].join("\n");
}

function showLine({ text, links, isHeading }: PageLine): string {
  const cut = text.length <= MAX_LINE ? text : `${text.slice(0, MAX_LINE)} [cut]`;
  const shown = links.slice(0, 8).map((link) => `{${link}}`);
  return [isHeading ? `# ${cut}` : cut, ...shown].join(" ");
}

/** Indexes of lines, the most telling first. */
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
  // A short line is more likely a value with its label than a story about it.
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
