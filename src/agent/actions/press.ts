import { Type } from "typebox";
import { type Observation, walk } from "../../browser/observation/observation.ts";
import type { PinnedElement } from "../../browser/observation/pin-element.ts";
import type { BrowserSession } from "../../browser/session/browser-session.ts";
import { type Action, ActionFailed, isFromBrowser, optionalElementInput } from "./action.ts";
import { requireSubmission } from "./form-submission.ts";
import { quote } from "./plain-text.ts";

const input = Type.Object(
  {
    key: Type.String({
      minLength: 1,
      maxLength: 60,
      description: "One key or a combination: Enter, Escape, Tab, ArrowDown, PageDown, a, Control+A, Shift+Tab.",
    }),
    ...optionalElementInput,
  },
  { additionalProperties: false },
);

export const press: Action<typeof input> = {
  name: "press",
  description: "Enter, Control+A",
  input,
  effect: "mutate",
  async run({ key }, { session, observation, element, signal }) {
    const keys = toKeys(key);
    if (element !== null) await focus(element);
    signal.throwIfAborted();
    const pressIt = () => pressKeys(keys, key, session);
    const sender = keys === "Enter" ? (element ?? (await pinFocused(observation, session))) : null;
    await (sender === null ? pressIt() : requireSubmission(sender.handle, pressIt));
    return null;
  },
};

/** Without a ref, Enter goes to the focused field, and may submit its form. */
async function pinFocused({ root }: Observation, session: BrowserSession): Promise<PinnedElement | null> {
  const focused = walk(root).find(({ node }) => node.states.active === true && node.field !== null)?.node;
  return focused === undefined || focused.ref === null ? null : await session.pin(focused.ref);
}

async function pressKeys(keys: string, given: string, session: BrowserSession): Promise<void> {
  try {
    await session.press(keys);
  } catch (error) {
    if (isFromBrowser(error) && /Unknown key/.test(error.message)) throw unknownKey(given);
    throw error;
  }
}

async function focus({ handle, role, name }: PinnedElement): Promise<void> {
  await handle.focus();
  if (!(await handle.evaluate(takesFocus))) {
    throw new ActionFailed("no_effect", `The ${role} ${quote(name)} cannot be focused. Click it instead.`);
  }
}

/** Runs in the page. What is drawn around a control, such as the thumb of a slider, passes the keys on to it. */
function takesFocus(node: Element): boolean {
  const FOCUSABLE = "a[href], button, input:not([type=hidden]), select, textarea, [tabindex], [contenteditable]";
  const root = node.getRootNode() as Document | ShadowRoot;
  const hasFocus = () => root.activeElement === node || node.contains(root.activeElement);
  const inner = [...node.querySelectorAll<HTMLElement>(FOCUSABLE)];
  if (!hasFocus() && inner.length === 1) inner[0]?.focus();
  return hasFocus();
}

function unknownKey(key: string): ActionFailed {
  return new ActionFailed(
    "invalid_input",
    `press: there is no key ${quote(key)}. Use names such as Enter or Control+A.`,
  );
}

/** Names that people and models use for keys → the browser's names. */
const SYNONYMS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ctrl: "Control",
    control: "Control",
    cmd: "Meta",
    command: "Meta",
    meta: "Meta",
    option: "Alt",
    alt: "Alt",
    shift: "Shift",
    return: "Enter",
    enter: "Enter",
    esc: "Escape",
    escape: "Escape",
    tab: "Tab",
    space: "Space",
    spacebar: "Space",
    del: "Delete",
    delete: "Delete",
    backspace: "Backspace",
    up: "ArrowUp",
    down: "ArrowDown",
    left: "ArrowLeft",
    right: "ArrowRight",
    arrowup: "ArrowUp",
    arrowdown: "ArrowDown",
    arrowleft: "ArrowLeft",
    arrowright: "ArrowRight",
    pageup: "PageUp",
    pagedown: "PageDown",
    home: "Home",
    end: "End",
  }),
);

/** A key combination in the browser's names. The plus sign is a key too, as in "+" and "Control++". */
function toKeys(chord: string): string {
  if (chord === " ") return "Space";
  const parts = chord.trim().split(/(?<=[^+])\+(?=.)/);
  const keys = parts.map((key) => SYNONYMS.get(key.trim().toLowerCase()) ?? key.trim());
  const last = keys.at(-1) ?? "";
  // People write Control+K for the key k. Pages that compare the letter get the one that a keyboard sends without Shift.
  const isShortcut = keys.length > 1 && !keys.includes("Shift") && /^[A-Z]$/.test(last);
  return isShortcut ? [...keys.slice(0, -1), last.toLowerCase()].join("+") : keys.join("+");
}
