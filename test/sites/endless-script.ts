import { html } from "../../src/lib/html.ts";
import { layOut, layOutIndex } from "./page.ts";
import { redirectTo, type Site, showPage } from "./site.ts";

/** Runaway pages: an endless loop, a crash, a flood, endless dialogs, a redirect loop. */
export function createEndlessScriptSite(): Site<null> {
  return {
    state: null,
    routes: {
      "GET /": () =>
        showPage(
          layOutIndex("Calculator", {
            "/loop": "Prime numbers (loops)",
            "/crash": "Family tree (crashes)",
            "/flood": "Log (floods)",
            "/alerts": "Tips (alerts)",
            "/circle": "Help (redirects in a circle)",
          }),
        ),
      "GET /loop": () => showPage(LOOP_PAGE),
      "GET /crash": () => showPage(CRASH_PAGE),
      "GET /flood": () => showPage(FLOOD_PAGE),
      "GET /alerts": () => showPage(ALERTS_PAGE),
      "GET /circle": () => redirectTo("/round", 302),
      "GET /round": () => redirectTo("/circle", 302),
    },
  };
}

const LOOP_PAGE = layOut(
  "Prime numbers",
  html`<h1>Prime numbers</h1><button type="button">Calculate</button><p id="result">Nothing calculated yet.</p>
  <script>
    document.querySelector("button").addEventListener("click", () => {
      document.getElementById("result").textContent = "Calculating…";
      for (;;) {}
    });
  </script>`,
);

// 4,000 nested boxes exhaust the layout stack: only this page's process ends, within about a second.
const CRASH_PAGE = layOut(
  "Family tree",
  html`<h1>Family tree</h1><button type="button">Show the tree</button>
  <script>
    document.querySelector("button").addEventListener("click", () => {
      const root = document.createElement("div");
      let leaf = root;
      for (let depth = 0; depth < 4000; depth++) {
        const child = document.createElement("div");
        child.textContent = "x";
        leaf.append(child);
        leaf = child;
      }
      document.body.append(root);
    });
  </script>`,
);

const FLOOD_PAGE = layOut(
  "Log",
  html`<h1>Log</h1><button type="button">Show everything</button><p id="count"></p><ol></ol>
  <script>
    document.querySelector("button").addEventListener("click", () => {
      const entries = Array.from({ length: 10000 }, (_, index) => {
        const entry = document.createElement("li");
        entry.textContent = "Entry " + (index + 1);
        return entry;
      });
      document.querySelector("ol").append(...entries);
      document.getElementById("count").textContent = entries.length + " entries";
    });
  </script>`,
);

const ALERTS_PAGE = layOut(
  "Tips",
  html`<h1>Tips</h1><button type="button">Show tips</button>
  <script>
    document.querySelector("button").addEventListener("click", () => {
      for (let number = 1; ; number++) alert("Tip " + number);
    });
  </script>`,
);
