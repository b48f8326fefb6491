import { describe, expect, test } from "vitest";
import { CapturedPages, capturePage } from "../../../src/agent/grounding/captured-pages.ts";
import type { Claim, Condition, Extraction } from "../../../src/agent/grounding/claim.ts";
import type { Case } from "../../../src/agent/verifier/case.ts";
import { checkAgreement } from "../../../src/agent/verifier/check-agreement.ts";
import { checkWholeList } from "../../../src/agent/verifier/check-lists.ts";
import { checkAbsent, checkList, checkNone } from "../../../src/agent/verifier/check-none.ts";
import { checkTotalRows } from "../../../src/agent/verifier/check-records.ts";
import type { Observation, ObservedNode } from "../../../src/browser/observation/observation.ts";
import { node, observation } from "../../_harness/observed.ts";

const URL_OF = (page: number) => `https://shop.example/orders${page === 1 ? "" : `?page=${page}`}`;

function table(rows: readonly (readonly string[])[], columns = ["Order", "State"]): ObservedNode {
  const row = (cells: readonly string[], role: string) =>
    node("row", cells.join(" "), { children: cells.map((text) => node(role, text)) });
  return node("table", "Orders", {
    children: [row(columns, "columnheader"), ...rows.map((cells) => row(cells, "cell"))],
  });
}

const ROWS = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => [`T-${from + index}`, "Open"]);
const line = (text: string) => node("paragraph", "", { children: [node("text", text)] });
const next = (page: number) =>
  node("navigation", "Pages", {
    children: [
      node("link", "1", { url: URL_OF(1) }),
      node("link", "2", { url: URL_OF(2) }),
      node("link", "Next page", { url: URL_OF(page) }),
    ],
  });

/** A run that saw these pages, the first with number 1. */
function caseOf(
  pages: readonly (readonly [url: string, children: readonly ObservedNode[]])[],
  claim: Partial<Claim>,
  prompt = "List all orders.",
): Case {
  const captured = new CapturedPages();
  const seen = pages.map(([url, children], index) => observation(url, [...children], { number: index + 1 }));
  for (const each of seen) captured.add(each);
  return {
    task: { prompt, startUrl: URL_OF(1), outputSchema: null, now: new Date("2026-03-11T10:00:00Z") },
    claim: { answer: "", facts: [], extraction: null, conditions: [], ...claim },
    live: seen.at(-1) as Observation,
    captured,
    freshPages: seen.map((each) => ({ url: each.url, page: capturePage(each), observation: each, note: null })),
    steps: [],
    writes: [],
    events: { requests: [], downloads: [], dialogs: [] },
  };
}

function extractionOf(rows: readonly { order: string; page?: number }[], more: Partial<Extraction> = {}): Extraction {
  return {
    data: rows.map(({ order }) => ({ order })),
    leaves: rows.map(({ order, page = 1 }, index) => ({
      pointer: `/${index}/order`,
      value: order,
      quote: order,
      url: URL_OF(page),
      location: { observationNumber: page, box: null },
    })),
    coverage: "",
    missing: [],
    ...more,
  };
}

const listOf = (rows: number, more: Partial<Extract<Condition, { kind: "list" }>> = {}) =>
  ({
    kind: "list",
    observations: [1],
    name: "Orders",
    rows,
    columns: [],
    about: "The list was read",
    ...more,
  }) as const;

