import { describe, expect, test } from "vitest";
import { answerQuestion } from "../../src/agent/extraction/questions/answer-question.ts";
import { parseQuestion } from "../../src/agent/extraction/questions/parse-question.ts";
import type { Answer } from "../../src/agent/extraction/questions/question.ts";
import type { Observation, ObservedNode } from "../../src/browser/observation/observation.ts";
import { node, observation } from "../_harness/observed.ts";

const URL = "https://shop.example/";
const text = (content: string) => node("text", content);
const box = (role: string, ...children: ObservedNode[]) => node(role, "", { children });
const table = (name: string, ...rows: string[][]) => {
  const toRow = (texts: string[], index: number) =>
    box("row", ...texts.map((content) => node(index === 0 ? "columnheader" : "cell", content)));
  return node("table", name, { children: rows.map(toRow) });
};
const page = (...children: ObservedNode[]) => observation(URL, [box("main", ...children)]);

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
  box(
    "generic",
    node("term", "Status"),
    node("definition", "Being packed"),
    node("term", "Arrival"),
    node("definition", "16 Mar 2026"),
  ),
  table("What you ordered", ["Product", "Total"], ["Daypack", "€80.00"]),
  box(
    "generic",
    node("term", "Goods"),
    node("definition", "€80.00"),
    node("term", "Total"),
    node("definition", "€84.90"),
  ),
);

describe("questions about a list", () => {
  test.each([
    ["what is the price of the Brindle Kettle?", "€64.90"],
    ["How much does the Pellam Board cost?", "€39.90"],
    ["how much is the kettle", "€64.90"],
    ["is the Ossery Mug in stock?", "Sold out"],
    ["what is the rating of the Ossery Mug", "★ 4.5 (3)"],
    ["which product is the cheapest", "Ossery Mug, €16.90"],
    ["what is the most expensive product", "Brindle Kettle, €64.90"],
    ["the price of the best rated product", "€18.90"],
    ["how many products are there", "4"],
    ["how many products there are", "4"],
    ["how many products there are in stock", "3"],
    ["how many products are in stock", "3"],
    ["how many products cost under €20", "2"],
    ["the number of products", "4"],
    ["the name and price of the first result", "name of result 1: Brindle Kettle; price of result 1: €64.90"],
    ["the price of the last product", "€39.90"],
    ["the names of the first 2 products", "Brindle Kettle\nOssery Mug"],
    ["which products are out of stock", "Ossery Mug"],
    ["list the names and prices of all products under €18", "Ossery Mug, prices: €16.90"],
    ["the highest price", "€64.90"],
    ["list the name and price of the 2 cheapest products", "Ossery Mug, price: €16.90\nTall Ossery Mug, price: €18.90"],
  ])("%s", (question, expected) => {
    expect(answer(question, PRODUCTS)).toMatchObject({ kind: "found", text: expected });
  });

  test.each([
    ["when does the newest order arrive", "16 Mar 2026"],
    ["what is the status of my latest order?", "Being packed"],
    ["the total of the oldest order", "€61.60"],
    ["the status of order T-2", "On its way"],
    ["when was order T-2 placed", "7 Mar 2026"],
    ["which order has the highest total", "T-2, €85.50"],
    ["how many orders have status Delivered", "1"],
    ["how many orders were there", "3"],
    ["how many orders were delivered", "1"],
    ["how many orders are not delivered", "2"],
    ["the total of all orders that were delivered", "total: €61.60"],
    ["the order of the two most recent orders", "T-3\nT-2"],
  ])("%s", (question, expected) => {
    expect(answer(question, ORDERS)).toMatchObject({ kind: "found", text: expected });
  });

  test("are answered with the words of the page and its address", () => {
    const found = answer("the price of the Brindle Kettle", PRODUCTS);
    expect(found).toMatchObject({
      facts: [{ label: "price of Brindle Kettle", value: "€64.90", quote: "€64.90", url: URL }],
    });
  });

  test("are answered by each row that was counted when no text says the sum", () => {
    const found = answer("how many orders are there", ORDERS);
    expect(found).toMatchObject({ text: "3", facts: [{ quote: "T-3" }, { quote: "T-2" }, { quote: "T-1" }] });
  });

  test("hold only for the pages that were read when there are more", () => {
    const more = page(
      table("Orders", ["Order", "Total"], ["T-1", "€1"], ["T-2", "€2"]),
      node("link", "Next", { url: `${URL}2` }),
    );
    expect(answer("how many orders are there", more)).toMatchObject({ text: "2", isPartial: true });
    expect(answer("the total of the first order", more)).toMatchObject({ text: "€1", isPartial: false });
  });

  test("are answered over several pages of one list", () => {
    const pages = [
      ["T-1", "T-2"],
      ["T-2", "T-3"],
    ].map((names, index) => ({
      ...page(table("Orders", ["Order", "Total"], ...names.map((name) => [name, "€1"]))),
      url: `${URL}${index}`,
    }));
    const question = parseQuestion("how many orders are there");
    expect(question && answerQuestion(question, pages)).toMatchObject({ text: "3" });
  });
});

