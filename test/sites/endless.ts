import { Html, html } from "../../src/lib/html.ts";
import { layOut, layOutIndex } from "./page.ts";
import { type Site, sendJson, showPage } from "./site.ts";

const PAGE_SIZE = 20;
const MATERIALS = ["Copper", "Linen", "Oak", "Slate", "Wool"];
const THINGS = ["lantern", "basket", "bench", "bowl", "clock", "shelf", "tray", "vase"];

export interface EndlessItem {
  readonly number: number;
  readonly title: string;
  readonly price: string;
}

export const ENDLESS_ITEMS: readonly EndlessItem[] = Array.from({ length: 200 }, (_, index) => ({
  number: index + 1,
  title: `${MATERIALS[index % 5]} ${THINGS[index % 8]} no. ${index + 1}`,
  price: `€${(5 + ((index * 37) % 190)).toFixed(2)}`,
}));

/** 200 items, 20 at a time: on scrolling, or on "Load more". */
export function createEndlessSite(): Site<null> {
  return {
    state: null,
    routes: {
      "GET /": () =>
        showPage(layOutIndex("Household finds", { "/scroll": "All finds (scroll)", "/more": "All finds (load more)" })),
      "GET /scroll": () => showPage(listPage(SCROLL_SCRIPT, false)),
      "GET /more": () => showPage(listPage(MORE_SCRIPT, html`<button type="button" id="more">Load more</button>`)),
      "GET /api/items": ({ query }) => {
        const from = Number(query.get("from") ?? 0);
        return sendJson({ items: ENDLESS_ITEMS.slice(from, from + PAGE_SIZE), total: ENDLESS_ITEMS.length });
      },
    },
  };
}

function listPage(script: Html, footer: Html | false): Html {
  const first = ENDLESS_ITEMS.slice(0, PAGE_SIZE);
  return layOut(
    "All finds",
    html`<h1>All finds</h1>
    <ul id="items">${first.map((item) => html`<li class="card"><h2>${item.title}</h2><p>${item.price}</p></li>`)}</ul>
    <p id="end" role="status"></p>${footer}
    <script>${LOAD_SCRIPT}${script}</script>`,
  );
}

const LOAD_SCRIPT = new Html(`
  const list = document.getElementById("items");
  async function loadMore() {
    const response = await fetch("/api/items?from=" + list.children.length);
    const { items, total } = await response.json();
    for (const item of items) {
      const entry = document.createElement("li");
      entry.className = "card";
      entry.append(document.createElement("h2"), document.createElement("p"));
      entry.firstChild.textContent = item.title;
      entry.lastChild.textContent = item.price;
      list.append(entry);
    }
    const isComplete = list.children.length >= total;
    if (isComplete) document.getElementById("end").textContent = "That is all.";
    return isComplete;
  }
`);

// Observed again after each load: one load may leave the end in view, which is not a new crossing.
const SCROLL_SCRIPT = new Html(`
  const end = document.getElementById("end");
  const observer = new IntersectionObserver(async ([entry]) => {
    if (!entry.isIntersecting) return;
    observer.unobserve(end);
    if (!(await loadMore())) observer.observe(end);
  });
  observer.observe(end);
`);

const MORE_SCRIPT = new Html(`
  document.getElementById("more").addEventListener("click", async (event) => {
    event.target.disabled = true;
    event.target.hidden = await loadMore();
    event.target.disabled = false;
  });
`);
