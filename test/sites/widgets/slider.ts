import { html } from "../../../src/lib/html.ts";
import { layOutWidget } from "./widget-page.ts";

/** A native slider, and a custom one that supports arrow keys and the pointer. */
export const SLIDER_PAGE = layOutWidget(
  "Lamp",
  html`<label>Brightness <input type="range" id="brightness" min="0" max="100" step="5" value="40"></label>
  <p id="warmth-label">Warmth</p>
  <div id="track"><div id="thumb" role="slider" tabindex="0" aria-labelledby="warmth-label"
    aria-valuemin="1" aria-valuemax="10" aria-valuenow="5"></div></div>`,
  `
  const brightness = document.getElementById("brightness");
  brightness.addEventListener("change", () => choose("brightness", brightness.value));
  const track = document.getElementById("track");
  const thumb = document.getElementById("thumb");
  function set(value) {
    const kept = Math.min(10, Math.max(1, value));
    thumb.setAttribute("aria-valuenow", kept);
    thumb.style.left = ((kept - 1) / 9) * 100 + "%";
    choose("warmth", String(kept));
  }
  thumb.addEventListener("keydown", (event) => {
    const now = Number(thumb.getAttribute("aria-valuenow"));
    const target = { ArrowRight: now + 1, ArrowUp: now + 1, ArrowLeft: now - 1, ArrowDown: now - 1, Home: 1, End: 10 }[event.key];
    if (target !== undefined) { event.preventDefault(); set(target); }
  });
  track.addEventListener("pointerdown", (event) => track.setPointerCapture(event.pointerId));
  track.addEventListener("pointerup", (event) => {
    const box = track.getBoundingClientRect();
    set(Math.round(1 + ((event.clientX - box.left) / box.width) * 9));
  });
  `,
  `#track { position: relative; width: 300px; height: 8px; margin: 1rem; background: #bcccdc; border-radius: 4px; touch-action: none; }
  #thumb { position: absolute; left: 44.4%; top: -6px; width: 20px; height: 20px; margin-left: -10px; border-radius: 50%; background: #1f5fa8; }`,
);
