import { Value } from "typebox/value";
import { describe, expect, test } from "vitest";
import type { Task } from "../../../src/agent/grounding/claim.ts";
import { PlannerRefusal } from "../../../src/agent/planner/planner.ts";
import { splitClauses, tokenize } from "../../../src/agent/steps/english/clauses.ts";
import { GRAMMAR } from "../../../src/agent/steps/english/grammar.ts";
import { firstWords } from "../../../src/agent/steps/english/pattern.ts";
import { type PromptReading, readPrompt } from "../../../src/agent/steps/english/read-prompt.ts";
import { Step } from "../../../src/agent/steps/step.ts";
import { planSteps } from "../../../src/agent/steps/steps-planner.ts";

function stepsOf(prompt: string): readonly Step[] {
  const reading = readPrompt(prompt);
  if (reading.kind === "refused") throw new Error(`"${reading.clause}" was refused: ${reading.why}`);
  return reading.steps.map(({ step }) => step);
}

function refusalOf(prompt: string): PromptReading & { kind: "refused" } {
  const reading = readPrompt(prompt);
  if (reading.kind === "steps") throw new Error(`"${prompt}" was read as ${JSON.stringify(stepsOf(prompt))}`);
  return reading;
}

describe("each example of the grammar", () => {
  test.each(GRAMMAR.filter(({ example }) => example !== "").map((rule) => [rule.example, rule] as const))(
    "is read by its own rule: %s",
    (example, rule) => {
      const [clause] = splitClauses(tokenize(example), () => false);
      const tokens = clause?.tokens ?? [];
      const first = GRAMMAR.find(
        (each) => firstWords(each.pattern).includes(tokens[0]?.word ?? "") && each.read(tokens, example) !== null,
      );
      expect(first?.pattern.source).toBe(rule.pattern.source);
      const steps = stepsOf(example);
      expect(steps.filter((step) => !Value.Check(Step, step))).toEqual([]);
    },
  );
});

