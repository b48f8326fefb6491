// @ts-check
/** @import { LivePhase } from "../../../contract/live-view.ts" */
import { element } from "./element.js";

const READY = "I’m signed in: continue";

/**
 * How far the sign-in is, and the one button that finishes it.
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
    /** The person is at it again: what was wrong is still said, but is no alarm any more. */
    calm: () => status.classList.remove("is-problem"),
    /** There is nothing to wait for and nothing to press. */
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
      return "It looks as if you are signed in.";
    case "checking":
      return `Looking whether ${site} knows you…`;
    case "not_signed_in":
      return phase.message;
  }
}
