import { estimateTokens } from "../../../lib/estimate-tokens.ts";

const NEIGHBOURS = 3;
/** What "12 lines are left out" costs. */
const GAP_TOKENS = 8;

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
    const cost = tokens + (kept.has(index - 1) || kept.has(index + 1) ? 0 : GAP_TOKENS);
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