describe("a list that a claim calls whole", () => {
  test.each([
    ["is whole when nothing follows", [table(ROWS(1, 3))], listOf(3), "satisfied"],
    ["is not when the claim counts other rows", [table(ROWS(1, 3))], listOf(4), "contradicted"],
    ["is not when it goes on", [table(ROWS(1, 3)), next(2)], listOf(3), "unknown"],
    ["is not when the page says that there are more", [line("1–3 of 72"), table(ROWS(1, 3))], listOf(3), "unknown"],
    ["is not when it says so in other words", [line("72 results"), table(ROWS(1, 3))], listOf(3), "unknown"],
    ["has no total row", [table([...ROWS(1, 2), ["Total", "2"]])], listOf(2), "satisfied"],
    [
      "says something in the column that rows were chosen by",
      [table(ROWS(1, 3))],
      listOf(3, { columns: ["State"] }),
      "satisfied",
    ],
    [
      "says nothing in a column that it does not have",
      [table(ROWS(1, 3))],
      listOf(3, { columns: ["Country"] }),
      "unknown",
    ],
    [
      "says nothing in an empty cell",
      [table([...ROWS(1, 2), ["T-3", ""]])],
      listOf(3, { columns: ["State"] }),
      "unknown",
    ],
    ["is unknown when its page is not kept", [table(ROWS(1, 3))], listOf(3, { observations: [1, 9] }), "unknown"],
  ] as const)("%s", (_, children, condition, verdict) => {
    expect(checkList(condition, caseOf([[URL_OF(1), [...children]]], {})).verdict).toBe(verdict);
  });

  test("is read over all of its pages", () => {
    const pages = [
      [URL_OF(1), [line("1–3 of 5"), table(ROWS(1, 3)), next(2)]],
      [URL_OF(2), [line("4–5 of 5"), table(ROWS(4, 2))]],
    ] as const;
    const seen = caseOf(
      pages.map(([url, children]) => [url, [...children]]),
      {},
    );
    expect(checkList(listOf(5, { observations: [1, 2] }), seen)).toMatchObject({ verdict: "satisfied" });
    expect(checkList(listOf(3), seen)).toMatchObject({ verdict: "unknown" });
  });

  test("grows in place, and only its last state counts", () => {
    const more = node("button", "Load more");
    const pages = [
      [URL_OF(1), [table(ROWS(1, 3)), more]],
      [URL_OF(1), [table(ROWS(1, 5))]],
    ] as const;
    const seen = caseOf(
      pages.map(([url, children]) => [url, [...children]]),
      {},
    );
    expect(checkList(listOf(5, { observations: [1, 2] }), seen)).toMatchObject({ verdict: "satisfied" });
  });
});

describe("a text that is claimed to be absent", () => {
  const absent = (text: string) => ({ kind: "absent", url: URL_OF(1), text, about: "It is gone" }) as const;
  test.each([
    ["is gone", "T-9", [table(ROWS(1, 3))], "satisfied"],
    ["is still there", "t-2", [table(ROWS(1, 3))], "contradicted"],
    ["may be on the next page", "T-9", [table(ROWS(1, 3)), next(2)], "unknown"],
  ] as const)("%s", (_, text, children, verdict) => {
    expect(checkAbsent(absent(text), caseOf([[URL_OF(1), [...children]]], {})).verdict).toBe(verdict);
  });

  test("is unknown when the page could not be loaded again", () => {
    const seen = { ...caseOf([[URL_OF(1), [table(ROWS(1, 3))]]], {}), freshPages: [] };
    expect(checkAbsent(absent("T-9"), seen).verdict).toBe("unknown");
  });
});

describe("a claim that there are none", () => {
  const HOW_MANY = "How many orders are overdue?";
  const fact = (quote: string, value: Claim["facts"][number]["value"] = 0) => ({
    label: "orders",
    value,
    quote,
    url: URL_OF(1),
  });
  test.each([
    [
      "rests on a page that says so",
      "There are no overdue orders.",
      [fact("No orders found")],
      [line("No orders found")],
      false,
    ],
    ["rests on a stated number", "0", [fact("Overdue: 0")], [line("Overdue: 0")], false],
    ["rests on a list that was read to its end", "None.", [fact("Order")], [table(ROWS(1, 3))], false],
    ["does not rest on a list that goes on", "None.", [fact("Order")], [table(ROWS(1, 3)), next(2)], true],
    [
      "does not rest on a part of a stated total",
      "None.",
      [fact("Order")],
      [line("1–3 of 72"), table(ROWS(1, 3))],
      true,
    ],
    ["does not rest on just any page", "There are 0 overdue orders.", [fact("Welcome")], [line("Welcome")], true],
    ["rests on nothing", "None.", [], [line("Welcome")], true],
  ] as const)("%s", (_, answer, facts, children, isRefused) => {
    const seen = caseOf([[URL_OF(1), [...children]]], { answer, facts: [...facts] }, HOW_MANY);
    expect(checkNone(seen).map(({ verdict }) => verdict)).toEqual(isRefused ? ["unknown"] : []);
  });

  test.each([
    ["a number", "10 orders are overdue.", HOW_MANY],
    ["a price below one", "0.50 euros", "What does it cost?"],
    ["a yes or no", "No, the shop is closed on Sundays.", "Is the shop open on Sundays?"],
    ["something done", "Nothing else was changed.", 'Change my name to "What is none?".'],
    ["a word that begins like it", "Nora Jones", "Who wrote it?"],
  ])("is not: %s", (_, answer, prompt) => {
    expect(checkNone(caseOf([[URL_OF(1), [line("Welcome")]]], { answer }, prompt))).toEqual([]);
  });

  test("an empty list in the data needs a page as well", () => {
    const extraction = extractionOf([]);
    expect(checkNone(caseOf([[URL_OF(1), [line("Welcome")]]], { extraction }))).toHaveLength(1);
    expect(checkNone(caseOf([[URL_OF(1), [line("No orders yet")]]], { extraction }))).toEqual([]);
    const conditions = [listOf(3)];
    expect(checkNone(caseOf([[URL_OF(1), [table(ROWS(1, 3))]]], { extraction, conditions }))).toEqual([]);
  });
});

