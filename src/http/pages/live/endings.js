// @ts-check
/** @import { createNotices } from "./notices.js" */
import { element } from "./element.js";

const RELOADED = "errand.live.reloaded";
const READING_MS = 8_000;

/**
 * Everything that ends or interrupts the live view.
 * @param {{
 *   application: string,
 *   notices: ReturnType<typeof createNotices>,
 *   onEnd: () => void,
 *   onStill: () => void,
 * }} options `onStill`: nothing goes on behind the notice.
 */
export function createEndings({ application, notices, onEnd, onStill }) {
  const reload = { label: "Try again", act: () => location.reload() };
  /** The person has pressed Cancel: that is where the way leads now. */
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
    onStill();
    // Of the service itself: the way back was taken elsewhere, as in another tab.
    const isOurs = !URL.canParse(to);
    const goOn = { label: isOurs ? "Close" : `Back to ${application}`, act: to };
    notices.set(
      "over",
      message === null
        ? { title: "You are signed in", text: `Taking you back to ${application}…`, isBusy: true, actions: [goOn] }
        : { title: "This sign-in has ended", text: message, isBusy: false, actions: [goOn] },
    );
    for (const id of ["back", "reload"]) element(id, HTMLButtonElement).disabled = true;
    if (!isOurs) setTimeout(() => location.replace(to), message === null ? 0 : READING_MS);
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
        text: "The line to the server was cut. The site waits for a minute.",
        isBusy: true,
        actions: [],
      });
    },
    /** @param {"replaced" | "refused" | "unreachable"} why */
    onGone(why) {
      if (isLeaving) return;
      closeDialogs();
      // The page brings a ticket of its own, or says that it is over. Once: it must not go round in circles.
      if (why === "refused" && sessionStorage.getItem(RELOADED) === null) {
        sessionStorage.setItem(RELOADED, "yes");
        return location.reload();
      }
      onStill();
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
  refused: {
    title: "The live picture could not be opened",
    text: "Something between you and the server may not let it through.",
  },
  unreachable: { title: "The server cannot be reached", text: "Check your connection to the internet." },
};

function closeDialogs() {
  for (const dialog of document.querySelectorAll("dialog[open]")) {
    if (dialog instanceof HTMLDialogElement) dialog.close();
  }
}
