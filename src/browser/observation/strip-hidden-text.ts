import { isControlRole } from "./control-roles.ts";
import { type DraftNode, walkFrame } from "./draft-node.ts";
import type { HiddenRun } from "./page-facts.ts";
import { normalizeSpace } from "./parse-snapshot.ts";
import { textOf } from "./tree.ts";

/**
 * Takes out what nobody can see. Playwright has run it into the text around it, so it is found by what stands before and
 * after. The name of a control stays when it consists of nothing else: that is a label for screen readers.
 */
export function stripHiddenText(root: DraftNode, runs: readonly HiddenRun[]): void {
  const everything = [...walkFrame(root)].map(({ name }) => name).join("\n");
  const present = runs.filter(({ text }) => everything.includes(text));
  if (present.length > 0) stripBelow(root, present, false);
}

function stripBelow(parent: DraftNode, runs: readonly HiddenRun[], isInControl: boolean): void {
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

function strip({ role, name }: DraftNode, runs: readonly HiddenRun[], isInControl: boolean): string {
  let left = name;
  for (const run of runs) {
    if (!left.includes(run.text) || (isInControl && run.isLabelLike)) continue;
    left = removeRun(left, run);
  }
  return left === "" && role !== "text" && isInControl ? name : left;
}

const CONTEXT_CHARS = [40, 12, 6, 5, 4, 3, 2, 1];
const MIN_CONTEXT_CHARS = 3;
const MIN_CHARS_ALONE = 24;

/** What is not recognised for certain stays, because words that are hidden here may be in plain sight there. */
function removeRun(text: string, run: HiddenRun): string {
  if (text === run.text) return "";
  for (const before of shortened(run.before, (chars) => run.before.slice(-chars))) {
    for (const after of shortened(run.after, (chars) => run.after.slice(0, chars))) {
      const left = removeBetween(text, run, before, after);
      if (left !== null) return left;
    }
  }
  return text;
}

function shortened(context: string, shorten: (chars: number) => string): string[] {
  return [context, ...CONTEXT_CHARS.filter((chars) => chars < context.length).map(shorten), ""];
}

function removeBetween(text: string, { text: hidden, raw }: HiddenRun, before: string, after: string): string | null {
  const pattern = normalizeSpace(before + raw + after);
  const at = text.indexOf(pattern);
  if (at === -1) return null;
  const isCertain =
    pattern === text ||
    before.trim().length + after.trim().length >= MIN_CONTEXT_CHARS ||
    (hidden.length >= MIN_CHARS_ALONE && standsAlone(text, at, at + pattern.length));
  if (!isCertain) return null;
  const gap = /^\s|\s$/.test(raw) ? " " : "";
  return normalizeSpace(text.slice(0, at) + before + gap + after + text.slice(at + pattern.length));
}

function standsAlone(text: string, start: number, end: number): boolean {
  return !isWordChar(text[start - 1]) && !isWordChar(text[end]);
}

function isWordChar(char: string | undefined): boolean {
  return char !== undefined && /[\p{L}\p{N}]/u.test(char);
}
