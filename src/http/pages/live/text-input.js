// @ts-check
/** @import { LiveInput } from "../../../contract/live-view.ts" */

const TEXT_MAX_LENGTH = 1_000;
export const PASTE_MAX_LENGTH = 10_000;

/**
 * Text that no single key wrote: input methods, dead keys, keyboards on glass, emoji pickers, the clipboard.
 * @param {HTMLTextAreaElement} keys
 * @param {{ send: (input: LiveInput) => void, paste: (text: string) => void }} options
 */
export function watchTextInput(keys, { send, paste }) {
  /** What of the field's content the site has. Empty but for a composition that is shown while it grows. */
  let told = "";
  /** Keyboards on glass compose every word: the site sees it grow, where other input methods send what they end with. */
  let isGrowing = false;

  /** @param {string} key */
  function press(key) {
    for (const kind of /** @type {const} */ (["down", "up"])) {
      send({ type: "key", kind, key, code: key, modifiers: 0, isRepeat: false });
    }
  }

  /** @param {string} text */
  function write(text) {
    for (const [index, line] of text.split("\n").entries()) {
      if (index > 0) press("Enter");
      for (let start = 0; start < line.length; start += TEXT_MAX_LENGTH) {
        send({ type: "text", text: line.slice(start, start + TEXT_MAX_LENGTH) });
      }
    }
  }

  /** The site gets the difference to what it has. */
  function tell() {
    const text = keys.value;
    let common = 0;
    while (common < told.length && told[common] === text[common]) common += 1;
    // Not between the two halves of a character.
    if (/[\ud800-\udbff]/.test(told[common - 1] ?? "")) common -= 1;
    for (const _character of told.slice(common)) press("Backspace");
    write(text.slice(common));
    told = text;
  }

  function clear() {
    keys.value = "";
    told = "";
  }

  keys.addEventListener("keydown", ({ key }) => {
    isGrowing = key === "Unidentified";
  });
  keys.addEventListener("beforeinput", (event) => {
    // In a field that is always empty there is nothing to delete, but on the site there may be.
    if (keys.value !== "" || !event.inputType.startsWith("delete")) return;
    event.preventDefault();
    press(event.inputType.endsWith("Forward") ? "Delete" : "Backspace");
  });
  keys.addEventListener("input", (event) => {
    const { isComposing } = /** @type {InputEvent} */ (event);
    if (!isComposing || isGrowing) tell();
    if (!isComposing) clear();
  });
  keys.addEventListener("compositionend", () => {
    tell();
    clear();
  });
  keys.addEventListener("paste", (event) => {
    event.preventDefault();
    paste(event.clipboardData?.getData("text/plain") ?? "");
  });
}
