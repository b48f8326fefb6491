// @ts-check
/** @import { LiveField, LivePage, LivePhase } from "../../../contract/live-view.ts" */
import { cleanText, element } from "./dom.js";

const READY = "I’m signed in, continue";

/**
 * The progress of the sign-in, and the button that finishes it.
 * @param {{ site: string, onConfirm: () => void }} options
 */
export function createPhase({ site, onConfirm }) {
  const button = element("confirm", HTMLButtonElement);
  const status = element("status", HTMLElement);
  const text = element("status-text", HTMLElement);
  const spinner = element("status-spinner", HTMLElement);

  /** @param {LivePhase} phase */
  function show(phase) {
    const isChecking = phase.phase === "checking";
    text.textContent = describe(phase, site);
    status.classList.toggle("is-problem", phase.phase === "not_signed_in");
    spinner.hidden = !isChecking && phase.phase !== "opening";
    button.disabled = isChecking || phase.phase === "opening";
    button.textContent = isChecking ? "Checking…" : READY;
    button.classList.toggle("primary", phase.phase === "looks_signed_in" || isChecking);
  }

  button.addEventListener("click", () => {
    show({ phase: "checking" });
    onConfirm();
  });
  show({ phase: "opening" });
  return {
    show,
    /** The person is trying again: the message stays, but no longer as an alert. */
    calm: () => status.classList.remove("is-problem"),
    /** Clears the status and disables the button. */
    end() {
      show({ phase: "signing_in" });
      text.textContent = "";
      button.disabled = true;
    },
  };
}

/** @param {LivePhase} phase @param {string} site */
function describe(phase, site) {
  switch (phase.phase) {
    case "opening":
      return `Opening ${site}…`;
    case "signing_in":
      return "Sign in, then press the button.";
    case "looks_signed_in":
      return "You seem to be signed in.";
    case "checking":
      return `Checking that you’re signed in to ${site}…`;
    case "not_signed_in":
      return phase.message;
  }
}

/**
 * Announces to screen readers what the picture shows.
 * @param {HTMLElement} region
 */
export function createAnnouncer(region) {
  let lastTitle = "";

  return {
    /** @param {LivePage} page */
    onPage({ title, isLoading }) {
      const shown = cleanText(title);
      if (isLoading || shown === lastTitle) return;
      lastTitle = shown;
      region.textContent = shown === "" ? "Page without a title" : `Page: ${shown}`;
    },
    /** @param {LiveField | null} field */
    onField(field) {
      if (field === null) return;
      const kind = field.kind === "password" ? "Password field" : "Field";
      region.textContent = `${kind}: ${cleanText(field.label) || "unnamed"}`;
    },
  };
}

/**
 * Warns that the sign-in is about to end because of inactivity. Any input anywhere on the page keeps it open.
 * @param {() => void} onActive
 */
export function createIdleWarning(onActive) {
  const warning = element("idle", HTMLElement);
  const seconds = element("idle-seconds", HTMLElement);
  let timer = 0;

  function stay() {
    if (!warning.hidden) onActive();
  }

  for (const type of ["mousemove", "mousedown", "touchstart", "keydown"]) addEventListener(type, stay);
  element("stay", HTMLButtonElement).addEventListener("click", stay);

  return {
    /** @param {number | null} endsInSeconds */
    show(endsInSeconds) {
      clearInterval(timer);
      warning.hidden = endsInSeconds === null;
      if (endsInSeconds === null) return;
      let left = endsInSeconds;
      seconds.textContent = `${left} s`;
      timer = window.setInterval(() => {
        left = Math.max(0, left - 1);
        seconds.textContent = `${left} s`;
      }, 1_000);
    },
  };
}

const TOAST_MS = 6_000;

/** Shows a short message over the picture for a few seconds. @returns {(text: string) => void} */
export function createToast() {
  const toast = element("toast", HTMLElement);
  let timer = 0;
  return (text) => {
    clearTimeout(timer);
    toast.textContent = text;
    toast.hidden = false;
    timer = window.setTimeout(() => {
      toast.hidden = true;
    }, TOAST_MS);
  };
}
