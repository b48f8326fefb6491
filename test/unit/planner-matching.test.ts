import { describe, expect, test } from "vitest";
import { hideQuotes } from "../../src/agent/planner/builtin/english/quotes.ts";
import { findTarget } from "../../src/agent/planner/builtin/matching/find-target.ts";
import { viewScene } from "../../src/agent/planner/builtin/matching/scene.ts";
import { similarity } from "../../src/agent/planner/builtin/matching/words.ts";
import { readTarget } from "../../src/agent/planner/builtin/reading/target.ts";
import type { ObservedNode } from "../../src/browser/observation/observation.ts";
import { field, node, observation } from "../_harness/observed.ts";

let refs = 0;
const URL = "https://shop.example/";

function button(name: string, more: Partial<ObservedNode> = {}): ObservedNode {
  return node("button", name, { ref: `e${++refs}`, ...more });
}

function link(name: string, url: string): ObservedNode {
  return node("link", name, { ref: `e${++refs}`, url });
}

function textbox(name: string, more: Partial<ObservedNode> = {}): ObservedNode {
  return node("textbox", name, { ref: `e${++refs}`, value: "", field: field("text"), ...more });
}

function group(...children: ObservedNode[]): ObservedNode {
  return node("generic", "", { children });
}

function text(words: string): ObservedNode {
  return node("text", words);
}

/** What "click X" finds: the refs of the one, or of those that cannot be told apart. */
function find(
  said: string,
  children: ObservedNode[],
  suits: (node: ObservedNode) => number = () => 1,
): (string | null)[] {
  const { text: phrase, quotes } = hideQuotes(said);
  const found = findTarget(readTarget(phrase, quotes), viewScene(observation(URL, children)), { suits });
  if (found.kind === "none") return [];
  return found.kind === "one" ? [found.spot.node.ref] : found.spots.map(({ node }) => node.ref);
}

const isBox = ({ role }: ObservedNode) => (role === "textbox" ? 1 : 0);

describe("a label", () => {
  test("is matched by its own words before anything that only contains them", () => {
    const [save, saveAs] = [button("Save"), button("Save as draft")];
    expect(find("Save", [saveAs, save])).toEqual([save.ref]);
    expect(find("save as draft", [saveAs, save])).toEqual([saveAs.ref]);
  });

  test("in quotation marks tells capitals apart", () => {
    const [upper, lower] = [button("Ok"), button("ok")];
    expect(find('"Ok"', [upper, lower])).toEqual([upper.ref]);
    expect(find('"ok"', [upper, lower])).toEqual([lower.ref]);
  });

  test("may be a word that means the same on any site", () => {
    const [signIn, close] = [link("Sign in", `${URL}login`), button("×")];
    expect(find("log in", [signIn, close])).toEqual([signIn.ref]);
    expect(find('"x"', [signIn, close])).toEqual([close.ref]);
  });

  test("may have a slip of the pen, but not another number", () => {
    const [delivery, item] = [button("Delivery"), button("Item 12")];
    expect(find("Delivrey", [delivery, item])).toEqual([delivery.ref]);
    expect(find("Item 13", [delivery, item])).toEqual([]);
  });

  test.each([
    ["Add to cart", "Your cart"],
    ["account", "Delete account"],
    ["Delete account", "Account"],
    ["Cancel order", "Order"],
  ])("that does something else is never taken: %s is not %s", (said, label) => {
    expect(find(said, [button(label)])).toEqual([]);
  });

  test("with the word for its kind finds that kind", () => {
    const [asLink, asButton] = [link("Orders", `${URL}orders`), button("Orders")];
    expect(find("the Orders button", [asLink, asButton])).toEqual([asButton.ref]);
    expect(find("the link Orders", [asLink, asButton])).toEqual([asLink.ref]);
  });

  test("that contains a word for a kind is taken literally first", () => {
    const [list, contact] = [button("Contact list"), button("Contact")];
    expect(find("Contact list", [contact, list])).toEqual([list.ref]);
  });

  test("is not needed when there is only one of the kind", () => {
    const only = textbox("");
    expect(find("the text field", [button("Go"), only], isBox)).toEqual([only.ref]);
  });

  test.each([
    ["the 2nd textbox", 1],
    ["the last textbox", 2],
    ["the first text field", 0],
  ])("may be replaced by a number: %s", (said, index) => {
    const boxes = [textbox(""), textbox(""), textbox("")];
    expect(find(said, boxes, isBox)).toEqual([boxes[index]?.ref]);
  });

  test("of a field may be its placeholder, its key or the text beside it", () => {
    const byPlaceholder = textbox("", { field: field("text", { placeholder: "Your city" }) });
    const byKey = textbox("", { field: field("text", { key: "billing_firstName" }) });
    const beside = textbox("");
    const page = [byPlaceholder, byKey, group(text("Username"), beside)];
    expect(find("city", page, isBox)).toEqual([byPlaceholder.ref]);
    expect(find("first name", page, isBox)).toEqual([byKey.ref]);
    expect(find("the username", page, isBox)).toEqual([beside.ref]);
  });
});

