import { type Answer, redirectTo, type SiteRequest, sendJson } from "../../../sites/site.ts";
import { claim, click, fill } from "../../gate/site.ts";
import type { KeptErrand, Lie, Values } from "./errand.ts";
import {
  cells,
  form,
  input,
  link,
  page,
  type Routes,
  type Store,
  select,
  type Transport,
  table,
  valuesOf,
} from "./site.ts";

const NAMES = ["id", "item", "colour", "quantity"];
const PRICE = 16.9;
const euros = (quantity: string) => `€${(Number(quantity) * PRICE).toFixed(2)}`;

interface Words {
  item: string;
  colour: string;
  quantity: string;
  choose: string;
  colours: readonly string[];
  order: string;
  orders: string;
  done: (values: Values) => string;
}

const ENGLISH: Words = {
  item: "Harbour mug",
  colour: "Colour",
  quantity: "Quantity",
  choose: "Choose a colour",
  colours: ["Green", "Blue", "Red"],
  order: "Order now",
  orders: "My orders",
  done: ({ quantity, item, colour }) => `Order placed: ${quantity} × ${item}, ${colour}`,
};

/** Words that mean nothing: only the order of events says what they are. */
const PSEUDO: Words = {
  item: "Velkin rastol",
  colour: "Plamet",
  quantity: "Drosk",
  choose: "Fenna plamet",
  colours: ["Grunal", "Blivet", "Rosket"],
  order: "Zemmal tor",
  orders: "Ip zemmals",
  done: ({ quantity, item, colour }) => `Zemmal torrat: ${quantity} × ${item}, ${colour}`,
};

const keepOrder: Lie = (store, { item = "", colour = "", quantity = "" }) => {
  store.add({ item, colour, quantity }, "o-");
};

/** What a shop may keep instead of what it confirms. */
const ORDER_LIES: KeptErrand["lies"] = {
  "one more is kept": (store, sent) => keepOrder(store, { ...sent, quantity: String(Number(sent["quantity"]) + 1) }),
  "another colour is kept": (store, sent) => keepOrder(store, { ...sent, colour: "red" }),
  "nothing is kept": () => {},
  "it is kept twice": (store, sent) => {
    keepOrder(store, sent);
    keepOrder(store, sent);
  },
};

function showOrders(words: Words, { records }: Store): Answer {
  const rows = records.map((record) => [...cells(record, NAMES), euros(record["quantity"] ?? "0")]);
  return page(
    words.orders,
    table(["Nr.", words.item, words.colour, words.quantity, "€"], rows) + link("/", words.item),
  );
}

/** One product page with a drop-down list and a quantity, by every kind of transport. */
function orderBy(transport: Exclude<Transport, "optimistic" | "whole state">, words: Words): KeptErrand {
  const fields =
    select(words.colour, "colour", [words.choose, ...words.colours]) + input(words.quantity, "quantity", "1", "number");
  const script =
    transport === "fetch"
      ? `onSubmit(async (sent) => { const kept = await send("POST", "/api/orders", { ...sent, item: "${words.item}" }); say(kept.said); });`
      : "";
  const chosen = ({ colour = "" }: Values) => words.colours.find((each) => each.toLowerCase() === colour) ?? colour;

  function routes(store: Store, keep: (sent: Values) => void): Routes {
    let said = "";
    const take = (request: SiteRequest) => {
      const sent = { item: words.item, ...valuesOf(request) };
      said = words.done(sent);
      keep(sent);
    };
    const confirm = () => page(words.order, `<p>${said}</p>${link("/orders", words.orders)}`);
    return {
      "GET /": () =>
        page(
          words.item,
          `<p>€16.90</p>${form("/orders", fields, words.order)}${link("/orders", words.orders)}`,
          script,
        ),
      "GET /orders": () => showOrders(words, store),
      "GET /done": confirm,
      "POST /orders": (request) => {
        take(request);
        return transport === "redirect" ? redirectTo("/done") : confirm();
      },
      "POST /api/orders": (request) => {
        take(request);
        return sendJson({ id: store.records.at(-1)?.["id"] ?? "o-17", said }, 201);
      },
    };
  }

  return {
    name: `an order by ${transport}${words === ENGLISH ? "" : ", in words that mean nothing"}`,
    learned: { colour: words.colours[1]?.toLowerCase() ?? "", quantity: "3" },
    asked: { colour: words.colours[0]?.toLowerCase() ?? "", quantity: "2" },
    prompt: (values) => `Order ${values["quantity"]} of the ${words.item} in ${chosen(values)}.`,
    steps: (values) => `steps:
  - select: { target: "${words.colour}", value: "${chosen(values)}" }
  - fill: { target: "${words.quantity}", value: "${values["quantity"]}" }
  - click: { role: button, name: "${words.order}" }`,
    lines: (values) => [
      (turn) => turn.select(`combobox "${words.colour}"`, chosen(values)),
      fill(`spinbutton "${words.quantity}"`, values["quantity"] ?? ""),
      click(`button "${words.order}"`, `Order ${values["quantity"]} × ${words.item}, ${chosen(values)}`),
      claim(words.done({ ...values, item: words.item })),
    ],
    routes,
    keep: keepOrder,
    wanted: ({ colour = "", quantity = "" }) => [{ item: words.item, colour, quantity }],
    lies: ORDER_LIES,
  };
}

