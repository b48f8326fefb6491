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

const CONTEXT_CHARS = [40, 12, 4, 1];
const MIN_CHARS_ALONE = 4;

function removeRun(text: string, run: HiddenRun): string {
  if (text === run.text) return "";
  for (const before of [...CONTEXT_CHARS.map((chars) => run.before.slice(-chars)), ""]) {
    for (const after of [...CONTEXT_CHARS.map((chars) => run.after.slice(0, chars)), ""]) {
      const left = before === "" && after === "" ? removeAlone(text, run) : removeBetween(text, run, before, after);
      if (left !== null) return left;
    }
  }
  return text;
}

function removeBetween(text: string, { raw }: HiddenRun, before: string, after: string): string | null {
  const pattern = normalizeSpace(before + raw + after);
  const at = text.indexOf(pattern);
  if (at === -1) return null;
  const gap = /^\s|\s$/.test(raw) ? " " : "";
  return normalizeSpace(text.slice(0, at) + before + gap + after + text.slice(at + pattern.length));
}

/** Without neighbours to tell it by, only whole words go, and not the shortest ones. */
function removeAlone(text: string, run: HiddenRun): string | null {
  const at = text.indexOf(run.text);
  const end = at + run.text.length;
  if (at === -1 || run.text.length < MIN_CHARS_ALONE) return null;
  const isWordChar = (char: string | undefined) => char !== undefined && /[\p{L}\p{N}]/u.test(char);
  if (isWordChar(text[at - 1]) || isWordChar(text[end])) return null;
  return normalizeSpace(`${text.slice(0, at)} ${text.slice(end)}`);
}
