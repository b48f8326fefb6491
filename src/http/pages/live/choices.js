// @ts-check
/** @import { LiveChoices, LiveInput } from "../../../contract/live-view.ts" */
import { cleanText } from "./clean-text.js";
import { element } from "./element.js";

/** From here on, looking through the list is work. */
const MANY = 12;

/**
 * A drop-down list of the site, which a picture does not show.
 * @param {(input: LiveInput) => void} send
 */
export function createChoices(send) {
  const dialog = element("choices", HTMLDialogElement);
  const title = element("choices-title", HTMLElement);
  const search = element("choices-search", HTMLElement);
  const filter = element("choices-filter", HTMLInputElement);
  const list = element("choices-list", HTMLElement);

  /** @param {number | null} index */
  function choose(index) {
    dialog.close();
    send({ type: "choose", index });
  }

  /** @param {LiveChoices["options"][number]} option @param {number} index */
  function toItem({ label, isChosen, isDisabled }, index) {
    const item = document.createElement("li");
    const button = document.createElement("button");
    button.type = "button";
    button.className = "live-choice";
    button.textContent = cleanText(label) || "(empty)";
    button.disabled = isDisabled;
    button.setAttribute("aria-pressed", String(isChosen));
    button.addEventListener("click", () => choose(index));
    item.append(button);
    return item;
  }

  filter.addEventListener("input", () => {
    const wanted = filter.value.trim().toLowerCase();
    for (const item of list.querySelectorAll("li")) {
      item.hidden = !(item.textContent ?? "").toLowerCase().includes(wanted);
    }
  });
  list.addEventListener("keydown", (event) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    const buttons = [...list.querySelectorAll("button")].filter(
      (button) => !button.disabled && button.checkVisibility(),
    );
    const current = buttons.indexOf(/** @type {HTMLButtonElement} */ (document.activeElement));
    buttons[Math.max(0, Math.min(buttons.length - 1, current + step))]?.focus();
  });
  element("choices-close", HTMLButtonElement).addEventListener("click", () => choose(null));
  dialog.addEventListener("cancel", (event) => {
    event.preventDefault();
    choose(null);
  });

  return {
    /** @param {LiveChoices | null} choices */
    show(choices) {
      if (dialog.open) dialog.close();
      if (choices === null) return;
      title.textContent = cleanText(choices.label) || "Choose";
      search.hidden = choices.options.length < MANY;
      filter.value = "";
      list.replaceChildren(...choices.options.map(toItem));
      dialog.showModal();
      const chosen = list.querySelector('button[aria-pressed="true"]') ?? list.querySelector("button:enabled");
      if (chosen instanceof HTMLButtonElement) chosen.focus();
    },
  };
}
