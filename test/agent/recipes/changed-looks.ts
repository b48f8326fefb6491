import type { SiteChange } from "../../_harness/changed-site.ts";
import { FAILED, HEALED, REPLAYED, replace, type ShopChange } from "./shop-change.ts";

const FIELD = /<div class="field[^"]*">(?:(?!<\/div>)[\s\S])*<\/div>/g;

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

export const RENAMED: readonly ShopChange[] = [
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

export const MOVED: readonly ShopChange[] = [
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
