import { isControlRole, textOf } from "./observation.ts";
import type { HiddenRun } from "./page-facts.ts";
import { type DraftNode, normalizeSpace, walkFrame } from "./snapshot.ts";

/**
 * Takes out what nobody can see. Playwright has run it into the text around it, so it is found by what stands before and
 * after. The name of a control stays when it consists of nothing else: that is a label for screen readers.
 */
export function stripHiddenText(root: DraftNode, runs: readonly HiddenRun[]): void {
  const everything = [...walkFrame(root)].map(({ name }) => name).join("\n");
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

/** What is not recognised for certain stays, because words that are hidden here may be in plain sight there. */
function remove(text: string, patterns: readonly Pattern[]): string {
  for (const { pattern, left, needs } of patterns) {
    const at = text.indexOf(pattern);
    if (at === -1 || (needs === "whole" && text !== pattern)) continue;
    if (needs === "alone" && !isWholeWord(text, at, at + pattern.length)) continue;
    return normalizeSpace(text.slice(0, at) + left + text.slice(at + pattern.length));
  }
  return text;
}

interface SearchedRun {
  readonly run: HiddenRun;
  /** The longest first. */
  readonly patterns: readonly Pattern[];
}

/** A hidden run with some of what stands before and after it. */
interface Pattern {
  readonly pattern: string;
  readonly left: string;
  /** How much more it takes to be certain: nothing, to be all the text there is, or to stand between words. */
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
      return { pattern: normalizeSpace(before + run.raw + after), left: before + gap + after, needs };
    }),
  );
}

function shortened(context: string, shorten: (chars: number) => string): string[] {
  return [context, ...CONTEXT_CHARS.filter((chars) => chars < context.length).map(shorten), ""];
}

function isWholeWord(text: string, start: number, end: number): boolean {
  return !isWordChar(text[start - 1]) && !isWordChar(text[end]);
}

function isWordChar(char: string | undefined): boolean {
  return char !== undefined && /[\p{L}\p{N}]/u.test(char);
}
