import { html } from "../../../src/lib/html.ts";
import { layOutWidget } from "./widget-page.ts";

/** A banner over the lower half of the window: it covers the page's button until it is answered. */
export const COOKIES_PAGE = layOutWidget(
  "Bird watch",
  html`<p>Tell us what you saw.</p>
  <div id="bottom"><button type="button" id="report">Report a sighting</button></div>
  <div id="banner" role="region" aria-label="Cookies"><p>We use cookies to count visits. Is that all right?</p>
    <button type="button">Accept all</button> <button type="button">Only necessary</button></div>`,
  `
  const banner = document.getElementById("banner");
  banner.addEventListener("click", (event) => {
    if (event.target.tagName !== "BUTTON") return;
    banner.remove();
    choose("cookies", event.target.textContent);
  });
  document.getElementById("report").addEventListener("click", () => choose("sighting", "reported"));
  `,
  `#bottom { position: fixed; left: 1rem; bottom: 1rem; } #banner { position: fixed; left: 0; right: 0; bottom: 0; height: 45vh; background: #fff8e1; border-top: 2px solid #f0b429; padding: 1rem; }`,
);
