import type { DemoShop } from "../../../demo/shop.ts";
import type { PassingRequest, SiteChange } from "../../_harness/changed-site.ts";
import { SHOPPER } from "../../_harness/demo-shop.ts";

/** How the shop differs from the one that the recipe was learned on. */
export interface ShopChange {
  readonly name: string;
  /** The product that is asked for now. */
  readonly product?: string;
  readonly change?: (shop: DemoShop) => SiteChange;
  /** What is different about the user's account, or about the server. */
  readonly prepare?: (shop: DemoShop) => void;
  /** What must come of it, without a model and with one. Null: that depends on how busy the machine is, but it is honest. */
  readonly ends: readonly [without: End, withModel: End] | null;
}

/** replayed and healed: verified, and the shop has just the order that was asked for. failed: honestly. */
export type End = "replayed" | "healed" | "failed";

const REPLAYED = ["replayed", "replayed"] as const;
const HEALED = ["failed", "healed"] as const;
const FAILED = ["failed", "failed"] as const;

/** Replaces a text on all pages, or on those whose path matches. */
function replace(from: string | RegExp, to: string, path = /./): () => SiteChange {
  const pattern = typeof from === "string" ? from : new RegExp(from.source, `${from.flags}g`);
  return () => ({ html: (html, request) => (path.test(request.path) ? html.replaceAll(pattern, to) : html) });
}

function isPost({ method, path }: PassingRequest, wanted: string): boolean {
  return method === "POST" && path === wanted;
}

/** The shop is given another value than the browser has sent. */
function rewriting(path: string, name: string, rewrite: (value: string) => string): () => SiteChange {
  return () => ({
    send(request) {
      if (!isPost(request, path)) return {};
      const form = new URLSearchParams(request.body);
      form.set(name, rewrite(form.get(name) ?? ""));
      return { body: form.toString() };
    },
  });
}

function responding(path: string, status: number, body: string, location?: string): () => SiteChange {
  return () => ({
    respond: (request) =>
      isPost(request, path) ? { status, body, ...(location === undefined ? {} : { location }) } : null,
  });
}

const page = (body: string) => `<!doctype html><html lang="en"><title>Shop</title><main>${body}</main></html>`;
const atEnd = (html: string, path = /./) => replace("</body>", `${html}</body>`, path);
const FIELD = /<div class="field[^"]*">(?:(?!<\/div>)[\s\S])*<\/div>/g;
const BAR = "position:fixed;left:0;right:0;bottom:0;background:#fff;padding:2rem;z-index:9";
const WHOLE = "position:fixed;inset:0;background:#fff;padding:4rem;z-index:9";
const CLOSING = "onclick=\"this.closest('[data-new]').remove()\"";

const GERMAN: readonly (readonly [string, string])[] = [
  ["Add to cart", "In den Warenkorb"],
  ["Go to checkout", "Zur Kasse"],
  ["Continue to delivery", "Weiter zur Lieferung"],
  ["Continue to payment", "Weiter zur Zahlung"],
  ["Continue to review", "Weiter zur Prüfung"],
  ["Place order", "Bestellung aufgeben"],
  [">Quantity<", ">Menge<"],
  ["Another address", "Andere Adresse"],
  ["Full name", "Vor- und Nachname"],
  ["Street and number", "Straße und Hausnummer"],
  [">Postcode<", ">Postleitzahl<"],
  ["Town or city", "Ort"],
  [">Country<", ">Land<"],
  ["On invoice", "Auf Rechnung"],
  ["Thank you", "Vielen Dank"],
  ["Your order number is", "Ihre Bestellnummer lautet"],
];

