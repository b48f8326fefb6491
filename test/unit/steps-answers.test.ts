import { describe, expect, test } from "vitest";
import type { Turn } from "../../src/agent/planner/planner.ts";
import { readPrompt } from "../../src/agent/steps/english/read-prompt.ts";
import { performStep } from "../../src/agent/steps/perform.ts";
import { StepsRun, Stop } from "../../src/agent/steps/run.ts";
import type { Observation, ObservedNode } from "../../src/browser/observation/observation.ts";
import { node, observation, report } from "../_harness/observed.ts";

const URL = "https://shop.example/list";
const text = (content: string) => node("text", content);
const box = (role: string, ...children: ObservedNode[]) => node(role, "", { children });
const table = (name: string, ...rows: string[][]) => {
  const toRow = (texts: string[], index: number) =>
    box("row", ...texts.map((content) => node(index === 0 ? "columnheader" : "cell", content)));
  return node("table", name, { children: rows.map(toRow) });
};
const page = (...children: ObservedNode[]) => observation(URL, [box("main", ...children)]);
const pairs = (values: Record<string, string>) =>
  box(
    "generic",
    ...Object.entries(values).flatMap(([label, value]) => [node("term", label), node("definition", value)]),
  );

const PRODUCTS = page(
  node("heading", "All products", { states: { level: 1 } }),
  box("status", text("4 products")),
  table(
    "Products",
    ["Product", "Price", "Rating", "Availability"],
    ["Brindle Kettle", "€64.90", "★ 4.7 (12)", "In stock"],
    ["Ossery Mug", "€16.90", "★ 4.5 (3)", "Sold out"],
    ["Tall Ossery Mug", "€18.90", "★ 4.9 (8)", "In stock"],
    ["Pellam Board", "€39.90", "★ 4.1 (9)", "In stock"],
  ),
);
const ORDERS = page(
  table(
    "Your orders",
    ["Order", "Placed on", "Status", "Arrival", "Total"],
    ["T-3", "10 Mar 2026", "Being packed", "16 Mar 2026", "€84.90"],
    ["T-2", "7 Mar 2026", "On its way", "12 Mar 2026", "€85.50"],
    ["T-1", "27 Feb 2026", "Delivered", "3 Mar 2026", "€61.60"],
  ),
);
const ORDER = page(
  node("heading", "Order T-3", { states: { level: 1 } }),
  pairs({ Status: "Being packed", Arrival: "16 Mar 2026" }),
  table("What you ordered", ["Product", "Total"], ["Daypack", "€80.00"]),
  pairs({ Goods: "€80.00", Total: "€84.90" }),
);

/** The lines of the answer; or why there is none. Nothing on the page changes, so waiting is instant. */
function answer(prompt: string, seen: Observation): readonly string[] | Stop {
  const reading = readPrompt(prompt);
  if (reading.kind === "refused") throw new Error(`"${reading.clause}" is not understood.`);
  const turn: Turn = {
    observation: seen,
    reports: [report("look")],
    stepsLeft: 100,
    spent: 0,
    takeScreenshot: async () => null,
    signal: new AbortController().signal,
  };
  const run = new StepsRun(turn);
  try {
    for (const { step } of reading.steps) {
      const running = performStep(step, run);
      let request = running.next(turn);
      while (request.done !== true) request = running.next(turn);
    }
  } catch (error) {
    if (error instanceof Stop) return error;
    throw error;
  }
  return run.answers.map(({ text: said }) => said);
}

