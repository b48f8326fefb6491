import { html } from "../../src/lib/html.ts";
import { layOut } from "./page.ts";
import { type Site, sendJson, showPage } from "./site.ts";

const POINTS = ["Harbour Street 4", "Mill Lane 12", "Station Square 1"];

/** A link to a new tab, and a window that asks something, closes itself and notifies the page that opened it. */
export function createPopupsSite(): Site<{ chosenPoints: string[] }> {
  const chosenPoints: string[] = [];
  return {
    state: { chosenPoints },
    routes: {
      "GET /": () => showPage(ORDER_PAGE),
      "GET /terms": () => showPage(TERMS_PAGE),
      "GET /pickup-points": () => showPage(PICKUP_PAGE),
      "POST /pickup-points": ({ field }) => {
        if (!POINTS.includes(field("point"))) return sendJson({ error: "There is no such pickup point." }, 422);
        chosenPoints.push(field("point"));
        return sendJson({ point: field("point") });
      },
    },
  };
}

const ORDER_PAGE = layOut(
  "Delivery",
  html`<h1>Delivery</h1>
  <p>Read the <a href="/terms" target="_blank" rel="noopener">Delivery terms</a> first (opens in a new tab).</p>
  <p>Pickup point: <output id="point">none chosen</output></p>
  <button type="button" id="choose">Choose a pickup point</button>
  <script>
    document.getElementById("choose").addEventListener("click", () => {
      window.open("/pickup-points", "pickup", "width=420,height=380");
    });
    window.addEventListener("message", (event) => {
      if (event.origin === location.origin) document.getElementById("point").textContent = event.data.point;
    });
  </script>`,
);

const TERMS_PAGE = layOut(
  "Delivery terms",
  html`<h1>Delivery terms</h1><p>Parcels wait at the pickup point for 9 days.</p>`,
);

const PICKUP_PAGE = layOut(
  "Pickup points",
  html`<h1>Where will you collect it?</h1>
  <form>
    <fieldset><legend>Pickup point</legend>
      ${POINTS.map((point) => html`<label><input type="radio" name="point" value="${point}" required> ${point}</label>`)}
    </fieldset>
    <button>Use this pickup point</button>
  </form>
  <script>
    document.querySelector("form").addEventListener("submit", async (event) => {
      event.preventDefault();
      const response = await fetch("/pickup-points", { method: "POST", body: new URLSearchParams(new FormData(event.target)) });
      const { point } = await response.json();
      if (window.opener) window.opener.postMessage({ point }, location.origin);
      window.close();
    });
  </script>`,
);