describe("questions about a page", () => {
  test.each([
    ["the total", "€84.90"],
    ["what is the order number?", "T-3"],
    ["the status and the arrival", "status: Being packed; arrival: 16 Mar 2026"],
    ["when does the order arrive", "16 Mar 2026"],
    ["how much is the total", "€84.90"],
    ["the total of the order", "€84.90"],
  ])("%s", (question, expected) => {
    expect(answer(question, ORDER)).toMatchObject({ kind: "found", text: expected });
  });
});

describe("what is asked for by its name", () => {
  test("is the column of that name before the one that says which row it is", () => {
    const row = (...cells: ObservedNode[]) => box("row", ...cells);
    const people = node("table", "People", {
      children: [
        row(node("columnheader", "Code"), node("columnheader", "Name")),
        row(node("rowheader", "P-1"), node("cell", "Ada")),
        row(node("rowheader", "P-2"), node("cell", "Bo")),
      ],
    });
    expect(answer("the name of the first row", page(people))).toMatchObject({ kind: "found", text: "Ada" });
    expect(answer("the name of P-2", page(people))).toMatchObject({ kind: "found", text: "Bo" });
  });

  test("is never something of another sort", () => {
    const labelled = (label: string, value: string) => box("paragraph", text(`${label}: ${value}`));
    const seen = page(labelled("Order", "T-3"), labelled("Ordered on", "3 Feb 2026"), labelled("Shelf", "oak"));
    expect(answer("the total of the order", seen).kind).toBe("missing");
    expect(answer("the height of the shelf", seen).kind).toBe("missing");
    expect(answer("the value of the shelf", seen)).toMatchObject({ kind: "found", text: "oak" });
  });
});

describe("what is not clear is not answered", () => {
  test.each([
    [
      "one label with two values",
      "the name",
      page(box("paragraph", text("Name: Ada")), box("paragraph", text("Name: Bo"))),
    ],
    ["two records that go by the name", "the price of the mug", PRODUCTS],
    ["a column of many rows", "the total", ORDERS],
    [
      "two that are equally cheap",
      "which product is the cheapest",
      page(table("Products", ["Product", "Price"], ["A", "€1"], ["B", "€1"])),
    ],
    [
      "a page that says two numbers",
      "how many products are there",
      page(box("status", text("60 products")), box("status", text("12 products"))),
    ],
  ])("%s", (_, question, seen) => {
    expect(answer(question, seen).kind).toBe("ambiguous");
  });

  test.each([
    ["nothing goes by the name", "the price of the Grand Piano", PRODUCTS],
    ["another thing goes by a part of the name", "the price of the Pellam Board Deluxe", PRODUCTS],
    ["the record does not say it", "the weight of the Brindle Kettle", PRODUCTS],
    ["no label is like it", "the phone number", ORDER],
    [
      "two currencies cannot be compared",
      "which product is the cheapest",
      page(table("Products", ["Product", "Price"], ["A", "€1"], ["B", "£1"])),
    ],
    [
      "one price cannot be read",
      "which product is the cheapest",
      page(table("Products", ["Product", "Price"], ["A", "€1"], ["B", "on request"])),
    ],
    [
      "a row does not say whether it counts",
      "how many products are in stock",
      page(table("Products", ["Product", "Availability"], ["A", "In stock"], ["B", ""])),
    ],
    ["there are not so many", "the name of the ninth product", PRODUCTS],
    [
      "two lists could be meant",
      "the name of the first result",
      page(table("Cats", ["Name"], ["Tom"], ["Kit"]), table("Dogs", ["Name"], ["Rex"], ["Bo"])),
    ],
    ["the page is empty", "how many orders are there", page()],
    ["no row says it in this word", "how many orders are overdue", ORDERS],
    ["no row says what the others are not", "how many orders are not overdue", ORDERS],
    ["no column says it", "how many orders are in bay 3", ORDERS],
  ])("%s", (_, question, seen) => {
    expect(answer(question, seen).kind).toBe("missing");
  });

  test.each([
    "how many orders did my neighbour forget to pay for",
    "",
    "which way",
    "how many products do people like best",
    "how many products are good for children",
  ])("a question that is not understood: %s", (question) => {
    expect(parseQuestion(question)).toBeNull();
  });
});

function answer(question: string, seen: Observation): Answer {
  const parsed = parseQuestion(question);
  return parsed === null ? { kind: "missing", reason: "not understood" } : answerQuestion(parsed, seen);
}
