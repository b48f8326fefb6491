import type { InteractionRequest } from "../../../../src/agent/gate/people.ts";
import { accept, cartTable, claim, click, form, giveUp, hidden, ok, page, type Situation, view } from "../site.ts";

const PAGE = cartTable([{ name: "Mug", quantity: 1, price: 16.9 }]);
const shop = () => ({
  "GET /": view(
    "Mug",
    `${PAGE}${form("/cart", hidden("id", "3"), "Add to cart")}${form("/orders", hidden("id", "3"), "Place order")}`,
  ),
  "POST /cart": view("Mug", `<p>In the cart: Mug</p>${PAGE}${form("/orders", hidden("id", "3"), "Place order")}`),
  "POST /orders": () => page("Thank you", "<p>Order 4711 was placed.</p>"),
});
/** The same with a page of its own for the cart, for steps that name the mug by opening its page. */
const shopWithCart = () => ({
  ...shop(),
  "GET /": view("Mug", `<p>€16.90</p>${form("/cart", hidden("id", "3"), "Add to cart")}`),
});
const place = click('button "Place order"', "Order 1 mug for €16.90");
const placed = claim("Order 4711 was placed.");
const STEPS = 'Click Add to cart. Click Place order. Check that the page says "Order 4711".';

/** A page whose price or address changes while somebody thinks about it. They approve what they know, and nothing else. */
function changing(before: string, after: string) {
  let isAsked = false;
  const { promise: hasChanged, resolve } = Promise.withResolvers<void>();
  const script = `const timer = setInterval(async () => {
      if (await (await fetch("/asked")).text() === "no") return;
      clearInterval(timer);
      document.body.innerHTML = document.body.innerHTML.replaceAll("${before}", "${after}");
      on("#order", order);
      await fetch("/seen");
    }, 400);
    const order = () => { send("/orders", { id: 3 }); show("Order 4711 was placed."); };
    on("#order", order);`;
  const routes = () => ({
    "GET /": view(
      "Mug",
      `<p>1 × Mug €16.90</p><p>Total: €16.90</p><h2>Delivery address</h2><p>Jo Example</p><p>12 Mill Lane</p>
        <button id="order">Place order</button>`,
      script,
    ),
    "GET /asked": () => ok(isAsked ? "yes" : "no"),
    "GET /seen": () => {
      resolve();
      return ok();
    },
    "POST /orders": accept,
  });
  const answer = async ({ message }: InteractionRequest) => {
    isAsked = true;
    await hasChanged;
    return { kind: message.includes(before) ? ("approved" as const) : ("declined" as const) };
  };
  return { routes, answer };
}

/** Somebody wants to be asked before anything is bought, sent or deleted. */
export const APPROVALS: readonly Situation[] = [
  {
    name: "approved, with a model",
    prompt: "Order the mug.",
    routes: shop,
    answer: () => ({ kind: "approved" }),
    lines: [place, placed],
    sent: ["POST /orders"],
    end: "verified",
  },
  {
    name: "approved, with steps, in words of the page",
    prompt: STEPS,
    routes: shopWithCart,
    answer: ({ message }: InteractionRequest) => ({
      kind: message === "Order 1 × Mug, €16.90" ? "approved" : "declined",
    }),
    sent: ["POST /cart", "POST /orders"],
    end: "verified",
  },
  {
    name: "declined, with a model",
    prompt: "Order the mug.",
    routes: shop,
    answer: () => ({ kind: "declined" }),
    lines: [place, placed],
    sent: [],
    end: "approval_declined",
  },
  {
    name: "declined, with steps",
    prompt: STEPS,
    routes: shopWithCart,
    answer: () => ({ kind: "declined" }),
    sent: ["POST /cart"],
    end: "approval_declined",
  },
  {
    name: "expired",
    prompt: "Order the mug.",
    routes: shop,
    answer: () => ({ kind: "expired" }),
    lines: [place, placed],
    sent: [],
    end: "approval_expired",
  },
  {
    name: "approved only with the amount and the item of the page",
    prompt: "Order the mug.",
    routes: shop,
    answer: ({ message, amount, items }: InteractionRequest) =>
      message === "Order 1 mug for €16.90" &&
      amount?.value === 16.9 &&
      amount.currency === "EUR" &&
      items.join() === "1 × Mug"
        ? { kind: "approved" }
        : { kind: "declined" },
    lines: [place, placed],
    sent: ["POST /orders"],
    end: "verified",
  },
  {
    name: "nobody is asked about filling the cart",
    prompt: "Order the mug.",
    routes: shop,
    answer: ({ message }: InteractionRequest) =>
      message.includes("Order") ? { kind: "approved" } : { kind: "declined" },
    lines: [click('button "Add to cart"', "Add 1 mug to the cart"), place, placed],
    sent: ["POST /cart", "POST /orders"],
    end: "verified",
  },
  {
    name: "approved before the page became dearer",
    prompt: "Order the mug.",
    ...changing("€16.90", "€99.00"),
    lines: [place, giveUp],
    sent: [],
    end: "failed",
  },
  {
    name: "approved before the page became dearer, with steps, and asked again",
    prompt: 'Check that the page says "Mug". Click Place order.',
    ...changing("€16.90", "€99.00"),
    sent: [],
    end: "approval_declined",
  },
  {
    name: "approved before the page changed the address, and asked again",
    prompt: 'Check that the page says "Mug". Click Place order.',
    ...changing("12 Mill Lane", "9 Other Street"),
    sent: [],
    end: "approval_declined",
  },
  {
    name: "declared as filling the cart, and orders",
    prompt: "Order the mug.",
    routes: () => ({
      "GET /": view(
        "Mug",
        `${PAGE}<button id="add">Add to cart</button>`,
        'on("#add", () => { send("/orders", { id: 3 }); show("Order 4711 was placed."); });',
      ),
      "POST /orders": accept,
    }),
    answer: () => ({ kind: "declined" }),
    lines: [click('button "Add to cart"', "Add 1 mug to the cart"), giveUp],
    sent: [],
    end: "failed",
  },
  {
    name: "a purchase that was not declared is not even asked about",
    prompt: "Order the mug.",
    routes: shop,
    answer: () => ({ kind: "approved" }),
    lines: [click('button "Place order"', null), giveUp],
    sent: [],
    end: "failed",
  },
];
