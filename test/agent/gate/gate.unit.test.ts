import { describe, expect, test } from "vitest";
import { findCutOff, findExcess, findSwapped } from "../../../src/agent/gate/compare-with-task.ts";
import { Gate } from "../../../src/agent/gate/gate.ts";
import { explainHarmless } from "../../../src/agent/gate/harmless.ts";
import { asksToPress, onlyPrepares, readOperation } from "../../../src/agent/gate/operation.ts";
import type { InteractionRequest, People } from "../../../src/agent/gate/people.ts";
import { readOrder } from "../../../src/agent/gate/read-order.ts";
import { TaskSecrets } from "../../../src/agent/task-secrets.ts";
import type { ObservedNode } from "../../../src/browser/observation/observation.ts";
import { findActingVerb } from "../../../src/browser/session/acting-url.ts";
import { hashBody } from "../../../src/browser/session/network-record.ts";
import type { HeldRequest } from "../../../src/browser/session/write-interceptor.ts";
import { CostMeter } from "../../../src/models/usage.ts";
import { field, node, observation } from "../../_harness/observed.ts";

const URL = "https://shop.example/";
const held = (method: string, path: string, more: Partial<HeldRequest> = {}): HeldRequest => ({
  method,
  url: new globalThis.URL(path, URL).href,
  resourceType: "fetch",
  body: null,
  bodyHash: hashBody(more.body ?? null),
  contentType: null,
  from: URL,
  ...more,
});
const json = (path: string, data: object, method = "POST") =>
  held(method, path, { body: JSON.stringify(data), contentType: "application/json" });
const NOTHING = {
  label: "",
  action: "click",
  entered: [],
  searched: [],
  hasSecretField: false,
  isSignInPage: false,
  around: "",
  url: URL,
  isAgreed: false,
};

describe("what a request does, by its names", () => {
  test.each([
    ["buy", held("POST", "/orders")],
    ["buy", held("POST", "/api/orders/confirm")],
    ["buy", held("POST", "/orders/12/pay")],
    ["buy", json("/rpc", { action: "placeOrder" })],
    ["buy", json("/graphql", { query: "mutation Go($id: ID!) { purchase(id: $id) { id } }" })],
    ["delete", held("DELETE", "/notes/5")],
    ["delete", held("POST", "/notes/5/delete")],
    ["send", held("POST", "/posts/3/comments")],
    ["send", json("/activity", { type: "comment", text: "Hello" })],
    [null, json("/flows", [{ type: "tab" }, { type: "comment" }, { type: "order" }])],
    ["subscribe", held("POST", "/newsletter/subscribe")],
    ["transfer", held("POST", "/transfers")],
    [null, held("POST", "/cart/add")],
    [null, held("DELETE", "/cart/items/3")],
    [null, held("POST", "/checkout/payment")],
    [null, held("POST", "/orders/12/address")],
    [null, held("PATCH", "/settings")],
    [null, json("/graphql", { query: "query orders { orders { id } }" })],
  ])("%s", (act, request) => {
    expect(readOperation(request).act).toBe(act);
  });

  test.each([
    ["Click Continue, click Confirm transfer.", true],
    ["Click Continue and press the “Transfer” button.", true],
    ["What was my last transfer? Click Continue.", false],
  ])("%s asks for a transfer by its button: %s", (prompt, asks) => {
    expect(asksToPress("transfer", prompt)).toBe(asks);
  });

  test.each([
    ["/buy?id=3", true],
    ["/delete/5", true],
    ["/list?action=delete&id=3", true],
    ["/unsubscribe/8f14e45fceea167a", true],
    ["/post.php?post=12&action=trash", true],
    ["/mail?action=trash&page=2", false],
    ["/mail/trash/12", false],
    ["/buy", false],
    ["/orders/12", false],
    ["/posts?page=2", false],
    ["/help/how-to-cancel-an-order/12", false],
  ])("GET %s acts: %s", (path, acts) => {
    expect(findActingVerb(held("GET", path).url) !== null).toBe(acts);
  });

  test.each([
    ["Add to cart", true],
    ["Put the mug into the basket", true],
    ["Continue", true],
    ["Set the quantity to 2", true],
    ["Place order", false],
    ["Save", false],
    ["Send the message", false],
  ])("%s only prepares: %s", (text, prepares) => {
    expect(onlyPrepares(text)).toBe(prepares);
  });
});

