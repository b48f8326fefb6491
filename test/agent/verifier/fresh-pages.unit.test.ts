import { describe, expect, it, test } from "vitest";
import type { StepCause } from "../../../src/agent/actions/side-effects.ts";
import type { Claim, Condition } from "../../../src/agent/grounding/claim.ts";
import { findPagesToRead } from "../../../src/agent/verifier/fresh-pages.ts";
import { createReadiness } from "../../../src/agent/verifier/page-readiness.ts";
import type { ObservedNode } from "../../../src/browser/observation/observation.ts";
import { caseOf, HOME, toStep } from "../../_harness/doubtful-case.ts";
import { field as fieldOf, node, request } from "../../_harness/observed.ts";

const RESULTS = "https://shop.example/products?q=kettle";
const SEARCH: Partial<StepCause> = { call: { action: "fill", input: { label: "Search", text: "kettle" } } };

function pagesOf(
  steps: Partial<StepCause>[],
  more: Partial<Claim> = {},
  lastUrl: string | null = RESULTS,
  { prompt = "Find a kettle and put it in the cart.", states = [[]] }: Partial<Parameters<typeof caseOf>[0]> = {},
) {
  const scene = caseOf({ prompt, states });
  const causes = steps.map((step, index) => toStep(step, index + 1));
  const writes = causes.flatMap((cause) =>
    cause.call.input["label"] === "Add to cart" ? [{ write: request({ method: "POST" }), cause }] : [],
  );
  return findPagesToRead({ ...scene, claim: { ...scene.claim, ...more }, steps: causes, writes }, lastUrl);
}

const field = (isSaved: boolean): Condition => ({
  kind: "field",
  url: HOME,
  label: "Search",
  value: "kettle",
  isSaved,
  about: "",
});

test("the last page is needed, and a page on which the run only searched is not", () => {
  expect(pagesOf([SEARCH])).toEqual({ needed: [RESULTS], others: [HOME] });
  expect(pagesOf([SEARCH], { conditions: [field(false)] })).toEqual({ needed: [RESULTS], others: [HOME] });
});

describe("a search box whose text is in the query of the next page", () => {
  const box = node("searchbox", "Search");
  const step = (label: string, url = HOME): Partial<StepCause> => ({
    url,
    call: { action: "click", input: { label } },
  });
  const read = (after: Partial<StepCause>[], page: ObservedNode[] = [box]) =>
    pagesOf([SEARCH, ...after], {}, RESULTS, { prompt: "Put a kettle in the cart.", states: [page] });

  it("was a search, whatever the prompt calls it", () => {
    const searched = { needed: [RESULTS], others: [HOME] };
    expect(read([step("Kettle", RESULTS)])).toEqual(searched);
    expect(read([step("Go"), step("Kettle", RESULTS)])).toEqual(searched);
  });

  it.each<[string, Partial<StepCause>[], ObservedNode[]?]>([
    ["another text is there", [step("Kettle", "https://shop.example/products?q=kettles")]],
    ["no text is there", [step("Kettle", "https://shop.example/products")]],
    ["it is another site", [step("Kettle", "https://other.example/products?q=kettle")]],
    ["it is the same page", [step("Kettle", `${HOME}?item=kettle`)]],
    ["something else was done on the page", [step("Remove"), step("Kettle", RESULTS)]],
    ["it is another field", [step("Kettle", RESULTS)], [node("textbox", "Search")]],
    ["the field had a value", [step("Kettle", RESULTS)], [{ ...box, value: "Toaster" }]],
    ["the page showed the text before", [step("Kettle", RESULTS)], [box, node("text", "Kettle")]],
  ])("may be more than a search: %s", (_, after, page) => {
    expect(read(after, page)).toEqual({ needed: [RESULTS, HOME], others: [] });
  });
});

test("a page is needed once something was sent, saved or entered there that is no search", () => {
  const needed = { needed: [RESULTS, HOME], others: [] };
  expect(pagesOf([SEARCH, { call: { action: "click", input: { label: "Add to cart" } } }])).toEqual(needed);
  expect(pagesOf([SEARCH, { call: { action: "click", input: { label: "Save" } } }])).toEqual(needed);
  expect(pagesOf([SEARCH, { call: { action: "fill", input: { label: "Name", text: "Ada" } } }])).toEqual(needed);
  expect(pagesOf([SEARCH], { conditions: [field(true)] })).toEqual(needed);
});

test("a page that the claim rests on is needed, and each page once", () => {
  const facts = [
    { label: "price", value: "12", quote: "€12", url: HOME },
    { label: "stock", value: "3", quote: "3 left", url: `${HOME}#stock` },
  ];
  expect(pagesOf([SEARCH], { facts })).toEqual({ needed: [RESULTS, HOME], others: [] });
  const text: Condition = { kind: "text", url: HOME, text: "Added", about: "" };
  expect(pagesOf([SEARCH], { conditions: [text] })).toEqual({ needed: [RESULTS, HOME], others: [] });
});

test("a run that sent nothing and where no model chose the proofs reads only what its claim rests on", () => {
  const address: Condition = { kind: "address", url: RESULTS, about: "" };
  expect(pagesOf([SEARCH], { conditions: [address] }, null)).toEqual({ needed: [], others: [] });
});

test("links that act are not opened again", () => {
  expect(pagesOf([], {}, "https://shop.example/cart/delete?id=3")).toEqual({ needed: [], others: [] });
});

describe("a page that is loaded again", () => {
  const menu = ["Dashboard", "Invoices and quotes", "Expenses", "Clients", "Settings"].map((name) =>
    node("link", name),
  );
  const company = node("textbox", "Company", { value: "Tom Weber", field: fieldOf("text") });
  const loaded = [...menu, node("heading", "Company data"), company, node("button", "Save")];
  const rename = { call: { action: "fill", input: { label: "Company", text: "Weber" } } };
  const isReady = (page: ObservedNode[], steps: Partial<StepCause>[], states: ObservedNode[][] = [menu, loaded]) => {
    const scene = caseOf({ prompt: "Rename it.", states, steps });
    const root = node("document", "", { children: page });
    return createReadiness(HOME, [scene.live.root], scene).isReady(root);
  };

  it("has the field that was filled in, however little else there is in it", () => {
    expect(isReady(menu, [rename], [loaded])).toBe(false);
    expect(isReady(loaded, [rename], [loaded])).toBe(true);
  });

  it("has what came after its frame, however much text that has", () => {
    const click = { seen: { observationNumber: 2 } } as Partial<StepCause>;
    expect(isReady(menu, [click])).toBe(false);
    expect(isReady(loaded, [click])).toBe(true);
  });

  it("is not missed for a form that made room for an answer", () => {
    expect(isReady([...menu, company], [rename], [loaded, [...menu, node("text", "Thank you.")]])).toBe(true);
    expect(isReady(menu, [rename], [loaded, [...menu, node("text", "Thank you.")]])).toBe(true);
  });
});
