import { describe, expect, test } from "vitest";
import { textOf, tokenize } from "../../../src/agent/steps/english/clauses.ts";
import { GRAMMAR } from "../../../src/agent/steps/english/grammar.ts";
import { readPrompt } from "../../../src/agent/steps/english/read-prompt.ts";
import type { Step, Within } from "../../../src/agent/steps/step.ts";

/** Null when the prompt is refused. */
function read(prompt: string): readonly Step[] | null {
  const reading = readPrompt(prompt);
  return reading.kind === "refused" ? null : reading.steps.map(({ step }) => step);
}

const PLACES: readonly (readonly [string, Within])[] = [
  ["In the Profile form", { form: "Profile" }],
  ["In the form called Profile", { form: "Profile" }],
  ["Under the heading Profile", { section: "Profile" }],
  ["Below Profile", { section: "Profile" }],
  ["In the Profile section", { section: "Profile" }],
  ["In the row of Larch", { row: "Larch" }],
  ["In the second row", { row: 2 }],
  ["In the dialog", { dialog: true }],
];
const EXAMPLES = GRAMMAR.map(({ example }) => example).filter((example) => example !== "");

/** The steps without any place. */
function withoutPlaces(steps: readonly Step[]): unknown {
  return JSON.parse(JSON.stringify(steps, (key, value) => (key === "within" ? undefined : value)));
}

describe.each(PLACES)("a place before a clause: %s", (place, within) => {
  test("changes nothing but where the targets are", () => {
    const placed = EXAMPLES.flatMap((example) => {
      const steps = read(`${place}, ${example}`);
      const isQuestion = read(example)?.some((step) => "read" in step || "collect" in step);
      return steps === null || isQuestion ? [] : [{ example, steps }];
    });
    expect(placed.length).toBeGreaterThan(20);
    for (const { example, steps } of placed) {
      expect(withoutPlaces(steps), example).toEqual(withoutPlaces(read(example) ?? []));
      const elsewhere = steps.filter((step) => !("dialog" in step) && !hasPlace(step, within));
      expect(elsewhere, example).toEqual([]);
    }
  });

  test("holds for all fields and values of a clause", () => {
    const fill = (name: string, value: string) => ({ fill: { target: { name, within }, value } });
    const both = [fill("First name", "Jo"), fill("Last name", "Doe")];
    expect(read(`${place}, set Display name to Max Power.`)).toEqual([fill("Display name", "Max Power")]);
    expect(read(`${place}, change Name to Jo.`)).toEqual([fill("Name", "Jo")]);
    expect(read(`${place}, type Jo into First name and Doe into Last name.`)).toEqual(both);
    expect(read(`${place}, type Jo into First name and type Doe into Last name.`)).toEqual(both);
    expect(read(`${place}, set First name to Jo and Last name to Doe.`)).toEqual(both);
    const field = { name: "City", within };
    expect(read(`${place}, check that City is Leeds.`)).toEqual([{ expect: { field, value: "Leeds" } }]);
  });

  test.each([
    "press Enter",
    "go back",
    "wait 2 seconds",
    "scroll down",
    "sign in as jo with the password secret",
    "check that it says Saved",
    "click Edit in the Billing section",
    "extract the data from this page",
    "if Name is Jo, click Save",
    "for each of the links, read the heading",
    "in the Billing section, click Edit",
  ])("is refused where it cannot be kept: %s", (clause) => {
    expect(read(`${place}, ${clause}.`)).toBeNull();
  });
});

function hasPlace(step: Step, within: Within): boolean {
  return JSON.stringify(step).includes(JSON.stringify(within));
}

test.each<[string, ...Step[]]>([
  [
    "In the Profile form, set Name to Jo and save the changes.",
    { fill: { target: { name: "Name", within: { form: "Profile" } }, value: "Jo" } },
    { click: { role: "button", name: "Save", within: { form: "Profile" } } },
  ],
  [
    "In the row of Larch, set Quantity to 5 and save the changes.",
    { fill: { target: { name: "Quantity", within: { row: "Larch" } }, value: "5" } },
    { click: { role: "button", name: "Save" } },
  ],
  [
    "In the row of Larch, click Edit and go back.",
    { click: { name: "Edit", within: { row: "Larch" } } },
    { back: true },
  ],
  ["In the row of Larch, what is the price?", { read: { as: "price of Larch", row: "Larch", column: "price" } }],
  ["In the dialog, answer the question with Soups.", { dialog: "accept", text: "Soups" }],
  [
    "In the form, set Name to Jo and click Save.",
    { fill: { target: { name: "Name" }, value: "Jo" } },
    { click: { name: "Save" } },
  ],
  [
    "In the Name field, type Jo and click Save.",
    { fill: { target: { role: "field", name: "Name" }, value: "Jo" } },
    { click: { name: "Save" } },
  ],
  ["From the Colour dropdown, select Blue.", { select: { target: { role: "list", name: "Colour" }, value: "Blue" } }],
  [
    'In the row of "Larch", type "" into Note.',
    { fill: { target: { name: "Note", within: { row: "Larch" } }, value: "" } },
  ],
])("a place is where the sentence says: %s", (prompt, ...steps) => {
  expect(read(prompt)).toEqual(steps);
});

test.each([
  "On the left, set Name to Jo.",
  "On the left, type Jo.",
  "On the left, check that Name is Jo.",
  "In the Payment section, choose On invoice.",
])("a place that cannot be kept is never part of a value: %s", (prompt) => {
  expect(read(prompt)).toBeNull();
});

describe("a place behind a value", () => {
  const fill = (name: string, value: string, within: Within) => ({ fill: { target: { name, within }, value } });

  test.each<[string, ...Step[]]>([
    ["Set City to Bath in the Billing section.", fill("City", "Bath", { section: "Billing" })],
    ['Set Quantity to "2" in the row of Larch.', fill("Quantity", "2", { row: "Larch" })],
    [
      "Fill in Name with Jo and City with Ghent in the Profile form.",
      fill("Name", "Jo", { form: "Profile" }),
      fill("City", "Ghent", { form: "Profile" }),
    ],
    [
      "Type Jo into First name and Doe into Last name in the Profile form.",
      fill("First name", "Jo", { form: "Profile" }),
      fill("Last name", "Doe", { form: "Profile" }),
    ],
    [
      "Set Quantity to 2 in the row of Larch and Quantity to 3 in the row of Oak.",
      fill("Quantity", "2", { row: "Larch" }),
      fill("Quantity", "3", { row: "Oak" }),
    ],
    ["Set City to Stow in the Wold.", { fill: { target: { name: "City" }, value: "Stow in the Wold" } }],
    [
      'Set Note to "See it in the Billing section".',
      { fill: { target: { name: "Note" }, value: "See it in the Billing section" } },
    ],
  ])("is where its field is: %s", (prompt, ...steps) => {
    expect(read(prompt)).toEqual(steps);
  });

  test("is refused beside another place", () => {
    expect(read("In the Profile form, set City to Bath in the Billing section.")).toBeNull();
  });
});

test("words that are out of order have no text", () => {
  const prompt = "in the form set Name";
  const tokens = tokenize(prompt);
  expect(() => textOf([...tokens.slice(3), ...tokens.slice(0, 3)], prompt)).toThrow("order");
});