/** A prompt, and the steps that it means. */
const UNDERSTOOD: readonly (readonly [string, ...Step[]])[] = [
  // Questions
  ["What does it cost?", { read: { as: "price", label: "price" } }],
  ["How many people does it seat?", { read: { as: "people", number_of: "people", verb: "seat" } }],
  ["What is Close for Thursday?", { read: { as: "Close of Thursday", row: "Thursday", column: "Close" } }],
  ["In the table, what is the price of Larch?", { read: { as: "price of Larch", row: "Larch", column: "price" } }],
  [
    "In the table Trees, what is the price of Larch?",
    { read: { as: "price of Larch", row: "Larch", column: "price", list: "Trees" } },
  ],
  [
    "What is the price of Larch in the table Trees?",
    { read: { as: "price of Larch", row: "Larch", column: "price", list: "Trees" } },
  ],
  [
    "In the table Tickets, how many open tickets are there?",
    { collect: { as: "open tickets", list: "open Tickets", count: true } },
  ],
  ["What's the total?", { read: { as: "total", label: "total" } }],
  ["What’s the total of T-1?", { read: { as: "total of T-1", row: "T-1", column: "total" } }],
  ["Which product is the cheapest?", cheapest({ list: "product" })],
  ["Tell me the name and price of the cheapest lamp.", cheapest({ list: "lamp", columns: ["name", "price"] })],
  [
    "What is the most expensive product?",
    { collect: { list: "product", order: { by: "price", direction: "descending" }, limit: 1 } },
  ],
  ["How many products are in stock?", count("products", { column: "in stock", is: true })],
  ["How many products cost under €20?", count("products", { column: "price", less_than: "EUR 20" })],
  ["How many orders are not delivered?", count("orders", { is_not: "delivered" })],
  ["Tell me the total and the status.", read("total"), read("status")],

  ["What is Larch's height?", { read: { as: "height of Larch", row: "Larch", column: "height" } }],
  ["Tell me Birch & Sons' plan.", { read: { as: "plan of Birch & Sons", row: "Birch & Sons", column: "plan" } }],
  ["What's ticket 12's cost?", { read: { as: "cost of ticket 12", row: "ticket 12", column: "cost" } }],
  [
    "Under Billing, when does it renew?",
    { open: { role: "section", name: "Billing" } },
    { read: { as: "when it renew", row: "Billing", when: "renew" } },
  ],
  ["Find the price of Larch.", { read: { as: "price of Larch", row: "Larch", column: "price" } }],
  ["How many seats does Larch have?", { read: { as: "seats of Larch", row: "Larch", column: "seats" } }],
  ["How many units of Larch are there?", { read: { as: "units of Larch", row: "Larch", column: "units" } }],
  ["What role does Jo have?", { read: { as: "role of Jo", row: "Jo", column: "role" } }],

  // When, who and whether
  ["When does the trial end?", { read: { as: "when trial end", row: "trial", when: "end" } }],
  ["When was it delivered?", { read: { as: "when it delivered", when: "delivered", past: true } }],
  ["Who owns T-1?", { read: { as: "who owns T-1", row: "T-1", who: "owns" } }],
  ["Who is T-1 assigned to?", { read: { as: "who assigned to T-1", row: "T-1", who: "assigned to" } }],
  ["Who is assigned to T-1?", { read: { as: "who assigned to T-1", row: "T-1", who: "assigned to" } }],
  ["Who was T-1 created by?", { read: { as: "who created T-1", row: "T-1", who: "created" } }],
  ["When will T-1 be delivered?", { read: { as: "when T-1 delivered", row: "T-1", when: "delivered" } }],
  ["When was T-1 last updated?", { read: { as: "when T-1 updated", row: "T-1", when: "updated", past: true } }],
  ["Is Gift wrap enabled?", { read: { as: "Gift wrap is enabled", row: "Gift wrap", whether: "enabled" } }],
  ["Is it out of stock?", { read: { as: "it is out of stock", whether: "out of stock" } }],
  ["Tell me whether Larch is available.", { read: { as: "Larch is available", row: "Larch", whether: "available" } }],

  // One after the other, and somewhere else
  ["Go to Settings > Billing.", { open: { name: "Settings" } }, { open: { name: "Billing" } }],
  ["Click Orders and then T-1.", { click: { name: "Orders" } }, { click: { name: "T-1" } }],
  ["Click Orders, then T-1, and go back.", { click: { name: "Orders" } }, { click: { name: "T-1" } }, { back: true }],
  ["On the Orders page, click Export.", { open: { role: "page", name: "Orders" } }, { click: { name: "Export" } }],
  [
    "Under Billing, what is the plan?",
    { open: { role: "section", name: "Billing" } },
    { read: { as: "plan", row: "Billing", column: "plan" } },
  ],
  [
    "Search for Larch and open it.",
    { fill: { target: { role: "search field" }, value: "Larch", submit: true } },
    { open: { role: "it", name: "Larch" } },
  ],

  // Editing inside a text
  [
    'Replace "May" by "June" in the text area.',
    { edit: { target: { role: "text area" }, replace: "May", with: "June" } },
  ],
  ["Replace X by Y in the text", { edit: { target: { role: "text area" }, replace: "X", with: "Y" } }],
  ['Insert "x" after "y" in Notes', { edit: { target: { name: "Notes" }, insert: "x", after: "y" } }],
  ['Append "x" to the text area', { edit: { target: { role: "text area" }, append: "x" } }],
  ["Clear the text area", { edit: { target: { role: "text area" }, clear: true } }],

  // URLs
  ['Go to /a:b/[c](d),e;f?x=1&y="z"#h', { goto: '/a:b/[c](d),e;f?x=1&y="z"#h' }],
  ['Go to /a:b/[c](d),e;f?x=1&y="z"#h, then go back.', { goto: '/a:b/[c](d),e;f?x=1&y="z"#h' }, { back: true }],
  ["Go to /wiki/Help:Contents.", { goto: "/wiki/Help:Contents" }],
  ["Open https://example.com/Oak_(tree), then reload.", { goto: "https://example.com/Oak_(tree)" }, { reload: true }],
  ["Go to example.com/shop.", { goto: "https://example.com/shop" }],
  ["Open Node.js", { open: { name: "Node.js" } }],

  // Loops and conditions
  ["List all products until there is no next page.", { collect: { list: "products", pages: "all" } }],
  [
    "List the names of all products, until there is no next page.",
    { collect: { list: "products", columns: ["names"], pages: "all" } },
  ],
  [
    "Click More until there is no next page.",
    { repeat_until: { gone: { role: "next page" } }, steps: [{ click: { name: "More" } }] },
  ],
  ["For each of the links, read the heading.", { for_each: {}, steps: [{ read: { as: "heading", heading: true } }] }],
  [
    "For each of the links in the table Orders, open it and tell me the total.",
    { for_each: { list: "Orders" }, steps: [read("total")] },
  ],
  ['If it says "Try again", reload the page.', { if: { text: "Try again" }, steps: [{ reload: true }] }],
  [
    "If it says Busy, reload and click Go. Click Done.",
    { if: { text: "Busy" }, steps: [{ reload: true }, { click: { name: "Go" } }] },
    { click: { name: "Done" } },
  ],
  [
    "List all products. Click Archive and list those too.",
    { collect: { list: "products" } },
    { click: { name: "Archive" } },
    { collect: {} },
  ],

  // Filters
  ["List all products where price is under 20.", list("products", { column: "price", less_than: 20 })],
  ["List all products whose name contains Mug.", list("products", { column: "name", contains: "Mug" })],
  [
    "List all products with a price between 10 and 20.",
    list("products", { column: "price", at_least: 10, at_most: 20 }),
  ],
  ["List all orders before 1 March 2026.", list("orders", { to: "2026-02-28" })],
  ["List all orders after 2026-03-01.", list("orders", { from: "2026-03-02" })],
  ["List all rows with Since before 2019-01-01.", list("rows", { column: "Since", to: "2018-12-31" })],
  ["List all rows where the To/From account is Bank.", list("rows", { column: "To/From account", is: "Bank" })],
  ["List all products with at least 4 stars.", list("products", { column: "rating", at_least: 4 })],
  ["List all products with PRICE at least €20", list("products", { column: "PRICE", at_least: "EUR 20" })],
  ["List the NAME and PRICE of all products", { collect: { list: "products", columns: ["NAME", "PRICE"] } }],

  // Targets
  ["Type hello into the text area.", fill({ role: "text area" }, "hello")],
  ["Open the first search result.", { open: { role: "result", nth: 1 } }],
  ["Click the second Edit link in the row of Larch.", click({ role: "link", name: "Edit", nth: 2 }, { row: "Larch" })],
  ["In the row of Larch, click Edit.", click({ name: "Edit" }, { row: "Larch" })],
  [
    "In the row of Larch, click More until it says Done. Click Save.",
    { repeat_until: { text: "Done" }, steps: [click({ name: "More" }, { row: "Larch" })] },
    click({ name: "Save" }),
  ],
  ['In the row of "Larch" click Edit.', click({ name: "Edit" }, { row: "Larch" })],
  ["In the section Address, click Edit.", click({ name: "Edit" }, { section: "Address" })],
  ["Click Delete in the dialog.", click({ name: "Delete" }, { dialog: true })],
  ["Select Blue from the list.", { select: { target: { role: "list" }, value: "Blue" } }],

  // Several values
  [
    "Type Jo into First name and Doe into Last name.",
    fill({ name: "First name" }, "Jo"),
    fill({ name: "Last name" }, "Doe"),
  ],
  ["Type Paris in Texas into City.", fill({ name: "City" }, "Paris in Texas")],
  [
    "Enter 12 High Street, Oxford in the address field.",
    fill({ role: "field", name: "address" }, "12 High Street, Oxford"),
  ],
  [
    "Enter Robin Example as your name and 01632 960001 as the phone number.",
    fill({ name: "name" }, "Robin Example"),
    fill({ name: "phone number" }, "01632 960001"),
  ],
  ["Fill in Name with Jo and City with Ghent.", fill({ name: "Name" }, "Jo"), fill({ name: "City" }, "Ghent")],
  ["Fill in Name with Jo and Click Save", fill({ name: "Name" }, "Jo"), click({ name: "Save" })],
  ["Set Price to 3.50 and Quantity to 2.", fill({ name: "Price" }, "3.50"), fill({ name: "Quantity" }, "2")],
];

