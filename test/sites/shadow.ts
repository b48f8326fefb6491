import { Html, html } from "../../src/lib/html.ts";
import { layOut, layOutIndex } from "./page.ts";
import { type Site, sendJson, showPage } from "./site.ts";

export interface Subscriber {
  readonly email: string;
  /** The page it came from. */
  readonly via: string;
}

/** A newsletter form whose field and button are in a shadow root: open, closed, nested, or declarative. */
export function createShadowSite(): Site<{ subscribers: Subscriber[] }> {
  const subscribers: Subscriber[] = [];
  return {
    state: { subscribers },
    routes: {
      "GET /": () =>
        showPage(
          layOutIndex("The Lamplight Letter", {
            "/open": "Newsletter (open root)",
            "/closed": "Newsletter (closed root)",
            "/nested": "Newsletter (closed root in an open one)",
            "/declarative": "Newsletter (closed root from markup)",
          }),
        ),
      "GET /open": () => showPage(newsletterPage(html`<newsletter-form mode="open"></newsletter-form>`)),
      "GET /closed": () => showPage(newsletterPage(html`<newsletter-form mode="closed"></newsletter-form>`)),
      "GET /nested": () => showPage(newsletterPage(html`<page-section mode="closed"></page-section>`)),
      "GET /declarative": () => showPage(newsletterPage(DECLARATIVE)),
      "POST /subscribe": ({ body, field }) => {
        if (!body.startsWith("{")) {
          subscribers.push({ email: field("email"), via: "declarative" });
          return showPage(layOut("Subscribed", html`<p role="status">Subscribed: ${field("email")}</p>`));
        }
        const subscriber = JSON.parse(body) as Subscriber;
        subscribers.push(subscriber);
        return sendJson({ subscribed: subscriber.email });
      },
    },
  };
}

function newsletterPage(form: Html): Html {
  const body = html`<h1>The Lamplight Letter</h1><p>One letter each month.</p>${form}`;
  return layOut("The Lamplight Letter", body, html`<script>${COMPONENTS}</script>`);
}

/** No script calls attachShadow here: the parser creates the root. */
const DECLARATIVE = html`<div><template shadowrootmode="closed">
  <form method="post" action="/subscribe">
    <label>E-mail address <input name="email" type="email" required></label>
    <button>Subscribe</button>
  </form>
</template></div>`;

const COMPONENTS = new Html(`
  customElements.define("newsletter-form", class extends HTMLElement {
    connectedCallback() {
      const root = this.attachShadow({ mode: this.getAttribute("mode") });
      root.innerHTML =
        '<style>form { border: 1px solid #bcccdc; padding: 1rem; } .done { color: #1b7f4d; }</style>' +
        '<form><label>E-mail address <input name="email" type="email" required></label> <button>Subscribe</button></form>' +
        '<p class="done" role="status"></p>';
      root.querySelector("form").addEventListener("submit", async (event) => {
        event.preventDefault();
        const email = root.querySelector("input").value;
        const body = JSON.stringify({ email, via: location.pathname.slice(1) });
        const response = await fetch("/subscribe", { method: "POST", headers: { "content-type": "application/json" }, body });
        root.querySelector(".done").textContent = response.ok ? "Subscribed: " + email : "That did not work.";
      });
    }
  });
  customElements.define("page-section", class extends HTMLElement {
    connectedCallback() {
      const root = this.attachShadow({ mode: "open" });
      root.innerHTML = '<section><h2>Stay in touch</h2><newsletter-form mode="' + this.getAttribute("mode") + '"></newsletter-form></section>';
    }
  });
`);