describe("harmless", () => {
  const explain = (request: HeldRequest, moment = {}) =>
    explainHarmless(request, readOperation(request), { ...NOTHING, ...moment });

  test.each([
    ["a search by its path", json("/api/search", { q: "lamp" }), {}],
    ["a search by what was typed", json("/x", { text: "lamp" }), { searched: ["lamp"] }],
    ["a calculation of what was entered", json("/x", { zip: "10115" }), { entered: ["10115"], label: "Calculate" }],
    ["a price for what was entered", json("/x", { zip: "10115" }), { entered: ["10115"], label: "Check price" }],
    ["only what was entered", json("/x", { zip: "10115", csrf: "" }), { entered: ["10115"], label: "Go" }],
    ["a GraphQL query", json("/graphql", { query: "{ products { name } }" }), {}],
    ["telemetry", held("POST", "/analytics/collect"), {}],
    ["a beacon with events", held("POST", "/events", { resourceType: "ping" }), {}],
    ["a sign-in", json("/x", { user: "a", password: "b" }), { hasSecretField: true }],
    ["an identity provider's form", held("POST", "/acs", FORM("SAMLResponse=abc")), {}],
    ["a cookie banner", held("POST", "/consent"), { label: "Accept all" }],
    ["a question about a state", json("/bank/status", {}), { label: "Settings" }],
    ["an offer that is declined", json("/x7", { tips: false }), { label: "No thanks", around: "Get tips by mail?" }],
  ])("%s", (_what, request, moment) => {
    expect(explain(request, moment)).not.toBeNull();
  });

  test.each([
    ["an order under a harmless label", json("/orders", { item: 3 }), { label: "Show price" }],
    ["a save by the icon check", json("/items/9", { name: "Fjord" }), { entered: ["Fjord"], label: "check" }],
    ["a task that is checked off", json("/x", { name: "Fjord" }), { entered: ["Fjord"], label: "Check off" }],
    ["a search that is saved", json("/x", { name: "Fjord" }), { entered: ["Fjord"], label: "Save search" }],
    ["a draft", json("/x", { id: 9, name: "Fjord" }), { entered: ["Fjord"], label: "Preview" }],
    ["a change by PATCH", json("/x", { name: "Fjord" }, "PATCH"), { entered: ["Fjord"], label: "Search" }],
    ["a saved search", json("/searches/5", { name: "Fjord" }, "PUT"), { searched: ["Fjord"] }],
    [
      "what was agreed to",
      json("/x", { zip: "10115" }),
      { entered: ["10115"], searched: ["10115"], label: "Calculate", isAgreed: true },
    ],
    ["an unknown request under a harmless label", json("/x7", { item: 3 }), { label: "Show price" }],
    ["an order that carries what was typed", json("/orders", { text: "lamp" }), { searched: ["lamp"] }],
    ["events that are not a beacon", json("/events", { title: "Party" }), {}],
    ["a class session", json("/sessions", { class: 4 }), {}],
    ["a new state", json("/items/4/status", { value: "done" }), { label: "Settings" }],
    ["an answer to a question", json("/x7", { keep: false }), { label: "No", around: "Keep the file?" }],
    ["an authorized payment", json("/payments/authorize", { amount: 5 }), { hasSecretField: true }],
  ])("not %s", (_what, request, moment) => {
    expect(explain(request, moment)).toBeNull();
  });
});

function FORM(body: string): Partial<HeldRequest> {
  return { body, contentType: "application/x-www-form-urlencoded", resourceType: "document" };
}

const box = (role: string, ...children: ObservedNode[]) => node(role, "", { children });
const row = (role: string, ...texts: string[]) => box("row", ...texts.map((text) => node(role, text)));
const cart = (total: string, ...rows: string[][]) =>
  observation(URL, [
    box(
      "main",
      node("table", "Your cart", {
        children: [row("columnheader", "Product", "Price", "Quantity"), ...rows.map((each) => row("cell", ...each))],
      }),
      node("term", "Total"),
      node("definition", total),
    ),
  ]);
