import { describe, expect, test } from "vitest";
import { Html, html } from "../../../src/lib/html.ts";
import { useDoubtfulRunsOn } from "../../_harness/doubtful-runs.ts";
import { casesOfTier } from "../../_harness/tier.ts";
import { layOut } from "../../sites/page.ts";
import { type Route, showPage } from "../../sites/site.ts";

// Lists of which the page shows a part, before a model that answers about all of them.

const INVOICES = [
  ["INV-31", "€80.00", "Paid"],
  ["INV-32", "€35.00", "Paid"],
  ["INV-33", "€64.00", "Paid"],
  ["INV-34", "€52.00", "Paid"],
] as const;
const SORTED = INVOICES.toSorted(([, one], [, other]) => Number(one.slice(1)) - Number(other.slice(1)));

const list = (after: Html | string, rows: readonly (readonly string[])[] = INVOICES, before: Html | string = "") =>
  showPage(
    layOut(
      "Invoices",
      html`<h1>Invoices</h1>${before}<table><thead><tr><th>Invoice</th><th>Amount</th><th>State</th></tr></thead><tbody>${rows.map(
        (row) => html`<tr>${row.map((cell) => html`<td>${cell}</td>`)}</tr>`,
      )}</tbody></table>${after}`,
    ),
  );

const cards = (rows: number) =>
  showPage(
    layOut(
      "Invoices",
      html`<h1>Invoices</h1>${new Html(`<div id="pane" style="height:200px;overflow:auto"><div id="all" role="list" style="position:relative;height:${rows * 40}px"></div></div>
      <script>
        const draw = () => {
          const from = Math.floor(pane.scrollTop / 40);
          all.replaceChildren(...Array.from({ length: Math.min(7, ${rows} - from) }, (_, index) => {
            const card = document.createElement("div");
            card.setAttribute("role", "listitem");
            card.style = "position:absolute;height:40px;width:100%;top:" + (from + index) * 40 + "px";
            card.textContent = "INV-" + (100 + from + index) + " · Paid · €" + (300 - from - index) + ".00";
            return card;
          }));
        };
        pane.onscroll = draw; draw();
      </script>`)}`,
    ),
  );

const routes: Record<string, Route> = {
  "GET /whole": () => list(""),
  "GET /next": () =>
    list(html`<nav><a href="/next">1</a> <a href="/next?page=2">2</a> <a href="/next?page=2">Next page</a></nav>`),
  "GET /sorted": () =>
    list(
      html`<nav><a href="/sorted">1</a> <a href="/sorted?page=2">2</a> <a href="/sorted?page=2">Next page</a></nav>`,
      SORTED,
    ),
  "GET /three-more": () => list(html`<button>Show 3 more</button>`),
  "GET /more": () => list(html`<button>More</button>`),
  "GET /loading": () => list(html`<p>Loading…</p>`),
  "GET /select": () =>
    list(html`<label>Page <select><option>1</option><option>2</option><option>3</option></select></label>`),
  "GET /slash": () => list(html`<p>1 / 3</p>`),
  "GET /total": () => list(html`<p>12 invoices</p>`),
  "GET /of": () => list(html`<p>Showing 1–4 of 12</p>`),
  "GET /virtual": () => cards(60),
  // Signs of other things on the page.
  "GET /beside": () =>
    list(
      html`<div><h2>Products</h2><p>250 products</p><p>Loading…</p></div>`,
      INVOICES,
      html`<div><label>Storage used <progress value="40" max="100"></progress></label></div>
        <div><button>Export</button> <button>More</button></div><p>5/12</p>`,
    ),
};

const run = useDoubtfulRunsOn("partial-lists", { routes, state: null });

interface Said {
  readonly prompt: string;
  readonly answer: string;
  readonly quotes: readonly string[];
}

async function ask(path: string, { prompt, answer, quotes }: Said) {
  const facts = quotes.map((quote) => ({ label: "invoices", value: quote, quote, path }));
  return (await run({ prompt, path, answer, facts })).outcome;
}

const COUNT = {
  prompt: "How many invoices are there?",
  answer: "There are 4 invoices.",
  quotes: ["INV-31", "INV-32", "INV-33", "INV-34"],
};
const ALL = {
  prompt: "Are all invoices paid?",
  answer: "Yes: INV-31, INV-32, INV-33 and INV-34 are paid.",
  quotes: INVOICES.map((cells) => cells.join(" ")),
};
const LOWEST = {
  prompt: "Which invoice is the cheapest?",
  answer: "INV-32 is the cheapest, at €35.00.",
  quotes: ["INV-32 €35.00 Paid"],
};
const HIGHEST = {
  prompt: "Which invoice has the highest amount?",
  answer: "INV-31, with €80.00.",
  quotes: ["INV-31 €80.00 Paid"],
};
const PARTS = ["/next", "/three-more", "/more", "/loading", "/select", "/slash", "/total", "/of"];

describe("is no answer about a list of which the page shows a part:", () => {
  const CASES = PARTS.flatMap((path) => [COUNT, ALL, LOWEST, HIGHEST].map((said) => ({ path, said })));
  test.each(casesOfTier(CASES, { ci: 9 }))("$said.prompt $path", async ({ path, said }) => {
    const outcome = await ask(path, said);
    expect(outcome, JSON.stringify(outcome)).toMatchObject({ kind: "failed", failure: "unverified" });
  });

  const DRAWN = ["100", "101", "102", "103", "104", "105", "106"].map((number) => `INV-${number}`);
  const FIRST = ["INV-100 · Paid · €300.00"];
  test.each([
    { prompt: "How many invoices are there?", answer: "There are 7 invoices.", quotes: DRAWN },
    { prompt: "Are all invoices paid?", answer: "Yes, all of them are paid.", quotes: FIRST },
    { prompt: "Which invoice is the oldest?", answer: "INV-100 is the oldest.", quotes: FIRST },
  ])("$prompt (rows that are drawn while one scrolls)", async (said) => {
    const outcome = await ask("/virtual", said);
    expect(outcome, JSON.stringify(outcome)).toMatchObject({ kind: "failed", failure: "unverified" });
  });
});

describe("is verified:", () => {
  test.each([COUNT, ALL, LOWEST, HIGHEST])("$prompt", async (said) => {
    const outcome = await ask("/whole", said);
    expect(outcome, JSON.stringify(outcome)).toMatchObject({ kind: "verified" });
  });

  test("although signs of other things are beside the list", async () => {
    const outcome = await ask("/beside", COUNT);
    expect(outcome, JSON.stringify(outcome)).toMatchObject({ kind: "verified" });
  });

  test.each(["/total", "/of"])("a number that the page states itself: %s", async (path) => {
    const quote = path === "/total" ? "12 invoices" : "Showing 1–4 of 12";
    const outcome = await ask(path, { ...COUNT, answer: "There are 12 invoices.", quotes: [quote] });
    expect(outcome, JSON.stringify(outcome)).toMatchObject({ kind: "verified" });
  });

  test("the first of a list that is sorted by it", async () => {
    const outcome = await ask("/sorted", LOWEST);
    expect(outcome, JSON.stringify(outcome)).toMatchObject({ kind: "verified" });
  });

  test("a value of one row", async () => {
    const outcome = await ask("/next", {
      prompt: "What is the amount of INV-33?",
      answer: "It is €64.00.",
      quotes: ["INV-33 €64.00 Paid"],
    });
    expect(outcome, JSON.stringify(outcome)).toMatchObject({ kind: "verified" });
  });
});