const RENAMED: readonly ShopChange[] = [
  { name: "nothing", ends: REPLAYED },
  { name: "the add button is renamed", change: replace("Add to cart", "Add to basket"), ends: HEALED },
  { name: "the order button is renamed", change: replace("Place order", "Order now"), ends: HEALED },
  { name: "all buttons of the checkout are called Next", change: replace(/Continue to \w+/, "Next"), ends: HEALED },
  { name: "the search field is renamed", change: replace("Search all products", "Find something"), ends: HEALED },
  { name: "the quantity is called How many", change: replace(">Quantity<", ">How many<"), ends: REPLAYED },
  { name: "the name is called Recipient", change: replace("Full name", "Recipient"), ends: HEALED },
  { name: "the street has a star", change: replace("Street and number", "Street and number *"), ends: REPLAYED },
  { name: "other headings", change: replace(/<h1>(?!Brindle|Thank)[^<]*<\/h1>/, "<h1>Step</h1>"), ends: REPLAYED },
  { name: "another heading after the order", change: replace(/Thank you, [^<]*/, "Order complete"), ends: HEALED },
  {
    name: "the order number has another label",
    change: replace("Your order number is", "Reference of this order:"),
    ends: HEALED,
  },
  {
    name: "all labels are in German",
    change: () => ({ html: (html) => GERMAN.reduce((text, [from, to]) => text.replaceAll(from, to), html) }),
    ends: FAILED,
  },
  {
    name: "a link became a button",
    change: replace(
      /<a class="button full" href="\/checkout">Go to checkout<\/a>/,
      '<button class="button full" onclick="location.href=\'/checkout\'">Go to checkout</button>',
    ),
    ends: REPLAYED,
  },
  {
    name: "a button became a link",
    change: replace(
      /<button class="button" type="submit">Continue to payment<\/button>/,
      '<a href="#" onclick="this.closest(\'form\').submit(); return false">Continue to payment</a>',
    ),
    ends: REPLAYED,
  },
];

const MOVED: readonly ShopChange[] = [
  {
    name: "the fields of the address are in reverse",
    change: () => ({
      html: (html, { path }) => {
        const fields = path === "/checkout/address" ? (html.match(FIELD) ?? []) : [];
        return fields
          .reduce((text, field, at) => text.replace(field, `@${at}@`), html)
          .replace(/@(\d+)@/g, (_, at) => fields.at(-1 - Number(at)) ?? "");
      },
    }),
    ends: REPLAYED,
  },
  {
    name: "the list of products is in reverse",
    change: reverse(/<li class="card product-card">[\s\S]*?<\/li>/g),
    ends: REPLAYED,
  },
  {
    name: "the countries are in reverse",
    change: reverse(/<option value="[^"]*"[^>]*>[^<]*<\/option>/g),
    ends: REPLAYED,
  },
  {
    name: "the ways to pay are in reverse",
    change: reverse(/<div class="choice choice-card">[\s\S]*?<\/div>/g),
    ends: REPLAYED,
  },
  { name: "another way to pay is chosen before", change: chooseBefore("payment", "card"), ends: REPLAYED },
  { name: "another way to deliver is chosen before", change: chooseBefore("method", "collect"), ends: REPLAYED },
  { name: "the quantity is a text field", change: toTextField("quantity", "1"), ends: HEALED },
  { name: "the country is a text field", change: toTextField("country", ""), ends: HEALED },
  { name: "pages have other URLs", change: moveTo("/products/", "/p/"), ends: REPLAYED },
  { name: "forms have other URLs", change: moveTo("/cart/add", "/basket/put"), ends: HEALED },
];

function reverse(pattern: RegExp): () => SiteChange {
  return () => ({
    html: (html) => {
      const parts = html.match(pattern) ?? [];
      let at = 0;
      return html.replace(pattern, () => parts.at(-1 - at++) ?? "");
    },
  });
}

function chooseBefore(name: string, value: string): () => SiteChange {
  return () => ({
    html: (html) =>
      html
        .replaceAll(new RegExp(`(name="${name}" type="radio" value="[^"]*" )checked`, "g"), "$1")
        .replaceAll(`name="${name}" type="radio" value="${value}"`, (found) => `${found} checked`),
  });
}

function toTextField(name: string, value: string): () => SiteChange {
  const list = new RegExp(`<select id="${name}"[\\s\\S]*?</select>`);
  return replace(list, `<input id="${name}" name="${name}" value="${value}">`);
}

function moveTo(from: string, to: string): () => SiteChange {
  return () => ({
    html: (html) => html.replaceAll(`"${from}`, `"${to}`),
    send: ({ url }) => (url.startsWith(to) ? { url: url.replace(to, from) } : {}),
  });
}

