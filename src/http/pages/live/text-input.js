// @ts-check
/** @import { LiveInput } from "../../../contract/live-view.ts" */
import { element } from "./dom.js";

const TEXT_MAX_LENGTH = 1_000;
export const PASTE_MAX_LENGTH = 10_000;

/**
 * Sends text that no single key typed: input methods, dead keys, on-screen keyboards, emoji pickers, the clipboard.
 * @param {HTMLTextAreaElement} keys
 * @param {{ send: (input: LiveInput) => void, paste: (text: string) => void }} options
 */
export function sendText(keys, { send, paste }) {
  /** The part of the field's content that was sent. Empty except during a composition that is sent as it grows. */
  let sent = "";
  /** On-screen keyboards compose every word: it is sent as it grows. Other input methods send the final text. */
  let isGrowing = false;

  /** @param {string} key */
  function press(key) {
    for (const kind of /** @type {const} */ (["down", "up"])) {
      send({ type: "key", kind, key, code: key, modifiers: 0, isRepeat: false });
    }
  }

  /** @param {string} text */
  function type(text) {
    for (const [index, line] of text.split("\n").entries()) {
      if (index > 0) press("Enter");
      for (let start = 0; start < line.length; start += TEXT_MAX_LENGTH) {
        send({ type: "text", text: line.slice(start, start + TEXT_MAX_LENGTH) });
      }
    }
  }

  /** Sends the difference between the field and what was sent before. */
  function sendDifference() {
    const text = keys.value;
    let common = 0;
    while (common < sent.length && sent[common] === text[common]) common += 1;
    // Not between the halves of a surrogate pair.
    if (/[\ud800-\udbff]/.test(sent[common - 1] ?? "")) common -= 1;
    for (const _character of sent.slice(common)) press("Backspace");
    type(text.slice(common));
    sent = text;
  }

  function clear() {
    keys.value = "";
    sent = "";
  }

  keys.addEventListener("keydown", ({ key }) => {
    isGrowing = key === "Unidentified";
  });
  keys.addEventListener("beforeinput", (event) => {
    // Our field is always empty, but the one on the site may not be.
    if (keys.value !== "" || !event.inputType.startsWith("delete")) return;
    event.preventDefault();
    press(event.inputType.endsWith("Forward") ? "Delete" : "Backspace");
  });
  keys.addEventListener("input", (event) => {
    const { isComposing } = /** @type {InputEvent} */ (event);
    if (!isComposing || isGrowing) sendDifference();
    if (!isComposing) clear();
  });
  keys.addEventListener("compositionend", () => {
    sendDifference();
    clear();
  });
  keys.addEventListener("paste", (event) => {
    event.preventDefault();
    paste(event.clipboardData?.getData("text/plain") ?? "");
  });
}

/**
 * Pastes into the site. On devices without shortcuts, such as phones, a button reads the clipboard.
 * @param {{ send: (input: LiveInput) => void, toast: (text: string) => void, focusPicture: () => void }} options
 * @returns {(text: string) => void}
 */
export function createPaster({ send, toast, focusPicture }) {
  /** @param {string} text */
  function paste(text) {
    if (text.length > PASTE_MAX_LENGTH) return toast("This text is too long to paste.");
    if (text !== "") send({ type: "paste", text });
  }

  const button = element("paste-button", HTMLButtonElement);
  // Browsers offer this only on https pages and on localhost.
  button.hidden = navigator.clipboard?.readText === undefined;
  button.addEventListener("click", async () => {
    try {
      paste(await navigator.clipboard.readText());
      focusPicture();
    } catch {
      toast("Your browser did not allow access to the clipboard.");
    }
  });
  return paste;
}