const MUG = ["Ossery Mug", "€16.90", "1"];
const ASKED = { task: "Order one Ossery mug for at most €30.", chosen: () => [], entered: [], quantities: [] };

describe("what a page says about an order", () => {
  test("has items, a total and the values of fields, but no secrets", () => {
    const page = cart("€84.50", MUG, ["Brindle Kettle", "€64.90", "4"]);
    const fields = [
      node("textbox", "To", { value: "kim@example.com", field: field("email") }),
      node("textbox", "Password", { value: "•••", field: field("password", { isSecret: true }) }),
    ];
    const withFields = { ...page, root: box("document", ...page.root.children, ...fields) };
    const order = readOrder(withFields);
    expect(order.items).toEqual([
      { name: "Ossery Mug", quantity: 1, prices: [16.9] },
      { name: "Brindle Kettle", quantity: 4, prices: [64.9] },
    ]);
    expect(order.total).toEqual({ value: 84.5, currency: "EUR" });
    expect(order.recipient).toBe("kim@example.com");
    expect(order.values).toEqual([{ name: "To", value: "kim@example.com" }]);
  });

  test.each([
    ["something that the task does not name", cart("€84.50", MUG, ["Brindle Kettle", "€64.90", "4"]), "Brindle Kettle"],
    ["more of it than the task names", cart("€28.00", ["Ossery Mug", "€7.00", "4"]), "4 ×"],
    ["a higher price than the task allows", cart("€276.50", MUG), "€276.50"],
  ])("%s is too much", (_what, page, said) => {
    expect(findExcess(readOrder(page), ASKED)).toContain(said);
  });

  test("fewer than were chosen are not what was asked for", () => {
    const order = readOrder(cart("€16.90", MUG));
    expect(findExcess(order, { ...ASKED, task: "Order 2 Ossery mugs.", quantities: [2] })).toContain("2 were chosen");
    expect(findExcess(order, { ...ASKED, quantities: [3, 1] })).toBeNull();
  });

  test("an address that the site has cut off is not what was entered", () => {
    const order = { ...readOrder(cart("€16.90", MUG)), addresses: [["Jo Doe", "17 Mills", "2044 Easton"]] };
    const entered = ["JO DOE", "17 Millstone Road", "2044", "Easton", "Ossery Mug"];
    expect(findCutOff(order, { ...ASKED, entered })).toContain("17 Millstone Road");
    const whole = { ...order, addresses: [["Jo Doe", "17 MILLSTONE ROAD", "2044 Easton"]] };
    expect(findCutOff(whole, { ...ASKED, entered })).toBeNull();
  });

  test("what was asked for, and what the run has chosen, is not", () => {
    expect(findExcess(readOrder(cart("€16.90", MUG)), ASKED)).toBeNull();
    const lamp = readOrder(cart("€20.00", ["Alder Light", "€20.00", "1"]));
    expect(findExcess(lamp, { ...ASKED, task: "Buy the cheapest lamp." })).toContain("Alder Light");
    expect(findExcess(lamp, { ...ASKED, task: "Buy the cheapest lamp.", chosen: () => ["Alder Light"] })).toBeNull();
  });

  test.each([
    ["the recipient", { to: "mallory@example.com" }, "mallory@example.com"],
    ["the quantity", { quantity: 7 }, "7"],
    ["the amount", { total: "99.00" }, "99"],
  ])("%s cannot be swapped on the way", (_what, sent, said) => {
    const order = readOrder(cart("€16.90", MUG));
    expect(findSwapped(readOperation(json("/x", sent)), order, ASKED)).toContain(said);
  });

  test("amounts in cents, and what the page shows, are not swapped", () => {
    const order = readOrder(cart("€16.90", MUG));
    const sent = { total: 1690, quantity: 1, amount: "16.90", token: "abc", email: "me@example.com" };
    expect(findSwapped(readOperation(json("/x", sent)), order, ASKED)).toBeNull();
  });
});

