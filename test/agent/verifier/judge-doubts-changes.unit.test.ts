import { describe, expect, test } from "vitest";
import type { StepCause } from "../../../src/agent/actions/side-effects.ts";
import { asksForChange } from "../../../src/agent/grounding/english-words.ts";
import {
  checkDownloads,
  checkNotices,
  checkRepeats,
  checkUnrequested,
} from "../../../src/agent/verifier/check-changes.ts";
import { checkEntries } from "../../../src/agent/verifier/check-entries.ts";
import { checkField } from "../../../src/agent/verifier/check-fields.ts";
import type { ObservedNode } from "../../../src/browser/observation/observation.ts";
import { caseOf, HOME } from "../../_harness/doubtful-case.ts";
import { field, node, observation } from "../../_harness/observed.ts";

const click = (label: string) => ({ call: { action: "click", input: { label } } });

describe("an entered value", () => {
  const holding = (label: string, value: string) => [node("textbox", label, { value, field: field("text") })];
  const fill = (label: string, text: string) => ({ call: { action: "fill", input: { label, text } } });
  const SAVE = click("Save");

  test("is kept when it is saved, also in the site's own spelling", () => {
    const scene = { prompt: "Do it.", states: [holding("City", "Ghent")], steps: [fill("City", "Lier"), SAVE] };
    expect(checkEntries(caseOf({ ...scene, fresh: holding("City", "LIER") }))).toEqual([]);
    expect(checkEntries(caseOf({ ...scene, fresh: holding("City", "Lier, Belgium") }))).toEqual([]);
    expect(checkEntries(caseOf({ ...scene, fresh: holding("City", "") }))).toEqual([]);
    expect(checkEntries(caseOf({ ...scene, fresh: holding("City", "Ghent") }))).toHaveLength(1);
  });

  test.each(["Sort by", "Filter", "Search products"])("only filters what is shown in %s", (label) => {
    const scene = { prompt: "Change it.", states: [holding(label, "all")], fresh: holding(label, "all") };
    expect(checkEntries(caseOf({ ...scene, steps: [fill(label, "some"), SAVE] }))).toEqual([]);
  });

  test("need not be kept when it leads to another page at once", () => {
    const scene = { prompt: "Set it.", states: [holding("Colour", "all")], fresh: holding("Colour", "all") };
    const next = { ...SAVE, url: "https://shop.example/list?colour=blue" };
    expect(checkEntries(caseOf({ ...scene, steps: [fill("Colour", "blue"), next] }))).toEqual([]);
  });

  describe("in a form that resets to its defaults", () => {
    const QUANTITY = holding("Quantity", "1");
    const two = fill("Quantity", "2");
    const order = (prompt: string, ...steps: Partial<StepCause>[]) =>
      caseOf({ prompt, states: [QUANTITY, holding("Quantity", "2")], fresh: QUANTITY, steps, writes: [{ step: 2 }] });
    const claimed = { kind: "field", about: "", url: HOME, label: "Quantity", value: "2", isSaved: false } as const;

    test.each(["Put two Brindle Kettles into my cart.", "Set the quantity to 2 and add it to my cart."])(
      "may be gone after submitting: %s",
      (prompt) => {
        const held = order(prompt, two, click("Add to cart"));
        expect(checkEntries(held)).toEqual([]);
        expect(checkField(claimed, held).verdict).toBe("satisfied");
      },
    );

    test("may be gone when the run went on to another page", () => {
      const held = order("Book for 2.", two, click("Submit"), { url: "https://shop.example/thanks" });
      expect(checkEntries(held)).toEqual([]);
      const live = observation("https://shop.example/thanks", []);
      expect(checkField(claimed, { ...held, live }).verdict).toBe("satisfied");
      const task = { ...held.task, prompt: "Change it to 2." };
      expect(checkField(claimed, { ...held, live, task }).verdict).toBe("contradicted");
    });

    test("is missing when it should have been kept", () => {
      expect(checkEntries(order("Set the quantity to 2.", two, click("OK")))).toHaveLength(1);
      expect(checkEntries(order("Do it.", two, click("Update cart")))).toHaveLength(1);
      expect(checkField(claimed, order("Do it.", two, click("OK"))).verdict).toBe("contradicted");
    });
  });

  test("is not a change when the task asks a question", () => {
    const scene = { prompt: "Set the colour to blue and tell me how many there are.", quotes: ["4 shoes"] };
    const page = holding("Colour", "all");
    expect(checkEntries(caseOf({ ...scene, states: [page], fresh: page, steps: [fill("Colour", "blue")] }))).toEqual(
      [],
    );
  });
});

