// @ts-check
/** @import { createNotices } from "./page-state.js" */
import { element } from "./dom.js";

const RELOADED = "errand.live.reloaded";
const MESSAGE_MS = 8_000;

/**
 * Everything that ends or interrupts the live view.
 * @param {{
 *   application: string,
 *   notices: ReturnType<typeof createNotices>,
 *   onEnd: () => void,
 *   onStop: () => void,
 * }} options `onStop`: nothing continues behind the notice.
 */
export function createEndings({ application, notices, onEnd, onStop }) {
  const reload = { label: "Try again", act: () => location.reload() };
  /** The person has pressed Cancel, and the page is about to change. */
  let isLeaving = false;
  for (const form of document.querySelectorAll("form.live-cancel")) {
    form.addEventListener("submit", () => {
      isLeaving = true;
      onEnd();
    });
  }

  /** @param {{ to: string, message: string | null }} over */
  function onOver({ to, message }) {
    if (isLeaving) return;
    onEnd();
    closeDialogs();
    onStop();
    // A path on this service: the person has already returned to the application, for example in another tab.
    const isOurs = !URL.canParse(to);
    const back = { label: isOurs ? "Close" : `Back to ${application}`, act: to };
    notices.set(
      "over",
      message === null
        ? { title: "You are signed in", isBusy: true, ...describeReturn(to, back) }
        : { title: "This sign-in has ended", text: message, isBusy: false, actions: [back] },
    );
    for (const id of ["back", "reload"]) element(id, HTMLButtonElement).disabled = true;
    if (!isOurs) setTimeout(() => location.replace(to), message === null ? 0 : MESSAGE_MS);
  }

  /**
   * On the way back there may be a question on another page of this service.
   * @param {string} to
   * @param {{ label: string, act: string }} back
   */
  function describeReturn(to, back) {
    if (URL.parse(to)?.origin !== location.origin) {
      return { text: `Taking you back to ${application}…`, actions: [back] };
    }
    return { text: "One question is left…", actions: [{ label: "Continue", act: to }] };
  }

  return {
    onOver,
    onWelcome() {
      sessionStorage.removeItem(RELOADED);
      notices.set("connection", null);
    },
    onDropped() {
      if (isLeaving) return;
      notices.set("connection", {
        title: "Reconnecting…",
        text: "The connection to the server was lost. The site stays open for a minute.",
        isBusy: true,
        actions: [],
      });
    },
    /** @param {"replaced" | "rejected" | "unreachable"} why */
    onGone(why) {
      if (isLeaving) return;
      closeDialogs();
      // A reload gets a new ticket, or the message that the sign-in has ended. Only once, to avoid a loop.
      if (why === "rejected" && sessionStorage.getItem(RELOADED) === null) {
        sessionStorage.setItem(RELOADED, "yes");
        return location.reload();
      }
      onStop();
      notices.set("connection", {
        ...GONE[why],
        isBusy: false,
        actions: [why === "replaced" ? { ...reload, label: "Use it here" } : reload],
      });
    },
  };
}

const GONE = {
  replaced: { title: "This sign-in is open elsewhere", text: "It was opened in another tab or window." },
  rejected: {
    title: "The live picture could not be opened",
    text: "A proxy or firewall between you and the server may be blocking it.",
  },
  unreachable: { title: "The server cannot be reached", text: "Check your internet connection." },
};

function closeDialogs() {
  for (const dialog of document.querySelectorAll("dialog[open]")) {
    if (dialog instanceof HTMLDialogElement) dialog.close();
  }
}
