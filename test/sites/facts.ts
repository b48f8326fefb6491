import { type Html, html } from "../../src/lib/html.ts";
import { layOut, layOutIndex } from "./page.ts";
import { type Site, showPage } from "./site.ts";

/** Pages to read from. They are written by hand: facts-expected.ts has the same content as data. */
export function createFactsSite(): Site<null> {
  return {
    state: null,
    routes: {
      "GET /": () =>
        showPage(
          layOutIndex("Larkfield Paper Mill", {
            "/company": "The company",
            "/order": "Your order",
            "/products": "Products",
            "/timetable": "How to get here",
          }),
        ),
      "GET /company": () => showPage(COMPANY_PAGE),
      "GET /order": () => showPage(ORDER_PAGE),
      "GET /products": () => showPage(PRODUCTS_PAGE),
      "GET /timetable": () => showPage(TIMETABLE_PAGE),
    },
  };
}

const COMPANY_PAGE = layOut(
  "The company",
  html`<h1>Larkfield Paper Mill</h1>
  <p>The mill has made paper by the river since it was founded.</p>
  <dl>
    <dt>Founded</dt><dd>1884</dd>
    <dt>Employees</dt><dd>1,250</dd>
    <dt>Website</dt><dd><a href="https://larkfield.example/">larkfield.example</a></dd>
    <dt>Open on Sundays</dt><dd>No</dd>
  </dl>
  <p><strong>Phone:</strong> +44 1632 960118</p>
  <p><b>Address:</b> Mill Lane 7, Larkfield</p>`,
);

const ORDER_PAGE = layOut(
  "Order LM-2026-00417",
  html`<h1>Order LM-2026-00417</h1>
  <p>Status: <strong>Shipped</strong></p>
  <dl>
    <dt>Ordered on</dt><dd>3 February 2026</dd>
    <dt>Shipped on</dt><dd><time datetime="2026-02-05">5 Feb 2026, 16:20</time></dd>
    <dt>Expected delivery</dt><dd>2026-02-09</dd>
  </dl>
  <table>
    <caption>Items</caption>
    <thead><tr><th>Article</th><th>Quantity</th><th>Unit price</th><th>Total</th></tr></thead>
    <tbody>
      <tr><td>Letter paper A4, 500 sheets</td><td>4</td><td>€12.90</td><td>€51.60</td></tr>
      <tr><td>Envelopes C5</td><td>250</td><td>€0.08</td><td>€20.00</td></tr>
      <tr><td>Bookbinding linen, per metre</td><td>3</td><td>€389.50</td><td>€1,168.50</td></tr>
    </tbody>
    <tfoot>
      <tr><th scope="row" colspan="3">Subtotal</th><td>€1,240.10</td></tr>
      <tr><th scope="row" colspan="3">Discount</th><td>−€62.01</td></tr>
      <tr><th scope="row" colspan="3">Shipping</th><td>free</td></tr>
      <tr><th scope="row" colspan="3">VAT (19 %)</th><td>223.84 EUR</td></tr>
      <tr><th scope="row" colspan="3">Total</th><td><strong>€1,401.93</strong></td></tr>
    </tfoot>
  </table>
  <p class="hint">In words on your invoice: 1.401,93 € (EUR).</p>`,
);

const PRODUCTS_PAGE = layOut(
  "Products",
  html`<h1>Products</h1><ul class="products">
    ${card("sketch-book", "Sketch book", "€14.50", "4.6 out of 5", "128 reviews", "In stock")}
    ${card("blotting-paper", "Blotting paper", "€3.20", "4.1 out of 5", "17 reviews", "In stock")}
    ${card("wax-seal-kit", "Wax seal kit", "€24", "3.8 out of 5", "9 reviews", "Sold out")}
    ${card("drawing-pad", "Drawing pad", "€1,099.00", "5.0 out of 5", "1 review", "In stock")}
  </ul>`,
  html`<style>.products { display: grid; grid-template-columns: 1fr 1fr; gap: 1rem; list-style: none; padding: 0; }</style>`,
);

function card(slug: string, name: string, price: string, rating: string, reviews: string, stock: string): Html {
  return html`<li class="card"><h2><a href="/products/${slug}">${name}</a></h2>
    <p class="price">${price}</p><p>Rating: ${rating} (${reviews})</p><p>${stock}</p></li>`;
}

const TIMETABLE_PAGE = layOut(
  "How to get here",
  html`<h1>How to get here</h1>
  <table><caption>Departures</caption>
    <thead><tr><th>Line</th><th>Destination</th><th>Departs</th><th>Platform</th></tr></thead>
    <tbody>
      <tr><td>12</td><td>Harbour</td><td>07:42</td><td>3</td></tr>
      <tr><td>7A</td><td>Old Town</td><td>07:55</td><td>1</td></tr>
      <tr><td>12</td><td>Airport</td><td>08:12</td><td>3</td></tr>
    </tbody></table>
  <table><caption>Arrivals</caption>
    <thead><tr><th>Line</th><th>From</th><th>Arrives</th><th>Delay</th></tr></thead>
    <tbody>
      <tr><td>7A</td><td>Old Town</td><td>07:39</td><td>on time</td></tr>
      <tr><td>30</td><td>Larkfield</td><td>07:51</td><td>12 min</td></tr>
    </tbody></table>`,
);