describe("a notice", () => {
  const sendOn = (observationNumber: number) => ({ ...click("Send"), seen: { observationNumber, position: null } });
  const SEND = sendOn(1);
  const noticesAmong = (...now: ObservedNode[]) =>
    checkNotices(
      caseOf({ prompt: "Send it.", states: [[node("text", "Form")], now], steps: [SEND], writes: [{ step: 1 }] }),
    );

  test.each([
    "Sorry to see you go. You are unsubscribed.",
    "This order cannot be cancelled later.",
    "Failed payments: 0",
  ])("that sounds bad but is not: %s", (text) => {
    expect(noticesAmong(node("text", text))).toEqual([]);
  });

  test.each(["Sorry, this did not work.", "Error: no such address", "Your message could not be sent."])(
    "that reports a failure: %s",
    (text) => {
      expect(noticesAmong(node("text", text))).toMatchObject([{ verdict: "contradicted" }]);
    },
  );

  test("that was there before says nothing about the change", () => {
    const alert = node("alert", "Error: our phone line is down");
    const scene = { prompt: "Send it.", steps: [SEND], writes: [{ step: 1 }] };
    const states = [[alert], [alert, node("text", "Thank you")]];
    expect(checkNotices(caseOf({ ...scene, states }))).toEqual([]);
    const late = [[node("text", "Loading…")], ...states];
    expect(checkNotices(caseOf({ ...scene, steps: [sendOn(2)], states: late }))).toEqual([]);
  });
});

describe("the same request twice", () => {
  const twice = (prompt: string, label: string, second = label) =>
    checkRepeats(
      caseOf({ prompt, steps: [click(label), click(second)], writes: [{ step: 1 }, { step: 2, number: 2 }] }),
    );

  test("is once too often", () => {
    expect(twice("Place the order.", "Place order")).toMatchObject([{ verdict: "contradicted" }]);
  });

  test("may be requested, a search, or another button", () => {
    expect(twice("Add two mugs to the cart.", "Add")).toEqual([]);
    expect(twice("Find the mug.", "Search")).toEqual([]);
    expect(twice("Place the order.", "Review", "Place order")).toEqual([]);
  });
});

describe("a change during a question", () => {
  test.each([
    ["Tell me the balance.", "Transfer money", true],
    ["What is in my order?", "Place order", true],
    ["Which of them is the cheapest?", "Add to cart", true],
    ["Tell me the balance.", "Search", false],
    ["Tell me the balance.", "Accept cookies", false],
    ["Tell me the balance.", "Submit", false],
    ["Transfer €5 to Jo. Then tell me the balance.", "Transfer money", false],
    ["Tell me the price after adding it to the cart.", "Add to cart", false],
    ["Buy the mug and tell me the total.", "Place order", false],
    ["Sign in and tell me the balance.", "Transfer money", true],
    ["Download the terms and tell me the monthly fee.", "Buy now", true],
    ["Put two kettles into my cart.", "Add to cart", false],
    ["Get me a table for two.", "Reserve", false],
    ["Check out with what is in my cart.", "Place order", false],
    ["Fill in the contact form with the name Jo.", "Send", false],
    ["Sign me up for the newsletter.", "Subscribe", false],
    ["Leave a 5 star review.", "Post", false],
    ["Schedule an appointment and tell me when it is.", "Book", false],
    ["Ask support when the shop opens.", "Send", false],
    ["Could you get me a kettle?", "Buy", false],
  ])("%s %j is unrequested: %s", (prompt, label, isUnasked) => {
    expect(checkUnrequested(caseOf({ prompt, steps: [click(label)], writes: [{ step: 1 }] })).length > 0).toBe(
      isUnasked,
    );
  });

  test.each([
    ['Type "SPRING" into the voucher field. Click "Apply". What is the total?', false],
    ['Click "Apply now". What is the total?', true],
    ["What is the total with the voucher?", true],
  ])("a form sent by Apply is unrequested after %j: %s", (prompt, isUnasked) => {
    const form = { step: 1, isNavigation: true };
    expect(checkUnrequested(caseOf({ prompt, steps: [click("Apply")], writes: [form] })).length > 0).toBe(isUnasked);
  });

  test.each([
    ["Show me my cart and order history.", false],
    ["What is the status of my order?", false],
    ["Please add the mug to the cart.", true],
    ["Go to settings. Turn on the alerts.", true],
    ["Find the mug and order it.", true],
  ])("%s asks for a change: %s", (prompt, isAsked) => {
    expect(asksForChange(prompt)).toBe(isAsked);
  });
});

describe("a download", () => {
  test.each([
    ["Download the invoice.", true],
    ["Open the page and download it.", true],
    ["How many downloads are there?", false],
    ["Open the download page.", false],
  ])("is missing after: %s %s", (prompt, isMissed) => {
    expect(checkDownloads(caseOf({ prompt })).length > 0).toBe(isMissed);
  });
});
