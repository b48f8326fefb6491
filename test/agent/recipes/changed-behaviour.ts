import { SHOPPER } from "../../_harness/demo-shop.ts";
import {
  atEnd,
  FAILED,
  HEALED,
  isPost,
  page,
  REPLAYED,
  replace,
  responding,
  rewriting,
  type ShopChange,
} from "./shop-change.ts";

export const STATE: readonly ShopChange[] = [
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

export const REFUSED: readonly ShopChange[] = [
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

export const TWICE: readonly ShopChange[] = [
  {
    name: "the page puts it into the cart twice",
    change: atEnd(sendTwice(".add-form"), /^\/products\//),
    ends: HEALED,
  },
  // The second of the two is held back. Usually that is the form's own, and the page stays as it is.
  { name: "the page sends the order twice", change: atEnd(sendTwice("form.card"), /review/), ends: null },
  {
    name: "every page reports itself",
    change: () => ({
      ...atEnd('<script>void fetch("/metrics", { method: "POST", body: "seen=1" })</script>')(),
      respond: ({ path }) => (path === "/metrics" ? { status: 204 } : null),
    }),
    ends: REPLAYED,
  },
];
