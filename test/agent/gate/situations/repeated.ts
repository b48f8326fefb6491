import { call } from "../../../_harness/model-script.ts";
import { redirectTo } from "../../../sites/site.ts";
import { accept, claim, click, form, giveUp, hidden, ok, page, type Situation, view } from "../site.ts";

const ORDER = "Order the mug.";
const place = click('button "Place order"', "Order 1 mug for €16.90");
const placed = claim("Order 4711 was placed.");
const PAGE = '<p>1 × Mug €16.90</p><p>Total: €16.90</p><button id="order">Place order</button>';

/** A page that orders in its own way, and shows what was ordered. */
const order = (script: string) => () => {
  let placed = "";
  return {
    "GET /": () => page("Mug", `${PAGE}${placed}`, `on("#order", async () => { ${script} });`),
    "POST /orders": () => {
      placed = "<p>Order 4711 was placed.</p>";
      return ok();
    },
    "POST /orders/confirm": accept,
  };
};

/** An order form whose token changes with each page. */
function tokens() {
  let token = 0;
  return {
    "GET /": () => {
      token += 1;
      return page(
        "Mug",
        `<p>1 × Mug €16.90</p><p>Total: €16.90</p>${form("/orders", hidden("csrf_token", `t-${token}-af93b1`), "Place order")}`,
      );
    },
    "POST /orders": () => redirectTo("/thanks"),
    "GET /thanks": view("Thank you", '<p>Order 4711 was placed.</p><a href="/">Back to the mug</a>'),
  };
}

const trees = (script: string) => () => {
  let names = ["Larch", "Elm"];
  const remove = () => {
    names = names.filter((name) => name !== "Larch");
    return redirectTo("/");
  };
  return {
    "GET /": () =>
      page(
        "Trees",
        `<ul>${names.map((name) => `<li>${name} ${form("/trees/delete", hidden("name", name), `Delete ${name}`, script)}</li>`).join("")}</ul>`,
      ),
    "POST /trees/delete": remove,
  };
};
const CONFIRM = `onsubmit="return confirm('Delete it?')"`;

/** The same thing twice, dialogs and tabs. */
export const REPEATED: readonly Situation[] = [
  {
    name: "a page that sends the same order twice",
    prompt: ORDER,
    routes: order('await Promise.all([send("/orders", { id: 3 }), send("/orders", { id: 3 })]); location.reload();'),
    lines: [place, placed],
    sent: ["POST /orders"],
    end: "verified",
  },
  {
    name: "a page that sends the order twice with another token",
    prompt: ORDER,
    routes: order(
      'await Promise.all(["a81bc81b", "f93d0c77"].map((token) => send("/orders", { id: 3, token }))); location.reload();',
    ),
    lines: [place, placed],
    sent: ["POST /orders"],
    end: "verified",
  },
  {
    name: "a page that sends the order again later",
    prompt: "Click Place order. Wait 4 seconds. Check that the page says 4711.",
    routes: order(
      'await send("/orders", { id: 3, at: 1 }); show("Order 4711 was placed."); setTimeout(() => send("/orders", { id: 3, at: 2 }), 2000);',
    ),
    sent: ["POST /orders"],
    end: "verified",
  },
  {
    name: "a model that orders twice on the same page",
    prompt: ORDER,
    routes: order('await send("/orders", { id: 3 }); location.reload();'),
    lines: [place, place, placed],
    sent: ["POST /orders"],
    end: "verified",
  },
  {
    name: "a model that orders again with a new token",
    prompt: ORDER,
    routes: tokens,
    lines: [place, click('link "Back to the mug"', null), place, giveUp],
    sent: ["POST /orders"],
    end: "failed",
  },
  {
    name: "steps that order again with a new token",
    prompt: "Click Place order. Click Back to the mug. Click Place order.",
    routes: tokens,
    sent: ["POST /orders", "POST /orders"],
    end: "verified",
  },
  {
    name: "an order in two requests",
    prompt: ORDER,
    routes: order('await send("/orders", { id: 3 }); await send("/orders/confirm", { id: 3 }); location.reload();'),
    lines: [place, placed],
    sent: ["POST /orders", "POST /orders/confirm"],
    end: "verified",
  },
  {
    name: "a dialog after a declared click",
    prompt: "Delete the tree Larch.",
    routes: trees(CONFIRM),
    lines: [
      click('button "Delete Larch"', "Delete the tree Larch"),
      () => call("dialog", { accept: true, commit: null }),
      () => call("done", { answer: "Larch was deleted.", proofs: [{ text: "Elm" }] }),
    ],
    sent: ["POST /trees/delete"],
    content: /Larch/,
    end: "verified",
  },
  {
    name: "a dialog after a click that was not declared",
    prompt: "Open the tree Larch.",
    routes: trees(CONFIRM),
    lines: [click('button "Delete Larch"', null), () => call("dialog", { accept: true, commit: null }), giveUp],
    sent: [],
    end: "failed",
  },
  {
    name: "a dialog with steps",
    prompt: "Click Delete Larch. Accept the dialog. Check that the page does not say Larch.",
    routes: trees(CONFIRM),
    sent: ["POST /trees/delete"],
    end: "verified",
  },
  {
    name: "an order in a second tab",
    prompt: ORDER,
    routes: () => ({
      "GET /": view("Mug", '<a href="/pay" target="_blank">Go to the order</a>'),
      "GET /pay": view(
        "Order",
        '<p>1 × Mug €16.90</p><p>Total: €16.90</p><form method="post" action="/orders"><button>Place order</button></form>',
      ),
      "POST /orders": () => page("Thank you", "<p>Order 4711 was placed.</p>"),
    }),
    lines: [click('link "Go to the order"', null), place, placed],
    sent: ["POST /orders"],
    end: "verified",
  },
  {
    name: "a first tab that orders while a second one is used",
    prompt: "What does the mug weigh?",
    routes: () => ({
      "GET /": view(
        "Mug",
        '<a href="/weight" target="_blank">Weight</a>',
        'on("a", () => setTimeout(() => send("/orders", { id: 3 }), 800));',
      ),
      "GET /weight": view(
        "Weight",
        '<button id="more">More</button>',
        'on("#more", () => setTimeout(() => show("It weighs 300 g."), 1200));',
      ),
      "POST /orders": accept,
    }),
    lines: [
      click('link "Weight"', null),
      click('button "More"', null),
      () => call("wait_for", { text: "300 g" }),
      () => call("done", { answer: "It weighs 300 g.", facts: [{ about: "weight", quote: "It weighs 300 g." }] }),
    ],
    sent: [],
    end: "verified",
  },
];
