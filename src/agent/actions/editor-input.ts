import { setTimeout as sleep } from "node:timers/promises";
import type { Keyboard } from "playwright-core";
import type { PageElement } from "../../browser/observation/page-element.ts";
import { ActionFailed } from "./action.ts";
import { compareTexts, quote, type TextDifference, toLettersAndDigits } from "./plain-text.ts";
import { type RichText, readRichText, toPlainText } from "./rich-text.ts";

/** An editor with a document of its own: rich text, or code of which a page may show only the lines in view. */
export interface Editor {
  readonly handle: PageElement;
  readonly keyboard: Keyboard;
  readonly kind: "rich" | "code";
  /** For messages. */
  readonly displayName: string;
}

/** Editors update their page in a later task. */
const REACTION_MS = 20;
/** How long an editor that has taken a paste event may need, and one that says nothing about it. */
const PATIENCE_MS = { taken: 1500, silent: 250 };

export function readRich({ handle }: Editor): Promise<RichText> {
  return handle.evaluate(readRichText, null);
}

/** The whole document of an editor of code; null when the editor does not copy it. The selection ends at the end. */
export async function readCode(editor: Editor): Promise<string | null> {
  await selectAll(editor);
  const { isTaken, text } = await editor.handle.evaluate(useClipboard, null);
  await editor.keyboard.press("ArrowRight");
  return isTaken ? text.replace(/\r\n?/g, "\n") : null;
}

async function selectAll({ handle, keyboard }: Editor): Promise<void> {
  await handle.focus();
  await keyboard.press("ControlOrMeta+a");
  await sleep(REACTION_MS);
}

/** Replaces the document of an editor of code in one change. Returns what it then holds, or null as `readCode` does. */
export async function replaceCode(
  editor: Editor,
  text: string,
  how: "paste" | "type",
  signal: AbortSignal,
): Promise<string | null> {
  signal.throwIfAborted();
  await selectAll(editor);
  if (text === "") await editor.keyboard.press("Delete");
  else await (how === "paste" ? pasting(editor, text).enter() : editor.keyboard.insertText(text));
  await sleep(REACTION_MS, undefined, { signal });
  return await readCode(editor);
}

/**
 * Runs in the page. Asks the editor for its selection or gives it a text, as Control+C and Control+V do, without the clipboard
 * of the system, which all sessions of a browser share.
 */
function useClipboard(
  node: Element,
  pasted: { text: string; html: string | null } | null,
): { isTaken: boolean; text: string } {
  const data = new DataTransfer();
  if (pasted !== null) data.setData("text/plain", pasted.text);
  if (pasted !== null && pasted.html !== null) data.setData("text/html", pasted.html);
  const event = new ClipboardEvent(pasted === null ? "copy" : "paste", {
    clipboardData: data,
    bubbles: true,
    cancelable: true,
    composed: true,
  });
  let target = node.ownerDocument.activeElement ?? node;
  while (target.shadowRoot?.activeElement) target = target.shadowRoot.activeElement;
  target.dispatchEvent(event);
  return { isTaken: event.defaultPrevented, text: data.getData("text/plain") };
}

/** A way to enter a text over the selection. */
export interface Way {
  readonly isPaste: boolean;
  /** Returns true when the editor says that it takes the text. Many act later and say nothing. */
  enter(): Promise<unknown>;
}

/** Editors take what is pasted as one change, as it is, without completing brackets or indentation. */
export function pasting({ handle }: Editor, text: string, html: string | null = null): Way {
  const enter = async () => (await handle.evaluate(useClipboard, { text, html })).isTaken;
  return { isPaste: true, enter };
}

/** Whether a text is just what was asked for, or nearly, and how it differs. `lost`: it is not, and cannot be undone. */
export interface Outcome {
  readonly kind: "exact" | "near" | "other" | "lost";
  readonly words: string;
}

interface Attempts {
  readonly ways: readonly Way[];
  select(): Promise<unknown>;
  compare(now: RichText): Outcome;
  /** Whether the rest of the text must stay, so that nothing more is tried when it is lost. */
  readonly isPart: boolean;
}

