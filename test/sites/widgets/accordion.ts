import { html } from "../../../src/lib/html.ts";
import { layOutWidget } from "./widget-page.ts";

const QUESTIONS = {
  "How long does delivery take?": "Two to four working days.",
  "Can I return things?": "Yes, within 30 days.",
  "Do you ship abroad?": "To all neighbouring countries.",
};

/** Headings with buttons that expand a region, and a native one. */
export const ACCORDION_PAGE = layOutWidget(
  "Questions",
  html`${Object.entries(QUESTIONS).map(
    ([question, answer], index) => html`
    <h2><button type="button" aria-expanded="false" aria-controls="answer-${index}">${question}</button></h2>
    <div id="answer-${index}" role="region" aria-label="${question}" hidden><p>${answer}</p></div>`,
  )}
  <details><summary>Where is the shop?</summary><p>At Station Square 1.</p></details>`,
  `
  for (const button of document.querySelectorAll("h2 button")) {
    button.addEventListener("click", () => {
      const isOpen = button.getAttribute("aria-expanded") === "true";
      button.setAttribute("aria-expanded", String(!isOpen));
      document.getElementById(button.getAttribute("aria-controls")).hidden = isOpen;
      if (!isOpen) choose("accordion", button.textContent);
    });
  }
  `,
);
