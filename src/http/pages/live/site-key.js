// @ts-check

const SHIFT = 8;
const META = 4;
const CONTROL = 2;
const ALT = 1;

/** @param {MouseEvent | KeyboardEvent | TouchEvent} event */
export function modifiersOf({ shiftKey, metaKey, ctrlKey, altKey }) {
  return (shiftKey ? SHIFT : 0) | (metaKey ? META : 0) | (ctrlKey ? CONTROL : 0) | (altKey ? ALT : 0);
}

/** @typedef {{ key: string, code: string, modifiers: number }} SiteKey */

const NAMED_KEYS = new Set([
  "ArrowDown",
  "ArrowLeft",
  "ArrowRight",
  "ArrowUp",
  "Backspace",
  "Delete",
  "End",
  "Enter",
  "Escape",
  "Home",
  "PageDown",
  "PageUp",
  "Tab",
]);

/** Shortcuts that edit text. The person's own browser keeps all others; pasting has an event of its own. */
const EDITING = new Set(["a", "c", "x", "y", "z"]);

/** The site's browser runs on Linux, where these Mac shortcuts are other keys. @type {Record<string, SiteKey>} */
const APPLE_COMMANDS = {
  ArrowLeft: { key: "Home", code: "Home", modifiers: 0 },
  ArrowRight: { key: "End", code: "End", modifiers: 0 },
  ArrowUp: { key: "Home", code: "Home", modifiers: CONTROL },
  ArrowDown: { key: "End", code: "End", modifiers: CONTROL },
};

/**
 * The key to send to the site. Null when it belongs to the browser, or to an input method that inserts text later.
 * @param {KeyboardEvent} event
 * @param {boolean} isApple
 * @returns {SiteKey | null}
 */
export function toSiteKey(event, isApple) {
  if (isForInputMethod(event)) return null;
  if ([...event.key].length === 1) return toCharacter(event, isApple);
  return NAMED_KEYS.has(event.key) ? toNamedKey(event, isApple) : null;
}

/** @param {KeyboardEvent} event */
function isForInputMethod({ isComposing, key, keyCode }) {
  // Browsers report 229 for a key that an input method has consumed (UI Events, "keyCode").
  return isComposing || keyCode === 229 || key === "Dead" || key === "Process" || key === "Unidentified";
}

/** @param {KeyboardEvent} event @param {boolean} isApple @returns {SiteKey | null} */
function toCharacter(event, isApple) {
  const { key, code, shiftKey, ctrlKey, metaKey, altKey } = event;
  const shift = shiftKey ? SHIFT : 0;
  if (typesThirdLevel(event, isApple)) return { key, code, modifiers: shift };
  if (!ctrlKey && !metaKey && !altKey) return { key, code, modifiers: shift };
  const isCommand = isApple ? metaKey && !ctrlKey : ctrlKey && !metaKey;
  const letter = key.toLowerCase();
  const isEditing = EDITING.has(letter) && (!shiftKey || letter === "z");
  return isCommand && !altKey && isEditing ? { key, code, modifiers: CONTROL | shift } : null;
}

/** AltGr, which Windows reports as Control and Alt, and Option on a Mac: they type a character and are not shortcuts. */
function typesThirdLevel(/** @type {KeyboardEvent} */ event, /** @type {boolean} */ isApple) {
  const { ctrlKey, metaKey, altKey } = event;
  if (isApple) return altKey && !ctrlKey && !metaKey;
  return event.getModifierState("AltGraph") || (ctrlKey && altKey);
}

/** @param {KeyboardEvent} event @param {boolean} isApple @returns {SiteKey | null} */
function toNamedKey(event, isApple) {
  const { key, code, shiftKey, metaKey, altKey } = event;
  const shift = shiftKey ? SHIFT : 0;
  if (isApple && metaKey) {
    const command = APPLE_COMMANDS[key];
    return command === undefined ? null : { ...command, modifiers: command.modifiers | shift };
  }
  if (isApple && altKey) return { key, code, modifiers: CONTROL | shift };
  return metaKey || altKey ? null : { key, code, modifiers: modifiersOf(event) };
}
