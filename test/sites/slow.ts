import { html } from "../../src/lib/html.ts";
import { layOut, layOutIndex } from "./page.ts";
import { HANG, RESET, type Site, sendJson, showPage } from "./site.ts";

interface SlowState {
  /** How long the slow parts take. */
  delayMs: number;
  /** How often each of these still fails before it works. */
  failuresLeft: { unavailable: number; reset: number; message: number };
  messages: string[];
}

/** Late content, responses that succeed only the second time, and a page that never finishes loading. */
export function createSlowSite(): Site<SlowState> {
  const state: SlowState = { delayMs: 600, failuresLeft: { unavailable: 1, reset: 1, message: 1 }, messages: [] };
  const failsAgain = (what: keyof SlowState["failuresLeft"]) => state.failuresLeft[what]-- > 0;
  return {
    state,
    keepsConnections: false,
    routes: {
      "GET /": () =>
        showPage(
          layOutIndex("County Archive", {
            "/server": "Opening hours (slow server)",
            "/later": "Your ticket (appears late)",
            "/spinner": "Yearly report (spinner)",
            "/never": "Visitors (never finishes loading)",
            "/unavailable": "Map room (first 503)",
            "/reset": "Reading room (first a lost connection)",
            "/message": "Message (the first attempt fails)",
          }),
        ),
      "GET /server": async ({ wait }) => {
        await wait(state.delayMs);
        return showFact("Opening hours", "The archive opens at 09:30.");
      },
      "GET /later": () => showPage(laterPage(state.delayMs)),
      "GET /spinner": () => showPage(SPINNER_PAGE),
      "GET /api/report": async ({ wait }) => {
        await wait(state.delayMs);
        return sendJson({ visitors: 18_204 });
      },
      "GET /never": () => showPage(NEVER_PAGE),
      "GET /photo.png": () => HANG,
      "GET /unavailable": () => {
        if (failsAgain("unavailable")) return showPage(TRY_LATER_PAGE, 503, { "retry-after": "1" });
        return showFact("Map room", "The map room is on floor 3.");
      },
      "GET /reset": () => {
        if (failsAgain("reset")) return RESET;
        return showFact("Reading room", "The reading room has 42 seats.");
      },
      "GET /message": () => showPage(MESSAGE_PAGE),
      "POST /message": ({ field }) => {
        if (failsAgain("message")) return sendJson({ error: "Busy." }, 503);
        state.messages.push(field("message"));
        return sendJson({ received: true });
      },
    },
  };
}

function showFact(title: string, fact: string) {
  return showPage(layOut(title, html`<h1>${title}</h1><p>${fact}</p>`));
}

function laterPage(delayMs: number) {
  return layOut(
    "Your ticket",
    html`<h1>Your ticket</h1><p id="ticket">One moment, please.</p>
    <script>
      setTimeout(() => {
        document.getElementById("ticket").innerHTML = "Your ticket number is <strong>T-4711</strong>. <button>Print the ticket</button>";
      }, ${delayMs});
    </script>`,
  );
}

const SPINNER_PAGE = layOut(
  "Yearly report",
  html`<h1>Yearly report</h1>
  <section id="report" aria-busy="true"><div class="spinner" role="progressbar" aria-label="Loading"></div></section>
  <script>
    fetch("/api/report").then((response) => response.json()).then(({ visitors }) => {
      const report = document.getElementById("report");
      report.textContent = "Visitors this year: " + visitors.toLocaleString("en-GB");
      report.setAttribute("aria-busy", "false");
    });
  </script>`,
  html`<style>
    .spinner { width: 2rem; height: 2rem; border: 4px solid #d9e2ec; border-top-color: #1f5fa8; border-radius: 50%; animation: turn 1s linear infinite; }
    @keyframes turn { to { rotate: 1turn; } }
  </style>`,
);

const NEVER_PAGE = layOut(
  "Visitors",
  html`<h1>Visitors</h1><p>Guided tours start at 14:15.</p>
  <img src="/photo.png" alt="The entrance hall" width="300" height="200">
  <p><a href="/server">Opening hours</a></p>`,
);

const TRY_LATER_PAGE = layOut(
  "Service unavailable",
  html`<h1>Service unavailable</h1><p>We are busy. Please try again in a moment.</p>`,
);

const MESSAGE_PAGE = layOut(
  "Send a message",
  html`<h1>Send a message</h1>
  <form><label>Message <textarea name="message" required></textarea></label><button>Send</button></form>
  <p role="status" id="outcome"></p>
  <script>
    document.querySelector("form").addEventListener("submit", async (event) => {
      event.preventDefault();
      const response = await fetch("/message", { method: "POST", body: new URLSearchParams(new FormData(event.target)) });
      document.getElementById("outcome").textContent = response.ok ? "Your message was received." : "Sending failed. Please try again.";
    });
  </script>`,
);