const IN_FRONT: readonly ShopChange[] = [
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

const STATE: readonly ShopChange[] = [
  { name: "the product is sold out", product: "Tansy Teapot", ends: FAILED },
  { name: "there is no such product", product: "Amber Samovar", ends: FAILED },
  { name: "another currency", change: replace(/€/, "$$"), ends: REPLAYED },
  { name: "another price", change: replace("€64.90", "€94.90"), ends: REPLAYED },
  { name: "the session is lost", prepare: (shop) => shop.dropSessions(), ends: FAILED },
  {
    name: "the session is lost on the way",
    change: (shop) => ({
      send: (request) => {
        if (isPost(request, "/checkout/delivery")) shop.dropSessions();
        return {};
      },
    }),
    ends: FAILED,
  },
  {
    name: "something else is in the cart",
    prepare: (shop) => void shop.account(SHOPPER)?.cart.quantities.set("KIT-104", 1),
    ends: FAILED,
  },
  {
    name: "some of it is in the cart",
    prepare: (shop) => void shop.account(SHOPPER)?.cart.quantities.set("KIT-101", 3),
    ends: HEALED,
  },
  { name: "nothing gets into the cart", change: responding("/cart/add", 303, "", "/cart"), ends: FAILED },
  {
    name: "the user has no address yet",
    prepare: (shop) => void shop.account(SHOPPER)?.addresses.splice(0),
    ends: HEALED,
  },
  {
    name: "the checkout was begun with another address",
    prepare: (shop) => {
      const account = shop.account(SHOPPER);
      if (account !== null) account.checkout.address = account.addresses[0] ?? null;
    },
    ends: FAILED,
  },
  { name: "slow pages", prepare: (shop) => shop.setLatency(900), ends: REPLAYED },
];

const REFUSED: readonly ShopChange[] = [
  {
    name: "the address is refused with 422",
    change: rewriting("/checkout/address", "postcode", () => ""),
    ends: FAILED,
  },
  {
    name: "the address is refused with 200",
    change: () => ({
      ...rewriting("/checkout/address", "postcode", () => "")(),
      status: (status) => (status === 422 ? 200 : status),
    }),
    ends: FAILED,
  },
  {
    name: "the address form comes back without a word",
    change: () => ({
      ...rewriting("/checkout/address", "postcode", () => "")(),
      status: (status) => (status === 422 ? 200 : status),
      html: (html) =>
        html.replace(/<div class="problems"[\s\S]*?<\/div>/, "").replaceAll(/<p class="problem"[\s\S]*?<\/p>/g, ""),
    }),
    ends: FAILED,
  },
  {
    name: "the order is refused with 200",
    change: responding("/checkout/review", 200, page("<h1>Sorry</h1><p>Your order was not placed.</p>")),
    ends: FAILED,
  },
  { name: "the order leads back to the cart", change: responding("/checkout/review", 303, "", "/cart"), ends: FAILED },
  { name: "500 for the cart", prepare: (shop) => shop.failNext({ path: "/cart/add", method: "POST" }), ends: FAILED },
  {
    name: "500 for the order",
    prepare: (shop) => shop.failNext({ path: "/checkout/review", method: "POST" }),
    ends: FAILED,
  },
  {
    name: "500 for the order, and a page that thanks",
    prepare: (shop) => shop.failNext({ path: "/checkout/review", method: "POST", claimsSuccess: true }),
    ends: FAILED,
  },
  {
    name: "a page that thanks without an order",
    change: responding(
      "/checkout/review",
      200,
      page("<h1>Thank you, Demo Shopper</h1><p>We have your order. Your order number is <strong>T-9999</strong>.</p>"),
    ),
    ends: FAILED,
  },
  {
    name: "no order number on the last page",
    change: replace(/<strong class="order-number">[^<]*<\/strong>/, "on its way"),
    ends: FAILED,
  },
  { name: "the shop takes only one at a time", change: rewriting("/cart/add", "quantity", () => "1"), ends: HEALED },
  {
    name: "the shop cuts off the street",
    change: rewriting("/checkout/address", "street", (street) => street.slice(0, 8)),
    ends: FAILED,
  },
  {
    name: "the shop writes the name in capitals",
    change: rewriting("/checkout/address", "name", (name) => name.toUpperCase()),
    ends: REPLAYED,
  },
];

const sendTwice = (selector: string) =>
  `<script>document.querySelector("${selector}")?.addEventListener("submit", (event) => { void fetch(event.target.action, { method: "POST", body: new URLSearchParams(new FormData(event.target)), redirect: "manual", keepalive: true }); });</script>`;

const TWICE: readonly ShopChange[] = [
  {
    name: "the page puts it into the cart twice",
    change: atEnd(sendTwice(".add-form"), /^\/products\//),
    ends: HEALED,
  },
  { name: "the page sends the order twice", change: atEnd(sendTwice("form.card"), /review/), ends: FAILED },
  {
    name: "every page reports itself",
    change: () => ({
      ...atEnd('<script>void fetch("/metrics", { method: "POST", body: "seen=1" })</script>')(),
      respond: ({ path }) => (path === "/metrics" ? { status: 204 } : null),
    }),
    ends: REPLAYED,
  },
];

export const SHOP_CHANGES: readonly ShopChange[] = [...RENAMED, ...MOVED, ...IN_FRONT, ...STATE, ...REFUSED, ...TWICE];
