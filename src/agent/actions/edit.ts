import { setTimeout as sleep } from "node:timers/promises";
import { Type } from "typebox";
import { type Action, ActionFailed, elementInput } from "./action.ts";
import {
  type Editor,
  hasSpaces,
  type Outcome,
  pasting,
  readCode,
  readRich,
  replaceCode,
  toHtml,
  tryWays,
  typeLines,
  type Way,
} from "./editor-input.ts";
import { type Field, findField, readField, toEditor, writeField } from "./field.ts";
import { applyAll, compareTexts, findAll, quote, type Replacement, trimReplacement } from "./plain-text.ts";
import {
  lineText,
  type RichLine,
  type RichText,
  readRichText,
  separatorOf,
  toPlace,
  toPlainText,
} from "./rich-text.ts";
import { getEnabledElement } from "./target.ts";

const MAX_CHARS = 10_000;

const input = Type.Object(
  {
    ...elementInput,
    text: Type.String({ maxLength: MAX_CHARS, description: "The new text, plain. Empty with replace: deletes." }),
    replace: Type.Optional(
      Type.String({ minLength: 1, maxLength: MAX_CHARS, description: "The text that it replaces." }),
    ),
    after: Type.Optional(Type.String({ minLength: 1, maxLength: MAX_CHARS, description: "The text that it follows." })),
    append: Type.Optional(Type.Boolean({ description: "At the end instead." })),
    nth: Type.Optional(
      Type.Integer({ minimum: 1, description: "Which occurrence of replace or after, if there are several." }),
    ),
    all: Type.Optional(Type.Boolean({ description: "Every occurrence." })),
  },
  { additionalProperties: false },
);

/** Without `replace` and `after`, at the end. */
interface Change {
  readonly text: string;
  readonly replace: string | undefined;
  readonly after: string | undefined;
  readonly nth: number | undefined;
  readonly isAll: boolean;
}

export const edit: Action<typeof input> = {
  name: "edit",
  description: "text replaces replace, follows after, or is appended",
  input,
  effect: "mutate",
  deadlineMs: 20_000,
  async run({ text, replace, after, append, nth, all }, context) {
    if ([replace, after, append].filter((way) => way !== undefined && way !== false).length !== 1) {
      throw new ActionFailed("invalid_input", "edit: give exactly one of replace, after and append.");
    }
    const field = await findField(await getEnabledElement(context));
    if (field.isSecret) throw new ActionFailed("invalid_input", `${field.displayName} holds a secret: use fill.`);
    const [replaced, followed] = [replace, after].map((anchor) => anchor && toLines(anchor));
    const wanted = { text: toLines(text), replace: replaced, after: followed, nth, isAll: all === true };
    const note = await change(field, wanted, context.signal);
    return note === null ? null : { text: note };
  },
};

function toLines(text: string): string {
  return text.replace(/\r\n?/g, "\n");
}

async function change(field: Field, wanted: Change, signal: AbortSignal): Promise<string | null> {
  const editor = toEditor(field, field.type === "contenteditable" ? "\n" : "");
  if (editor === null) return await changeField(field, wanted, signal);
  if (editor.kind === "code") return await changeCode(editor, wanted, signal);
  if (!wanted.isAll) return await changeRich(editor, wanted, signal);
  // From the last to the first, so that a change never moves the next.
  const { length } = findRanges(toPlainText(await readRich(editor)), wanted, editor);
  const notes: (string | null)[] = [];
  for (let nth = length; nth > 0; nth -= 1) notes.push(await changeRich(editor, { ...wanted, nth }, signal));
  return notes.find((note) => note !== null) ?? null;
}

/** What is to be changed, from the first to the last. */
function findRanges(held: string, { text, replace, after, nth, isAll }: Change, { displayName }: Named): Replacement[] {
  const anchor = replace ?? after;
  if (anchor === undefined) return [{ start: held.length, end: held.length, text: `${joinerFor(held, text)}${text}` }];
  const found = findAll(held, anchor);
  const chosen = nth === undefined ? found : found.slice(nth - 1, nth);
  if (chosen.length === 0) {
    const times = found.length === 0 ? "" : ` ${found.length + 1} times, only ${found.length}`;
    throw new ActionFailed(
      "not_found",
      `${displayName} does not contain ${quote(anchor)}${times}. Use read to see its text.`,
    );
  }
  if (chosen.length > 1 && !isAll) {
    const what = `${displayName} contains ${quote(anchor)} ${found.length} times.`;
    throw new ActionFailed("invalid_input", `${what} Give nth or all, or more of the text around it.`);
  }
  return chosen.map(({ start, end }) => (replace === undefined ? { start: end, end, text } : { start, end, text }));
}