describe("a stated total", () => {
  const page = (number: number, from: number) =>
    [URL_OF(number), [line(`Showing ${from}–${from + 23} out of 72`), table(ROWS(from, 24))]] as const;
  const pages = [page(1, 1), page(2, 25), page(3, 49)].map(([url, children]) => [url, [...children]] as const);
  const taken = (...numbers: number[]) =>
    extractionOf(
      numbers.flatMap((number) => ROWS(number * 24 - 23, 24).map(([order = ""]) => ({ order, page: number }))),
    );

  test("is reached by the rows of all pages", () => {
    expect(checkWholeList(caseOf(pages, { extraction: taken(1, 2, 3) }))).toEqual([]);
  });

  test("is not reached when the rows of a page were lost", () => {
    expect(checkWholeList(caseOf(pages, { extraction: taken(1, 3) }))).toMatchObject([
      { verdict: "unknown", evidence: "The pages say that there are 72; the data has 48." },
    ]);
  });

  test("says nothing about a list that was filtered on purpose", () => {
    const extraction = extractionOf([{ order: "T-2" }, { order: "T-30", page: 2 }]);
    expect(checkWholeList(caseOf(pages, { extraction }, "List all open orders of Sam."))).toEqual([]);
  });

  test("and words in a quoted text ask for nothing", () => {
    const extraction = taken(1);
    expect(checkWholeList(caseOf(pages, { extraction }, 'Post "all of it" and list what the page says.'))).toEqual([]);
  });
});

test("a total row is no record", () => {
  const pages = [
    [
      URL_OF(1),
      [
        table(
          [
            ["T-1", "€10"],
            ["T-2", "€20"],
            ["Total", "€30"],
          ],
          ["Order", "Amount"],
        ),
      ],
    ],
  ] as const;
  const seen = (orders: string[]) =>
    caseOf(
      pages.map(([url, children]) => [url, [...children]]),
      { extraction: extractionOf(orders.map((order) => ({ order }))) },
    );
  expect(checkTotalRows(seen(["T-1", "T-2"]))).toEqual([]);
  expect(checkTotalRows(seen(["T-1", "T-2", "Total"]))).toMatchObject([{ verdict: "contradicted" }]);
});

describe("the text and the data", () => {
  const pages = [
    [URL_OF(1), [node("heading", "Orders"), table(ROWS(1, 2)), next(2)]],
    [URL_OF(2), [node("heading", "Orders"), table(ROWS(3, 2))]],
  ] as const;
  const check = (answer: string, orders: readonly { order: string; page?: number }[], facts: Claim["facts"] = []) =>
    checkAgreement(
      caseOf(
        pages.map(([url, children]) => [url, [...children]]),
        { answer, facts, extraction: extractionOf(orders) },
      ),
    ).length > 0;
  const both = [{ order: "T-1" }, { order: "T-2" }];

  test.each([
    ["the same count", "Found 2 orders.", false],
    ["another count", "Found 4 rows.", true],
    ["another count in words", "There are four items.", true],
    ["a count among others", "There are 2 rows, out of all 72 results.", false],
    ["a number of something else", "The first order has 4 mugs.", false],
    ["the same items", "- T-1 is open\n- T-2 is open", false],
    ["an item that is not in the data", "- T-1 is open\n- T-7 is open", true],
    ["more items", "1. T-1\n2. T-2\n3. T-3", true],
  ])("%s", (_, answer, isRefused) => {
    expect(check(answer, both)).toBe(isRefused);
  });

  test("cover the same pages of a list", () => {
    const facts = ROWS(1, 4).map(([order = ""], index) => ({
      label: "order",
      value: order,
      quote: order,
      url: URL_OF(index < 2 ? 1 : 2),
    }));
    expect(
      check(
        "T-1\nT-2\nT-3\nT-4",
        [
          { order: "T-3", page: 2 },
          { order: "T-4", page: 2 },
        ],
        facts,
      ),
    ).toBe(true);
    expect(check("T-1\nT-2", both, facts.slice(0, 2))).toBe(false);
  });
});
