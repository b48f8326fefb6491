import { html } from "../../../src/lib/html.ts";
import { layOutWidget } from "./widget-page.ts";

const TABS = {
  Description: "A kettle of enamelled steel for all hobs.",
  Dimensions: "Height 21 cm, width 24 cm, weight 1.3 kg.",
  Guarantee: "Five years from the day you bought it.",
};

/** Tabs according to ARIA: one in the tab order, arrow keys between them, panels hidden. */
export const TABS_PAGE = layOutWidget(
  "Enamel kettle",
  html`<div role="tablist" aria-label="About this kettle">
    ${Object.keys(TABS).map(
      (name, index) => html`<button type="button" role="tab" id="tab-${index}" aria-controls="panel-${index}"
        aria-selected="${index === 0 ? "true" : "false"}" tabindex="${index === 0 ? 0 : -1}">${name}</button>`,
    )}
  </div>
  ${Object.values(TABS).map(
    (text, index) => html`<div role="tabpanel" id="panel-${index}" aria-labelledby="tab-${index}" tabindex="0"
      ${index > 0 && "hidden"}><p>${text}</p></div>`,
  )}`,
  `
  const tabs = [...document.querySelectorAll("[role=tab]")];
  function select(chosen) {
    for (const tab of tabs) {
      tab.setAttribute("aria-selected", String(tab === chosen));
      tab.tabIndex = tab === chosen ? 0 : -1;
      document.getElementById(tab.getAttribute("aria-controls")).hidden = tab !== chosen;
    }
    chosen.focus();
    choose("tabs", chosen.textContent);
  }
  tabs.forEach((tab, index) => {
    tab.addEventListener("click", () => select(tab));
    tab.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (step) select(tabs[(index + step + tabs.length) % tabs.length]);
    });
  });
  `,
  `[role=tab] { background: #d9e2ec; color: #1f2933; } [role=tab][aria-selected=true] { background: #1f5fa8; color: #fff; }`,
);
