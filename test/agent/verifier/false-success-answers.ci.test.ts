import { describe, expect, test } from "vitest";
import { type DoubtfulCase, useDoubtfulRuns } from "../../_harness/doubtful-runs.ts";
import { rows } from "../../_harness/storyteller.ts";
import { casesOfTier } from "../../_harness/tier.ts";

const run = useDoubtfulRuns();

const PRICE = { label: "price", value: "€19.99", quote: "€19.99", path: "/kettle" };
const KETTLE = {
  prompt: "What is the price of the kettle?",
  path: "/kettle",
  answer: "It costs €19.99.",
  facts: [PRICE],
};
const WEIGHT = { label: "weight", value: "500 g", quote: "500 g", path: "/kettle" };
const LARCH = { name: ["Larch", "Larch"], price: [12, "€12.00"] } as const;
const BIRCH = { name: ["Birch", "Birch"], price: [30, "€30.00"] } as const;
const ALDER = { name: ["Alder", "Alder"], price: [8.5, "€8.50"] } as const;
const LIST = { path: "/catalog", schema: { type: "array" } };
const INVOICES = { path: "/invoices", prompt: "List the numbers of all invoices.", schema: { type: "array" } };
const FIRST_PAGE = ["A-1", "A-2", "A-3"].map((id) => ({ number: [id, id] }) as const);

interface Wrong extends DoubtfulCase {
  what: string;
  caughtBy: RegExp;
}

const WRONG: Wrong[] = [
  {
    what: "a value that is on no page",
    ...KETTLE,
    answer: "It costs €17.50.",
    facts: [{ ...PRICE, value: "€17.50", quote: "€17.50" }],
    caughtBy: /The page has the answer .*: contradicted.*€17.50/,
  },
  {
    what: "a quote from another page",
    ...KETTLE,
    deeds: [{ goto: "/lamp" }, { goto: "/kettle" }],
    answer: "It costs €45.00.",
    facts: [{ ...PRICE, value: "€45.00", quote: "€45.00" }],
    caughtBy: /"€45.00" at .*\/kettle was not seen/,
  },
  {
    what: "a quote from hidden text",
    ...KETTLE,
    answer: "It costs €9.99.",
    facts: [{ ...PRICE, value: "€9.99", quote: "Secret price €9.99" }],
    caughtBy: /Secret price €9.99.*was not seen/,
  },
  {
    what: "a number that was cut short",
    ...KETTLE,
    answer: "It costs €19.",
    facts: [{ ...PRICE, value: "€19", quote: "€19" }],
    caughtBy: /only a part of what the page says/,
  },
  {
    what: "cents taken for euros",
    ...KETTLE,
    answer: "It costs €19.99.",
    facts: [{ ...PRICE, value: 1999 }],
    caughtBy: /"€19.99" does not say 1999/,
  },
  {
    what: "kilograms instead of grams",
    ...KETTLE,
    prompt: "How much does the kettle weigh?",
    answer: "It weighs 500 kg.",
    facts: [WEIGHT],
    caughtBy: /says "500 g", but the answer says "500 kg"/,
  },
  {
    what: "another currency",
    ...KETTLE,
    answer: "It costs $19.99.",
    caughtBy: /says "€19.99", but the answer says "\$19.99"/,
  },
  {
    what: "the wrong sign",
    ...KETTLE,
    prompt: "At what temperature is the kettle stored?",
    answer: "It is stored at 5 °C.",
    facts: [{ label: "temperature", value: "−5 °C", quote: "−5 °C", path: "/kettle" }],
    caughtBy: /but the answer says "5/,
  },
  {
    what: "day and month exchanged",
    ...KETTLE,
    prompt: "When is the kettle delivered?",
    answer: "It is delivered on 3 April 2026.",
    facts: [{ label: "delivery", value: "2026-03-04", quote: "3 April 2026", path: "/kettle" }],
    caughtBy: /"3 April 2026" does not say "2026-03-04"/,
  },
  {
    what: "a number in the answer that nobody read",
    ...KETTLE,
    answer: "It costs €19.99, and was €24.50 before.",
    caughtBy: /No page that was read states 24.50/,
  },
  {
    what: "a wrong count",
    prompt: "How many products are there?",
    path: "/catalog",
    answer: "There are 5 products.",
    facts: ["Larch", "Birch", "Alder"].map((name) => ({
      label: "product",
      value: name,
      quote: name,
      path: "/catalog",
    })),
    caughtBy: /No page that was read states 5/,
  },
  {
    what: "an answer that does not answer the question",
    ...KETTLE,
    prompt: "How much does the kettle cost?",
    answer: "It is a fine kettle.",
    facts: [{ label: "name", value: "Kettle", quote: "Kettle", path: "/kettle" }],
    caughtBy: /asks for a number, and the answer has none/,
  },
  {
    what: "the price of another row",
    ...LIST,
    prompt: "Give me the name and price of the larch.",
    data: rows("/catalog", [{ name: LARCH.name, price: BIRCH.price }]),
    caughtBy: /are in different rows/,
  },
  {
    what: "the number of another column",
    ...LIST,
    prompt: "Give me the name and stock of the larch.",
    data: rows("/catalog", [{ name: LARCH.name, stock: [12, "€12.00"] }]),
    caughtBy: /is not the stock, but the Price/,
  },
  {
    what: "rows that are not in the requested order",
    ...LIST,
    prompt: "List the names and prices, cheapest first.",
    data: rows("/catalog", [LARCH, BIRCH, ALDER]),
    caughtBy: /in the requested order: cheapest first: contradicted/,
  },
  {
    what: "names that are not in alphabetical order",
    ...LIST,
    prompt: "List the names in alphabetical order.",
    data: rows("/catalog", [{ name: LARCH.name }, { name: BIRCH.name }, { name: ALDER.name }]),
    caughtBy: /alphabetical: contradicted/,
  },
  {
    what: "a filter that was not applied",
    ...LIST,
    prompt: "List the names and prices of the products under €15.",
    data: rows("/catalog", [LARCH, BIRCH, ALDER]),
    caughtBy: /under €15: contradicted. One item has price 30/,
  },
  {
    what: "a second page that nobody read",
    ...INVOICES,
    data: rows("/invoices", FIRST_PAGE),
    caughtBy: /continues on a page that was not read/,
  },
  {
    what: "data that says something else than its quotes",
    ...LIST,
    prompt: "Give me the name and price of the larch.",
    data: { ...rows("/catalog", [LARCH]), data: [{ name: "Larch", price: 11 }] },
    caughtBy: /its leaf has another value/,
  },
  {
    what: "a page that was out of date when it was read",
    prompt: "What is my balance?",
    path: "/moving",
    answer: "It is €40.00.",
    facts: [{ label: "balance", value: "€40.00", quote: "Balance: €40.00", path: "/moving" }],
    caughtBy: /a fresh browser shows "Balance: €52.00"/,
  },
  {
    what: "a copy that the browser had kept",
    prompt: "How many pieces were sold?",
    path: "/cached",
    deeds: [{ goto: "/kettle" }, { goto: "/cached" }],
    answer: "7 pieces.",
    facts: [{ label: "sold", value: "7 pieces", quote: "7 pieces", path: "/cached" }],
    caughtBy: /a fresh browser shows "Sold .* 9 pieces"/,
  },
  {
    what: "a total from before the run changed it",
    prompt: "Add the blue mug to the cart and tell me the total.",
    path: "/cart",
    deeds: [{ goto: "/mug" }, { click: "Add to cart" }],
    answer: "The total is €0.00.",
    facts: [{ label: "total", value: "€0.00", quote: "Total: €0.00", path: "/cart" }],
    caughtBy: /a fresh browser shows "Total: €12.00"/,
  },
  {
    what: "a link that leads nowhere",
    prompt: "Open the manual.",
    path: "/broken-link",
    deeds: [{ click: "Manual" }],
    answer: "The manual is open.",
    texts: [{ path: "/broken-link", text: "Manual" }],
    caughtBy: /The last page of the run exists: contradicted. .* returned 404/,
  },
  {
    what: "nothing at all",
    ...KETTLE,
    prompt: "Look at the kettle.",
    answer: "Everything was done.",
    facts: [],
    caughtBy: /claims nothing that could be checked/,
  },
];

