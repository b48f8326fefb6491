// @ts-check
import { element } from "./element.js";

/**
 * Shows who has the keyboard, and gives it back.
 * @param {HTMLTextAreaElement} keys
 * @param {HTMLElement} stage
 * @returns {{ take: () => void, leave: () => void }}
 */
export function createKeyboardFocus(keys, stage) {
  const hint = element("keyboard-hint", HTMLElement);
  const promise = element("promise", HTMLElement);

  /** @param {boolean} hasKeyboard */
  function show(hasKeyboard) {
    stage.classList.toggle("has-keyboard", hasKeyboard);
    hint.hidden = !hasKeyboard;
    promise.hidden = hasKeyboard;
  }

  const leave = () => element("confirm", HTMLButtonElement).focus();
  keys.addEventListener("focus", () => show(true));
  keys.addEventListener("blur", () => show(false));
  // Its own press must not take the keyboard away first, or it would be gone before it is clicked.
  element("leave", HTMLButtonElement).addEventListener("mousedown", (event) => event.preventDefault());
  element("leave", HTMLButtonElement).addEventListener("click", () => keys.blur());
  return { take: () => keys.focus({ preventScroll: true }), leave };
}
