// @ts-check
import { element } from "./element.js";

export function createHelp() {
  const dialog = element("help", HTMLDialogElement);
  element("help-button", HTMLButtonElement).addEventListener("click", () => dialog.showModal());
}