type Named = Pick<Field, "displayName">;

/** A text is added after a space, or on a new line if there are several, unless it starts with one. */
function joinerFor(held: string, text: string): string {
  if (held === "" || /\s$/.test(held) || /^\s/.test(text)) return "";
  return held.includes("\n") ? "\n" : " ";
}

/** An input or a text area. Those without a selection, such as for numbers, are written as a whole. */
async function changeField(field: Field, wanted: Change, signal: AbortSignal): Promise<string | null> {
  const held = await readField(field);
  const ranges = findRanges(held, wanted, field);
  const expected = applyAll(held, ranges);
  const { handle, keyboard } = field;
  await handle.focus();
  for (const { start, end, text } of ranges.toReversed()) {
    signal.throwIfAborted();
    const isSelected = await handle.evaluate(selectInField, { start, end });
    if (!isSelected) return await writeField(field, expected, signal);
    if (text !== "") await keyboard.insertText(text);
    else if (start < end) await keyboard.press("Delete");
  }
  await sleep(REACTION_MS, undefined, { signal });
  const { kind, words } = compareTexts(expected, await readField(field));
  if (kind !== "none")
    throw new ActionFailed("no_effect", `${field.displayName} does not accept the change: ${words}.`);
  return null;
}

const REACTION_MS = 30;

/** Runs in the page. */
function selectInField(node: Element, { start, end }: { start: number; end: number }): boolean {
  try {
    (node as HTMLInputElement).setSelectionRange(start, end);
    return (node as HTMLInputElement).selectionStart === start;
  } catch {
    return false;
  }
}

/** Code has no formatting, so the whole text is replaced, in one change. A page shows only the lines in view. */
async function changeCode(editor: Editor, wanted: Change, signal: AbortSignal): Promise<null> {
  const held = await readCode(editor);
  if (held === null) {
    const why = "its whole text cannot be read. Use fill to replace all of it";
    throw new ActionFailed("no_effect", `${editor.displayName} cannot be edited in part: ${why}.`);
  }
  const expected = applyAll(held, findRanges(held, wanted, editor));
  const now = (await replaceCode(editor, expected, "paste", signal)) ?? "";
  if (now === expected) return null;
  const { words } = compareTexts(expected, now);
  await editor.keyboard.press("ControlOrMeta+z");
  await sleep(REACTION_MS);
  throw toFailure(editor, words === "" ? "line ends differ" : words, (await readCode(editor)) === held);
}

function toFailure({ displayName }: Named, difference: string, isUndone: boolean): ActionFailed {
  const now = isUndone ? "The change was taken back" : "The change could not be taken back: read the text";
  return new ActionFailed("no_effect", `${displayName} did not take the change exactly: ${difference}. ${now}.`);
}

/** Returns how the new text looks when that is not as it should. */
async function changeRich(editor: Editor, wanted: Change, signal: AbortSignal): Promise<string | null> {
  const old = await readRich(editor);
  const [found] = findRanges(toPlainText(old), wanted, editor);
  if (found === undefined) return null;
  const own = trimReplacement({ ...found, text: toOwnBreaks(found, old) }, toPlainText(old));
  if (own.text === "" && own.start === own.end) return null;
  const compare = (now: RichText): Outcome => {
    const difference = findDifference(old, now, own);
    if (difference !== null) return { kind: "other", words: difference };
    const words = findNewMarks(old, now, own);
    return words === null ? { kind: "exact", words: "" } : { kind: "near", words };
  };
  const ways = listWays(editor, own, old);
  const attempts = { ways, select: () => select(editor, old, own), compare, isPart: true };
  const { kind, words } = await tryWays(editor, old, attempts, signal);
  if (kind === "other" || kind === "lost") throw toFailure(editor, words, kind === "other");
  return kind === "exact" ? null : words;
}

async function select({ handle }: Editor, text: RichText, { start, end }: Replacement): Promise<void> {
  await handle.focus();
  // Editors put the selection where it was last when they get the focus, and read it again when it changes.
  await sleep(REACTION_MS);
  await handle.evaluate(readRichText, [toPlace(text, start), toPlace(text, end)] as const);
  await sleep(REACTION_MS);
}

function lineAt(text: RichText, offset: number): RichLine | undefined {
  return text.lines[toPlace(text, offset).line];
}

/** The line breaks of a text as they are where it is inserted: a list goes on with items, a paragraph with paragraphs. */
function toOwnBreaks({ start, text }: Replacement, old: RichText): string {
  if (lineAt(old, start)?.kind === "item") return text.replace(/\n+(?:[ \t]*(?:[-*•]|\d+[.)])[ \t]+)?/g, "\n");
  return old.hasGaps && lineAt(old, start)?.kind !== "code" ? text.replace(/^\n+/, "\n\n") : text;
}

