import { describe, expect, it } from "vitest";
import { MASK } from "../../src/agent/actions/public-call.ts";
import type { AttributedWrite } from "../../src/agent/actions/side-effects.ts";
import type { Claim, Fact } from "../../src/agent/grounding/claim.ts";
import { learn, type VerifiedRun } from "../../src/agent/recipes/learn.ts";
import type { RecordedAction } from "../../src/agent/recipes/recording.ts";
import { fillSteps } from "../../src/agent/recipes/replay.ts";
import type { Step } from "../../src/agent/steps/step.ts";
import type { Observation, ObservedNode } from "../../src/browser/observation/observation.ts";
import { matchTemplate } from "../../src/recipes/template.ts";
import { field, node, observation, report, request } from "../_harness/observed.ts";

const SHOP = "https://shop.example";
let refs = 0;

function control(role: string, name: string, more: Partial<ObservedNode> = {}): ObservedNode {
  refs += 1;
  return node(role, name, { ref: `e${refs}`, ...more });
}

function textbox(name: string, more: Parameters<typeof field>[1] = {}): ObservedNode {
  return control("textbox", name, { value: "", field: field("text", more) });
}

/** What was done on a page: the action and the element, by its name. */
interface Done {
  readonly on: Observation;
  readonly action: string;
  readonly name?: string;
  readonly input?: Record<string, unknown>;
  readonly more?: Parameters<typeof report>[2];
}

function page(path: string, ...children: ObservedNode[]): Observation {
  return observation(`${SHOP}${path}`, children);
}

function find(root: ObservedNode, name: string): ObservedNode | undefined {
  if (root.ref !== null && root.name === name) return root;
  return root.children.map((child) => find(child, name)).find((found) => found !== undefined);
}

/** Actions in order; each leads to the page of the next. */
function actions(list: readonly Done[], last: Observation): RecordedAction[] {
  return list.map(({ on, action, name, input = {}, more }, at) => {
    const ref = name === undefined ? {} : { ref: find(on.root, name)?.ref ?? "", label: name };
    const after = list[at + 1]?.on ?? last;
    return {
      report: report(action, { ...ref, ...input }, more),
      before: { ...on, number: at + 1 },
      after: { ...after, number: at + 2 },
    };
  });
}

interface Taught {
  readonly prompt: string;
  readonly done: readonly Done[];
  readonly last: Observation;
  readonly facts?: readonly Fact[];
  readonly more?: Partial<VerifiedRun>;
}

function teach({ prompt, done, last, facts = [], more = {} }: Taught) {
  const claim: Claim = { answer: "It is done.", facts, extraction: null, conditions: [] };
  const task = { prompt, startUrl: `${SHOP}/`, outputSchema: null, now: new Date("2026-03-11T10:00:00Z") };
  return learn({
    task,
    startUrl: task.startUrl,
    steps: null,
    actions: actions(done, last),
    claim,
    writes: [],
    ...more,
  });
}

function bodyOf(taught: Taught) {
  const lesson = teach(taught);
  if (lesson.kind !== "learned") throw new Error(lesson.reason);
  return lesson.body;
}

function reasonOf(taught: Taught): string {
  const lesson = teach(taught);
  return lesson.kind === "not_learned" ? lesson.reason : `learned: ${JSON.stringify(lesson.body)}`;
}

const START = page("/", control("searchbox", "Search products", { value: "", field: field("search") }));
const RESULTS = page(
  "/products",
  node("list", "", {
    children: ["Brindle Kettle", "Corvin Skillet"].map((name) =>
      node("listitem", "", { children: [control("link", name)] }),
    ),
  }),
);
const PRODUCT = page(
  "/products/brindle-kettle",
  node("heading", "Brindle Kettle", { states: { level: 1 } }),
  control("combobox", "Quantity", {
    value: "1",
    field: field("select"),
    children: ["1", "2", "3"].map((name) => node("option", name)),
  }),
  control("button", "Add to cart"),
);
const CART = page(
  "/cart",
  node("heading", "Your cart", { states: { level: 1 } }),
  control("link", "Cart (2)"),
  textbox("Voucher code"),
  control("button", "Apply"),
);

const SEARCHED: Done = {
  on: START,
  action: "fill",
  name: "Search products",
  input: { text: "Brindle Kettle", submit: true },
};
const OPENED: Done = { on: RESULTS, action: "click", name: "Brindle Kettle" };
const CHOSEN: Done = { on: PRODUCT, action: "select", name: "Quantity", input: { options: ["2"] } };
const ADDED: Done = { on: PRODUCT, action: "click", name: "Add to cart" };
const BOUGHT = [SEARCHED, OPENED, CHOSEN, ADDED];

