// @ts-check
/** @import { LiveInput } from "../../../contract/live-view.ts" */
import { element } from "./element.js";
import { PASTE_MAX_LENGTH } from "./text-input.js";

/**
 * Pastes into the site. Where there is no shortcut, as on a phone, a button reads the clipboard.
 * @param {{ send: (input: LiveInput) => void, toast: (text: string) => void, focusPicture: () => void }} options
 * @returns {(text: string) => void}
 */
export function createPaster({ send, toast, focusPicture }) {
  /** @param {string} text */
  function paste(text) {
    if (text.length > PASTE_MAX_LENGTH) return toast("This is too long to be pasted.");
    if (text !== "") send({ type: "paste", text });
  }

  const button = element("paste-button", HTMLButtonElement);
  // Only in pages that came over https, or from this computer.
  button.hidden = navigator.clipboard?.readText === undefined;
  button.addEventListener("click", async () => {
    try {
      paste(await navigator.clipboard.readText());
      focusPicture();
    } catch {
      toast("The browser did not allow to read what was copied.");
    }
  });
  return paste;
}
