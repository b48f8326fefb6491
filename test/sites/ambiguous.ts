import { html } from "../../src/lib/html.ts";
import { layOut, layOutIndex } from "./page.ts";
import { redirectTo, type Site, showPage } from "./site.ts";

interface AmbiguousState {
  cards: string[];
  devices: string[];
  /** Forms as they arrived, field by field in order. */
  saved: (readonly [string, string])[][];
}

/** Duplicate labels: some with nothing to distinguish them, some distinguished by their row or group. */
export function createAmbiguousSite(): Site<AmbiguousState> {
  const state: AmbiguousState = {
    cards: ["first", "second"],
    devices: ["Kitchen radio", "Hall lamp", "Garden pump"],
    saved: [],
  };
  return {
    state,
    routes: {
      "GET /": () =>
        showPage(
          layOutIndex("My things", {
            "/cards": "Cards",
            "/names": "Two people",
            "/rows": "Devices",
            "/groups": "Parcel",
          }),
        ),
      "GET /cards": () => showPage(cardsPage(state)),
      "POST /cards": ({ field }) => {
        state.cards = state.cards.filter((card) => card !== field("card"));
        return redirectTo("/cards");
      },
      "GET /names": () => showPage(NAMES_PAGE),
      "GET /rows": () => showPage(rowsPage(state)),
      "POST /rows": ({ field }) => {
        state.devices = state.devices.filter((device) => device !== field("device"));
        return redirectTo("/rows");
      },
      "GET /groups": () => showPage(GROUPS_PAGE),
      "POST /save": ({ body }) => {
        state.saved.push([...new URLSearchParams(body)]);
        return showPage(layOut("Saved", html`<p role="status">Saved.</p>`));
      },
    },
  };
}

function cardsPage({ cards }: AmbiguousState) {
  const card = (id: string) => html`<div class="card">
    <svg width="80" height="50" aria-hidden="true"><rect width="80" height="50" fill="#bcccdc"></rect></svg>
    <form method="post" action="/cards"><input type="hidden" name="card" value="${id}"><button>Delete</button></form>
  </div>`;
  return layOut("Cards", html`<h1>Cards</h1>${cards.map(card)}`);
}

const NAMES_PAGE = layOut(
  "Two people",
  html`<h1>Two people</h1>
  <form method="post" action="/save">
    <label>Name <input name="a"></label>
    <label>Name <input name="b"></label>
    <button>Save</button>
  </form>`,
);

function rowsPage({ devices }: AmbiguousState) {
  const row = (device: string) => html`<tr><th scope="row">${device}</th><td>
    <form method="post" action="/rows"><input type="hidden" name="device" value="${device}"><button>Delete</button></form>
  </td></tr>`;
  return layOut(
    "Devices",
    html`<h1>Devices</h1><table><thead><tr><th>Device</th><th>Action</th></tr></thead><tbody>${devices.map(row)}</tbody></table>`,
  );
}

const GROUPS_PAGE = layOut(
  "Parcel",
  html`<h1>Parcel</h1>
  <form method="post" action="/save">
    <fieldset><legend>Sender</legend>
      <label>Name <input name="sender_name"></label><label>Town <input name="sender_town"></label></fieldset>
    <fieldset><legend>Recipient</legend>
      <label>Name <input name="recipient_name"></label><label>Town <input name="recipient_town"></label></fieldset>
    <button>Save</button>
  </form>`,
);