/** In the order in which they are most likely to do it in one change, and exactly. */
function listWays(editor: Editor, { start, text }: Replacement, old: RichText): Way[] {
  const kind = lineAt(old, start)?.kind;
  const breaks = old.hasGaps && kind !== "item" ? "lines" : "paragraphs";
  const enter = () => (text === "" ? editor.keyboard.press("Delete") : typeLines(editor, text, breaks));
  const typed = { isPaste: false, enter };
  if (text === "") return [typed];
  const isInline = breaks === "lines" && !text.includes("\n\n");
  const spaces = hasSpaces(text) ? "kept" : "fixed";
  const html = isInline ? toHtml(text, true, spaces).replace(/^<p>|<\/p>$/g, "") : toHtml(text, old.hasGaps, spaces);
  const [marked, plain] = [pasting(editor, text, html), pasting(editor, text)];
  if (!text.includes("\n") || kind === "item") return [typed, marked, plain];
  return text.startsWith("\n") || kind === "code" ? [plain, typed, marked] : [marked, plain, typed];
}

/** How the text now differs from what was asked for; null when it does not. */
function findDifference(old: RichText, now: RichText, change: Replacement): string | null {
  const expected = applyAll(toPlainText(old), [change]);
  const { kind, words } = compareTexts(expected, toPlainText(now));
  if (kind !== "none") return words;
  const isList = lineAt(old, change.start)?.kind === "item";
  const added = countBreaks(change.text) - countBreaks(toPlainText(old).slice(change.start, change.end));
  if (isList && countItems(now) - countItems(old) !== added) return "the new lines are no items of the list";
  return findSideEffect(old, now, change);
}

/** The marks of the new text, when they are not those of the text that it replaces or follows. */
function findNewMarks(old: RichText, now: RichText, { start, end, text }: Replacement): string | null {
  const [cells, newCells] = [toCells(old), toCells(now)];
  const model = start < end ? cells[start] : cells[start - 1];
  const first = newCells[start];
  if (model === undefined || first === undefined || text === "" || [model, first].some((cell) => cell.text === "\n")) {
    return null;
  }
  return model.marks === first.marks
    ? null
    : `The new text is ${first.marks || "plain"}, not ${model.marks || "plain"}.`;
}

function countBreaks(text: string): number {
  return text.split("\n").length - 1;
}

function countItems({ lines }: RichText): number {
  return lines.filter(({ marker }) => marker !== "").length;
}

/**
 * What an edit changed besides the text between two offsets: marks, or what kind of block a line is. Null when nothing did.
 * The texts themselves are known to differ only there.
 */
function findSideEffect(
  before: RichText,
  after: RichText,
  { start, end }: { start: number; end: number },
): string | null {
  const [old, now] = [toCells(before), toCells(after)];
  for (let index = 0; index < start; index += 1) {
    const difference = compareCells(old[index], now[index], "all");
    if (difference !== null) return difference;
  }
  // A line that an inserted line break made may be of another kind.
  let compared: "all" | "marks" = "marks";
  const rest = old.length - end;
  for (let index = 0; index < rest; index += 1) {
    const [was, is] = [old[end + index], now[now.length - rest + index]];
    if (was?.text === "\n") compared = "all";
    const difference = compareCells(was, is, compared);
    if (difference !== null) return difference;
  }
  return null;
}

interface Cell {
  readonly text: string;
  readonly marks: string;
  readonly block: string;
  readonly line: string;
}

function toCells({ lines }: RichText): Cell[] {
  return lines.flatMap((line, index) => {
    const text = lineText(line);
    const block = `${line.kind} ${line.level}${line.kind === "item" ? ` ${line.marker.replace(/\d+/, "1")}` : ""}`;
    const gap = [...(index === 0 ? "" : separatorOf(line))].map((sign) => ({
      text: sign,
      marks: "",
      block: "",
      line: text,
    }));
    const own = line.spans.flatMap((span) =>
      span.text.split("").map((sign) => ({ text: sign, marks: span.marks.join(", "), block, line: text })),
    );
    return [...gap, ...own];
  });
}

function compareCells(was: Cell | undefined, is: Cell | undefined, compared: "all" | "marks"): string | null {
  if (was === undefined || is === undefined) return null;
  const at = `"${was.line.slice(0, 60)}"`;
  if (was.marks !== is.marks)
    return `in ${at}, "${was.text}" was ${was.marks || "plain"} and is ${is.marks || "plain"}`;
  if (compared === "all" && was.block !== is.block) return `${at} was a ${was.block} and is a ${is.block}`;
  return null;
}
