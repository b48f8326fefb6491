import { isControlRole, textOf } from "./observation.ts";
import type { HiddenRun } from "./page-facts.ts";
import { type DraftNode, isWordChar, walkFrame } from "./snapshot.ts";
import { toVisibleText } from "./visible-text.ts";

/**
 * Removes text that nobody can see. Playwright merges it into the surrounding text, so it is found by the text before and
 * after it. A control whose name consists only of hidden text keeps it: that is a label for screen readers.
 */
export function* stripHiddenText(root: DraftNode, runs: readonly HiddenRun[]): Generator<void, void> {
  if (runs.length === 0) return;
  const runsIn = yield* findRuns(walkFrame(root), runs);
  if (runsIn.size > 0) yield* stripBelow(root, runsIn, false);
}

type RunsIn = Map<DraftNode, HiddenRun[]>;

/** The runs that each name contains. All names are searched as one text, because a page may have thousands of both. */
function* findRuns(nodes: readonly DraftNode[], runs: readonly HiddenRun[]): Generator<void, RunsIn> {
  const everything = nodes.map(({ name }) => name).join("\n");
  const ends: number[] = [];
  for (const { name } of nodes) ends.push((ends.at(-1) ?? -1) + 1 + name.length);
  const found: RunsIn = new Map();
  for (const run of runs) {
    yield;
    let index = 0;
    for (let at = everything.indexOf(run.text); at !== -1 && index < nodes.length; ) {
      while ((ends[index] ?? Number.POSITIVE_INFINITY) < at) index++;
      const node = nodes[index];
      if (node !== undefined) found.set(node, [...(found.get(node) ?? []), run]);
      at = everything.indexOf(run.text, ends[index]);
      index++;
    }
  }
  return found;
}

function* stripBelow(parent: DraftNode, runsIn: RunsIn, isInControl: boolean): Generator<void, void> {
  for (const child of parent.children) {
    if (child.role === "iframe") continue;
    const isControl = isControlRole(child.role);
    const before = isControl ? textOf(child) : "";
    const runs = runsIn.get(child);
    if (runs !== undefined) child.name = yield* strip(child, runs, isControl || isInControl);
    yield* stripBelow(child, runsIn, isControl || isInControl);
    if (isControl && before !== "" && textOf(child) === "") child.name = before;
  }
  parent.children = parent.children.filter(({ role, name }) => role !== "text" || name !== "");
}

function* strip({ role, name }: DraftNode, runs: readonly HiddenRun[], isInControl: boolean): Generator<void, string> {
  let left = name;
  for (const run of runs) {
    yield;
    if (!left.includes(run.text) || (isInControl && run.isLabelLike)) continue;
    left = left === run.text ? "" : remove(left, toPatterns(run));
  }
  return left === "" && role !== "text" && isInControl ? name : left;
}

/** Text without a certain match stays, because the same words may be visible elsewhere. */
function remove(text: string, patterns: Iterable<Pattern>): string {
  for (const { pattern, left, needs } of patterns) {
    const at = text.indexOf(pattern);
    if (at === -1 || (needs === "whole" && text !== pattern)) continue;
    if (needs === "alone" && !isWholeWord(text, at, at + pattern.length)) continue;
    // Both parts are visible text already, and may be long.
    return (text.slice(0, at) + left + text.slice(at + pattern.length)).replace(/ {2,}/g, " ").trim();
  }
  return text;
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

/** The longest first. Most often that one matches, so the others are made only when they are needed. */
function* toPatterns(run: HiddenRun): Generator<Pattern> {
  const gap = /^\s|\s$/.test(run.raw) ? " " : "";
  for (const before of shortened(run.before, (chars) => run.before.slice(-chars))) {
    for (const after of shortened(run.after, (chars) => run.after.slice(0, chars))) {
      const hasContext = before.trim().length + after.trim().length >= MIN_CONTEXT_CHARS;
      const needs = hasContext ? "nothing" : run.text.length >= MIN_CHARS_ALONE ? "alone" : "whole";
      yield { pattern: toVisibleText(before + run.raw + after), left: before + gap + after, needs };
    }
  }
}

function shortened(context: string, shorten: (chars: number) => string): string[] {
  return [context, ...CONTEXT_CHARS.filter((chars) => chars < context.length).map(shorten), ""];
}

function isWholeWord(text: string, start: number, end: number): boolean {
  return !isWordChar(text[start - 1]) && !isWordChar(text[end]);
}