/** Tries one way after another until the text is just what was asked for. Failing that, takes the first that came near. */
export async function tryWays(
  editor: Editor,
  old: RichText,
  attempts: Attempts,
  signal: AbortSignal,
): Promise<Outcome> {
  const attempt = async (way: Way) => {
    signal.throwIfAborted();
    await attempts.select();
    return await waitForChange(editor, old, (await way.enter()) === true ? "taken" : "silent", signal);
  };
  let near: { way: Way; outcome: Outcome } | null = null;
  let outcome: Outcome = { kind: "other", words: "" };
  let takesPaste = true;
  for (const way of attempts.ways) {
    if (way.isPaste && !takesPaste) continue;
    const now = await attempt(way);
    if (way.isPaste) takesPaste = !isSame(now, old);
    outcome = attempts.compare(now);
    if (outcome.kind === "exact") return outcome;
    if (outcome.kind === "near") near ??= { way, outcome };
    if (!(await undoTo(old, editor)) && attempts.isPart) return { ...outcome, kind: "lost" };
  }
  if (near !== null) await attempt(near.way);
  return near?.outcome ?? outcome;
}

/** Waits until a rich text is no longer the old one, or is known to stay. */
async function waitForChange(
  editor: Editor,
  old: RichText,
  how: "taken" | "silent",
  signal: AbortSignal,
): Promise<RichText> {
  const deadline = performance.now() + PATIENCE_MS[how];
  for (let last = old; ; ) {
    await sleep(REACTION_MS, undefined, { signal });
    const now = await readRich(editor);
    if ((!isSame(now, old) && isSame(now, last)) || performance.now() > deadline) return now;
    last = now;
  }
}

function isSame(one: RichText, other: RichText): boolean {
  return JSON.stringify(one.lines) === JSON.stringify(other.lines);
}

/** Takes back what was changed since the old state. Returns whether it is exactly that again. */
async function undoTo(old: RichText, editor: Editor): Promise<boolean> {
  for (let count = 0; count < MAX_UNDO; count += 1) {
    if (isSame(await readRich(editor), old)) return true;
    await editor.keyboard.press("ControlOrMeta+z");
    await sleep(2 * REACTION_MS);
  }
  return isSame(await readRich(editor), old);
}

const MAX_UNDO = 8;

/** The lines of a text as HTML. With gaps, a blank line separates paragraphs; without, each line is one. */
export function toHtml(text: string, hasGaps: boolean, spaces: "kept" | "fixed"): string {
  const toInline = (line: string) => {
    const escaped = line.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
    if (!hasSpaces(line)) return escaped;
    return spaces === "fixed"
      ? escaped.replace(/\t/g, "    ").replace(/^ | (?= )| $/g, "&nbsp;")
      : `<span style="white-space: pre-wrap">${escaped}</span>`;
  };
  const blocks = hasGaps ? text.split("\n\n") : text.split("\n");
  return blocks.map((block) => `<p>${block.split("\n").map(toInline).join("<br>") || "<br>"}</p>`).join("");
}

/** Spaces that HTML does not keep. */
export function hasSpaces(text: string): boolean {
  return /^[ \t]|[ \t]$|[ \t]{2}|\t/m.test(text);
}

/** Types a text with the keys that editors know for line breaks and paragraphs. `breaks`: what a single line break is. */
export async function typeLines({ keyboard }: Editor, text: string, breaks: "lines" | "paragraphs"): Promise<void> {
  const pattern = breaks === "lines" ? /(\n\n|\n)/ : /(\n)/;
  for (const part of text.split(pattern)) {
    if (part === "") continue;
    if (!part.startsWith("\n")) await keyboard.insertText(part);
    else await keyboard.press(breaks === "lines" && part === "\n" ? "Shift+Enter" : "Enter");
    await sleep(REACTION_MS);
  }
}

/** Types a text without Enter, which sends it in some editors: the browser makes a paragraph of an inserted line break. */
async function typeParagraphs({ keyboard }: Editor, text: string): Promise<void> {
  const PARAGRAPH = "\u2029";
  for (const [index, line] of text.replace(/\n\n/g, PARAGRAPH).split("\n").entries()) {
    if (index > 0) await keyboard.press("Shift+Enter");
    if (line !== "") await keyboard.insertText(line.replaceAll(PARAGRAPH, "\n"));
    // After several paragraphs Chromium leaves the caret before the last character.
    if (line.includes(PARAGRAPH)) await keyboard.press("End");
    await sleep(REACTION_MS);
  }
}

