import type { Claim, Fact } from "../../src/agent/grounding/claim.ts";
import { learn, type VerifiedRun } from "../../src/agent/recipes/learn.ts";
import type { RecordedAction } from "../../src/agent/recipes/recording.ts";
import type { Observation, ObservedNode } from "../../src/browser/observation/observation.ts";
import { field, node, observation, report } from "./observed.ts";

export const SHOP = "https://shop.example";
let refs = 0;

export function control(role: string, name: string, more: Partial<ObservedNode> = {}): ObservedNode {
  refs += 1;
  return node(role, name, { ref: `e${refs}`, ...more });
}

export function textbox(name: string, more: Parameters<typeof field>[1] = {}): ObservedNode {
  return control("textbox", name, { value: "", field: field("text", more) });
}

/** What was done on a page: the action and the element, by its name. */
export interface Done {
  readonly on: Observation;
  readonly action: string;
  readonly name?: string;
  readonly input?: Record<string, unknown>;
  readonly more?: Parameters<typeof report>[2];
}

export function page(path: string, ...children: ObservedNode[]): Observation {
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

export interface Taught {
  readonly prompt: string;
  readonly done: readonly Done[];
  readonly last: Observation;
  readonly facts?: readonly Fact[];
  readonly more?: Partial<VerifiedRun>;
}

export function teach({ prompt, done, last, facts = [], more = {} }: Taught) {
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

export function bodyOf(taught: Taught) {
  const lesson = teach(taught);
  if (lesson.kind !== "learned") throw new Error(lesson.reason);
  return lesson.body;
}

export function reasonOf(taught: Taught): string {
  const lesson = teach(taught);
  return lesson.kind === "not_learned" ? lesson.reason : `learned: ${JSON.stringify(lesson.body)}`;
}

export const START = page("/", control("searchbox", "Search products", { value: "", field: field("search") }));
export const RESULTS = page(
  "/products",
  node("list", "", {
    children: ["Brindle Kettle", "Corvin Skillet"].map((name) =>
      node("listitem", "", { children: [control("link", name)] }),
    ),
  }),
);
export const PRODUCT = page(
  "/products/brindle-kettle",
  node("heading", "Brindle Kettle", { states: { level: 1 } }),
  control("combobox", "Quantity", {
    value: "1",
    field: field("select"),
    children: ["1", "2", "3"].map((name) => node("option", name)),
  }),
  control("button", "Add to cart"),
);
export const CART = page(
  "/cart",
  node("heading", "Your cart", { states: { level: 1 } }),
  control("link", "Cart (2)"),
  textbox("Voucher code"),
  control("button", "Apply"),
);

export const SEARCHED: Done = {
  on: START,
  action: "fill",
  name: "Search products",
  input: { text: "Brindle Kettle", submit: true },
};
export const OPENED: Done = { on: RESULTS, action: "click", name: "Brindle Kettle" };
export const CHOSEN: Done = { on: PRODUCT, action: "select", name: "Quantity", input: { options: ["2"] } };
export const ADDED: Done = { on: PRODUCT, action: "click", name: "Add to cart" };
export const BOUGHT = [SEARCHED, OPENED, CHOSEN, ADDED];
