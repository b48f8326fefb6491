import { setTimeout as sleep } from "node:timers/promises";
import type { ElementHandle } from "playwright-core";
import { LISTENERS_KEY, type Listeners } from "../../browser/observation/in-page/init-scripts.ts";
import { SECRET_AUTOCOMPLETE } from "../../browser/observation/page-facts.ts";
import type { PinnedElement } from "../../browser/observation/pin-element.ts";
import { ActionFailed, isGone, isTimeout } from "./action.ts";
import { quote, toLettersAndDigits, toPlain } from "./plain-text.ts";

/** Something that holds text. */
export interface Field {
  readonly handle: ElementHandle<Element>;
  /** The type of the input; "textarea" or "contenteditable" for those. */
  readonly type: string;
  /** For messages. */
  readonly called: string;
  readonly isSecret: boolean;
  readonly suggests: "surely" | "maybe" | "no";
}

/** The field that an element is, labels or wraps. Throws, with what to do instead, when there is nothing to type into. */
export async function findField(element: PinnedElement): Promise<Field> {
  const called = `The ${element.role} ${quote(element.name)}`;
  const handle = (await element.handle.evaluateHandle(findFieldNode)).asElement();
  if (handle === null) throw new ActionFailed("not_found", `${called} is no field that takes text.`);
  const facts = await handle.evaluate(describeField, {
    listenersPassword: LISTENERS_KEY,
    secretPattern: SECRET_AUTOCOMPLETE,
  });
  const remedy = REMEDIES[facts.type];
  if (remedy !== undefined) throw new ActionFailed("not_found", `${called} is no field that takes text: ${remedy}`);
  if (facts.isReadOnly) {
    const picker = "It takes no typing; a picker fills it. Click it, then choose in what opens.";
    throw new ActionFailed("disabled", `${called} is read-only. ${picker}`);
  }
  return { handle, called, ...facts };
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
  { listenersPassword, secretPattern }: { listenersPassword: string; secretPattern: string },
): Pick<Field, "type" | "isSecret" | "suggests"> & { isReadOnly: boolean } {
  const names: Record<string, string> = {
    input: (node as HTMLInputElement).type,
    textarea: "textarea",
    select: "select",
  };
  const autocomplete = node.getAttribute("autocomplete") ?? "";
  const isCombobox = node.matches("[role=combobox], [aria-autocomplete=list], [aria-autocomplete=both]");
  function findListeners(): Listeners | null {
    try {
      return Reflect.apply(document.addEventListener, document, [listenersPassword]) as unknown as Listeners;
    } catch {
      // The browser's own function refuses the call: nobody has remembered.
      return null;
    }
  }

  /** Where nobody listens to the typing, nothing will be suggested. */
  function isListenedTo(): boolean {
    const listeners = findListeners();
    if (listeners === null) return true;
    for (let at: Node | null = node; at !== null; at = at.parentNode ?? (at as ShadowRoot).host ?? null) {
      const { oninput, onkeyup, onkeydown } = at as HTMLElement;
      if (listeners.forTyping.has(at) || oninput || onkeyup || onkeydown) return true;
    }
    return listeners.forTyping.has(window);
  }

  return {
    type: names[node.localName] ?? "contenteditable",
    isSecret: node.matches("[type=password]") || new RegExp(secretPattern).test(autocomplete),
    suggests: isCombobox ? "surely" : autocomplete === "off" && isListenedTo() ? "maybe" : "no",
    isReadOnly: (node as HTMLInputElement).readOnly === true || node.getAttribute("aria-readonly") === "true",
  };
}

/** What the field holds now. */
function readField({ handle }: Field): Promise<string> {
  return handle.evaluate((node) => {
    const { value } = node as HTMLInputElement;
    // biome-ignore lint/performance/useDomNodeTextContent: only what is drawn counts.
    return typeof value === "string" ? value : ((node as HTMLElement).innerText ?? "");
  });
}