describe("questions about a list", () => {
  test.each([
    ["What is the price of the Brindle Kettle?", "€64.90"],
    ["How much does the Pellam Board cost?", "€39.90"],
    ["What is the rating of the Ossery Mug?", "★ 4.5 (3)"],
    ["Which product is the cheapest?", "Ossery Mug, Price: €16.90"],
    ["What is the most expensive product?", "Brindle Kettle, Price: €64.90"],
    ["Tell me the price of the best rated product.", "price: €18.90"],
    ["How many products are there?", "4"],
    ["How many products there are in stock?", "3"],
    ["How many products are in stock?", "3"],
    ["How many products cost under €20?", "2"],
    ["Tell me the number of products.", "4"],
    ["Tell me the price of the last product.", "price: €39.90"],
    ["Tell me the names of the first 2 products.", "Brindle Kettle", "Ossery Mug"],
    ["List the name of all products that are out of stock.", "Ossery Mug"],
    ["List the name and price of all products under €18.", "Ossery Mug, price: €16.90"],
    [
      "List the name and price of the 2 cheapest products.",
      "Ossery Mug, price: €16.90",
      "Tall Ossery Mug, price: €18.90",
    ],
  ])("%s", (question, ...expected) => {
    expect(answer(question, PRODUCTS)).toEqual(expected);
  });

  test.each([
    ["Tell me the total of order T-2.", "€85.50"],
    ["Which order has the highest total?", "T-2, Total: €85.50"],
    ["How many orders have status Delivered?", "1"],
    ["How many orders were delivered?", "1"],
    ["How many orders are not delivered?", "2"],
    ["What is Arrival for T-1?", "3 Mar 2026"],
    ["How many orders were placed before 10 March 2026?", "2"],
    ["List the order of all orders with a total of at least €84.", "T-3", "T-2"],
  ])("%s", (question, ...expected) => {
    expect(answer(question, ORDERS)).toEqual(expected);
  });
});

describe("questions about a page", () => {
  test.each([
    ["What is the total?", "€84.90"],
    ["Tell me the status and the arrival.", "Being packed", "16 Mar 2026"],
    ["What is the heading?", "Order T-3"],
  ])("%s", (question, ...expected) => {
    expect(answer(question, ORDER)).toEqual(expected);
  });

  test("are answered with a number that the page states", () => {
    const seen = page(
      node("heading", "Alder Table", { states: { level: 1 } }),
      box("paragraph", text("Seats 6 people.")),
    );
    expect(answer("How many people does it seat?", seen)).toEqual(["6"]);
  });
});

describe("what is not clear is not answered", () => {
  test.each([
    [
      "one label with two values",
      "Tell me the name.",
      page(pairs({ Name: "Ada" }), box("generic", pairs({ Name: "Bo" }))),
    ],
    ["two records that go by the name", "Tell me the price of the mug.", PRODUCTS],
    ["a column of many rows", "What is the total?", ORDERS],
    [
      "two that are equally cheap",
      "Which product is the cheapest?",
      page(table("Products", ["Product", "Price"], ["A", "€1"], ["B", "€1"])),
    ],
    [
      "a page that says more than it shows",
      "How many products are there?",
      page(box("status", text("60 products")), table("Products", ["Product"], ["A"], ["B"])),
    ],
    ["nothing goes by the name", "Tell me the price of the Grand Piano.", PRODUCTS],
    ["another thing goes by a part of the name", "Tell me the price of the Pellam Board Deluxe.", PRODUCTS],
    ["the record does not say it", "Tell me the weight of the Brindle Kettle.", PRODUCTS],
    ["no label is like it", "Tell me the phone number.", ORDER],
    [
      "two currencies cannot be compared",
      "Which product is the cheapest?",
      page(table("Products", ["Product", "Price"], ["A", "€1"], ["B", "£2"])),
    ],
    [
      "one price cannot be read",
      "Which product is the cheapest?",
      page(table("Products", ["Product", "Price"], ["A", "€1"], ["B", "on request"])),
    ],
    [
      "a row does not say whether it counts",
      "How many products are in stock?",
      page(table("Products", ["Product", "Availability"], ["A", "In stock"], ["B", ""])),
    ],
    ["there are not so many", "Tell me the name of the ninth product.", PRODUCTS],
    [
      "two lists could be meant",
      "Tell me the name of the first result.",
      page(table("Cats", ["Name"], ["Tom"], ["Kit"]), table("Dogs", ["Name"], ["Rex"], ["Bo"])),
    ],
    ["two columns hold dates", "What is the status of the newest order?", ORDERS],
    ["the page is empty", "How many orders are there?", page()],
    ["no row says it in this word", "How many orders are overdue?", ORDERS],
    ["no row says what the others are not", "How many orders are not overdue?", ORDERS],
    ["the field of a condition is not there", "If Colour is Blue, click Save.", ORDER],
  ])("%s", (_, question, seen) => {
    expect(answer(question, seen)).toBeInstanceOf(Stop);
  });
});
