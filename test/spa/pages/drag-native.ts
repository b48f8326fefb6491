import { root, save, show } from "./_page.ts";

root().innerHTML = `
  <style>.box { width: 200px; min-height: 100px; border: 1px solid; margin: 10px } .card { padding: 8px; border: 1px solid silver }</style>
  <div class="box" data-name="Inbox"><h2>Inbox</h2><div class="card" draggable="true" id="letter">Letter</div></div>
  <div class="box" data-name="Archive"><h2>Archive</h2></div>
  <label>Volume <input type="range" min="0" max="50" step="5" value="10"></label>
  <p class="card">Not to be moved</p>`;

const volume = document.querySelector("input");

function report(): void {
  const boxes = [...document.querySelectorAll<HTMLElement>(".box")].map((box) => [
    box.dataset["name"],
    [...box.querySelectorAll(".card")].map(({ textContent }) => textContent),
  ]);
  const state = { ...Object.fromEntries(boxes), volume: volume?.valueAsNumber };
  show(state);
  void save(state);
}

document.addEventListener("dragstart", (event) => {
  event.dataTransfer?.setData("application/x-card", (event.target as Element).id);
});
for (const box of document.querySelectorAll(".box")) {
  box.addEventListener("dragover", (event) => event.preventDefault());
  box.addEventListener("drop", (event) => {
    // Only what the drag itself carries says which card it is.
    const card = document.getElementById((event as DragEvent).dataTransfer?.getData("application/x-card") ?? "");
    if (card !== null) box.append(card);
    report();
  });
}
volume?.addEventListener("change", report);
