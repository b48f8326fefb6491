import type { RecipeContent } from "../../../../src/contract/console/recipes.ts";
import { KIND_WORDS } from "./recipe-words.tsx";

export interface DiffLine {
  change: "same" | "added" | "removed";
  text: string;
}

/** Lines about one part of a recipe. */
interface DiffPart {
  title: string;
  lines: DiffLine[];
}

/** What a recipe does, in lines. */
function toParts({ template, start_url, variables, steps, writes, output_schema }: RecipeContent) {
  return [
    { title: "Template", lines: [template] },
    { title: "Start page", lines: start_url === null ? [] : [start_url] },
    { title: "Variables", lines: variables.map(describeVariable) },
    { title: "Steps", lines: steps },
    { title: "Sends", lines: writes },
    { title: "Data", lines: output_schema === null ? [] : JSON.stringify(output_schema, null, 2).split("\n") },
  ];
}

function describeVariable({ name, kind, max_words }: RecipeContent["variables"][number]): string {
  return `${name}: ${KIND_WORDS[kind].toLowerCase()}${max_words === null ? "" : `, ${describeWords(max_words)}`}`;
}

export function describeWords(count: number): string {
  return count === 1 ? "one word" : `at most ${count} words`;
}

/**
 * How a version differs from the one before, without the parts that are the same. If it reads the same in words, the files
 * are compared: a step can name its target in more detail.
 */
export function diffContents(before: RecipeContent, after: RecipeContent): DiffPart[] {
  const earlier = toParts(before);
  const parts = toParts(after).map(({ title, lines }, index) => ({
    title,
    lines: diffLines(earlier[index]?.lines ?? [], lines),
  }));
  const changed = parts.filter(({ lines }) => lines.some(({ change }) => change !== "same"));
  if (changed.length > 0 || before.yaml === after.yaml) return changed;
  return [{ title: "File", lines: withContext(diffLines(before.yaml.split("\n"), after.yaml.split("\n"))) }];
}

const MAX_CELLS = 4_000_000;

/** The shortest way from one list of lines to the other. */
function diffLines(before: readonly string[], after: readonly string[]): DiffLine[] {
  if ((before.length + 1) * (after.length + 1) > MAX_CELLS) {
    return [...mark(before, "removed"), ...mark(after, "added")];
  }
  const countCommon = tabulateCommon(before, after);
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < before.length && j < after.length) {
    const [old = "", current = ""] = [before[i], after[j]];
    if (old === current) {
      lines.push({ change: "same", text: current });
      i += 1;
      j += 1;
    } else if (countCommon(i + 1, j) >= countCommon(i, j + 1)) {
      lines.push({ change: "removed", text: old });
      i += 1;
    } else {
      lines.push({ change: "added", text: current });
      j += 1;
    }
  }
  return [...lines, ...mark(before.slice(i), "removed"), ...mark(after.slice(j), "added")];
}

/** How many lines before[i…] and after[j…] have in common, in order, for all i and j. */
function tabulateCommon(before: readonly string[], after: readonly string[]): (i: number, j: number) => number {
  const width = after.length + 1;
  const counts = new Uint32Array((before.length + 1) * width);
  const count = (i: number, j: number) => counts[i * width + j] ?? 0;
  for (let i = before.length - 1; i >= 0; i -= 1) {
    for (let j = after.length - 1; j >= 0; j -= 1) {
      const isSame = before[i] === after[j];
      counts[i * width + j] = isSame ? count(i + 1, j + 1) + 1 : Math.max(count(i + 1, j), count(i, j + 1));
    }
  }
  return count;
}

function mark(lines: readonly string[], change: DiffLine["change"]): DiffLine[] {
  return lines.map((text) => ({ change, text }));
}

const CONTEXT_LINES = 2;

/** Without the lines that are far from any change. */
function withContext(lines: readonly DiffLine[]): DiffLine[] {
  const isChanged = (line: DiffLine | undefined) => line !== undefined && line.change !== "same";
  return lines.filter((_, index) =>
    lines.slice(Math.max(0, index - CONTEXT_LINES), index + CONTEXT_LINES + 1).some(isChanged),
  );
}
