import { Html, html } from "../../src/lib/html.ts";
import { layOut } from "./page.ts";
import { type Site, sendJson, showPage } from "./site.ts";

const TOWNS = ["Ashford", "Brindle", "Corley", "Dunmere", "Elmhurst", "Farley", "Grafton"];
const STATES = ["paid", "open", "overdue"];

export interface Invoice {
  readonly number: string;
  readonly town: string;
  readonly amount: string;
  readonly state: string;
}

export const INVOICES: readonly Invoice[] = Array.from({ length: 5000 }, (_, index) => ({
  number: `INV-${String(index + 1).padStart(5, "0")}`,
  town: `${TOWNS[index % 7]}`,
  amount: ((((index * 7919) % 90_000) + 1000) / 100).toFixed(2),
  state: `${STATES[index % 3]}`,
}));

/** A grid of 5,000 rows of which only about 30 are ever in the document. */
export function createVirtualSite(): Site<null> {
  return {
    state: null,
    routes: {
      "GET /": () => showPage(GRID_PAGE),
      "GET /api/invoices": () => sendJson(INVOICES),
      "GET /invoices/*": ({ path }) => showInvoice(path.slice("/invoices/".length)),
    },
  };
}

function showInvoice(number: string) {
  const invoice = INVOICES.find((candidate) => candidate.number === number);
  if (invoice === undefined) return showPage(layOut("No such invoice", html`<h1>No such invoice</h1>`), 404);
  const { town, amount, state } = invoice;
  return showPage(
    layOut(
      `Invoice ${number}`,
      html`<h1>Invoice ${number}</h1>
      <dl><dt>Town</dt><dd>${town}</dd><dt>Amount</dt><dd>€${amount}</dd><dt>State</dt><dd>${state}</dd></dl>
      <p><a href="/">All invoices</a></p>`,
    ),
  );
}

const GRID_SCRIPT = new Html(`
  const ROW_HEIGHT = 32, KEPT = 30;
  const viewport = document.getElementById("viewport");
  const rows = document.getElementById("rows");
  function cell(row, column, content) {
    const element = document.createElement("div");
    element.setAttribute("role", "gridcell");
    element.setAttribute("aria-colindex", column);
    element.append(content);
    row.append(element);
  }
  function makeRow(invoice, index) {
    const row = document.createElement("div");
    row.setAttribute("role", "row");
    row.setAttribute("aria-rowindex", index + 2);
    row.style.top = index * ROW_HEIGHT + "px";
    const link = document.createElement("a");
    link.href = "/invoices/" + invoice.number;
    link.textContent = invoice.number;
    [link, invoice.town, invoice.amount, invoice.state].forEach((content, position) => cell(row, position + 1, content));
    return row;
  }
  function render(invoices) {
    const first = Math.max(0, Math.min(Math.floor(viewport.scrollTop / ROW_HEIGHT) - 8, invoices.length - KEPT));
    rows.replaceChildren(...invoices.slice(first, first + KEPT).map((invoice, offset) => makeRow(invoice, first + offset)));
  }
  fetch("/api/invoices").then((response) => response.json()).then((invoices) => {
    rows.style.height = invoices.length * ROW_HEIGHT + "px";
    viewport.addEventListener("scroll", () => render(invoices));
    render(invoices);
  });
`);

const GRID_PAGE = layOut(
  "Invoices",
  html`<h1 id="title">Invoices</h1>
  <div role="grid" aria-labelledby="title" aria-rowcount="${INVOICES.length + 1}" aria-colcount="4">
    <div role="row" aria-rowindex="1" class="head">
      ${["Number", "Town", "Amount", "State"].map((name) => html`<div role="columnheader">${name}</div>`)}
    </div>
    <div id="viewport" role="rowgroup" tabindex="0"><div id="rows" role="presentation"></div></div>
  </div>
  <script>${GRID_SCRIPT}</script>`,
  html`<style>
    #viewport { height: 420px; overflow-y: auto; position: relative; border: 1px solid #bcccdc; }
    #rows { position: relative; } #rows [role=row] { position: absolute; left: 0; right: 0; height: 32px; }
    [role=row] { display: grid; grid-template-columns: repeat(4, 1fr); } .head { font-weight: 600; }
  </style>`,
);
