import { setTimeout as sleep } from "node:timers/promises";
import { LISTENERS_KEY, type Listeners } from "../../browser/observation/in-page/init-scripts.ts";
import { SECRET_AUTOCOMPLETE } from "../../browser/observation/page-facts.ts";
import type { PinnedElement } from "../../browser/observation/pin-element.ts";
import { ActionFailed, isGone, isTimeout } from "./action.ts";
import { type Editor, readCode, readRich, writeEditor } from "./editor-input.ts";
import { compareTexts, quote, toLettersAndDigits, toPlain } from "./plain-text.ts";
import { toMarkdown } from "./rich-text.ts";

/** An element that holds text. */
export interface Field extends Omit<Editor, "kind"> {
  /** The type of the input; "textarea" or "contenteditable" for those. */
  readonly type: string;
  readonly isSecret: boolean;
  /** Whether typing into it opens a list of suggestions. */
  readonly suggests: "yes" | "maybe" | "no";
  /** The kind of editor that keeps a document of its own behind the field; null for plain fields. */
  readonly editor: Editor["kind"] | null;
}

/** The field that an element is, labels or wraps. Throws, with what to do instead, when it does not take text. */
export async function findField(element: PinnedElement): Promise<Field> {
  const displayName = `The ${element.role} ${quote(element.name)}`;
  const described = await element.handle.evaluate(findAndDescribe, {
    listenersKey: LISTENERS_KEY,
    secretPattern: SECRET_AUTOCOMPLETE,
  });
  const handle = described?.isElement ? element.handle : await element.handle.find(findFieldNode);
  if (described === null || handle === null) throw new ActionFailed("not_found", `${displayName} is not a text field.`);
  const { isElement: _isElement, ...facts } = described;
  const remedy = REMEDIES[facts.type];
  if (remedy !== undefined) throw new ActionFailed("not_found", `${displayName} is not a text field: ${remedy}`);
  if (facts.isReadOnly) {
    const picker = "A picker fills it. Click it, then choose in what opens.";
    throw new ActionFailed("disabled", `${displayName} is read-only. ${picker}`);
  }
  return { handle, keyboard: handle.frame.page().keyboard, displayName, ...facts };
}

const REMEDIES: Readonly<Partial<Record<string, string>>> = {
  checkbox: "use check.",
  radio: "use check.",
  file: "use upload.",
  select: "use select.",
  submit: "click it.",
  button: "click it.",
  reset: "click it.",
  image: "click it.",
};

/** Runs in the page. */
function findFieldNode(node: Element): Element | null {
  const FIELDS = "input:not([type=hidden]), textarea, select, [contenteditable]:not([contenteditable=false])";
  const takesInput = (element: Element) => (element as HTMLElement & { editContext?: unknown }).editContext != null;
  if (node.matches(FIELDS) || takesInput(node)) return node;
  if ((node as HTMLElement).isContentEditable) {
    // The whole text is meant, not the paragraph.
    let host = node;
    while ((host.parentElement as HTMLElement | null)?.isContentEditable) host = host.parentElement as Element;
    return host;
  }
  if (node.localName === "label") return (node as HTMLLabelElement).control;
  const inner = [...node.querySelectorAll(FIELDS), ...(node.shadowRoot?.querySelectorAll(FIELDS) ?? [])];
  if (inner.length === 0) return [...node.querySelectorAll("[role=textbox]")].find(takesInput) ?? null;
  return inner.length === 1 ? (inner[0] ?? null) : null;
}

interface FieldFacts extends Pick<Field, "type" | "isSecret" | "suggests" | "editor"> {
  readonly isReadOnly: boolean;
}

interface Described extends FieldFacts {
  /** The element itself is the field. */
  readonly isElement: boolean;
}

interface DescribeOptions {
  readonly listenersKey: string;
  readonly secretPattern: string;
}

