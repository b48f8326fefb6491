import { beforeAll, describe, expect, test } from "vitest";
import { Html, html } from "../../src/lib/html.ts";
import { startTestAgent, type TestAgent } from "../_harness/agent.ts";
import { agreeingWithEverything, type ScriptedJudge, startScriptedJudge } from "../_harness/scripted-judge.ts";
import { tellStory } from "../_harness/storyteller.ts";
import { layOut } from "../sites/page.ts";
import { RequestLog } from "../sites/request-log.ts";
import { serveSite } from "../sites/serve-site.ts";
import { type Route, showPage } from "../sites/site.ts";

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
};

let agent: TestAgent;
let judge: ScriptedJudge;
let url: string;

beforeAll(async () => {
  const stack = new AsyncDisposableStack();
  agent = stack.use(await startTestAgent());
  judge = stack.use(await startScriptedJudge());
  judge.script = agreeingWithEverything;
  const site = { routes, state: null };
  url = stack.use(await serveSite(site, { name: "partial", host: "127.0.0.1", log: new RequestLog() })).url;
  return () => stack.disposeAsync();
});

const ask = async (path: string, prompt: string, answer: string, ...quotes: readonly string[]) => {
  const planner = tellStory({
    answer,
    facts: quotes.map((quote) => ({ label: "invoices", value: quote, quote, path })),
  });
  return (await agent.run({ prompt, startUrl: url + path, planner, judge: judge.judge })).outcome;
};

const ROWS = INVOICES.map((cells) => cells.join(" "));
const COUNT = [
  "How many invoices are there?",
  "There are 4 invoices.",
  "INV-31",
  "INV-32",
  "INV-33",
  "INV-34",
] as const;
const ALL = ["Are all invoices paid?", "Yes: INV-31, INV-32, INV-33 and INV-34 are paid.", ...ROWS] as const;
const LOWEST = ["Which invoice is the cheapest?", "INV-32 is the cheapest, at €35.00.", "INV-32 €35.00 Paid"] as const;
const HIGHEST = ["Which invoice has the highest amount?", "INV-31, with €80.00.", "INV-31 €80.00 Paid"] as const;
const PARTS = ["/next", "/three-more", "/more", "/loading", "/select", "/slash", "/total", "/of"];

describe("is no answer about a list of which the page shows a part:", () => {
  test.each(
    PARTS.flatMap((path) => [
      { path, said: COUNT },
      { path, said: ALL },
      { path, said: LOWEST },
      { path, said: HIGHEST },
    ]),
  )("$said.0 $path", async ({ path, said }) => {
    const outcome = await ask(path, ...said);
    expect(outcome, JSON.stringify(outcome)).toMatchObject({ kind: "failed", failure: "unverified" });
  });

  test.each([
    [
      "How many invoices are there?",
      "There are 7 invoices.",
      ...["100", "101", "102", "103", "104", "105", "106"].map((number) => `INV-${number}`),
    ],
    ["Are all invoices paid?", "Yes, all of them are paid.", "INV-100 · Paid · €300.00"],
    ["Which invoice is the oldest?", "INV-100 is the oldest.", "INV-100 · Paid · €300.00"],
  ])("%s (rows that are drawn while one scrolls)", async (...said) => {
    const outcome = await ask("/virtual", ...said);
    expect(outcome, JSON.stringify(outcome)).toMatchObject({ kind: "failed", failure: "unverified" });
  });
});

describe("is verified:", () => {
  test.each([COUNT, ALL, LOWEST, HIGHEST])("%s", async (...said) => {
    const outcome = await ask("/whole", ...said);
    expect(outcome, JSON.stringify(outcome)).toMatchObject({ kind: "verified" });
  });

  test.each(["/total", "/of"])("a number that the page states itself: %s", async (path) => {
    const quote = path === "/total" ? "12 invoices" : "Showing 1–4 of 12";
    const outcome = await ask(path, "How many invoices are there?", "There are 12 invoices.", quote);
    expect(outcome, JSON.stringify(outcome)).toMatchObject({ kind: "verified" });
  });

  test("the first of a list that is sorted by it", async () => {
    const outcome = await ask("/sorted", ...LOWEST);
    expect(outcome, JSON.stringify(outcome)).toMatchObject({ kind: "verified" });
  });

  test("a value of one row", async () => {
    const outcome = await ask("/next", "What is the amount of INV-33?", "It is €64.00.", "INV-33 €64.00 Paid");
    expect(outcome, JSON.stringify(outcome)).toMatchObject({ kind: "verified" });
  });
});
