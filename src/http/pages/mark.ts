import { type Html, html } from "../../lib/html.ts";

/** A path that leaves, goes round and comes home: it reads as an "e". */
const PATH = "M9.5 16.5h12.7a6.5 6.5 0 1 0-2.2 4.6";

/** Beside the name in text, so it is silent for screen readers. */
export function mark(): Html {
  return html`<svg class="mark" viewBox="0 0 32 32" width="32" height="32" aria-hidden="true" focusable="false"
    ><rect class="mark-ground" width="32" height="32" rx="9"/><path class="mark-path" d="${PATH}" fill="none" stroke-width="3" stroke-linecap="round" stroke-linejoin="round"/></svg>`;
}

/** The head of a card. */
export function brand(): Html {
  return html`<p class="brand">${mark()}<span>Errand</span></p>`;
}

/** The browser tab's icon: a picture of its own, which the stylesheet does not reach. */
export const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="9" fill="#0b6b5b"/><path d="${PATH}" fill="none" stroke="#fff" stroke-width="3" stroke-linecap="round" stroke-linejoin="round"/></svg>`;