/** Runs in the page. */
function describeField(node: Element, { listenersKey, secretPattern }: DescribeOptions): FieldFacts {
  const names: Record<string, string> = {
    input: (node as HTMLInputElement).type,
    textarea: "textarea",
    select: "select",
  };
  const autocomplete = node.getAttribute("autocomplete") ?? "";
  const isCombobox = node.matches("[role=combobox], [aria-autocomplete=list], [aria-autocomplete=both]");
  function findListeners(): Listeners | null {
    try {
      return Reflect.apply(document.addEventListener, document, [listenersKey]) as unknown as Listeners;
    } catch {
      // The browser's own function rejects the call: listeners are not recorded on this page.
      return null;
    }
  }

  /** Without a listener for typing there are no suggestions. */
  function hasTypingListener(): boolean {
    const listeners = findListeners();
    if (listeners === null) return true;
    for (let at: Node | null = node; at !== null; at = at.parentNode ?? (at as ShadowRoot).host ?? null) {
      const { oninput, onkeyup, onkeydown } = at as HTMLElement;
      if (listeners.forTyping.has(at) || oninput || onkeyup || onkeydown) return true;
    }
    return listeners.forTyping.has(window);
  }

  /** Only a few pixels of it can be seen, because of its own size or that of a box that cuts it off. */
  function isRelay(): boolean {
    const MAX_PIXELS = 4;
    if (node.localName !== "textarea") return false;
    for (let at: Element | null = node, levels = 0; at !== null && levels < 3; at = at.parentElement, levels += 1) {
      const { width, height } = at.getBoundingClientRect();
      const { opacity, overflow } = getComputedStyle(at);
      if (Number(opacity) < 0.05) return true;
      if ((width <= MAX_PIXELS || height <= MAX_PIXELS) && (at === node || overflow !== "visible")) return true;
    }
    return false;
  }

  /** All letters are of the same width, spaces count, and nothing is corrected: that is how code is written. */
  function isForCode(): boolean {
    const style = getComputedStyle(node);
    if (node.getAttribute("spellcheck") !== "false" || !/^(?:pre|break-spaces)/.test(style.whiteSpace)) return false;
    const pen = document.createElement("canvas").getContext("2d");
    if (pen === null) return false;
    pen.font = `${style.fontSize} ${style.fontFamily}`;
    return Math.abs(pen.measureText("iiii").width - pen.measureText("MMMM").width) < 0.1;
  }

  /** Paragraphs, or the promise of several lines. */
  function isRich(): boolean {
    if (node.getAttribute("aria-multiline") === "true" || node.localName === "body") return true;
    return [...node.children].some((child) => !/^(?:inline|none|contents)/.test(getComputedStyle(child).display));
  }

  /** The field passes its input on to an editor that draws the text, or is the page of an editor. */
  function findEditor(): Field["editor"] {
    if (isRelay() || (node as HTMLElement & { editContext?: unknown }).editContext != null) return "code";
    if (node.localName in names) return null;
    return isForCode() ? "code" : isRich() ? "rich" : null;
  }

  const editor = findEditor();
  return {
    type: names[node.localName] ?? "contenteditable",
    isSecret:
      node.matches("[type=password]") ||
      (!node.matches("[role=combobox], [role=searchbox], [type=search]") &&
        new RegExp(secretPattern).test(autocomplete)),
    suggests:
      editor === "code" ? "no" : isCombobox ? "yes" : autocomplete === "off" && hasTypingListener() ? "maybe" : "no",
    editor,
    isReadOnly: (node as HTMLInputElement).readOnly === true || node.getAttribute("aria-readonly") === "true",
  };
}

/** Runs in the page. Both with one message to it. */
const findAndDescribe = new Function(
  "element",
  "options",
  `const field = (${findFieldNode})(element);
  return field === null ? null : { isElement: field === element, ...(${describeField})(field, options) };`,
) as (element: Element, options: DescribeOptions) => Described | null;

/** The present value of the field. */
export function readField({ handle }: Field): Promise<string> {
  return handle.evaluate((node) => {
    const { value } = node as HTMLInputElement;
    // biome-ignore lint/performance/useDomNodeTextContent: only rendered text counts.
    return typeof value === "string" ? value : ((node as HTMLElement).innerText ?? "");
  });
}

/** The whole text of an editor, rich text as Markdown; null when the element is no editor. */
export async function readEditor(element: PinnedElement): Promise<string | null> {
  const field = await findField(element).catch((error: unknown) => {
    if (error instanceof ActionFailed) return null;
    throw error;
  });
  const editor = field === null ? null : toEditor(field);
  if (editor === null) return null;
  return editor.kind === "code" ? await readCode(editor) : toMarkdown(await readRich(editor));
}

const TIMEOUT_MS = 4000;
/** Input masks and frameworks correct a value in a later task. */
const REACTION_MS = 20;

/** Formats that the browser itself requires. Such fields are set as a whole; keys would go to their parts. */
const FORMATS: Readonly<Partial<Record<string, string>>> = {
  date: "2026-01-31",
  time: "14:30",
  "datetime-local": "2026-01-31T14:30",
  month: "2026-01",
  week: "2026-W05",
  color: "#ff8800",
  range: "a number within its range",
};

/**
 * Replaces the value of the field, and checks that it then holds the text. Returns what the field made of the text, when it
 * holds something that is slightly different.
 */
