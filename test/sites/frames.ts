import { html } from "../../src/lib/html.ts";
import { layOut, layOutIndex } from "./page.ts";
import { type Route, type Site, showPage } from "./site.ts";

export interface Callback {
  /** Which of the forms it came from. */
  readonly via: string;
  readonly name: string;
  readonly phone: string;
}

/** A form in a frame, in a frame within a frame, and in a frame of another site. */
export function createFramesSite(partnerUrl: string): Site<{ callbacks: Callback[] }> {
  const callbacks: Callback[] = [];
  const frame = (title: string, src: string) => html`<iframe title="${title}" src="${src}" height="330"></iframe>`;
  const around = (title: string, body: ReturnType<typeof html>) =>
    showPage(layOut(title, html`<h1>${title}</h1><p>Fill in the form and we will ring you.</p>${body}`));
  return {
    state: { callbacks },
    routes: {
      "GET /": () =>
        showPage(
          layOutIndex("Harbour Boat Hire", {
            "/same-origin": "Callback (our form)",
            "/nested": "Callback (form in a panel)",
            "/cross-origin": "Callback (partner's form)",
          }),
        ),
      "GET /same-origin": () => around("Ask for a callback", frame("Callback form", "/form?via=same-origin")),
      "GET /nested": () => around("Ask for a callback", frame("Contact panel", "/panel")),
      "GET /panel": () =>
        showPage(layOut("Contact panel", html`<h2>Contact panel</h2>${frame("Callback form", "/form?via=nested")}`)),
      "GET /cross-origin": () => around("Ask for a callback", frame("Partner form", `${partnerUrl}/form?via=partner`)),
      "GET /form": showForm,
      "POST /form": takeFormFor(callbacks),
    },
  };
}

/** The form that the other site embeds: it has another host name, so the browser gives it its own process. */
export function createPartnerSite(): Site<{ callbacks: Callback[] }> {
  const callbacks: Callback[] = [];
  return { state: { callbacks }, routes: { "GET /form": showForm, "POST /form": takeFormFor(callbacks) } };
}

const showForm: Route = ({ query }) =>
  showPage(
    layOut(
      "Callback form",
      html`<form method="post" action="/form">
        <input type="hidden" name="via" value="${query.get("via") ?? ""}">
        <label>Your name <input name="name" required></label>
        <label>Phone number <input name="phone" type="tel" required></label>
        <button>Request a callback</button>
      </form>`,
    ),
  );

function takeFormFor(callbacks: Callback[]): Route {
  return ({ field }) => {
    const callback = { via: field("via"), name: field("name"), phone: field("phone") };
    callbacks.push(callback);
    const thanks = html`<p role="status">Thank you, ${callback.name}. We will call ${callback.phone}.</p>`;
    return showPage(layOut("Callback requested", thanks));
  };
}
