// @ts-check
import { element } from "./element.js";

/**
 * @typedef {object} Notice
 * @property {string} title
 * @property {string} text
 * @property {boolean} isBusy
 * @property {{ label: string, act: (() => void) | string }[]} actions A string is an address to go to.
 */

/** What covers the picture. The first of these that has something to say says it. */
const LAYERS = /** @type {const} */ (["over", "connection", "page"]);

export function createNotices() {
  const section = element("notice", HTMLElement);
  const spinner = element("notice-spinner", HTMLElement);
  const title = element("notice-title", HTMLElement);
  const text = element("notice-text", HTMLElement);
  const actions = element("notice-actions", HTMLElement);
  /** @type {Partial<Record<(typeof LAYERS)[number], Notice | null>>} */
  const notices = {};

  return {
    /** @param {(typeof LAYERS)[number]} layer @param {Notice | null} notice */
    set(layer, notice) {
      notices[layer] = notice;
      const shown = LAYERS.map((name) => notices[name]).find((one) => one);
      section.hidden = shown === undefined;
      if (!shown) return;
      spinner.hidden = !shown.isBusy;
      title.textContent = shown.title;
      text.textContent = shown.text;
      actions.replaceChildren(...shown.actions.map(toButton));
    },
  };
}

/** @param {Notice["actions"][number]} action */
function toButton({ label, act }) {
  const control = document.createElement(typeof act === "string" ? "a" : "button");
  control.className = "button primary";
  control.textContent = label;
  if (control instanceof HTMLAnchorElement) control.href = String(act);
  else if (typeof act !== "string") {
    control.type = "button";
    control.addEventListener("click", act);
  }
  return control;
}