function read(label: string): Step {
  return { read: { as: label, label } };
}

type Collect = Extract<Step, { collect: unknown }>["collect"];
type Where = NonNullable<Collect["where"]>[number];

function list(noun: string, where: Where): Step {
  return { collect: { list: noun, where: [where] } };
}

function count(noun: string, where: Where): Step {
  return { collect: { as: noun, list: noun, where: [where], count: true } };
}

function cheapest(more: Collect): Step {
  return { collect: { ...more, order: { by: "price", direction: "ascending" }, limit: 1 } };
}

type Target = Exclude<Extract<Step, { click: unknown }>["click"], string>;

function click(target: Target, within?: Target["within"]): Step {
  return { click: within === undefined ? target : { ...target, within } };
}

function fill(target: Target, value: string): Step {
  return { fill: { target, value } };
}

describe("ordinary sentences", () => {
  test("the text area is a field, and no area that is called text", () => {
    expect(stepsOf('In the text area, replace "May" with "June".')).toEqual([
      { edit: { target: { role: "text area" }, replace: "May", with: "June" } },
    ]);
  });

  test.each(UNDERSTOOD.map(([prompt, ...steps]) => ({ prompt, steps })))("$prompt", ({ prompt, steps }) => {
    expect(stepsOf(prompt)).toEqual(steps);
  });
});

