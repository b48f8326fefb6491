import { type Html, html } from "../../src/lib/html.ts";

function icon(path: Html): Html {
  return html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round">${path}</svg>`;
}

export const CART_ICON = icon(html`<path d="M6 8h12l1.4 12H4.6z"/><path d="M9 8V6.5a3 3 0 0 1 6 0V8"/>`);
export const PERSON_ICON = icon(
  html`<circle cx="12" cy="8" r="4"/><path d="M4.5 20.5c1-4 4-5.5 7.5-5.5s6.5 1.5 7.5 5.5"/>`,
);
export const SEARCH_ICON = icon(html`<circle cx="10.5" cy="10.5" r="6"/><path d="M15 15l5 5"/>`);
export const CHECK_ICON = icon(html`<path d="M5 12.5l4.5 4.5L19 7.5"/>`);
export const TRUCK_ICON = icon(
  html`<path d="M2.5 6.5h11v10h-11zM13.5 10h4l3.5 3.5v3h-7.5z"/><circle cx="7" cy="17.5" r="1.8"/><circle cx="17" cy="17.5" r="1.8"/>`,
);
export const RETURN_ICON = icon(html`<path d="M4 9h11a5 5 0 0 1 0 10H8"/><path d="M8 5L4 9l4 4"/>`);
export const HEART_ICON = icon(
  html`<path d="M12 20C5 15 3.5 11.5 3.5 9A4.3 4.3 0 0 1 12 7.5 4.3 4.3 0 0 1 20.5 9c0 2.5-1.5 6-8.5 11z"/>`,
);
