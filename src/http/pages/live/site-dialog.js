// @ts-check
/** @import { LiveDialog, LiveInput } from "../../../contract/live-view.ts" */
import { element } from "./element.js";

const ACCEPT_WORDS = { alert: "OK", confirm: "OK", prompt: "OK", beforeunload: "Leave" };

/**
 * The site's alert, question or prompt. The site stands still until it is answered.
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
  const wayOut = element("site-dialog-way-out", HTMLElement);
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
      const asksToLeave = shown.kind === "beforeunload";
      title.textContent = asksToLeave ? `Leave this page of ${getHost()}?` : `${getHost()} says`;
      message.textContent = asksToLeave ? "What you have entered there may be lost." : shown.message;
      answer.hidden = shown.kind !== "prompt";
      text.value = shown.defaultText;
      cancel.hidden = shown.kind === "alert";
      cancel.textContent = asksToLeave ? "Stay" : "Cancel";
      // A site that asks without end must not keep the person here: while it asks, nothing else can be pressed.
      count += 1;
      wayOut.hidden = count < 2;
      accept.textContent = ACCEPT_WORDS[shown.kind];
      dialog.showModal();
      (answer.hidden ? accept : text).focus();
    },
  };
}