/** A prompt, and the names that are clicked. */
const SPLIT: readonly (readonly [string, ...string[]])[] = [
  ["Click Save and Close.", "Save and Close"],
  ["Click Save and Close, then click Done.", "Save and Close", "Done"],
  ["Click Terms and Conditions and click Save", "Terms and Conditions", "Save"],
  ["Click Yes, delete.", "Yes, delete"],
  ["Click A. Click B! Click C; click D", "A", "B", "C", "D"],
  ["click a. click b", "a", "b"],
  ["1. Click A 2. Click B 3. Click C", "A", "B", "C"],
  ["1. Click A\n2) Click B\n3. Click C 4", "A", "B", "C 4"],
  ["- Click A\n* Click B\n\n• click C", "A", "B", "C"],
  ["First click A. After that, click B, and then click C. Finally, please click D.", "A", "B", "C", "D"],
  ["Could you click A, please?", "A"],
  ["Click “A”, click „B“, click «C», click 'D', click ‘E’ and click `F`.", "A", "B", "C", "D", "E", "F"],
  ['Click "Save, and then click Go".', "Save, and then click Go"],
  ["Click Jo's list and click Bo’s list", "Jo's list", "Bo’s list"],
  ["Click 'Jo's list'", "Jo's list"],
  ["Click St. Mary's and click No. 12", "St. Mary's", "No. 12"],
  ["Click 3.50", "3.50"],
  ['Click 12" pipe', '12" pipe'],
];

describe("clauses", () => {
  test.each(SPLIT.map(([prompt, ...names]) => ({ prompt, names })))("$prompt", ({ prompt, names }) => {
    expect(stepsOf(prompt)).toEqual(names.map((name) => ({ click: { name } })));
  });
});

describe("what is not understood is refused", () => {
  test.each([
    ["Open the cart, then negotiate a discount.", "negotiate a discount"],
    ["Open the cart. Ponder the meaning of it. Click Pay.", "Ponder the meaning of it"],
    ["Click A and click B, then Next.", "Next"],
    ["If the price is below 20, click Add.", "If the price is below 20"],
    ["In the table Orders, what is the total?", "what is the total"],
    ["What is the total in the table Orders?", "What is the total in the table Orders"],
    ["In the row of Larch, go back.", "go back"],
    ["List all products that my neighbour likes.", "List all products that my neighbour likes"],
    ["How many products are good for children?", "How many products are good for children"],
    ['Enter the user name "jo" into the fields', 'Enter the user name "jo" into the fields'],
    ["Repeat: click Next.", "Repeat"],
    ["For each order.", "For each order"],
    ["Set Quantity", "Set Quantity"],
  ])("by its clause: %s", (prompt, clause) => {
    expect(refusalOf(prompt).clause).toBe(clause);
  });

  test("with what was understood before it", () => {
    const { understood } = refusalOf("Open the cart, click Pay and then negotiate a discount.");
    expect(understood.map(({ step }) => step)).toEqual([{ open: { name: "cart" } }, { click: { name: "Pay" } }]);
  });

  test.each([
    ["Klick Save", "Click Save"],
    ["Delete Larch", "Click Delete in the row of Larch"],
    ["Find a kettle", "Search for a kettle"],
    ["Buy me a kettle", "Open kettle, click Add to cart"],
    ["Order one Brindle Kettle", "Open Brindle Kettle, click Add to cart"],
    ["Delete my account", null],
    ["The price of it", "Tell me The price of it"],
    ["Accept the cookies", null],
    ["Click", null],
    ["Delete the row of Larch", "Click Delete in the row of Larch"],
    ["Remove the second row", "Click Delete in the second row"],
    ["Add a mug to the cart", null],
    ["Ponder it", null],
  ])("with a sentence that works: %s", (prompt, suggestion) => {
    expect(refusalOf(prompt).suggestion).toBe(suggestion);
    if (suggestion !== null) expect(readPrompt(suggestion).kind).toBe("steps");
  });

  test("when it is too long for a step", () => {
    expect(refusalOf(`Click ${"word ".repeat(130)}`).why).toContain("too long");
    expect(refusalOf(`Click "${"x".repeat(600)}"`).why).toContain("too long");
    expect(refusalOf("Click A. ".repeat(201)).why).toContain("200");
    expect(stepsOf(`Type "${"x".repeat(19_000)}" into Notes`)).toHaveLength(1);
  });
});

