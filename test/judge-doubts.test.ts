import { describe, expect, test } from "vitest";
import { CapturedPages, capturePage } from "../src/agent/captured-pages.ts";
import type { Claim } from "../src/agent/planner/planner.ts";
import type { StepCause } from "../src/agent/side-effects.ts";
import { checkField } from "../src/agent/verifier/check-field.ts";
import { tellWrites } from "../src/agent/verifier/judge/assemble-evidence.ts";
import { describeChanges } from "../src/agent/verifier/judge/describe-changes.ts";
import { asksForChange } from "../src/agent/verifier/task/asks-for-change.ts";
import type { Case } from "../src/agent/verifier/task/case.ts";
import { checkAnswer } from "../src/agent/verifier/task/check-answer.ts";
import { checkBounds } from "../src/agent/verifier/task/check-bounds.ts";
import { checkDownloads } from "../src/agent/verifier/task/check-downloads.ts";
import { checkEntries } from "../src/agent/verifier/task/check-entries.ts";
import { checkNotices } from "../src/agent/verifier/task/check-notices.ts";
import { checkOrder } from "../src/agent/verifier/task/check-order.ts";
import { checkRecords } from "../src/agent/verifier/task/check-records.ts";
import { checkRepeats } from "../src/agent/verifier/task/check-repeats.ts";
import { checkUnasked } from "../src/agent/verifier/task/check-unasked.ts";
import { checkWholeList } from "../src/agent/verifier/task/check-whole-list.ts";
import type { Observation } from "../src/browser/observation/observation.ts";
import type { ObservedNode } from "../src/browser/observation/observed-node.ts";
import type { NetworkRecord } from "../src/browser/session/network-record.ts";
import { field, node, observation, request } from "./_harness/observed.ts";

const HOME = "https://shop.example/list";

interface Scene {
  prompt: string;
  answer?: string;
  quotes?: string[];
  data?: Record<string, [unknown, string]>[];
  /** What the page showed, oldest first; the last is what it shows now. */
  states?: ObservedNode[][];
  /** What a fresh browser shows. */
  fresh?: ObservedNode[];
  steps?: Partial<StepCause>[];
  writes?: (Partial<NetworkRecord> & { step: number })[];
}

/** Everything that a check looks at, on one page. */
function caseOf({
  prompt,
  answer = "",
  quotes = [],
  data,
  states = [[]],
  fresh = [],
  steps = [],
  writes = [],
}: Scene): Case {
  const captured = new CapturedPages();
  const seen = states.map((children) => observation(HOME, children));
  for (const state of seen) captured.add(state);
  const live = seen.at(-1) as Observation;
  const again = observation(HOME, fresh);
  const causes = steps.map((step, index) => toStep(step, index + 1));
  return {
    task: { prompt, startUrl: HOME, outputSchema: null, now: new Date("2026-03-11T10:00:00Z") },
    prompt,
    claim: claimOf(answer, quotes, data),
    live,
    captured,
    looks: [{ url: HOME, page: capturePage(again), observation: again, note: null }],
    steps: causes,
    writes: writes.map(({ step, ...write }) => ({ write: request(write), cause: causes[step - 1] ?? null })),
    events: { requests: [], downloads: [] },
  };
}

function toStep(step: Partial<StepCause>, number: number): StepCause {
  const call = step.call ?? { action: "click", input: {} };
  const at = new Date("2026-03-11T10:00:00Z");
  return { step: number, cause: "click", hasFailed: false, effect: "mutate", url: HOME, at, ...step, call };
}

function claimOf(answer: string, quotes: readonly string[], data: Scene["data"]): Claim {
  const leaves = (data ?? []).flatMap((item, index) =>
    Object.entries(item).map(([name, [value, quote]]) => ({ pointer: `/${index}/${name}`, value, quote, url: HOME })),
  );
  const values = (data ?? []).map((item) =>
    Object.fromEntries(Object.entries(item).map(([name, [value]]) => [name, value])),
  );
  return {
    answer,
    facts: quotes.map((quote) => ({ label: "it", value: quote, quote, url: HOME })),
    extraction: data === undefined ? null : { data: values, leaves, coverage: "", missing: [] },
    conditions: [],
  };
}