describe("one agreement", () => {
  const item = (ref: string) => node("button", "Archive", { ref });
  const seen = observation(URL, [item("e1"), item("e2")]);

  /** A gate of a model that declares each of its clicks, with a judge who agrees. */
  async function openGate() {
    const prompt = "Archive the invoices of May and June.";
    const gate = new Gate({
      task: { prompt, startUrl: URL, outputSchema: null, now: new Date(0) },
      secrets: new TaskSecrets(prompt),
      direction: { isExplicit: false, isQuestion: false, judge: null, recorded: null },
      people: { approval: "never", isReachable: false, budget: null, ask: async () => ({ kind: "approved" }) },
      meter: new CostMeter(1),
      takePicture: async () => null,
      observe: async () => seen,
    });
    const click = async (ref: string, commit: string | null) => {
      const input = { ref, label: "Archive" };
      const declared = commit === null ? {} : { commit };
      await gate.admit({ action: "click", input, ...declared }, seen, new AbortController().signal);
    };
    return { gate, click };
  }

  const archive = (id: string) => json("/api/archive", { id });
  const MAY = "6f1c2b1e-8d0f-4d7e-9a53-0d2f6c1b7a01";
  const JUNE = "6f1c2b1e-8d0f-4d7e-9a53-0d2f6c1b7a02";

  test("is for one item: the next one has another identifier, and the same again is held back", async () => {
    const { gate, click } = await openGate();
    await click("e1", "Archive the invoice of May");
    expect(gate.decide(archive(MAY))).toBe("pass");
    expect(gate.decide(archive(MAY))).toBe("stop");
    gate.end(seen);
    await click("e2", "Archive the invoice of June");
    expect(gate.decide(archive(JUNE))).toBe("pass");
  });

  test("is needed: what an action sends without one is held back, and the planner hears of it", async () => {
    const { gate, click } = await openGate();
    await click("e1", null);
    expect(gate.decide(archive(MAY))).toBe("stop");
    expect(gate.decide(held("POST", "/x7", { resourceType: "document", body: "id=3" }))).toBe("stop");
    expect(gate.end(seen)).toMatchObject({ message: expect.stringContaining("repeat the action with commit") });
  });

  test("is for one content, also where it cannot be read", async () => {
    const { gate, click } = await openGate();
    const sync = (bytes: Buffer) => held("POST", "/sync", { body: "\u0000", bodyHash: hashBody(bytes) });
    await click("e1", "Archive the invoice of May");
    expect(gate.decide(sync(Buffer.from([0, 1, 2])))).toBe("pass");
    expect(gate.decide(sync(Buffer.from([0, 1, 2])))).toBe("stop");
    gate.end(seen);
    await click("e2", "Archive the invoice of June");
    expect(gate.decide(sync(Buffer.from([0, 1, 3])))).toBe("pass");
  });

  test("is not kept when a request leaves late and is held back, until it is sent", async () => {
    const { gate, click } = await openGate();
    await click("e1", "Archive the invoice of May");
    expect(gate.decide(archive(MAY))).toBe("pass");
    expect(gate.end(seen)).toBeNull();
    expect(gate.hasHeldBack).toBe(false);
    expect(gate.decide(json("/api/mails/send", { to: "kim@example.com" }))).toBe("stop");
    expect(gate.hasHeldBack).toBe(true);
    expect(gate.end(seen)).toMatchObject({ message: expect.stringContaining("/api/mails/send"), fails: "never" });
    expect(gate.end(seen)).toBeNull();
  });
});