describe("a password", () => {
  const plan = (prompt: string) =>
    planSteps({ prompt, startUrl: "https://shop.example/", outputSchema: null, now: new Date(0) } as Task);
  const messageOf = (prompt: string): string => {
    try {
      plan(prompt);
    } catch (error) {
      if (error instanceof PlannerRefusal) return error.message;
      throw error;
    }
    throw new Error(`"${prompt}" was not refused`);
  };

  test.each([
    "Hack the site with password hunter2 somehow.",
    "Sign in as jo with password hunter2, then negotiate.",
    'Type "hunter2" into Password and negotiate. Negotiate.',
    "hunter2 is my password",
    'Use the password "a hunter2 b" to get in',
    "Password: hunter2",
    "Log in as jo, using hunter2.",
    "steps: [{ sign_in: { user: jo, passwort: hunter2 } }]",
    "steps: [{ fill: { target: Password, value: hunter2, x: 1 } }]",
  ])("does not appear in a refusal: %s", (prompt) => {
    expect(messageOf(prompt)).not.toContain("hunter2");
  });

  test("does not appear in an outline", () => {
    const { outline, signsIn } = plan('Type "jo" into User name, type "hunter2" into Password and click Sign in.');
    expect(outline).toHaveLength(3);
    expect(outline.join("\n")).not.toContain("hunter2");
    expect(signsIn).toBe(true);
    expect(plan("Log in as jo with password hunter2.").outline.join("\n")).not.toContain("hunter2");
    expect(plan("Click Sign in.").signsIn).toBe(false);
  });
});

describe("phrases with a trap", () => {
  const stepsOf = (prompt: string) => {
    const reading = readPrompt(prompt);
    return reading.kind === "steps" ? reading.steps.map(({ step }) => step) : null;
  };

  test.each([
    ["Click Save in each row.", /For each/],
    ["Tick Done in every row.", /For each/],
    ["List all products under €5 or over €20.", /"or"/],
    ["How many orders are open or closed?", /"or"/],
    ["What is the price of the Mug or the Kettle?", /"or"/],
    ["If there is a row for A or B, click X.", /"or"/],
    ["Are the invoices paid?", /one thing/],
    ["Is every invoice paid?", /one thing/],
    ["Write hello in the message box and post it.", /not a sentence/],
    ["List all products, the nice ones.", /List the name and price/],
  ])("is refused with the reason: %s", (prompt, why) => {
    const reading = readPrompt(prompt);
    expect(reading).toMatchObject({ kind: "refused", why: expect.stringMatching(why) });
  });

  test.each<[string, unknown[]]>([
    [
      "Write hello in the message box and send it.",
      [
        { fill: { target: { role: "field", name: "message" }, value: "hello" } },
        { click: { role: "button", name: "Send" } },
      ],
    ],
    ["Click Delete in the second row.", [{ click: { name: "Delete", within: { row: 2 } } }]],
    [
      "Search for salt or pepper.",
      [{ fill: { target: { role: "search field" }, value: "salt or pepper", submit: true } }],
    ],
    [
      "Which product in stock is the cheapest?",
      [
        {
          collect: {
            list: "product",
            where: [{ column: "in stock", is: true }],
            order: { by: "price", direction: "ascending" },
            limit: 1,
          },
        },
      ],
    ],
    [
      "List the names of all products, most expensive first, on all pages.",
      [
        {
          collect: {
            list: "products",
            columns: ["names"],
            order: { by: "price", direction: "descending" },
            pages: "all",
          },
        },
      ],
    ],
  ])("is understood: %s", (prompt, steps) => {
    expect(stepsOf(prompt)).toEqual(steps);
  });
});
