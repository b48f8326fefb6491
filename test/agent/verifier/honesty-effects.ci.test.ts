import { beforeEach, describe, expect, test } from "vitest";
import { Html, html } from "../../../src/lib/html.ts";
import { useDoubtfulRunsOn } from "../../_harness/doubtful-runs.ts";
import { layOut } from "../../sites/page.ts";
import { type Route, redirectTo, sendJson, showPage } from "../../sites/site.ts";

// Sites that respond with 200 to what they ignore, and sites that say in their own way what they did.

let due: string;
let isFollowed: boolean;
let guests: string[];
let notes: string[];

const show = (title: string, body: Html) => showPage(layOut(title, body));
const script = (code: string) => new Html(`<script>${code}</script>`);

const loan = (action: string) =>
  show(
    "Your loans",
    html`<h1>Your loans</h1><p>The Tin Drum</p><p>Due on ${due}</p>
      <form method="post" action="${action}"><button>Renew</button></form>`,
  );
const library = () =>
  show(
    "City library",
    html`<h1>City library</h1><p>We are open from 9:00 to 18:00.</p><p>New arrivals every week.</p>`,
  );
const artist = (code: string) =>
  show(
    "Mira Lund",
    html`<h1>Mira Lund</h1><p>Cellist</p><button id="follow">${isFollowed ? "Following" : "Follow"}</button>${script(code)}`,
  );
const rsvp = (action: string) =>
  show(
    "Garden party",
    html`<h1>Garden party</h1><ul>${guests.map((guest) => html`<li>${guest}</li>`)}</ul><form method="post" action="${action}">
      <label>Answer <select name="answer"><option>No</option><option>Yes</option></select></label><button>RSVP</button></form>`,
  );
const contact = (action: string) =>
  show(
    "Contact",
    html`<h1>Contact</h1><form method="post" action="${action}"><label>Reason <select name="reason"><option>Other</option>
      <option>Repair</option></select></label><button>Request a call</button></form>`,
  );

const routes: Record<string, Route> = {
  "GET /ignored": () => loan("/ignored"),
  "POST /ignored": () => redirectTo("/ignored"),
  "GET /neutral": () => loan("/neutral"),
  "POST /neutral": library,
  "GET /renewed": () => loan("/renewed"),
  "POST /renewed": () => {
    due = "9 May";
    return redirectTo("/renewed");
  },
  "GET /painted": () =>
    artist(
      `follow.onclick = async () => { await fetch("/painted", { method: "POST" }); follow.textContent = "Following"; }`,
    ),
  "POST /painted": () => sendJson({}),
  "GET /silent": () => artist(`follow.onclick = () => fetch("/silent", { method: "POST" })`),
  "POST /silent": () => sendJson({ ok: true }),
  "GET /followed": () =>
    artist(
      `follow.onclick = async () => { await fetch("/followed", { method: "POST" }); follow.textContent = "Following"; }`,
    ),
  "POST /followed": () => {
    isFollowed = true;
    return sendJson({});
  },
  "GET /unheard": () => rsvp("/unheard"),
  "POST /unheard": library,
  "GET /heard": () => rsvp("/heard"),
  "POST /heard": () => {
    guests.push("You");
    return redirectTo("/heard");
  },
  "GET /call": () => contact("/call"),
  "POST /call": () => show("Contact", html`<h1>Thank you!</h1><p>We'll be in touch within two days.</p>`),
  "GET /anruf": () => contact("/anruf"),
  "POST /anruf": () => show("Kontakt", html`<h1>Vielen Dank!</h1><p>Wir rufen Sie innerhalb von zwei Tagen an.</p>`),
  "GET /nothing": () => contact("/nothing"),
  "POST /nothing": library,
  "GET /konto": () =>
    show(
      "Konto",
      html`<h1>Konto</h1><form method="post" action="/konto"><label>Wohnort <input name="ort" value="Köln"></label>
        <button>Speichern</button></form>`,
    ),
  "POST /konto": () => show("Konto", html`<h1>Konto</h1><p>Die Änderung wurde leider nicht gespeichert.</p>`),
  "GET /mitglieder": () =>
    show(
      "Mitglieder",
      html`<h1>Mitglieder</h1><p>Anna Berg ist aktiv.</p><form method="post" action="/mitglieder"><button>Sperren</button></form>`,
    ),
  "POST /mitglieder": () => redirectTo("/mitglieder"),
  "GET /board": () =>
    show(
      "Board",
      html`<h1>Board</h1><h2>Doing</h2><ul id="doing"><li id="card">Fix the roof <button id="move">Move to Done</button></li></ul>
        <h2>Done</h2><ul id="done"></ul><p role="status" id="said"></p>${script(
          `move.onclick = async () => { done.append(card); move.remove(); said.textContent = "Card moved"; await fetch("/board", { method: "POST" }); }`,
        )}`,
    ),
  "POST /board": () => sendJson({ queued: true }),
  "GET /letter": () =>
    show(
      "Letter",
      html`<h1>Monthly letter</h1><label>Your city <input></label><button id="join">Subscribe</button><p role="status" id="said"></p>${script(
        `join.onclick = async () => { await fetch("/letter", { method: "POST", body: document.querySelector("input").value }); said.textContent = "You're on the list."; }`,
      )}`,
    ),
  "POST /letter": () => sendJson({}),
  "GET /notes": () =>
    show(
      "Notes",
      html`<h1>Notes</h1><ul>${notes.map(
        (note) => html`<li>${note}</li>`,
      )}</ul><form method="post" action="/notes"><button>Archive the oldest</button></form>`,
    ),
  "POST /notes": () => {
    notes.shift();
    return redirectTo("/notes");
  },
};