export async function writeField(field: Field, text: string, signal: AbortSignal): Promise<string | null> {
  const editor = toEditor(field, text);
  if (editor !== null) return await writeEditor(editor, text, signal);
  const format = FORMATS[field.type];
  if (format === undefined) {
    await fillAndType(field, text, signal);
    if (await holds(field, text, signal)) return null;
    await typeKeyByKey(field, text, signal);
  } else {
    await fillAtOnce(field, text, signal);
  }
  if (!(await holds(field, text, signal))) throw await toFailure(field, format);
  return null;
}

/** The editor behind the field. A text of several lines is rich text wherever the page has no field for plain text. */
export function toEditor(field: Field, text = ""): Editor | null {
  const kind = field.editor ?? (field.type === "contenteditable" && text.includes("\n") ? "rich" : null);
  return kind === null ? null : { ...field, kind };
}

/** Types that take any text. The browser itself checks that of the others. */
const PLAIN_TYPES: ReadonlySet<string> = new Set(["text", "search", "email", "url", "tel", "password", "textarea"]);

async function fillAtOnce(field: Field, text: string, signal: AbortSignal): Promise<void> {
  if (PLAIN_TYPES.has(field.type) && (await field.handle.evaluate(selectContent))) {
    signal.throwIfAborted();
    return await (text === "" ? field.keyboard.press("Delete") : field.keyboard.insertText(text));
  }
  try {
    await (await field.handle.toHandle()).fill(text, { timeout: TIMEOUT_MS, signal });
  } catch (error) {
    if (isGone(error) || signal.aborted) throw error;
    // Playwright's message repeats the text, which may be a secret.
    if (isTimeout(error)) throw new ActionFailed("timeout", `${field.displayName} cannot be edited at the moment.`);
    throw await toFailure(field, FORMATS[field.type] ?? (field.type === "number" ? "12.5" : undefined));
  }
}

/** Runs in the page. Focuses the field and selects all it holds, to be replaced. False when it cannot be edited now. */
function selectContent(node: Element): boolean {
  const field = node as HTMLInputElement | HTMLTextAreaElement;
  const { width, height } = node.getBoundingClientRect();
  const isShown = width > 0 && height > 0 && node.checkVisibility({ visibilityProperty: true });
  if (!isShown || field.readOnly || node.matches(":disabled")) return false;
  field.select();
  field.focus();
  return (node.getRootNode() as Document | ShadowRoot).activeElement === node;
}

/** The last character is typed with a real key, because some pages listen only to those. */
async function fillAndType(field: Field, text: string, signal: AbortSignal): Promise<void> {
  const last = [...text].at(-1) ?? "";
  const endsInKey = /^[\p{L}\p{N}\p{P}\p{S} ]$/u.test(last);
  if (!endsInKey) return await fillAtOnce(field, text, signal);
  await fillAtOnce(field, text.slice(0, -last.length), signal);
  await field.keyboard.type(last);
}

async function typeKeyByKey({ handle, keyboard }: Field, text: string, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  await handle.focus();
  await (await handle.toHandle()).selectText({ timeout: TIMEOUT_MS, signal });
  await keyboard.press("Delete");
  // Enter submits many forms, so line breaks are never typed.
  await (text.includes("\n") ? keyboard.insertText(text) : keyboard.type(text));
}

/** Also true when the page is gone: the last character may have submitted the form. */
async function holds(field: Field, text: string, signal: AbortSignal): Promise<boolean> {
  await sleep(REACTION_MS, undefined, { signal });
  try {
    return isSameValue(await readField(field), text);
  } catch (error) {
    if (isGone(error)) return true;
    throw error;
  }
}

/** A mask may add brackets, spaces, capitals and a country code, but may not change the content. */
function isSameValue(held: string, text: string): boolean {
  if (held === text) return true;
  if (text.includes("\n")) return ["none", "spacing"].includes(compareTexts(text, held).kind);
  if (toPlain(held) === toPlain(text)) return true;
  const [actual, expected] = [toLettersAndDigits(held), toLettersAndDigits(text)];
  if (expected === "") return false;
  if (actual === expected || Number(held || "none") === Number(text)) return true;
  return /^\d{7,}$/.test(expected) && actual.endsWith(expected) && actual.length <= expected.length + 3;
}

async function toFailure(field: Field, format: string | undefined): Promise<ActionFailed> {
  if (field.isSecret) return new ActionFailed("no_effect", `${field.displayName} does not hold what was entered.`);
  const held = `it holds ${quote(await readField(field))} instead`;
  return format === undefined
    ? new ActionFailed("no_effect", `${field.displayName} does not accept the text: ${held}.`)
    : new ActionFailed("invalid_input", `${field.displayName} needs a value like ${format}; ${held}.`);
}
