import { type Html, html } from "../../lib/html.ts";

const PATHS = {
  back: "M12.5 5l-5 5 5 5",
  reload: "M15.5 10a5.5 5.5 0 1 1-1.6-3.9L15.5 7.7M15.5 4v3.7h-3.7",
  lock: "M6 9V7a4 4 0 0 1 8 0v2M5.5 9h9a1 1 0 0 1 1 1v5.5a1 1 0 0 1-1 1h-9a1 1 0 0 1-1-1V10a1 1 0 0 1 1-1z",
  warning: "M10 4l7 12.5H3zM10 9v3.5M10 14.6v.1",
  help: "M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM7.9 8.1a2.2 2.2 0 1 1 3.2 2c-.7.4-1.1.8-1.1 1.6M10 14v.1",
  keyboard: "M3 5.5h14v9H3zM6 8.5h.1M9 8.5h.1M12 8.5h.1M14.5 8.5h.1M6.5 11.7h7",
  paste: "M7.5 4.5h-2v12h9v-12h-2M7.5 3.5h5v2.5h-5z",
};

/** Beside words that say the same, so it is silent for screen readers. */
export function icon(name: keyof typeof PATHS): Html {
  return html`<svg class="live-icon" viewBox="0 0 20 20" width="20" height="20" aria-hidden="true" focusable="false"><path d="${PATHS[name]}" fill="none" stroke="currentColor" stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round"/></svg>`;
}