describe("of things with one name", () => {
  const card = (name: string, control: ObservedNode) => group(node("heading", name), control);

  test("none is chosen when nothing tells them apart", () => {
    const [one, other] = [button("Add to cart"), button("Add to cart")];
    expect(find("Add to cart", [card("Kettle", one), card("Mug", other)])).toEqual([one.ref, other.ref]);
  });

  test.each([
    "Add to cart next to Mug",
    "the Add to cart button of the Mug",
    'the "Add to cart" button in the row of Mug',
    "Add to cart for the Mug product",
  ])("the place tells: %s", (said) => {
    const [one, other] = [button("Add to cart"), button("Add to cart")];
    expect(find(said, [card("Kettle", one), card("Mug", other)])).toEqual([other.ref]);
  });

  test("in a flat page the words before it tell", () => {
    const [one, other] = [button("Edit"), button("Edit")];
    const page = [node("heading", "Sender"), one, node("heading", "Recipient"), other];
    expect(find("Edit under Recipient", page)).toEqual([other.ref]);
  });

  test("two links to one address are the same, two links to # are not", () => {
    const [one, other] = [link("Terms", `${URL}terms`), link("Terms", `${URL}terms`)];
    expect(find("Terms", [one, other])).toEqual([one.ref]);
    const [here, there] = [link("More", `${URL}#`), link("More", `${URL}#`)];
    expect(find("More", [here, there])).toEqual([here.ref, there.ref]);
  });

  test("the one in an open dialog is meant", () => {
    const [behind, inFront] = [button("Cancel"), button("Cancel")];
    expect(find("Cancel", [behind, node("dialog", "Sure?", { children: [inFront] })])).toEqual([inFront.ref]);
  });

  test("the one in the main part is meant before one that stands on every page", () => {
    const [menu, main] = [link("Orders", `${URL}a`), link("Orders", `${URL}b`)];
    const page = [node("navigation", "", { children: [menu] }), node("main", "", { children: [main] })];
    expect(find("Orders", page)).toEqual([main.ref]);
    expect(find("Orders in the navigation", page)).toEqual([menu.ref]);
  });

  test("one that cannot be used is passed over", () => {
    const [off, on] = [button("Next", { states: { disabled: true } }), button("Next")];
    expect(find("Next", [off, on])).toEqual([on.ref]);
  });
});

describe("likeness of words", () => {
  test("falls from the same words to a part of them", () => {
    const scores = ["Order history", "order history", "History of orders", "Order history 2026", "Weather"].map(
      (label) => similarity(label, "Order history"),
    );
    expect(scores).toEqual([...scores].sort((one, other) => other - one));
    expect(new Set(scores).size).toBe(scores.length);
  });

  test.each([
    ["E-mail address", "email"],
    ["Café", "cafe"],
    ["Terms & conditions", "terms and conditions"],
    ["Post code", "zip code"],
  ])("sees through spelling: %s is %s", (label, said) => {
    expect(similarity(label, said)).toBeGreaterThanOrEqual(0.88);
  });
});
