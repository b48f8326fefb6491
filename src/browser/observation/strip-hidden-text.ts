import { isControlRole, textOf } from "./observation.ts";
import type { HiddenRun } from "./page-facts.ts";
import { type DraftNode, isWordChar, walkFrame } from "./snapshot.ts";
import { toVisibleText } from "./visible-text.ts";

/**
 * Removes text that nobody can see. Playwright merges it into the surrounding text, so it is found by the text before and
 * after it. A control whose name consists only of hidden text keeps it: that is a label for screen readers.
 */
export function stripHiddenText(root: DraftNode, runs: readonly HiddenRun[]): void {
  if (runs.length === 0) return;
  const everything = walkFrame(root)
    .map(({ name }) => name)
    .join("\n");
  const sought = runs
    .filter(({ text }) => everything.includes(text))
    .map((run) => ({ run, patterns: toPatterns(run) }));
  if (sought.length > 0) stripBelow(root, sought, false);
}

function stripBelow(parent: DraftNode, runs: readonly SearchedRun[], isInControl: boolean): void {
  for (const child of parent.children) {
    if (child.role === "iframe") continue;
    const isControl = isControlRole(child.role);
    const before = isControl ? textOf(child) : "";
    child.name = strip(child, runs, isControl || isInControl);
    stripBelow(child, runs, isControl || isInControl);
    if (isControl && before !== "" && textOf(child) === "") child.name = before;
  }
  parent.children = parent.children.filter(({ role, name }) => role !== "text" || name !== "");
}

function strip({ role, name }: DraftNode, runs: readonly SearchedRun[], isInControl: boolean): string {
  let left = name;
  for (const { run, patterns } of runs) {
    if (!left.includes(run.text) || (isInControl && run.isLabelLike)) continue;
    left = left === run.text ? "" : remove(left, patterns);
  }
  return left === "" && role !== "text" && isInControl ? name : left;
}

/** Text without a certain match stays, because the same words may be visible elsewhere. */
function remove(text: string, patterns: readonly Pattern[]): string {
  for (const { pattern, left, needs } of patterns) {
    const at = text.indexOf(pattern);
    if (at === -1 || (needs === "whole" && text !== pattern)) continue;
    if (needs === "alone" && !isWholeWord(text, at, at + pattern.length)) continue;
    return toVisibleText(text.slice(0, at) + left + text.slice(at + pattern.length));
  }
  return text;
}

interface SearchedRun {
  readonly run: HiddenRun;
  /** The longest first. */
  readonly patterns: readonly Pattern[];
}

/** A hidden run with some of the text before and after it. */
interface Pattern {
  readonly pattern: string;
  readonly left: string;
  /** What else makes the match certain: nothing, being the whole text, or being between word boundaries. */
  readonly needs: "nothing" | "whole" | "alone";
}

const CONTEXT_CHARS = [40, 12, 6, 5, 4, 3, 2, 1];
const MIN_CONTEXT_CHARS = 3;
const MIN_CHARS_ALONE = 24;

function toPatterns(run: HiddenRun): Pattern[] {
  const gap = /^\s|\s$/.test(run.raw) ? " " : "";
  return shortened(run.before, (chars) => run.before.slice(-chars)).flatMap((before) =>
    shortened(run.after, (chars) => run.after.slice(0, chars)).map((after): Pattern => {
      const hasContext = before.trim().length + after.trim().length >= MIN_CONTEXT_CHARS;
      const needs = hasContext ? "nothing" : run.text.length >= MIN_CHARS_ALONE ? "alone" : "whole";
      return { pattern: toVisibleText(before + run.raw + after), left: before + gap + after, needs };
    }),
  );
}

function shortened(context: string, shorten: (chars: number) => string): string[] {
  return [context, ...CONTEXT_CHARS.filter((chars) => chars < context.length).map(shorten), ""];
}

function isWholeWord(text: string, start: number, end: number): boolean {
  return !isWordChar(text[start - 1]) && !isWordChar(text[end]);
}
