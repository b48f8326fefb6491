import { html } from "../../../src/lib/html.ts";
import { layOutWidget } from "./widget-page.ts";

const SIZES = ["Extra small", "Small", "Medium", "Large", "Extra large"];

/** A custom select: a button that opens a listbox. */
export const LISTBOX_PAGE = layOutWidget(
  "Choose a size",
  html`<span id="label">Size</span>
  <button type="button" id="button" role="combobox" aria-haspopup="listbox" aria-expanded="false" aria-controls="list" aria-labelledby="label">Please choose</button>
  <ul id="list" role="listbox" aria-labelledby="label" hidden>
    ${SIZES.map((size) => html`<li role="option" aria-selected="false">${size}</li>`)}
  </ul>`,
  `
  const button = document.getElementById("button");
  const list = document.getElementById("list");
  function show(isOpen) { list.hidden = !isOpen; button.setAttribute("aria-expanded", String(isOpen)); }
  button.addEventListener("click", () => show(list.hidden));
  list.addEventListener("click", (event) => {
    const option = event.target.closest("[role=option]");
    if (!option) return;
    for (const other of list.children) other.setAttribute("aria-selected", String(other === option));
    button.textContent = option.textContent;
    show(false);
    choose("listbox", option.textContent);
  });
  `,
  `#list { list-style: none; padding: 0; border: 1px solid #bcccdc; width: 12rem; } #list li { padding: .3rem; cursor: pointer; }
  #list li:hover { background: #d9e2ec; } [aria-selected=true] { font-weight: 600; }`,
);