describe("learning", () => {
  it("keeps what was done as steps, with the values of the prompt as variables", () => {
    const body = bodyOf({ prompt: "Put 2 of the Brindle Kettle into my cart.", done: BOUGHT, last: CART });
    expect(body.template).toBe("Put <quantity> of the <item> into my cart.");
    expect(body.variables).toMatchObject({ quantity: { kind: "number" }, item: { kind: "text" } });
    const values = matchTemplate(body.template, body.variables, "put 3 of the Corvin Skillet into my cart");
    expect(values).toEqual({ quantity: "3", item: "Corvin Skillet" });
    const steps = fillSteps(body.steps, values ?? {}) as Step[];
    expect(steps.slice(0, 4)).toMatchObject([
      { fill: { value: "Corvin Skillet", submit: true } },
      { open: { name: "Corvin Skillet" } },
      { select: { target: { name: "Quantity" }, value: "3" } },
      { click: { name: "Add to cart" } },
    ]);
    expect(JSON.stringify(body.steps)).not.toMatch(/e\d|Brindle|"2"/);
  });

  it.each([
    ["Search for Brindle Kettle", { kind: "text", max_words: 4 }],
    ["Search for Brindle Kettle.", { kind: "text", max_words: 4 }],
    ['Search for "Brindle Kettle"', { kind: "text" }],
    ["„Brindle Kettle“ suchen", { kind: "text" }],
  ])("takes a longer text for a value only in quotation marks: %s", (prompt, variable) => {
    const { variables } = bodyOf({ prompt, done: [SEARCHED], last: RESULTS });
    expect(Object.values(variables)).toEqual([variable]);
  });

  it("leaves out what leaves nothing to repeat", () => {
    const looked: Done = { on: START, action: "look" };
    const missed: Done = {
      on: RESULTS,
      action: "click",
      name: "Corvin Skillet",
      more: { failure: { kind: "covered", message: "It is covered." } },
    };
    const body = bodyOf({
      prompt: "Put 2 of the Brindle Kettle into my cart.",
      done: [looked, SEARCHED, missed, ...BOUGHT.slice(1)],
      last: CART,
    });
    expect(body.steps.filter((step) => !("expect" in step))).toHaveLength(4);
  });

  it("calls a control by its name without the numbers that change", () => {
    const body = bodyOf({
      prompt: "Open my cart.",
      done: [{ on: CART, action: "click", name: "Cart (2)" }],
      last: CART,
    });
    expect(body.steps[0]).toMatchObject({ click: { name: "Cart" } });
  });

  it.each([
    ["if", "Put 2 of the Brindle Kettle into my cart if it costs less than the skillet."],
    ["unless", "Put 2 of the Brindle Kettle into my cart unless it is there."],
    ["or", "Put 2 of the Brindle Kettle or the skillet into my cart."],
    ["wenn", "Lege 2 Stück Brindle Kettle in den Warenkorb, wenn er da ist."],
    ["außer", "Lege 2 Stück Brindle Kettle in den Warenkorb, außer er ist teuer."],
    ["si", "Mets 2 Brindle Kettle dans le panier si possible."],
    ["salvo", "Pon 2 Brindle Kettle en el carrito, salvo que esté."],
    ["se", "Metti 2 Brindle Kettle nel carrello se ci sono."],
    ["tenzij", "Leg 2 Brindle Kettle in de mand, tenzij het er al is."],
    ["jeśli", "Dodaj 2 Brindle Kettle do koszyka, jeśli jest."],
    ["если", "Положи 2 Brindle Kettle в корзину, если есть."],
    ["Eğer", "Eğer varsa sepete 2 Brindle Kettle koy."],
    ["如果", "如果有货，把2个 Brindle Kettle 放进购物车。"],
    ["場合", "在庫がある場合、Brindle Kettle を 2 個入れて。"],
    ["만약", "만약 있으면 Brindle Kettle 2 개를 담아 줘."],
    ["إذا", "ضع 2 من Brindle Kettle في السلة إذا كان متوفرا."],
  ])("refuses a condition: %s", (word, prompt) => {
    expect(reasonOf({ prompt, done: BOUGHT, last: CART })).toContain(`has a condition ("${word}`);
  });

  it.each([
    ["cheapest", "Put 2 of the cheapest Brindle Kettle into my cart."],
    ["latest", "Put 2 of the latest Brindle Kettle into my cart."],
    ["all", "Put 2 of all Brindle Kettle into my cart."],
    ["günstigste", "Lege 2 Mal den günstigsten Brindle Kettle in den Warenkorb."],
    ["älteste", "Lege 2 Mal den ältesten Brindle Kettle in den Warenkorb."],
    ["dernier", "Mets 2 fois le dernier Brindle Kettle dans le panier."],
    ["último", "Pon 2 veces el último Brindle Kettle en el carrito."],
    ["más barata", "Pon 2 veces la más barata Brindle Kettle en el carrito."],
    ["migliore", "Metti 2 volte il migliore Brindle Kettle nel carrello."],
    ["goedkoopste", "Leg 2 keer de goedkoopste Brindle Kettle in de mand."],
    ["mais barato", "Põe 2 vezes o mais barato Brindle Kettle no carrinho."],
    ["najtańszy", "Dodaj 2 razy najtańszy Brindle Kettle do koszyka."],
    ["последний", "Положи 2 раза последний Brindle Kettle в корзину."],
    ["最便宜", "把2个最便宜的 Brindle Kettle 放进购物车。"],
    ["最新", "最新の Brindle Kettle を 2 個入れて。"],
  ])("refuses a choice that the run would have to make again: %s", (_, prompt) => {
    expect(reasonOf({ prompt, done: BOUGHT, last: CART })).toContain("leaves a choice to the run");
  });

  it("does not take a quoted condition for one", () => {
    const sent = { on: CART, action: "fill", name: "Voucher code", input: { text: "IF NOT, THE LAST" } };
    expect(teach({ prompt: 'Enter the voucher "IF NOT, THE LAST".', done: [sent], last: CART }).kind).toBe("learned");
  });

  it.each([
    ["20", "Put 2 of the Brindle Kettle into my cart for less than 20."],
    ["2026-05-01", "Put 2 of the Brindle Kettle into my cart by 2026-05-01."],
    ["jo@example.com", "Put 2 of the Brindle Kettle into the cart of jo@example.com."],
    ["matte blue", 'Put 2 of the Brindle Kettle "matte blue" into my cart.'],
    ["1", "Put 2 of the Brindle Kettle into my cart and 1 of them into the other."],
  ])("refuses what the prompt says and no step uses: %s", (said, prompt) => {
    const reason = reasonOf({ prompt: prompt.replace("the other", "a bag"), done: BOUGHT, last: CART });
    expect(reason).toContain(`The prompt says "${said}"`);
  });

  it("refuses a value that is not in the prompt", () => {
    expect(reasonOf({ prompt: "Put two of the Brindle Kettle into my cart.", done: BOUGHT, last: CART })).toMatch(
      /"Quantity" is not in the prompt word for word/,
    );
    const apply = { on: CART, action: "fill", name: "Voucher code", input: { text: "WELCOME10" } };
    expect(reasonOf({ prompt: "Apply the voucher for new customers.", done: [apply], last: CART })).toMatch(
      /"Voucher code"/,
    );
  });

  it("refuses secrets", () => {
    const signIn = page("/sign-in", textbox("Code", { isSecret: true }), textbox("Password"));
    const entered = { on: signIn, action: "fill", name: "Code", input: { text: "4711" } };
    expect(reasonOf({ prompt: "Enter the code 4711.", done: [entered], last: CART })).toBe("It enters a secret.");
    const masked = { on: signIn, action: "fill", name: "Password", input: { text: MASK } };
    expect(reasonOf({ prompt: `Enter ${MASK}.`, done: [masked], last: CART })).toBe("It enters a secret.");
  });

  it("refuses prompts with a secret, also when steps use it", () => {
    const prompt = "Sign in as jo with the password hunter2 and open Orders.";
    const steps: Step[] = [{ sign_in: { user: "jo", password: "hunter2" } }, { open: "Orders" }];
    const reason = reasonOf({ prompt, done: [], last: CART, more: { steps } });
    expect(reason).toContain("secret");
    expect(reason).not.toContain("hunter2");
    const typed: Step[] = [{ fill: { target: "Password", value: "s3same" } }];
    const told = reasonOf({ prompt: "Type s3same into Password.", done: [], last: CART, more: { steps: typed } });
    expect(told).toContain("secret");
    expect(told).not.toContain("s3same");
  });

  const ACCOUNT = page(
    "/account",
    node("table", "Your orders", {
      children: ["T-1014", "T-1015"].map((number) =>
        node("row", "", {
          children: [
            node("cell", "", { children: [control("link", number)] }),
            node("cell", "Delivered"),
            node("cell", "", { children: [control("button", `Return ${number}`)] }),
          ],
        }),
      ),
    }),
    node("list", "", {
      children: ["12 Lantern Lane", "3 Harbour Steps"].map((street) =>
        node("listitem", "", { children: [node("text", street), control("link", `Edit ${street}`)] }),
      ),
    }),
    node("list", "", {
      children: ["Ada Lovelace", "Mary Shelley"].map((name) =>
        node("listitem", "", { children: [node("text", name), control("button", `Remove ${name}`)] }),
      ),
    }),
    control("radio", "Demo Shopper"),
    control("button", "Your account, Ada Lovelace"),
    control("link", "Cart, 2 items"),
    control("button", "Save, and go on"),
  );

  it.each(["T-1015", "Edit 3 Harbour Steps", "Demo Shopper", "Return T-1014", "Remove Ada Lovelace"])(
    "refuses to keep what a page says about its user: %s",
    (name) => {
      const reason = reasonOf({
        prompt: "Remove my sister.",
        done: [{ on: ACCOUNT, action: "click", name }],
        last: ACCOUNT,
      });
      expect(reason).toMatch(/is named neither in the prompt nor by the site itself|cannot be told from others/);
    },
  );

  it.each([
    ["Your account, Ada Lovelace", "Your account"],
    ["Cart, 2 items", "Cart"],
    ["Save, and go on", "Save, and go on"],
  ])("keeps of a name what is the same for all users: %s", (name, kept) => {
    const body = bodyOf({ prompt: "See to it.", done: [{ on: ACCOUNT, action: "click", name }], last: ACCOUNT });
    expect(body.steps[0]).toMatchObject({ click: { name: kept } });
  });

  it.each([
    ["Thank you, Ada Lovelace", [{ expect: { text: "Thank you" } }]],
    ["Ada, your cart is saved", []],
    ["Saved as T-1015 for you", []],
    ["It is saved.", [{ expect: { text: "It is saved." } }]],
  ])("keeps of a proof what is the same for all users: %s", (text, expected) => {
    const conditions = [{ kind: "text" as const, url: CART.url, text, about: "" }];
    const cause = { step: 1, effect: "mutate" } as unknown as AttributedWrite["cause"];
    const { steps } = bodyOf({
      prompt: "Save my cart.",
      done: [{ on: CART, action: "click", name: "Apply" }],
      last: CART,
      more: {
        claim: { answer: "", facts: [], extraction: null, conditions },
        writes: [{ write: request({ isNavigation: true }), cause }],
      },
    });
    expect(steps.slice(1)).toEqual(expected);
  });

  it("keeps what the prompt names and the page had chosen already", () => {
    const payment = page(
      "/payment",
      control("radio", "On invoice", { states: { checked: true } }),
      control("radio", "By card", { states: { checked: false } }),
      control("combobox", "Parcels", { value: "1", field: field("select"), children: [node("option", "1")] }),
      control("combobox", "Sort by", { value: "Price", field: field("select") }),
      control("button", "Go on"),
    );
    const sent = { events: { requests: [request()] } };
    const done = [{ on: payment, action: "click", name: "Go on", more: sent }];
    const { steps, template } = bodyOf({ prompt: "Pay on invoice, in 1 parcel.", done, last: CART });
    expect(steps).toEqual([
      { check: { role: "radio", name: "On invoice" } },
      { select: { target: { role: "combobox", name: "Parcels" }, value: "<parcels>" } },
      { click: { role: "button", name: "Go on" } },
    ]);
    expect(template).toBe("Pay on invoice, in <parcels> parcel.");
  });

  it("keeps what the prompt names as a variable", () => {
    const body = bodyOf({
      prompt: "Open order T-1015.",
      done: [{ on: ACCOUNT, action: "click", name: "T-1015" }],
      last: ACCOUNT,
    });
    expect(body.template).toBe("Open order <item>.");
    expect(JSON.stringify(body)).not.toContain("1015");
  });

  it("refuses what cannot be a step, and what failed after something was sent", () => {
    expect(reasonOf({ prompt: "Drag it.", done: [{ on: CART, action: "drag" }], last: CART })).toContain('"drag"');
    const sent = {
      on: CART,
      action: "click",
      name: "Apply",
      more: { failure: { kind: "timeout", message: "Too late." }, events: { requests: [request()] } },
    } as const;
    expect(reasonOf({ prompt: "Apply it.", done: [sent], last: CART })).toContain("failed after something was sent");
  });

  it("refuses a fact that steps cannot read again", () => {
    const about = { label: "colour", url: PRODUCT.url, quote: "matte" };
    const fact = { ...about, value: "matte" };
    expect(
      reasonOf({
        prompt: "Tell me the colour of the Brindle Kettle.",
        done: BOUGHT.slice(0, 2),
        last: PRODUCT,
        facts: [fact],
      }),
    ).toContain("in a way that steps cannot repeat");
    expect(
      reasonOf({
        prompt: "Tell me the colour of the Brindle Kettle.",
        done: BOUGHT.slice(0, 2),
        last: PRODUCT,
        facts: [{ ...fact, url: `${SHOP}/elsewhere` }],
      }),
    ).toContain("cites a page that it did not open");
  });

  it("refuses a file of steps, which is one already", () => {
    expect(reasonOf({ prompt: "steps:\n  - click: Apply", done: [], last: CART })).toContain("is a file of steps");
  });
});