/** Replaces the document. Returns what the editor made of the text, when that is not what was asked for. */
export function writeEditor(editor: Editor, text: string, signal: AbortSignal): Promise<string | null> {
  return editor.kind === "code" ? writeCode(editor, text, signal) : writeRich(editor, text, signal);
}

async function writeRich(editor: Editor, text: string, signal: AbortSignal): Promise<string | null> {
  const old = await readRich(editor);
  const compare = (now: RichText): Outcome => {
    const { kind, words } = compareTexts(text, toPlainText(now));
    return { kind: kind === "none" ? "exact" : kind === "other" ? "other" : "near", words };
  };
  if (compare(old).kind === "exact") return null;
  const attempts = { ways: listWays(editor, text, old), select: () => selectAll(editor), compare, isPart: false };
  const { kind, words } = await tryWays(editor, old, attempts, signal);
  if (kind !== "exact" && kind !== "near") {
    throw new ActionFailed("no_effect", `${editor.displayName} does not accept the text: ${words}.`);
  }
  // Some pages only notice keys. This one changes nothing.
  await editor.keyboard.press("Shift");
  return kind === "exact" ? null : `The editor changed the text: ${words}.`;
}

/** In the order in which they are most likely to do it in one change, and exactly. */
function listWays(editor: Editor, text: string, { lines, hasGaps }: RichText): Way[] {
  const { keyboard } = editor;
  const asHtml = (gaps: boolean, spaces: "kept" | "fixed") => pasting(editor, text, toHtml(text, gaps, spaces));
  const enter = () => {
    if (text === "") return keyboard.press("Delete");
    // The browser makes a paragraph of each line break.
    return hasGaps && text.includes("\n") ? typeParagraphs(editor, text) : keyboard.insertText(text);
  };
  const typed = { isPaste: false, enter };
  if (text === "") return [typed];
  const isPlain = lines.every(
    ({ kind, spans }) => kind === "paragraph" && spans.every(({ marks }) => marks.length === 0),
  );
  const pasted = [
    asHtml(hasGaps, "kept"),
    ...(hasSpaces(text) ? [asHtml(hasGaps, "fixed")] : []),
    ...(text.includes("\n") ? [asHtml(!hasGaps, "kept")] : []),
  ];
  return isPlain && !text.includes("\n") ? [typed, ...pasted] : [...pasted, typed];
}

async function writeCode(editor: Editor, text: string, signal: AbortSignal): Promise<string | null> {
  let difference: TextDifference = { kind: "other", words: "" };
  for (const how of ["paste", "type"] as const) {
    const held = await replaceCode(editor, text, how, signal);
    difference = held === null ? await compareWithShown(editor, text) : compareTexts(text, held);
    if (difference.kind === "none") return null;
  }
  if (difference.kind !== "other") return `The editor changed the text: ${difference.words}.`;
  throw new ActionFailed("no_effect", `${editor.displayName} does not show the text: ${difference.words}.`);
}

const MAX_CHECKED_LINES = 5;

/** For editors that do not copy: they draw only the lines in view, around the field that takes their input. */
async function compareWithShown({ handle }: Editor, text: string): Promise<TextDifference> {
  const shown = toLettersAndDigits(await handle.evaluate(readEditorAround));
  const lines = text.split("\n").slice(0, MAX_CHECKED_LINES);
  const missing = lines.find((line) => !shown.includes(toLettersAndDigits(line)));
  return missing === undefined ? { kind: "none", words: "" } : { kind: "other", words: `${quote(missing)} is missing` };
}

/** Runs in the page. The value of the field, and the text of the first box around it that is large enough to be read. */
function readEditorAround(node: Element): string {
  const MIN_PIXELS = 20;
  let around: Element | null = node.parentElement;
  const isSmall = ({ width, height }: DOMRect) => width < MIN_PIXELS || height < MIN_PIXELS;
  while (around?.parentElement && isSmall(around.getBoundingClientRect())) around = around.parentElement;
  // biome-ignore lint/performance/useDomNodeTextContent: only rendered text counts.
  return `${(node as HTMLTextAreaElement).value} ${(around as HTMLElement | null)?.innerText ?? ""}`;
}