describe("code alone refuses an answer with", () => {
  test.each(casesOfTier(WRONG, { ci: 9 }))("$what", async ({ caughtBy, what: _, ...wrong }) => {
    const { outcome, against, wasJudged } = await run(wrong);
    expect(outcome).toMatchObject({ kind: "failed", failure: "unverified" });
    expect(against).toMatch(caughtBy);
    expect(wasJudged).toBe(false);
  });
});

const RIGHT: (DoubtfulCase & { what: string })[] = [
  { what: "a price", ...KETTLE },
  {
    what: "a weight, a date and a temperature",
    ...KETTLE,
    prompt: "How heavy is the kettle, when is it delivered and at what temperature is it stored?",
    answer: "It weighs 500 g, is delivered on 3 April 2026 and stored at −5 °C.",
    facts: [
      WEIGHT,
      { label: "delivery", value: "2026-04-03", quote: "3 April 2026", path: "/kettle" },
      { label: "temperature", value: -5, quote: "−5 °C", path: "/kettle" },
    ],
  },
  {
    what: "a count",
    prompt: "How many products are there?",
    path: "/catalog",
    answer: "There are 3 products.",
    facts: ["Larch", "Birch", "Alder"].map((name) => ({
      label: "product",
      value: name,
      quote: name,
      path: "/catalog",
    })),
  },
  {
    what: "a list within bounds and in order",
    ...LIST,
    prompt: "List the names and prices of the products under €15, cheapest first.",
    data: rows("/catalog", [ALDER, LARCH]),
  },
  {
    what: "a list from two pages",
    ...INVOICES,
    deeds: [{ click: "Next" }],
    data: {
      data: [1, 2, 3, 4, 5].map((number) => ({ number: `A-${number}` })),
      leaves: [1, 2, 3, 4, 5].map((number, index) => ({
        pointer: `/${index}/number`,
        value: `A-${number}`,
        quote: `A-${number}`,
        path: number <= 3 ? "/invoices" : "/invoices?page=2",
      })),
    },
  },
  {
    what: "a total that the run itself has changed",
    prompt: "Add the blue mug to the cart and tell me the total.",
    path: "/cart",
    deeds: [{ goto: "/mug" }, { click: "Add to cart" }],
    answer: "The total is €12.00.",
    facts: [{ label: "total", value: "€12.00", quote: "Total: €12.00", path: "/cart" }],
  },
];

describe("the same pages with the truth are verified:", () => {
  test.each(casesOfTier(RIGHT, { ci: 4 }))("$what", async ({ what: _, ...right }) => {
    const { outcome, against, wasJudged } = await run(right);
    expect(against).toBe("");
    expect(outcome.kind).toBe("verified");
    expect(wasJudged).toBe(true);
  });
});
