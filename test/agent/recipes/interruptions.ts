import { atEnd, FAILED, HEALED, page, REPLAYED, replace, type ShopChange } from "./shop-change.ts";

const BAR = "position:fixed;left:0;right:0;bottom:0;background:#fff;padding:2rem;z-index:9";
const WHOLE = "position:fixed;inset:0;background:#fff;padding:4rem;z-index:9";
const CLOSING = "onclick=\"this.closest('[data-new]').remove()\"";

export const IN_FRONT: readonly ShopChange[] = [
  {
    name: "a cookie banner",
    change: atEnd(
      `<div data-new role="region" aria-label="Cookies" style="${BAR}">We use cookies. <button ${CLOSING}>Accept all</button> <button ${CLOSING}>Reject</button></div>`,
    ),
    ends: REPLAYED,
  },
  {
    name: "a cookie banner over the whole page",
    change: atEnd(
      `<div data-new role="dialog" aria-label="Cookies" style="${WHOLE}">We use cookies. <button ${CLOSING}>Accept all</button> <button ${CLOSING}>Reject</button></div>`,
    ),
    ends: REPLAYED,
  },
  {
    name: "a dialog with an offer",
    change: atEnd(
      `<div data-new role="dialog" aria-modal="true" aria-label="Offer" style="${WHOLE}"><p>Take another kettle for half the price!</p><button>Add it to my cart</button> <button ${CLOSING}>Close</button></div>`,
      /^\/cart$/,
    ),
    ends: HEALED,
  },
  {
    name: "a question before the order",
    change: atEnd(
      `<script>document.querySelector("form.card")?.addEventListener("submit", (event) => { if (!confirm("Send the order now?")) event.preventDefault(); });</script>`,
      /review/,
    ),
    ends: HEALED,
  },
  {
    name: "a question about something else before the order",
    change: atEnd(
      `<script>document.querySelector("form.card")?.addEventListener("submit", (event) => { if (!confirm("Subscribe to our letters for €5 a month?")) event.preventDefault(); });</script>`,
      /review/,
    ),
    ends: FAILED,
  },
  {
    name: "one more step in the checkout",
    change: () => ({
      redirect: (location) => (location === "/checkout/review" ? "/checkout/extras" : location),
      respond: ({ path }) =>
        path === "/checkout/extras"
          ? { status: 200, body: page('<h1>Gift wrap?</h1><p><a href="/checkout/review">Continue without</a></p>') }
          : null,
    }),
    ends: HEALED,
  },
  {
    name: "terms that must be agreed to",
    change: () => ({
      html: (html, { path }) =>
        path === "/checkout/review"
          ? html
              .replace(" novalidate", "")
              .replace(
                /<button class="button" type="submit">Place/,
                '<label><input type="checkbox" required> I agree to the terms</label>$&',
              )
          : html,
    }),
    ends: FAILED,
  },
  {
    name: "the order button works late",
    change: replace(
      /<button class="button" type="submit">Place order/,
      '<script>setTimeout(() => { document.querySelector("[data-late]").disabled = false; }, 1500)</script><button data-late disabled class="button" type="submit">Place order',
    ),
    ends: null,
  },
  {
    name: "a second button of the same name",
    change: replace(
      /<form class="add-form"[\s\S]*?<\/form>/,
      '$&<form method="post" action="/cart/add"><input type="hidden" name="sku" value="KIT-102"><p>Goes well with it: Ossery Mug</p><button>Add to cart</button></form>',
    ),
    ends: HEALED,
  },
  {
    name: "two products of the same name",
    change: replace(
      /<li class="card product-card">[\s\S]*?<\/li>/,
      '$&<li class="card product-card"><h3><a href="/products/corvin-skillet">Brindle Kettle</a></h3></li>',
      /^\/products$/,
    ),
    ends: REPLAYED,
  },
];