describe("an answer", () => {
  test.each([
    ["How much is it?", "It costs €1,299.", ["1.299,00 €"]],
    ["How much are both?", "Together they cost €76.90.", ["€64.90", "€12.00"]],
    ["How much did I pay?", "You paid €5.00.", ["-€5.00"]],
    ["How much did it fall?", "It fell by 5 %.", ["-5%"]],
    ["How many are there?", "None.", ["No results"]],
    ["How long does it take?", "90 minutes.", ["90 min"]],
    ["Which size?", "Size 42 in blue.", ["Size 42"]],
    ["When done, tell me the name.", "It is Larch.", ["Larch"]],
    ["What is the order number?", "It is QXZ.", ["QXZ"]],
    ["What do the reviews say about the price?", "People find it fair.", ["fair"]],
    ["When is it delivered?", "On 3 April.", ["2026-04-03"]],
    ["When does it open?", "It opens at 9 am.", ["Opening: 09:00"]],
    ["When does it leave?", "At 2:30 pm, and back at 00:15.", ["14:30", "12:15 a.m."]],
  ])("in order: %s %s", (prompt, answer, quotes) => {
    expect(checkAnswer(caseOf({ prompt, answer, quotes }))).toEqual([]);
  });

  test.each([
    ["How much is it?", "It costs 1999 €.", ["1999 cents"]],
    ["How long does it take?", "90 hours.", ["90 min"]],
    ["When is it delivered?", "By our own van.", ["own van"]],
    ["How warm is it?", "It is 5 degrees.", ["−5"]],
    ["What does it cost?", "It costs £40.", ["€40"]],
    ["When does it open?", "It opens at 9 pm.", ["Opening: 09:00"]],
    ["What was the time?", "It was 2:30:15.", ["2:30:45"]],
  ])("not in order: %s %s", (prompt, answer, quotes) => {
    expect(checkAnswer(caseOf({ prompt, answer, quotes }))).toMatchObject([{ verdict: "contradicted" }]);
  });
});

describe("a list", () => {
  const items = (...prices: number[]) =>
    prices.map((price) => ({
      name: [`N${price}`, `N${price}`] as [unknown, string],
      price: [price, `€${price}.00`] as [unknown, string],
    }));

  test.each([
    ["List those under €15.", [20], true],
    ["Find products under €15 and list their names and prices.", [20], true],
    ["List those between €10 and €15.", [9], true],
    ["List those between €10 and €15.", [12], false],
    ["List those under €15.", [14], false],
    ["List those over 2 kg.", [1], false],
    ["Find a hotel under €100 and list all rooms.", [120], false],
    ["List the ones that are not under €15.", [20], false],
  ])("%s with %j is out of bounds: %s", (prompt, prices, isOutside) => {
    expect(checkBounds(caseOf({ prompt, data: items(...prices) })).length > 0).toBe(isOutside);
  });

  test.each([
    ["List them, cheapest first.", [1, 3, 2], true],
    ["List them, cheapest first.", [1, 2, 2, 3], false],
    ["List them from highest to lowest price.", [1, 2], true],
    ["List them in any order.", [3, 1], false],
    ["Sort by price, lowest first, open the first one and list its sizes.", [3, 1], false],
  ])("%s with %j is out of order: %s", (prompt, prices, isUnordered) => {
    expect(checkOrder(caseOf({ prompt, data: items(...prices) })).length > 0).toBe(isUnordered);
  });

  test("that was to be newest first is read by its dates", () => {
    const dated = (...days: string[]) => days.map((day) => ({ day: [day, day] as [unknown, string] }));
    const prompt = "List them, newest first.";
    expect(checkOrder(caseOf({ prompt, data: dated("2026-03-01", "2026-02-01") }))).toEqual([]);
    expect(checkOrder(caseOf({ prompt, data: dated("2026-02-01", "2026-03-01") }))).toHaveLength(1);
  });
});