const TIMEOUT_MS = 4000;
/** Masks and frameworks put a value right in their next turn. */
const REACTION_MS = 20;

/** What the browser itself demands of the value. Such fields are set at once; keys would go to their parts. */
const FORMATS: Readonly<Partial<Record<string, string>>> = {
  date: "2026-01-31",
  time: "14:30",
  "datetime-local": "2026-01-31T14:30",
  month: "2026-01",
  week: "2026-W05",
  color: "#ff8800",
  range: "a number within its range",
};

/** Replaces what the field holds, and makes sure that it then holds the text. */
export async function writeField(field: Field, text: string, signal: AbortSignal): Promise<void> {
  const format = FORMATS[field.type];
  if (format === undefined) {
    await enter(field, text, signal);
    if (await holds(field, text, signal)) return;
    await typeKeyByKey(field, text, signal);
  } else {
    await put(field, text, signal);
  }
  if (!(await holds(field, text, signal))) throw await describeRefusal(field, format);
}

async function put(field: Field, text: string, signal: AbortSignal): Promise<void> {
  try {
    await field.handle.fill(text, { timeout: TIMEOUT_MS, signal });
  } catch (error) {
    if (isGone(error) || signal.aborted) throw error;
    // What Playwright says repeats the text, which may be a secret.
    if (isTimeout(error)) throw new ActionFailed("timeout", `${field.called} cannot be edited at the moment.`);
    throw await describeRefusal(field, FORMATS[field.type] ?? (field.type === "number" ? "12.5" : undefined));
  }
}

/** The last character comes from a real key, because some pages listen only to those. */
async function enter(field: Field, text: string, signal: AbortSignal): Promise<void> {
  const last = [...text].at(-1) ?? "";
  const endsInKey = /^[\p{L}\p{N}\p{P}\p{S} ]$/u.test(last);
  if (!endsInKey) return await put(field, text, signal);
  await put(field, text.slice(0, -last.length), signal);
  await (await field.handle.ownerFrame())?.page().keyboard.type(last);
}

async function typeKeyByKey(field: Field, text: string, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const keyboard = (await field.handle.ownerFrame())?.page().keyboard;
  if (keyboard === undefined) return;
  await field.handle.focus();
  await field.handle.selectText({ timeout: TIMEOUT_MS, signal });
  await keyboard.press("Delete");
  // Enter sends many forms off, so line breaks are never typed.
  await (text.includes("\n") ? keyboard.insertText(text) : keyboard.type(text));
}

/** True too when the page is gone: its last character may have sent the form off. */
async function holds(field: Field, text: string, signal: AbortSignal): Promise<boolean> {
  await sleep(REACTION_MS, undefined, { signal });
  try {
    return isSameValue(await readField(field), text);
  } catch (error) {
    if (isGone(error)) return true;
    throw error;
  }
}

/** A mask may add brackets, spaces, capitals and the code of a country; it may not change what is said. */
function isSameValue(held: string, wanted: string): boolean {
  if (held === wanted || toPlain(held) === toPlain(wanted)) return true;
  const [inField, asked] = [toLettersAndDigits(held), toLettersAndDigits(wanted)];
  if (asked === "") return false;
  if (inField === asked || Number(held || "none") === Number(wanted)) return true;
  return /^\d{7,}$/.test(asked) && inField.endsWith(asked) && inField.length <= asked.length + 3;
}

async function describeRefusal(field: Field, format: string | undefined): Promise<ActionFailed> {
  if (field.isSecret) return new ActionFailed("no_effect", `${field.called} does not hold what was entered.`);
  const held = `it holds ${quote(await readField(field))} instead`;
  return format === undefined
    ? new ActionFailed("no_effect", `${field.called} does not take the text: ${held}.`)
    : new ActionFailed("invalid_input", `${field.called} wants a value like ${format}; ${held}.`);
}
