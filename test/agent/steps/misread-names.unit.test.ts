import { describe, expect, test } from "vitest";
import { mayMean } from "../../../src/agent/steps/nouns.ts";
import { Stop } from "../../../src/agent/steps/run.ts";
import type { ObservedNode } from "../../../src/browser/observation/observation.ts";
import { answer, page, pairs, table, URL } from "../../_harness/answers.ts";
import { node } from "../../_harness/observed.ts";

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
    const tasks = [
      ["Task", "Owner", "Status"],
      ["Report", "Kim", "Open"],
    ];
    expect(answer("What is the status of Kim?", paged(table("Tasks", ...tasks)))).toMatchObject({
      code: "PARTIAL_LIST",
    });
    expect(answer("What is the status of Kim?", page(table("Tasks", ...tasks)))).toEqual(["Open"]);
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

test("a number before a noun is no value of its rows", () => {
  const seen = page(
    table("Orders", ["Order", "Date", "Items"], ["T-1", "2026-01-01", "2"], ["T-2", "2026-02-01", "3"]),
  );
  expect(answer("List the oldest 3 orders.", seen)).toBeInstanceOf(Stop);
  expect(answer("List the next 3 orders.", seen)).toBeInstanceOf(Stop);
  expect(answer("List the order of the 2 oldest orders.", seen)).toEqual(["T-1", "T-2"]);
});

describe("an amount with a unit", () => {
  const seen = page(table("Parcels", ["Parcel", "Weight"], ["P-1", "500 g"], ["P-2", "2 kg"]));

  test("is not compared with one in another", () => {
    for (const weight of ["2000 g", "2"])
      expect(answer(`How many parcels have a weight of ${weight}?`, seen)).toMatchObject({ code: "UNKNOWN_ROWS" });
    const kilograms = page(table("Parcels", ["Parcel", "Weight"], ["P-1", "2.0 kg"], ["P-2", "3 kg"]));
    expect(answer("How many parcels have a weight of 2 kg?", kilograms)).toEqual(["1"]);
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

describe("the only column of a kind", () => {
  const products = page(
    table(
      "Products",
      ["Product", "Shipping", "Vegan", "Last ordered"],
      ["Mug", "€5", "Yes", "2026-01-01"],
      ["Lamp", "€3", "No", "2026-02-01"],
    ),
  );
  const users = page(table("Users", ["Name", "Two-factor"], ["Jo", "Active"], ["Kim", "Inactive"]));

  test.each([
    ["How many products are in stock?", products],
    ["Which products are available?", products],
    ["Which product is the cheapest?", products],
    ["Which product is the newest?", products],
    ["List all products under €4.", products],
    ["List all products before 2026-01-15.", products],
    ["How many users are active?", users],
    ["How many active users are there?", users],
  ])("is not meant where it is about something else: %s", (question, seen) => {
    expect(answer(question, seen)).toMatchObject({ code: "UNKNOWN_ROWS" });
  });

  test("is meant by its name, or where its name does not say so", () => {
    expect(answer("List the name of all products with a shipping under €4.", products)).toEqual(["Lamp"]);
    const stocked = page(table("Products", ["Product", "Available"], ["Mug", "✓"], ["Lamp", "✗"]));
    expect(answer("How many products are in stock?", stocked)).toEqual(["1"]);
    const active = page(table("Users", ["Name", "User status"], ["Jo", "Active"], ["Kim", "Inactive"]));
    expect(answer("How many users are active?", active)).toEqual(["1"]);
  });
});

describe("a sentence", () => {
  const says = (line: string) =>
    page(heading("Alder Table"), node("paragraph", "", { children: [node("text", line)] }));

  test.each([
    ["What is the price?", "The price was €50. Now it is €40."],
    ["What is the price?", "The price is not €50."],
    ["What is the price?", "The old price is €50."],
    ["What is the price?", "The shipping price is €5."],
    ["What is the order number?", "Your previous order number is T-7."],
    ["Who is the captain?", "The former captain is Ines Vogel."],
    ["How many rooms does it have?", "It has more than 6 rooms."],
    ["How many rooms does it have?", "It has at least 6 rooms."],
    ["How many rooms does it have?", "It has 6 of 8 rooms."],
    ["How many rooms does it have?", "It has about 6 rooms."],
  ])("states no value: %s %s", (question, line) => {
    expect(answer(question, says(line))).toBeInstanceOf(Stop);
  });

  test.each([
    ["What is the price?", "The price is €50 per month.", "€50 per month"],
    ["What is the height?", "The height is 20 cm.", "20 cm"],
    ["What is the total?", "The total is about €50.", "about €50"],
    ["What is the order number?", "Your order number is T-7.", "T-7"],
    ["What is the total?", "The total was €50.", "€50"],
    ["Who is the captain?", "The captain is Ines Vogel.", "Ines Vogel"],
    ["How many rooms does it have?", "It has 6 rooms.", "6"],
  ])("is read to its end: %s %s", (question, line, expected) => {
    expect(answer(question, says(line))).toEqual([expected]);
  });
});
