import Sortable from "sortablejs";
import { root, save, show } from "./_page.ts";

root().innerHTML = `
  <style>
    ul { width: 200px; min-height: 120px; border: 1px solid; float: left; margin: 10px; padding: 0 }
    li { list-style: none; height: 30px; border: 1px solid silver; margin: 4px }
    .grip { cursor: move; padding: 4px }
  </style>
  <ul aria-label="Shopping"><li>Milk</li><li>Bread</li><li>Salt</li></ul>
  <ul aria-label="Bought"></ul>
  <ul aria-label="Songs"><li><b class="grip">Grip</b> Winter</li><li><b class="grip">Grip</b> Morning</li></ul>`;

const [shopping, bought, songs] = document.querySelectorAll("ul");

function report(): void {
  const lists = [...document.querySelectorAll("ul")].map((list) => [
    list.getAttribute("aria-label"),
    [...list.children].map(({ textContent }) => (textContent ?? "").replace("Grip", "").trim()),
  ]);
  const state = Object.fromEntries(lists) as Record<string, string[]>;
  show(state);
  void save(state);
}

for (const list of [shopping, bought])
  if (list !== undefined) new Sortable(list, { group: "shared", animation: 100, onEnd: report });
// As on touch screens: only by its handle, and only after the button was held.
if (songs !== undefined) new Sortable(songs, { handle: ".grip", delay: 200, forceFallback: true, onEnd: report });
