import { html } from "../../../src/lib/html.ts";
import { layOutWidget } from "./widget-page.ts";

/** Text that is only in the document while the button is hovered or focused. */
export const TOOLTIP_PAGE = layOutWidget(
  "Fees",
  html`<p>Service fee: €4.00 <button type="button" aria-label="About the service fee">?</button></p>`,
  `
  const button = document.querySelector("button");
  function show() {
    if (document.getElementById("tip")) return;
    const tip = document.createElement("span");
    tip.id = "tip";
    tip.setAttribute("role", "tooltip");
    tip.textContent = "Waived for orders above €75.";
    button.setAttribute("aria-describedby", "tip");
    button.after(tip);
  }
  function hide() { document.getElementById("tip")?.remove(); button.removeAttribute("aria-describedby"); }
  button.addEventListener("mouseenter", show);
  button.addEventListener("focus", show);
  button.addEventListener("mouseleave", hide);
  button.addEventListener("blur", hide);
  `,
  `#tip { background: #1f2933; color: #fff; padding: .3rem .6rem; border-radius: 4px; margin-left: .5rem; }`,
);