/** Radio buttons, a cart and a summary that shows what will be ordered. */
const CART: KeptErrand = {
  name: "an order by a cart",
  learned: { size: "large", quantity: "3" },
  asked: { size: "small", quantity: "2" },
  prompt: ({ size, quantity }) => `Order ${quantity} Harbour mugs of size ${size}.`,
  steps: ({ size, quantity }) => `steps:
  - select: { value: "${title(size)}" }
  - fill: { target: Quantity, value: "${quantity}" }
  - click: { role: button, name: Add to cart }
  - click: { role: button, name: Place order }`,
  lines: ({ size, quantity }) => [
    click(`radio "${title(size)}"`),
    fill('spinbutton "Quantity"', quantity ?? ""),
    click('button "Add to cart"', "Add the mugs to the cart"),
    click('button "Place order"', `Order ${quantity} × Harbour mug, ${size}`),
    claim("Thank you"),
  ],
  routes(store, keep) {
    let cart: Values = {};
    const size = (name: string) => `<label><input type="radio" name="size" value="${name}"> ${title(name)}</label>`;
    const fields = `<fieldset><legend>Size</legend>${["small", "medium", "large"].map(size).join("")}</fieldset>`;
    const names = ["id", "item", "size", "quantity"];
    return {
      "GET /": () =>
        page("Harbour mug", form("/cart", fields + input("Quantity", "quantity", "1", "number"), "Add to cart")),
      "POST /cart": (request) => {
        cart = valuesOf(request);
        return redirectTo("/cart");
      },
      "GET /cart": () => {
        const { size: chosen = "", quantity = "" } = cart;
        const line = table(["Item", "Size", "Quantity", "Price"], [["Harbour mug", chosen, quantity, euros(quantity)]]);
        return page("Your cart", `${line}<p>Total: ${euros(quantity)}</p>${form("/orders", "", "Place order")}`);
      },
      "POST /orders": () => {
        keep({ item: "Harbour mug", ...cart });
        cart = {};
        return redirectTo("/thanks");
      },
      "GET /thanks": () => page("Thank you", `<p>Your order was placed.</p>${link("/orders", "My orders")}`),
      "GET /orders": () =>
        page(
          "My orders",
          table(
            ["Order", "Item", "Size", "Quantity"],
            store.records.map((each) => cells(each, names)),
          ),
        ),
    };
  },
  keep: (store, { item = "", size = "", quantity = "" }) => void store.add({ item, size, quantity }, "o-"),
  wanted: ({ size = "", quantity = "" }) => [{ item: "Harbour mug", size, quantity }],
  lies: {
    "one more is kept": (store, { item = "", size = "", quantity }) =>
      void store.add({ item, size, quantity: String(Number(quantity) + 1) }, "o-"),
    "another size is kept": (store, { item = "", quantity = "" }) =>
      void store.add({ item, size: "medium", quantity }, "o-"),
    "nothing is kept": () => {},
  },
};

function title(text = ""): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

export const ORDERS: readonly KeptErrand[] = [
  orderBy("redirect", ENGLISH),
  orderBy("page", ENGLISH),
  orderBy("fetch", ENGLISH),
  orderBy("page", PSEUDO),
  orderBy("fetch", PSEUDO),
  CART,
];
