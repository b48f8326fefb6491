import type { ElementHandle } from "playwright-core";
import { LISTENERS_PASSWORD, type Listeners } from "../../browser/observation/remember-listeners.ts";
import { SECRET_AUTOCOMPLETE } from "../../browser/observation/secret-autocomplete.ts";
import type { PinnedElement } from "../../browser/session/browser-session.ts";
import { ActionFailed } from "./action.ts";
import { quote } from "./plain-text.ts";

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
    listenersPassword: LISTENERS_PASSWORD,
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
export function readField({ handle }: Field): Promise<string> {
  return handle.evaluate((node) => {
    const { value } = node as HTMLInputElement;
    // biome-ignore lint/performance/useDomNodeTextContent: only what is drawn counts.
    return typeof value === "string" ? value : ((node as HTMLElement).innerText ?? "");
  });
}
