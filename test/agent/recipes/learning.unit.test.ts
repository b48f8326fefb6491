import { describe, expect, it } from "vitest";
import { fillSteps } from "../../../src/agent/recipes/replay.ts";
import type { Step } from "../../../src/agent/steps/step.ts";
import { matchTemplate } from "../../../src/recipes/template.ts";
import { field, node, request } from "../../_harness/observed.ts";
import {
  BOUGHT,
  bodyOf,
  CART,
  control,
  type Done,
  PRODUCT,
  page,
  RESULTS,
  reasonOf,
  SEARCHED,
  SHOP,
  START,
} from "../../_harness/taught-run.ts";

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

  const STOCK = page(
    "/stock",
    START.root.children[0] ?? control("searchbox", ""),
    control("button", "Add Brindle Kettle to cart"),
  );
  const SEARCHED_STOCK: Done = { ...SEARCHED, on: STOCK };
  const CLICKED: Done = { on: STOCK, action: "click", name: "Add Brindle Kettle to cart" };

  it("makes one variable of a value that is also in the name of what is clicked", () => {
    const prompt = 'Search for Brindle Kettle and click "Add Brindle Kettle to cart".';
    const read: Step[] = [
      { fill: { target: "Search products", value: "Brindle Kettle" } },
      { click: "Add Brindle Kettle to cart" },
    ];
    const byModel = bodyOf({ prompt, done: [SEARCHED_STOCK, CLICKED], last: CART });
    const byReader = bodyOf({ prompt, done: [], last: CART, more: { steps: read } });
    for (const { template, variables, steps } of [byModel, byReader]) {
      expect(template).toBe('Search for <search_products> and click "Add <search_products> to cart".');
      const values = matchTemplate(template, variables, prompt.replaceAll("Brindle Kettle", "Corvin Skillet"));
      expect(values).toEqual({ search_products: "Corvin Skillet" });
      expect(JSON.stringify(steps)).not.toMatch(/Brindle|Kettle/);
      expect(JSON.stringify(fillSteps(steps, values ?? {}))).toContain('"Add Corvin Skillet to cart"');
      // Two values would be another errand.
      expect(matchTemplate(template, variables, prompt.replace("Kettle", "Mug"))).toBeNull();
    }
  });

  it.each([
    [
      "it is also elsewhere",
      'Search for Brindle Kettle, click "Add Brindle Kettle to cart" and mind the Brindle Kettle.',
    ],
    ["it is only a part of a word", 'Search for Kettle and click "Add Kettledrum to cart", Kettle.'],
  ])("keeps a value as it is when %s", (_, prompt) => {
    const [value = "", name = ""] = /for ([\w ]+?)(?:,| and).*"(.*)"/.exec(prompt)?.slice(1) ?? [];
    const steps: Step[] = [{ fill: { target: "Search products", value } }, { click: name }];
    const body = bodyOf({ prompt, done: [], last: CART, more: { steps } });
    expect(body).toMatchObject({ template: prompt, variables: {}, steps });
  });

  it("does not take the name of a variable for a value", () => {
    const prompt = "Type item into Voucher code and open Brindle Kettle.";
    const steps: Step[] = [{ fill: { target: "Voucher code", value: "item" } }, { open: "Brindle Kettle" }];
    const body = bodyOf({ prompt, done: [], last: CART, more: { steps } });
    expect(body.steps).toEqual([{ fill: { target: "Voucher code", value: "<voucher_code>" } }, { open: "<item>" }]);
  });

  it("does not look for a short value in names", () => {
    const prompt = 'Type 42 into Voucher code and click "Take 42".';
    const steps: Step[] = [{ fill: { target: "Voucher code", value: "42" } }, { click: "Take 42" }];
    const body = bodyOf({ prompt, done: [], last: CART, more: { steps } });
    expect(body).toMatchObject({ template: prompt, variables: {}, steps });
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

  it("refuses a value that is not in the prompt", () => {
    expect(reasonOf({ prompt: "Put two of the Brindle Kettle into my cart.", done: BOUGHT, last: CART })).toMatch(
      /"Quantity" is not in the prompt word for word/,
    );
    const apply = { on: CART, action: "fill", name: "Voucher code", input: { text: "WELCOME10" } };
    expect(reasonOf({ prompt: "Apply the voucher for new customers.", done: [apply], last: CART })).toMatch(
      /"Voucher code"/,
    );
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