describe("people who want to be asked", () => {
  const link = node("link", "Ossery Mug", { ref: "e1", url: `${URL}products/mug` });
  const search = node("searchbox", "Search", { ref: "e2", field: field("search") });
  const name = node("textbox", "Display name", { ref: "e3", value: "Kim", field: field("text") });
  const send = node("button", "Send message", { ref: "e4" });
  const message = node("textbox", "Message", { value: "x".repeat(2_500), field: field("text") });
  const larch = node("row", "", {
    children: [node("cell", "Larch"), node("cell", "", { children: [node("button", "Delete", { ref: "e5" })] })],
  });
  const save = node("button", "Save", { ref: "e6" });
  const to = node("textbox", "To", { value: "kim@example.com", field: field("email") });
  const seen = observation(URL, [link, search, name, send, larch, save, to, message], { title: "Letters" });

  async function listAsked(action: string, input: Record<string, unknown>, page = seen, later = page) {
    const asked: InteractionRequest[] = [];
    const people: People = {
      approval: "commits",
      isReachable: true,
      budget: null,
      ask: async (request) => {
        asked.push(request);
        return { kind: "approved" };
      },
    };
    const prompt = "Open Ossery Mug, change my display name and send the message.";
    const gate = new Gate({
      task: { prompt, startUrl: URL, outputSchema: null, now: new Date(0) },
      secrets: new TaskSecrets(prompt),
      direction: { isExplicit: true, isQuestion: false, judge: null, recorded: null },
      people,
      meter: new CostMeter(1),
      takePicture: async () => null,
      observe: async () => later,
    });
    await gate.admit({ action, input }, page, new AbortController().signal);
    return asked;
  }

  test.each([
    ["opening a page", "click", { ref: "e1", label: "Ossery Mug" }],
    ["filling in a field", "fill", { ref: "e3", label: "Display name", text: "Jo" }],
    ["searching", "fill", { ref: "e2", label: "Search", text: "mug", submit: true }],
    ["choosing", "select", { ref: "e3", label: "Display name", options: ["Jo"] }],
    ["going on to the next field", "press", { key: "Tab" }],
  ])("are not asked about %s", async (_what, action, input) => {
    expect(await listAsked(action, input)).toEqual([]);
  });

  test.each([
    ["a form that is sent from a field", "fill", { ref: "e3", label: "Display name", text: "Jo", submit: true }],
    ["a button", "click", { ref: "e4", label: "Send message" }],
    ["Enter", "press", { key: "Enter" }],
  ])("are asked about %s, with all that will be sent", async (_what, action, input) => {
    const [request] = await listAsked(action, input);
    expect(request?.values.at(-1)?.value).toMatch(/^x{2000} … \(500 more characters\)$/);
  });

  test.each([
    [
      "fill",
      { ref: "e3", label: "Display name", text: "Jo", submit: true },
      'Enter "Jo" into "Display name" and send it, to kim@example.com',
    ],
    ["click", { ref: "e4", label: "Send message" }, "Send message, to kim@example.com"],
    ["click", { ref: "e5", label: "Delete" }, "Delete: Larch"],
    ["click", { ref: "e6", label: "Save" }, 'Choose "Save" on the page "Letters", to kim@example.com'],
  ])("%s %j is asked about in words of the page", async (action, input, sentence) => {
    const [request] = await listAsked(action, input);
    expect(request?.message).toBe(sentence);
  });

  const order = node("button", "Place order", { ref: "e9" });
  const checkout = (...address: ObservedNode[]) => {
    const page = cart("€16.90", MUG);
    return { ...page, root: box("document", ...page.root.children, box("section", ...address), order) };
  };
  const HOME = checkout(
    node("heading", "Delivery address"),
    node("paragraph", "Jo"),
    node("paragraph", "12 Mill Lane"),
  );
  const PLACE = { ref: "e9", label: "Place order" };

  test("an order says what it buys, for how much and for whom", async () => {
    const [request] = await listAsked("click", PLACE, HOME);
    expect(request?.message).toBe("Order 1 × Ossery Mug, €16.90, to Jo, 12 Mill Lane");
  });

  const radio = (label: string, checked: boolean) => node("radio", label, { states: { checked }, ref: label });
  test.each([
    [
      "the street after the name",
      HOME,
      checkout(node("heading", "Delivery address"), node("paragraph", "Jo"), node("paragraph", "9 Other Street")),
    ],
    ["the line itself", checkout(node("text", "Ship to: Jo")), checkout(node("text", "Ship to: Kim"))],
    [
      "the address that is chosen",
      checkout(radio("Home", true), radio("Office", false)),
      checkout(radio("Home", false), radio("Office", true)),
    ],
  ])("what was approved is not sent when the page has changed %s", async (_what, before, after) => {
    await expect(listAsked("click", PLACE, before, after)).rejects.toThrow("has changed since it was approved");
  });

  test("what was approved is sent when only other text of the page has changed", async () => {
    const clock = (time: string) => checkout(node("text", "Ship to: Jo"), node("heading", `It is ${time}`));
    expect(await listAsked("click", PLACE, clock("10:00"), clock("10:01"))).toHaveLength(1);
  });
});
