import { html } from "../../../src/lib/html.ts";
import { layOutWidget } from "./widget-page.ts";

const items = (names: readonly string[]) => names.map((name) => html`<li>${name}</li>`);

/** Two lists to sort by dragging: by native drag and drop, and by pointer events only. */
export const SORTABLE_PAGE = layOutWidget(
  "Sort",
  html`<h2 id="songs-title">Songs</h2>
  <ul id="songs" aria-labelledby="songs-title">${items(["Morning rain", "Paper boats", "Slow train", "Winter light"])}</ul>
  <h2 id="chores-title">Chores</h2>
  <ul id="chores" aria-labelledby="chores-title">${items(["Sweep", "Water the plants", "Wash up"])}</ul>`,
  `
  function report(list) { choose(list.id, [...list.children].map((item) => item.textContent).join(", ")); }
  /** Before the item under the pointer when it comes from below, after it when it comes from above. */
  function place(dragged, target) {
    const order = [...target.parentElement.children];
    if (order.indexOf(dragged) < order.indexOf(target)) target.after(dragged); else target.before(dragged);
  }
  const songs = document.getElementById("songs");
  let dragged = null;
  for (const song of songs.children) song.draggable = true;
  songs.addEventListener("dragstart", (event) => { dragged = event.target; event.dataTransfer.setData("text/plain", dragged.textContent); });
  songs.addEventListener("dragover", (event) => { if (dragged) event.preventDefault(); });
  songs.addEventListener("drop", (event) => {
    event.preventDefault();
    const target = event.target.closest("li");
    if (dragged && target && target !== dragged) { place(dragged, target); report(songs); }
    dragged = null;
  });
  const chores = document.getElementById("chores");
  let held = null;
  chores.addEventListener("pointerdown", (event) => { held = event.target.closest("li"); event.preventDefault(); });
  document.addEventListener("pointerup", (event) => {
    const target = document.elementFromPoint(event.clientX, event.clientY)?.closest("#chores li");
    if (held && target && target !== held) { place(held, target); report(chores); }
    held = null;
  });
  `,
  `#songs, #chores { list-style: none; padding: 0; } #songs li, #chores li { border: 1px solid #bcccdc; padding: .4rem; margin: .2rem 0; cursor: grab; user-select: none; }`,
);