describe("a long list", () => {
  const cellsOf = (number: number) => [
    `Plant ${number}`,
    `€${number}.00`,
    `P-${number}`,
    `Bed ${number}`,
    `${number} cm`,
  ];
  const rowOf = (role: string, texts: string[]) =>
    node("row", "", { children: texts.map((text) => node(role, text, { children: [node("text", text)] })) });
  const NAMES = ["Name", "Price", "Code", "Place", "Height"];
  const tableOf = (count: number) => [
    node("table", "", {
      children: [
        rowOf("columnheader", NAMES),
        ...Array.from({ length: count }, (_, index) => rowOf("cell", cellsOf(index + 1))),
      ],
    }),
  ];
  const itemOf = (texts: string[]) =>
    Object.fromEntries(NAMES.map((name, index) => [name.toLowerCase(), [texts[index], texts[index]]])) as Record<
      string,
      [unknown, string]
    >;
  const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

  test("is compared with its rows wherever they stand, and a mixed-up one is found at its end", () => {
    const states = [tableOf(600)];
    const data = numbers(600)
      .toReversed()
      .map((number) => itemOf(cellsOf(number)));
    const scene = { prompt: "List them.", states, fresh: tableOf(600) };
    expect(checkRecords(caseOf({ ...scene, data }))).toEqual([]);
    const mixed = data.with(-1, itemOf(["Plant 1", "€2.00", "P-1", "Bed 1", "1 cm"]));
    expect(checkRecords(caseOf({ ...scene, data: mixed }))).toMatchObject([
      { verdict: "contradicted", evidence: expect.stringContaining("different rows") },
    ]);
    const swapped = data.with(-1, itemOf(["P-1", "€1.00", "Plant 1", "Bed 1", "1 cm"]));
    expect(checkRecords(caseOf({ ...scene, data: swapped }))).toMatchObject([
      { verdict: "contradicted", evidence: expect.stringContaining("is not the name, but the Code") },
    ]);
  });

  test("is compared as far as that takes no time, and says so", () => {
    const data = numbers(2_001).map((number) => itemOf(cellsOf(number)));
    expect(checkRecords(caseOf({ prompt: "List them.", states: [tableOf(2_001)], data }))).toMatchObject([
      { evidence: expect.stringContaining("1 more were not") },
    ]);
  });

  const next = node("link", "Next", { url: `${HOME}?page=2` });
  test.each([
    ["Tell me how many products there are.", "There are 60.", "60 products", false],
    ["What is the number of products?", "There are 60.", "60 products", false],
    ["Tell me how many products there are.", "There are 3.", "3 products", true],
    ["Tell me how many products there are.", "There are 61.", "60 products", true],
    ["Count them.", "There are 60.", "€60", true],
    ["What is the phone number of the shop?", "It is 60.", "Larch", false],
  ])("%s %s from %j goes on: %s", (prompt, answer, quote, goesOn) => {
    const states = [[node("text", quote), ...tableOf(3), next]];
    expect(checkWholeList(caseOf({ prompt, answer, quotes: [quote], states })).length > 0).toBe(goesOn);
  });
});

