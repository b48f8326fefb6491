import { describe, expect, test } from "vitest";
import { mayMean } from "../../src/agent/steps/nouns.ts";
import { Stop } from "../../src/agent/steps/run.ts";
import type { ObservedNode } from "../../src/browser/observation/observation.ts";
import { answer, page, pairs, table, URL } from "../_harness/answers.ts";
import { node } from "../_harness/observed.ts";

const heading = (name: string, level = 1) => node("heading", name, { states: { level } });
/** A page about something, with what it says. */
const about = (name: string, values: Record<string, string>) => page(heading(name), pairs(values));
/** A page of several. */
const paged = (...parts: ObservedNode[]) =>
  page(
    ...parts,
    node("navigation", "Pagination", { children: [node("link", "Next", { url: `${URL}?page=2`, ref: "e1" })] }),
  );

describe("a noun means", () => {
  test.each([
    ["team", "Users", false],
    ["user", "Team", true],
    ["employee", "Staff", true],
    ["employee", "People", false],
    ["person", "Employees", true],
    ["bug", "Issues", false],
    ["ticket", "Issues", true],
    ["ticket", "Inbox", true],
    ["inbox", "Tickets", false],
    ["store", "Products", false],
    ["product", "Store", true],
    ["payment", "Transactions", false],
    ["plan", "Subscriptions", false],
    ["customer", "Directory", true],
    ["bug", "All records", true],
  ])("%s on a page called %s: %s", (noun, name, expected) => {
    expect(mayMean(noun, [name])).toBe(expected);
  });

  test("no list that only has a column of that name", () => {
    const seen = page(table("Invoices", ["Invoice", "Customer"], ["INV-1", "Ann"], ["INV-2", "Ann"]));
    expect(answer("How many customers are there?", seen)).toMatchObject({ code: "LIST_NOT_FOUND" });
    expect(answer("How many invoices are there?", seen)).toEqual(["2"]);
  });

  test("no list of only those in one state", () => {
    const seen = page(
      heading("Issues"),
      heading("Closed issues", 2),
      table("Closed issues", ["Issue"], ["Fire"], ["Flood"]),
    );
    expect(answer("How many issues are there?", seen)).toMatchObject({ code: "PARTIAL_LIST" });
    expect(answer("How many closed issues are there?", seen)).toEqual(["2"]);
  });
});

describe("a part of a name", () => {
  const products = (...rows: string[][]) => table("Products", ["Product", "Price"], ...rows);

  test("of several rows means none of them, also where they say the same", () => {
    const seen = page(products(["Brindle Kettle", "€9"], ["Copper Kettle", "€9"]));
    expect(answer("What is the price of the kettle?", seen)).toMatchObject({ code: "AMBIGUOUS" });
    expect(answer("What is the price of the Brindle?", seen)).toEqual(["€9"]);
  });

  test("may be the whole name of a row on a later page", () => {
    const seen = paged(products(["Larch Deluxe", "€9"], ["Oak", "€3"]));
    expect(answer("What is the price of Larch?", seen)).toMatchObject({ code: "PARTIAL_LIST" });
    expect(answer("What is the price of Oak?", seen)).toEqual(["€3"]);
    const orders = paged(table("Orders", ["Order", "Total"], ["Order T-1", "€9"], ["Order T-10", "€3"]));
    expect(answer("What is the total of T-1?", orders)).toEqual(["€9"]);
  });

  test("of a label is not that label, where the rest makes it another value", () => {
    const seen = about("Kettle", { "Old price": "€79", "Shipping weight": "3 kg", "Email address": "a@b.example" });
    for (const question of ["What does it cost?", "How heavy is it?", "What is the address?"])
      expect(answer(question, seen), question).toBeInstanceOf(Stop);
    expect(answer("What is the old price?", seen)).toEqual(["€79"]);
  });
});

describe("an amount", () => {
  const seen = page(table("Products", ["Product", "Price"], ["Mug", "€9.00"], ["Lamp", "€19.00"]));

  test.each([
    ["How many products cost exactly €9?", "1"],
    ["How many products have a price of at least €9?", "2"],
    ["How many products have a price of less than €10?", "1"],
    ["How many products have a price of €9.00?", "1"],
  ])("is compared as an amount: %s", (question, expected) => {
    expect(answer(question, seen)).toEqual([expected]);
  });
});

describe("what a page says", () => {
  const seen = about("Invoice 7", { Status: "Unpaid", Total: "€150.00", Left: "€5.00" });

  test.each(["Paid", "50", "€15", "5.0"])("is not a part of a word or a number: %s", (said) => {
    expect(answer(`Check that the page says "${said}".`, seen)).toMatchObject({ code: "NOT_AS_EXPECTED" });
    expect(answer(`Check that the page does not say "${said}".`, seen)).toEqual([]);
  });

  test.each(["Unpaid", "€150", "€5", "150.00"])("is a whole one: %s", (said) => {
    expect(answer(`Check that the page says "${said}".`, seen)).toEqual([]);
  });

  test("leaves open whether a row is on a later page", () => {
    const list = table("Trees", ["Tree"], ["Larch"], ["Oak"]);
    for (const question of ["Check that there is no row for Elm.", "If there is a row for Elm, tell me the heading."]) {
      expect(answer(question, paged(list))).toMatchObject({ code: "PARTIAL_LIST" });
      expect(answer(question, page(list))).toEqual([]);
    }
  });
});
