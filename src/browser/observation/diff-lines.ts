export interface LineDiff {
  readonly added: string[];
  readonly removed: string[];
}

/** Lines that came and went, each as often as it did. A line that only moved is no change. */
export function diffLines(before: readonly string[], after: readonly string[]): LineDiff {
  return { added: subtract(after, before), removed: subtract(before, after) };
}

function subtract(lines: readonly string[], others: readonly string[]): string[] {
  const left = new Map<string, number>();
  for (const line of others) left.set(line, (left.get(line) ?? 0) + 1);
  return lines.filter((line) => {
    const count = left.get(line) ?? 0;
    left.set(line, count - 1);
    return count <= 0;
  });
}
