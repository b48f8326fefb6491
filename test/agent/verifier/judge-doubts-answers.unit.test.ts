import { describe, expect, test } from "vitest";
import { checkAnswer } from "../../../src/agent/verifier/check-answer.ts";
import { checkBounds, checkOrder, checkWholeList } from "../../../src/agent/verifier/check-lists.ts";
import { checkRecords } from "../../../src/agent/verifier/check-records.ts";
import { caseOf, HOME } from "../../_harness/doubtful-case.ts";
import { node } from "../../_harness/observed.ts";

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
  ])("is accepted: %s %s", (prompt, answer, quotes) => {
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
  ])("is contradicted: %s %s", (prompt, answer, quotes) => {
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

  test("that should be newest first is checked by its dates", () => {
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

  test("is compared with its rows wherever they are, and mixed-up values are found at its end", () => {
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

  test("is compared up to a limit, and says so", () => {
    const data = numbers(2_001).map((number) => itemOf(cellsOf(number)));
    expect(checkRecords(caseOf({ prompt: "List them.", states: [tableOf(2_001)], data }))).toMatchObject([
      { evidence: expect.stringContaining("1 more were not") },
    ]);
  });

  const next = node("link", "Next", { url: `${HOME}?page=2` });
  test.each([
    ["Tell me how many products there are.", "There are 60.", "60 products", false],
    ["What is the number of products?", "There are 60.", "60 products", false],
    ["Tell me how many products there are.", "There are 3.", "3 products", false],
    ["Tell me how many products there are.", "There are 61.", "60 products", true],
    ["Count them.", "There are 60.", "€60", true],
    ["What is the phone number of the shop?", "It is 60.", "Larch", false],
  ])("%s %s from %j is incomplete: %s", (prompt, answer, quote, goesOn) => {
    const states = [[node("text", quote), ...tableOf(3), next]];
    expect(checkWholeList(caseOf({ prompt, answer, quotes: [quote], states })).length > 0).toBe(goesOn);
  });
});
