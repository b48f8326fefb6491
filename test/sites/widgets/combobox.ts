import { html } from "../../../src/lib/html.ts";
import { layOutWidget } from "./widget-page.ts";

const TOWNS = ["Ashford", "Ashton", "Brindle", "Corley", "Dunmere", "Elmhurst", "Farley", "Grafton", "Great Ashby"];

/** A field with delayed suggestions; only a value picked from the list counts. */
export const COMBOBOX_PAGE = layOutWidget(
  "Find a branch",
  html`<label for="town">Town</label>
  <input id="town" role="combobox" autocomplete="off" aria-autocomplete="list" aria-expanded="false" aria-controls="suggestions">
  <ul id="suggestions" role="listbox" aria-label="Suggestions" hidden></ul>
  <template id="towns">${TOWNS.join("|")}</template>`,
  `
  const field = document.getElementById("town");
  const list = document.getElementById("suggestions");
  const towns = document.getElementById("towns").innerHTML.split("|");
  let pending, active = -1;
  function show(names) {
    active = -1;
    list.replaceChildren(...names.map((name, index) => {
      const option = document.createElement("li");
      option.setAttribute("role", "option");
      option.setAttribute("aria-selected", "false");
      option.id = "suggestion-" + index;
      option.textContent = name;
      return option;
    }));
    list.hidden = names.length === 0;
    field.setAttribute("aria-expanded", String(names.length > 0));
    field.removeAttribute("aria-activedescendant");
  }
  function pick(option) { field.value = option.textContent; show([]); choose("combobox", field.value); }
  function move(step) {
    active = (active + step + list.children.length) % list.children.length;
    [...list.children].forEach((option, index) => option.setAttribute("aria-selected", String(index === active)));
    field.setAttribute("aria-activedescendant", list.children[active].id);
  }
  field.addEventListener("input", () => {
    clearTimeout(pending);
    const typed = field.value.trim().toLowerCase();
    pending = setTimeout(() => show(typed === "" ? [] : towns.filter((town) => town.toLowerCase().includes(typed))), 150);
  });
  field.addEventListener("keydown", (event) => {
    if (list.hidden) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") { event.preventDefault(); move(event.key === "ArrowDown" ? 1 : -1); }
    if (event.key === "Enter" && active >= 0) pick(list.children[active]);
    if (event.key === "Escape") show([]);
  });
  list.addEventListener("mousedown", (event) => event.preventDefault());
  list.addEventListener("click", (event) => { const option = event.target.closest("[role=option]"); if (option) pick(option); });
  field.addEventListener("blur", () => show([]));
  `,
  `#suggestions { list-style: none; padding: 0; border: 1px solid #bcccdc; width: 14rem; margin: 0; } #suggestions li { padding: .3rem; cursor: pointer; }
  [aria-selected=true], #suggestions li:hover { background: #d9e2ec; }`,
);