describe("what was entered", () => {
  const holding = (label: string, value: string) => [node("textbox", label, { value, field: field("text") })];
  const fill = (label: string, text: string) => ({
    cause: `fill "${label}"`,
    call: { action: "fill", input: { label, text } },
  });
  const SAVE = { cause: 'click "Save"' };

  test("and saved is kept, or kept in the site's own spelling", () => {
    const scene = { prompt: "Do it.", states: [holding("City", "Ghent")], steps: [fill("City", "Lier"), SAVE] };
    expect(checkEntries(caseOf({ ...scene, fresh: holding("City", "LIER") }))).toEqual([]);
    expect(checkEntries(caseOf({ ...scene, fresh: holding("City", "Lier, Belgium") }))).toEqual([]);
    expect(checkEntries(caseOf({ ...scene, fresh: holding("City", "") }))).toEqual([]);
    expect(checkEntries(caseOf({ ...scene, fresh: holding("City", "Ghent") }))).toHaveLength(1);
  });

  test.each(["Sort by", "Filter", "Search products"])("into %s only chooses what to look at", (label) => {
    const scene = { prompt: "Change it.", states: [holding(label, "all")], fresh: holding(label, "all") };
    expect(checkEntries(caseOf({ ...scene, steps: [fill(label, "some"), SAVE] }))).toEqual([]);
  });

  test("and led to another page at once was a way there", () => {
    const scene = { prompt: "Set it.", states: [holding("Colour", "all")], fresh: holding("Colour", "all") };
    const next = { ...SAVE, url: "https://shop.example/list?colour=blue" };
    expect(checkEntries(caseOf({ ...scene, steps: [fill("Colour", "blue"), next] }))).toEqual([]);
  });

  describe("into a form that starts again at its defaults", () => {
    const QUANTITY = holding("Quantity", "1");
    const two = fill("Quantity", "2");
    const click = (label: string) => ({ cause: `click "${label}"`, call: { action: "click", input: { label } } });
    const order = (prompt: string, ...steps: Partial<StepCause>[]) =>
      caseOf({ prompt, states: [QUANTITY, holding("Quantity", "2")], fresh: QUANTITY, steps, writes: [{ step: 2 }] });
    const claimed = { kind: "field", about: "", url: HOME, label: "Quantity", value: "2", isSaved: false } as const;

    test.each(["Put two Brindle Kettles into my cart.", "Set the quantity to 2 and add it to my cart."])(
      "is gone from it after it was sent: %s",
      (prompt) => {
        const held = order(prompt, two, click("Add to cart"));
        expect(checkEntries(held)).toEqual([]);
        expect(checkField(claimed, held).verdict).toBe("satisfied");
      },
    );

    test("is gone from it where the run was led on", () => {
      const held = order("Book for 2.", two, click("Submit"), { url: "https://shop.example/thanks" });
      expect(checkEntries(held)).toEqual([]);
      const live = observation("https://shop.example/thanks", []);
      expect(checkField(claimed, { ...held, live }).verdict).toBe("satisfied");
      expect(checkField(claimed, { ...held, live, prompt: "Change it to 2." }).verdict).toBe("contradicted");
    });

    test("is missed where it was to be kept", () => {
      expect(checkEntries(order("Set the quantity to 2.", two, click("OK")))).toHaveLength(1);
      expect(checkEntries(order("Do it.", two, click("Update cart")))).toHaveLength(1);
      expect(checkField(claimed, order("Do it.", two, click("OK"))).verdict).toBe("contradicted");
    });
  });

  test("to be told something is no change", () => {
    const scene = { prompt: "Set the colour to blue and tell me how many there are.", quotes: ["4 shoes"] };
    const page = holding("Colour", "all");
    expect(checkEntries(caseOf({ ...scene, states: [page], fresh: page, steps: [fill("Colour", "blue")] }))).toEqual(
      [],
    );
  });
});

