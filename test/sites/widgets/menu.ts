import { type Html, html } from "../../../src/lib/html.ts";
import { layOutWidget } from "./widget-page.ts";

const entry = (label: string): Html => html`<li role="none"><a role="menuitem" href="#" data-leaf>${label}</a></li>`;

/** A menu that opens on hover, with a submenu beside it, and one that opens on a click. */
export const MENU_PAGE = layOutWidget(
  "Menus",
  html`<ul role="menubar" aria-label="Catalogue" class="hover">
    <li role="none"><a role="menuitem" href="#" aria-haspopup="true">Products</a>
      <ul role="menu" aria-label="Products">
        ${entry("Kettles")}
        <li role="none"><a role="menuitem" href="#" aria-haspopup="true">Cups</a>
          <ul role="menu" aria-label="Cups" class="side">${entry("Tea cups")}${entry("Mugs")}</ul></li>
      </ul></li>
  </ul>
  <div class="click"><button type="button" aria-haspopup="menu" aria-expanded="false">Export</button>
    <ul role="menu" aria-label="Export" hidden>
      ${entry("As PDF")}
      <li role="none"><a role="menuitem" href="#" aria-haspopup="true" aria-expanded="false" id="table">As a table</a>
        <ul role="menu" aria-label="As a table" hidden>${entry("CSV")}${entry("Spreadsheet")}</ul></li>
    </ul></div>`,
  `
  document.querySelector("main").addEventListener("click", (event) => {
    const leaf = event.target.closest("[data-leaf]");
    if (event.target.closest("a")) event.preventDefault();
    if (leaf) choose("menu", leaf.textContent);
  });
  for (const opener of document.querySelectorAll(".click [aria-haspopup]")) {
    opener.addEventListener("click", () => {
      const submenu = opener.nextElementSibling;
      submenu.hidden = !submenu.hidden;
      opener.setAttribute("aria-expanded", String(!submenu.hidden));
    });
  }
  `,
  `
  [role=menu], [role=menubar] { list-style: none; margin: 0; padding: .3rem; background: #fff; width: max-content; }
  [role=menu] { border: 1px solid #bcccdc; } .hover li { position: relative; } .hover [role=menu] { position: absolute; display: none; z-index: 1; }
  .hover li:hover > [role=menu], .hover li:focus-within > [role=menu] { display: block; } .hover .side { left: 100%; top: 0; }
  .click { margin-top: 9rem; }
  `,
);
