import { setTimeout as sleep } from "node:timers/promises";
import type { ElementHandle } from "playwright-core";
import { LISTENERS_KEY, type Listeners } from "../../browser/observation/in-page/init-scripts.ts";
import { SECRET_AUTOCOMPLETE } from "../../browser/observation/page-facts.ts";
import type { PinnedElement } from "../../browser/observation/pin-element.ts";
import { ActionFailed, isGone, isTimeout } from "./action.ts";
import { quote, toLettersAndDigits, toPlain } from "./plain-text.ts";

/** An element that holds text. */
export interface Field {
  readonly handle: ElementHandle<Element>;
  /** The type of the input; "textarea" or "contenteditable" for those. */
  readonly type: string;
  /** For messages. */
  readonly displayName: string;
  readonly isSecret: boolean;
  /** Whether typing into it opens a list of suggestions. */
  readonly suggests: "yes" | "maybe" | "no";
  /** Nobody sees the field itself: it passes its input on to an editor that draws the text around it. */
  readonly isRelay: boolean;
}

/** The field that an element is, labels or wraps. Throws, with what to do instead, when it does not take text. */
export async function findField(element: PinnedElement): Promise<Field> {
  const displayName = `The ${element.role} ${quote(element.name)}`;
  const handle = (await element.handle.evaluateHandle(findFieldNode)).asElement();
  if (handle === null) throw new ActionFailed("not_found", `${displayName} is not a text field.`);
  const facts = await handle.evaluate(describeField, {
    listenersKey: LISTENERS_KEY,
    secretPattern: SECRET_AUTOCOMPLETE,
  });
  const remedy = REMEDIES[facts.type];
  if (remedy !== undefined) throw new ActionFailed("not_found", `${displayName} is not a text field: ${remedy}`);
  if (facts.isReadOnly) {
    const picker = "A picker fills it. Click it, then choose in what opens.";
    throw new ActionFailed("disabled", `${displayName} is read-only. ${picker}`);
  }
  return { handle, displayName, ...facts };
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
  if (node.matches(FIELDS) || (node as HTMLElement).isContentEditable) return node;
  if (node.localName === "label") return (node as HTMLLabelElement).control;
  const inner = [...node.querySelectorAll(FIELDS), ...(node.shadowRoot?.querySelectorAll(FIELDS) ?? [])];
  return inner.length === 1 ? (inner[0] ?? null) : null;
}

/** Runs in the page. */
function describeField(
  node: Element,
  { listenersKey, secretPattern }: { listenersKey: string; secretPattern: string },
): Pick<Field, "type" | "isSecret" | "suggests" | "isRelay"> & { isReadOnly: boolean } {
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

  return {
    type: names[node.localName] ?? "contenteditable",
    isSecret: node.matches("[type=password]") || new RegExp(secretPattern).test(autocomplete),
    suggests: isCombobox ? "yes" : autocomplete === "off" && hasTypingListener() ? "maybe" : "no",
    isRelay: isRelay(),
    isReadOnly: (node as HTMLInputElement).readOnly === true || node.getAttribute("aria-readonly") === "true",
  };
}

/** The present value of the field. */
function readField({ handle }: Field): Promise<string> {
  return handle.evaluate((node) => {
    const { value } = node as HTMLInputElement;
    // biome-ignore lint/performance/useDomNodeTextContent: only rendered text counts.
    return typeof value === "string" ? value : ((node as HTMLElement).innerText ?? "");
  });
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

/** Replaces the value of the field, and checks that it then holds the text. */
export async function writeField(field: Field, text: string, signal: AbortSignal): Promise<void> {
  if (field.isRelay) return await writeThroughRelay(field, text, signal);
  const format = FORMATS[field.type];
  if (format === undefined) {
    await fillAndType(field, text, signal);
    if (await holds(field, text, signal)) return;
    await typeKeyByKey(field, text, signal);
  } else {
    await fillAtOnce(field, text, signal);
  }
  if (!(await holds(field, text, signal))) throw await toFailure(field, format);
}

/** An editor that draws its text clears the field after each input, so the text is looked for around it. */
async function writeThroughRelay({ handle, displayName }: Field, text: string, signal: AbortSignal): Promise<void> {
  const keyboard = (await handle.ownerFrame())?.page().keyboard;
  await handle.focus();
  signal.throwIfAborted();
  await keyboard?.press("ControlOrMeta+a");
  await (text === "" ? keyboard?.press("Delete") : keyboard?.insertText(text));
  await sleep(REACTION_MS, undefined, { signal });
  const shown = toLettersAndDigits(await handle.evaluate(readEditorAround));
  // An editor draws only the lines in view.
  const missing = text
    .split("\n")
    .slice(0, MAX_CHECKED_LINES)
    .find((line) => !shown.includes(toLettersAndDigits(line)));
  if (missing !== undefined) {
    throw new ActionFailed("no_effect", `${displayName} does not show the text: ${quote(missing)} is missing.`);
  }
}

const MAX_CHECKED_LINES = 5;

/** Runs in the page. The value of the field, and the text of the first box around it that is large enough to be read. */
function readEditorAround(node: Element): string {
  const MIN_PIXELS = 20;
  let around: Element | null = node.parentElement;
  const isSmall = ({ width, height }: DOMRect) => width < MIN_PIXELS || height < MIN_PIXELS;
  while (around?.parentElement && isSmall(around.getBoundingClientRect())) around = around.parentElement;
  // biome-ignore lint/performance/useDomNodeTextContent: only rendered text counts.
  return `${(node as HTMLTextAreaElement).value} ${(around as HTMLElement | null)?.innerText ?? ""}`;
}

async function fillAtOnce(field: Field, text: string, signal: AbortSignal): Promise<void> {
  try {
    await field.handle.fill(text, { timeout: TIMEOUT_MS, signal });
  } catch (error) {
    if (isGone(error) || signal.aborted) throw error;
    // Playwright's message repeats the text, which may be a secret.
    if (isTimeout(error)) throw new ActionFailed("timeout", `${field.displayName} cannot be edited at the moment.`);
    throw await toFailure(field, FORMATS[field.type] ?? (field.type === "number" ? "12.5" : undefined));
  }
}

/** The last character is typed with a real key, because some pages listen only to those. */
async function fillAndType(field: Field, text: string, signal: AbortSignal): Promise<void> {
  const last = [...text].at(-1) ?? "";
  const endsInKey = /^[\p{L}\p{N}\p{P}\p{S} ]$/u.test(last);
  if (!endsInKey) return await fillAtOnce(field, text, signal);
  await fillAtOnce(field, text.slice(0, -last.length), signal);
  await (await field.handle.ownerFrame())?.page().keyboard.type(last);
}

async function typeKeyByKey(field: Field, text: string, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const keyboard = (await field.handle.ownerFrame())?.page().keyboard;
  if (keyboard === undefined) return;
  await field.handle.focus();
  await field.handle.selectText({ timeout: TIMEOUT_MS, signal });
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
  if (held === text || toPlain(held) === toPlain(text)) return true;
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
