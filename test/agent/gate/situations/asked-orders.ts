import { redirectTo } from "../../../sites/site.ts";
import { accept, cartTable, claim, click, form, hidden, page, type Situation, view } from "../site.ts";

const shop =
  (words: { add: string; order: string; item: string; total: string; done: string }, more = "") =>
  () => ({
    "GET /": view(words.item, `<p>€16.90</p>${form("/cart", hidden("id", "3"), words.add)}`),
    "POST /cart": () => redirectTo("/cart"),
    "GET /cart": view(
      "Cart",
      `<ul><li>1 × ${words.item} €16.90</li></ul><p>${words.total}: €16.90</p>${more}${form("/orders", "", words.order)}`,
    ),
    "POST /orders": () => page("OK", `<p>${words.done}</p>`),
  });
const ENGLISH = {
  add: "Add to cart",
  order: "Place order",
  item: "Tarn Mug",
  total: "Total",
  done: "Order T-10076 was placed.",
};
const GERMAN = {
  add: "In den Warenkorb",
  order: "Jetzt kaufen",
  item: "Tarn-Becher",
  total: "Gesamtsumme",
  done: "Bestellung T-10076 ist eingegangen.",
};
const JAPANESE = {
  add: "カートに入れる",
  order: "注文を確定する",
  item: "マグカップ",
  total: "合計",
  done: "ご注文 T-10076 を承りました。",
};

const buy = ({ add, order, done }: typeof ENGLISH, adds: string, orders: string) => [
  click(`button "${add}"`, adds),
  click(`button "${order}"`, orders),
  claim(done),
];

/** Orders that were asked for, in several languages. */
export const ASKED_ORDERS: readonly Situation[] = [
  {
    name: "an order with a model",
    prompt: "Order one Tarn Mug.",
    routes: shop(ENGLISH),
    lines: buy(ENGLISH, "Add 1 Tarn Mug to the cart", "Order 1 Tarn Mug for €16.90"),
    sent: ["POST /cart", "POST /orders"],
    end: "verified",
  },
  {
    name: "an order in German",
    prompt: "Bestelle einen Tarn-Becher.",
    routes: shop(GERMAN),
    lines: buy(GERMAN, "1 Tarn-Becher in den Warenkorb legen", "1 Tarn-Becher für 16,90 € bestellen"),
    sent: ["POST /cart", "POST /orders"],
    end: "verified",
  },
  {
    name: "an order in Japanese",
    prompt: "マグカップを1個注文してください。",
    routes: shop(JAPANESE),
    lines: buy(JAPANESE, "マグカップを1個カートに入れる", "マグカップを1個、16.90ユーロで注文する"),
    sent: ["POST /cart", "POST /orders"],
    end: "verified",
  },
  {
    name: "an order in Japanese on an English site",
    prompt: "マグカップを1個注文してください。",
    routes: shop(ENGLISH),
    lines: buy(ENGLISH, "Add 1 Tarn Mug to the cart", "Order 1 Tarn Mug for €16.90"),
    sent: ["POST /cart", "POST /orders"],
    end: "verified",
  },
  {
    name: "an order of the cheapest product, which the task does not name",
    prompt: "Order the cheapest product.",
    routes: () => ({
      ...shop(ENGLISH)(),
      "GET /products": view(
        "Products",
        '<ul><li><a href="/">Tarn Mug</a> €16.90</li><li><a href="/kettle">Brindle Kettle</a> €64.90</li></ul>',
      ),
    }),
    start: "/products",
    lines: [
      click('link "Tarn Mug"', null),
      ...buy(ENGLISH, "Add 1 Tarn Mug to the cart", "Order 1 Tarn Mug for €16.90"),
    ],
    sent: ["POST /cart", "POST /orders"],
    end: "verified",
  },
  {
    name: "an order with a line for delivery",
    prompt: 'Click Add to cart. Click Place order. Check that the page says "Order T-10076".',
    routes: () => ({
      ...shop(ENGLISH)(),
      "GET /cart": view(
        "Cart",
        `${cartTable([
          { name: "Tarn Mug", quantity: 1, price: 16.9 },
          { name: "Standard delivery", quantity: 1, price: 4.9 },
        ])}${form("/orders", "", "Place order")}`,
      ),
    }),
    sent: ["POST /cart", "POST /orders"],
    end: "verified",
  },
  {
    name: "an order beside what is saved for later",
    prompt: "Order one Tarn Mug.",
    routes: shop(
      ENGLISH,
      '<section aria-label="Saved for later"><h2>Saved for later</h2><ul><li>Brindle Kettle €64.90 <button type="button">Remove</button></li></ul></section>',
    ),
    lines: buy(ENGLISH, "Add 1 Tarn Mug to the cart", "Order 1 Tarn Mug for €16.90"),
    sent: ["POST /cart", "POST /orders"],
    end: "verified",
  },
  {
    name: "two in German, by a button for one more",
    prompt: "Bestelle zwei Tarn-Becher.",
    routes: () => ({
      "GET /": view(
        "Warenkorb",
        '<ul><li><span id="n">1</span> × Tarn-Becher €16.90 <button id="more" type="button">Mehr</button></li></ul><button id="buy">Jetzt kaufen</button>',
        'on("#more", () => { document.querySelector("#n").textContent = "2"; }); on("#buy", async () => { if (await send("/orders", { quantity: 2 })) show("Bestellung T-10076 ist eingegangen."); });',
      ),
      "POST /orders": accept,
    }),
    lines: [
      click('button "Mehr"', null),
      click('button "Jetzt kaufen"', "Zwei Tarn-Becher bestellen"),
      claim("Bestellung T-10076 ist eingegangen."),
    ],
    sent: ["POST /orders"],
    end: "verified",
  },
  {
    name: "adding to the cart",
    prompt: "Add the Tarn Mug to the cart.",
    routes: shop(ENGLISH),
    lines: [click('button "Add to cart"', "Add 1 Tarn Mug to the cart"), claim("1 × Tarn Mug")],
    sent: ["POST /cart"],
    end: "verified",
  },
];