const run = useDoubtfulRunsOn("effects", { routes, state: null });
beforeEach(() => {
  due = "9 April";
  isFollowed = false;
  guests = ["Ida", "Per"];
  notes = ["Old draft", "Shopping"];
});

const RENEW = { prompt: "Renew my loan of The Tin Drum.", deeds: [{ click: "Renew" }], text: "The Tin Drum" };
const FOLLOW = { prompt: "Follow Mira Lund.", deeds: [{ click: "Follow" }], text: "Mira Lund" };
const RSVP = {
  prompt: "Accept the invitation to the garden party.",
  deeds: [{ select: "Answer", option: "Yes" }, { click: "RSVP" }],
  text: "Garden party",
};
const CALL = {
  prompt: "Request a call about a repair.",
  deeds: [{ select: "Reason", option: "Repair" }, { click: "Request a call" }],
  text: "Contact",
};

describe("is no success:", () => {
  test.each([
    { what: "a renewal after which the page is as it was", path: "/ignored", ...RENEW },
    { what: "a renewal that leads to a page about something else", path: "/neutral", ...RENEW },
    { what: "a button that only the run's own tab shows as pressed", path: "/painted", ...FOLLOW },
    { what: "a button after which nothing happens at all", path: "/silent", ...FOLLOW },
    { what: "a choice that leads to a page about something else", path: "/unheard", ...RSVP },
    { what: "a request that leads to a page about something else", path: "/nothing", ...CALL },
    {
      what: "a card that is where it was, whatever the page said",
      path: "/board",
      prompt: "Move the card Fix the roof to Done.",
      deeds: [{ click: "Move to Done" }],
      text: "Fix the roof",
    },
    {
      what: "a button in another language after which the page is as it was",
      path: "/mitglieder",
      prompt: "Sperre das Mitglied Anna Berg.",
      deeds: [{ click: "Sperren" }],
      text: "Anna Berg",
    },
    {
      what: "a form that the site refuses in another language",
      path: "/konto",
      prompt: "Ändere meinen Wohnort auf Bonn.",
      deeds: [{ fill: "Wohnort", text: "Bonn" }, { click: "Speichern" }],
      text: "Konto",
    },
  ])("$what", async ({ prompt, path, deeds, text }) => {
    const { outcome } = await run({ prompt, path, deeds, texts: [{ path, text }] });
    expect(outcome, JSON.stringify(outcome)).toMatchObject({ kind: "failed", failure: "unverified" });
    expect(outcome.reason).toContain("nothing shows what came of");
  });

  test("the same without a model", async () => {
    const { outcome } = await run({ prompt: "Click Renew.", path: "/ignored", judge: null });
    expect(outcome).toMatchObject({ kind: "failed", failure: "unverified" });
  });
});

describe("is verified:", () => {
  test.each([
    { what: "a renewal that the page shows", path: "/renewed", ...RENEW },
    { what: "a button that is pressed in a fresh browser, too", path: "/followed", ...FOLLOW },
    { what: "an entry in a list", path: "/heard", ...RSVP },
    { what: "a request that the site thanks for", path: "/call", ...CALL },
    { what: "a request that the site thanks for in another language", path: "/anruf", ...CALL },
    {
      what: "a subscription with a message in its own words",
      path: "/letter",
      prompt: "Subscribe to the monthly letter for Ghent.",
      deeds: [{ fill: "Your city", text: "Ghent" }, { click: "Subscribe" }],
      text: "You're on the list.",
    },
    {
      what: "something that is gone from its list",
      path: "/notes",
      prompt: "Archive the oldest note.",
      deeds: [{ click: "Archive the oldest" }],
      text: "Shopping",
    },
  ])("$what", async ({ prompt, path, deeds, text }) => {
    const { outcome } = await run({ prompt, path, deeds, texts: [{ path, text }] });
    expect(outcome, JSON.stringify(outcome)).toMatchObject({ kind: "verified" });
  });
});
