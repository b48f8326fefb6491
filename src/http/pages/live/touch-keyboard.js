// @ts-check
/** @import { LiveField } from "../../../contract/live-view.ts" */

/** @type {Record<LiveField["kind"], string>} */
const INPUT_MODES = {
  text: "text",
  password: "text",
  email: "email",
  tel: "tel",
  numeric: "numeric",
  url: "url",
  search: "search",
};

/**
 * The keyboard on glass: open while a field of the site has the keyboard, or when the person asks for it.
 * @param {HTMLTextAreaElement} keys
 * @param {HTMLButtonElement} button
 */
export function createTouchKeyboard(keys, button) {
  /** @param {string} inputMode */
  function focusWith(inputMode) {
    if (keys.inputMode !== inputMode && document.activeElement === keys) keys.blur();
    keys.inputMode = inputMode;
    keys.focus({ preventScroll: true });
  }

  let fieldMode = "none";
  button.addEventListener("click", () => focusWith(fieldMode === "none" ? "text" : fieldMode));
  return {
    /** Without a field the focus is taken all the same, but nothing opens. */
    onTap: () => focusWith(fieldMode),
    /** @param {LiveField | null} field */
    onField(field) {
      fieldMode = field === null ? "none" : INPUT_MODES[field.kind];
      if (field !== null) focusWith(fieldMode);
      else keys.inputMode = fieldMode;
    },
  };
}