describe("a notice", () => {
  const click = { cause: 'click "Send"' };
  const noticesAmong = (...now: ObservedNode[]) =>
    checkNotices(
      caseOf({ prompt: "Send it.", states: [[node("text", "Form")], now], steps: [click], writes: [{ step: 1 }] }),
    );

  test.each([
    "Sorry to see you go. You are unsubscribed.",
    "This order cannot be cancelled later.",
    "Failed payments: 0",
  ])("that sounds bad and is not: %s", (text) => {
    expect(noticesAmong(node("text", text))).toEqual([]);
  });

  test.each(["Sorry, this did not work.", "Error: no such address", "Your message could not be sent."])(
    "that says it failed: %s",
    (text) => {
      expect(noticesAmong(node("text", text))).toMatchObject([{ verdict: "contradicted" }]);
    },
  );

  test("that stood there before is no answer", () => {
    const alert = node("alert", "Error: our phone line is down");
    const scene = { prompt: "Send it.", steps: [click], writes: [{ step: 1 }] };
    const states = [[alert], [alert, node("text", "Thank you")]];
    expect(checkNotices(caseOf({ ...scene, states }))).toEqual([]);
  });
});

describe("the same request twice", () => {
  const twice = (prompt: string, cause: string, second = cause) =>
    checkRepeats(
      caseOf({ prompt, steps: [{ cause }, { cause: second }], writes: [{ step: 1 }, { step: 2, number: 2 }] }),
    );

  test("is once too often", () => {
    expect(twice("Place the order.", 'click "Place order"')).toMatchObject([{ verdict: "contradicted" }]);
  });

  test("may be what was asked for, a search, or another button", () => {
    expect(twice("Add two mugs to the cart.", 'click "Add"')).toEqual([]);
    expect(twice("Find the mug.", 'click "Search"')).toEqual([]);
    expect(twice("Place the order.", 'click "Review"', 'click "Place order"')).toEqual([]);
  });
});

describe("a change on the way to an answer", () => {
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
  ])("%s %j is not asked for: %s", (prompt, label, isUnasked) => {
    const step = { cause: `click "${label}"`, call: { action: "click", input: { label } } };
    expect(checkUnasked(caseOf({ prompt, steps: [step], writes: [{ step: 1 }] })).length > 0).toBe(isUnasked);
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
  ])("is missed after: %s %s", (prompt, isMissed) => {
    expect(checkDownloads(caseOf({ prompt })).length > 0).toBe(isMissed);
  });
});

describe("what the judge is told of requests", () => {
  const sent = (more: Partial<NetworkRecord>, effect: StepCause["effect"] = "mutate") => ({
    write: request(more),
    cause: toStep({ effect }, 1),
  });
  const elsewhere = { url: "https://pay.example/charge", isFirstParty: false };

  test.each([
    ["a click sent to another site", false, sent(elsewhere)],
    ["a page sent to another site while it was read", true, sent(elsewhere, "read")],
    ["a click sent by beacon", true, sent({ ...elsewhere, resourceType: "ping" })],
  ])("what %s is technical: %s", (_, isTechnical, write) => {
    expect(describeChanges([write], [])).toMatchObject([{ isTechnical }]);
  });

  test("those of a page itself are told apart by path and answer, unless they are too many", () => {
    const urls = ["/a", "/a", "/b"].map((path) => sent({ url: `https://shop.example${path}` }, "read"));
    expect(describeChanges([...urls, sent({ url: "https://shop.example/b", status: 500 }, "read")], [])).toHaveLength(
      3,
    );
    const many = Array.from({ length: 300 }, (_, index) => sent({ url: `https://shop.example/${index}` }, "read"));
    expect(describeChanges(many, [])).toMatchObject([{ isTold: true }]);
  });

  test("those that failed come first where not all can be told, then the newest", () => {
    const writes = Array.from({ length: 60 }, (_, index) => sent({ url: `https://shop.example/${index}` }));
    const lines = tellWrites(writes.with(7, sent({ url: "https://shop.example/7", status: 500 })));
    expect(lines.slice(0, 2).map((line) => line.replace(/.*POST /, ""))).toEqual([
      "https://shop.example/7 answered 500",
      "https://shop.example/59 answered 201",
    ]);
  });

  test("a long address is cut", () => {
    const [line = ""] = tellWrites([sent({ url: `https://shop.example/${"a".repeat(5_000)}` })]);
    expect(line.length).toBeLessThan(400);
  });
});
