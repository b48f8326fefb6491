import { describe, expect, test } from "vitest";
import { Stop } from "../../../src/agent/steps/run.ts";
import type { ObservedNode } from "../../../src/browser/observation/observation.ts";
import { answer, box, page, table, text, URL } from "../../_harness/answers.ts";
import { field, node, observation } from "../../_harness/observed.ts";

const heading = (name: string) => node("heading", name, { states: { level: 3 } });
const line = (content: string) => box("paragraph", text(content));
const failureOf = (question: string, ...parts: ObservedNode[]) => {
  const said = answer(question, page(node("heading", "Practice", { states: { level: 1 } }), ...parts));
  return said instanceof Stop ? said.code : said;
};

describe("lines that run together", () => {
  const OTHER = [heading("Out of hours"), line("Phone: 116 117")];
  const CONTACT = line("Phone: 030 555 0142 Fax: 030 555 0143 Email:");

  test("are a value each, where it is certain where it ends", () => {
    expect(failureOf("What is the fax number?", CONTACT)).toEqual(["030 555 0143"]);
    expect(failureOf("What is the phone number?", CONTACT)).toEqual(["030 555 0142"]);
  });

  test("give a label another value, also where that is not certain", () => {
    expect(failureOf("What is the phone number?", CONTACT, ...OTHER)).toBe("AMBIGUOUS");
    const person = line("Contact: Ann Bell Office: Main Hall Hours: 9 to 5");
    expect(failureOf("What is the contact?", person, line("Contact: Joe Hill"))).toBe("AMBIGUOUS");
    expect(failureOf("What is the contact?", line("Contact: Joe Hill"))).toEqual(["Joe Hill"]);
  });

  test("are no value of the page in another part of it", () => {
    const footer = box("contentinfo", line("Contact: Ann Bell Office: Main Hall Hours: 9 to 5"));
    expect(failureOf("What is the contact?", line("Contact: Joe Hill"), footer)).toEqual(["Joe Hill"]);
  });
});

test("a heading with the site's name, which links to its start, does not hide the page", () => {
  const logo = node("heading", "", {
    states: { level: 2 },
    children: [node("link", "Cabin & Kayak", { ref: "logo", url: "https://kayak.example/" })],
  });
  const order = box("main", node("heading", "Thank you", { states: { level: 1 } }), line("Order number: CK-5112"));
  for (const top of [box("banner", logo), logo]) {
    expect(answer("What is the order number?", page(top, order))).toEqual(["CK-5112"]);
  }
});

describe("what others have said or may say", () => {
  test("is no rating: neither the choice of a form nor the only entry of a list", () => {
    const review = box("list", box("listitem", node("strong", "Karla M."), text("★ 5 of 5")));
    expect(failureOf("What is the rating?", heading("Reviews"), review)).toBe("ANSWER_NOT_FOUND");
    const stars = node("combobox", "Stars", { value: "5", field: field("select") });
    expect(failureOf("What is the rating?", heading("Reviews"), stars)).toBe("ANSWER_NOT_FOUND");
    expect(
      failureOf("What is the phone number?", node("textbox", "Phone", { value: "030 1", field: field("tel") })),
    ).toEqual(["030 1"]);
  });
});

describe("a day beside a price", () => {
  const card = (name: string, details: string) => box("listitem", heading(name), line(details));
  const orders = (one: string, other: string) => [
    heading("Orders"),
    box("list", card("Order A-1", one), card("Order A-2", other)),
  ];

  test("is another column, where both have labels", () => {
    const labelled = orders(
      "Placed: 11 November 2026 · Status: Shipped · Total: €32.00",
      "Placed: 2 October 2026 · Status: Delivered · Total: €44.85",
    );
    expect(failureOf("Which order is the most expensive?", ...labelled)).toEqual(["Order A-2, Total: €44.85"]);
  });

  test("leaves it open what is compared", () => {
    const unlabelled = orders("11 November 2026, €32.00", "2 October 2026, €44.85");
    expect(failureOf("Which order is the most expensive?", ...unlabelled)).toBe("UNKNOWN_ROWS");
    const rows = [
      ["A-1", "from 11 November 2026: €32.00"],
      ["A-2", "from 2 October 2026: €44.85"],
    ];
    const offers = table("Orders", ["Order", "Price"], ...rows);
    expect(failureOf("Which order is the most expensive?", offers)).toBe("UNKNOWN_ROWS");
  });
});

test("a quota beside the main part is no total of its list", () => {
  const side = box("generic", line("5 of 50 invoices left this month"));
  const invoices = table("Invoices", ["Number", "Client"], ["A-1", "Acme"], ["A-2", "Fjord"]);
  const count = (...main: ObservedNode[]) =>
    answer("How many invoices are there?", observation(URL, [box("generic", side, box("main", ...main))]));
  expect(count(invoices)).toEqual(["2"]);
  expect(count(invoices, line("2 of 50 invoices"))).toBeInstanceOf(Stop);
});

test("an article of a name and a mark before a word are no difference", () => {
  const books = table(
    "Books",
    ["Title", "Price", "Signed"],
    ["The Salt Road", "€14.95", "✓ Yes"],
    ["The Salt Road (Large Print)", "€22.95", "✗ No"],
    ["Night Ferry", "€9.95", "✗ Yes"],
  );
  expect(answer("How much is The Salt Road?", page(books))).toEqual(["€14.95"]);
  expect(answer("List the title of all books where Signed is Yes.", page(books))).toEqual(["The Salt Road"]);
  const both = table("Books", ["Title", "Price"], ["The Salt Road", "€14.95"], ["Salt Road", "€22.95"]);
  expect(answer("How much is The Salt Road?", page(both))).toBeInstanceOf(Stop);
});
