// @ts-check
/** @import { LiveChoices, LiveDialog, LiveInput } from "../../../contract/live-view.ts" */
import { cleanText, element } from "./dom.js";

const ACCEPT_WORDS = { alert: "OK", confirm: "OK", prompt: "OK", beforeunload: "Leave" };

/**
 * The site's alert, confirm or prompt dialog. The site is blocked until it is closed.
 * @param {{ send: (input: LiveInput) => void, getHost: () => string }} options
 */
export function createSiteDialog({ send, getHost }) {
  const dialog = element("site-dialog", HTMLDialogElement);
  const title = element("site-dialog-title", HTMLElement);
  const message = element("site-dialog-message", HTMLElement);
  const answer = element("site-dialog-answer", HTMLElement);
  const text = element("site-dialog-text", HTMLInputElement);
  const cancel = element("site-dialog-cancel", HTMLButtonElement);
  const accept = element("site-dialog-accept", HTMLButtonElement);
  const endLink = element("site-dialog-way-out", HTMLElement);
  let count = 0;

  /** @param {boolean} isAccepted */
  function reply(isAccepted) {
    const isPrompt = !answer.hidden;
    dialog.close();
    send({ type: "answer_dialog", accept: isAccepted, text: isAccepted && isPrompt ? text.value : "" });
  }

  element("site-dialog-form", HTMLFormElement).addEventListener("submit", (event) => {
    event.preventDefault();
    reply(true);
  });
  cancel.addEventListener("click", () => reply(false));
  dialog.addEventListener("cancel", (event) => {
    event.preventDefault();
    reply(false);
  });

  return {
    /** @param {LiveDialog | null} shown */
    show(shown) {
      if (dialog.open) dialog.close();
      if (shown === null) return;
      const isLeaving = shown.kind === "beforeunload";
      title.textContent = isLeaving ? `Leave this page on ${getHost()}?` : `${getHost()} says`;
      message.textContent = isLeaving ? "Changes you made may not be saved." : shown.message;
      answer.hidden = shown.kind !== "prompt";
      text.value = shown.defaultText;
      cancel.hidden = shown.kind === "alert";
      cancel.textContent = isLeaving ? "Stay" : "Cancel";
      // A site that opens dialogs in a loop must not trap the person: nothing else can be pressed meanwhile.
      count += 1;
      endLink.hidden = count < 2;
      accept.textContent = ACCEPT_WORDS[shown.kind];
      dialog.showModal();
      (answer.hidden ? accept : text).focus();
    },
  };
}

/** With this many options there is a search field. */
const SEARCH_MIN_OPTIONS = 12;

/**
 * A drop-down list of the site. The picture does not include it.
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
    const query = filter.value.trim().toLowerCase();
    for (const item of list.querySelectorAll("li")) {
      item.hidden = !(item.textContent ?? "").toLowerCase().includes(query);
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
      search.hidden = choices.options.length < SEARCH_MIN_OPTIONS;
      filter.value = "";
      list.replaceChildren(...choices.options.map(toItem));
      dialog.showModal();
      const chosen = list.querySelector('button[aria-pressed="true"]') ?? list.querySelector("button:enabled");
      if (chosen instanceof HTMLButtonElement) chosen.focus();
    },
  };
}

export function createHelp() {
  const dialog = element("help", HTMLDialogElement);
  element("help-button", HTMLButtonElement).addEventListener("click", () => dialog.showModal());
}
