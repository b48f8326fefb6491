import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  fillTemplate,
  fitsVariable,
  kindOf,
  listPromptKeys,
  listTemplateKeys,
  MAX_TOKENS,
  matchTemplate,
  parseTemplate,
  type Values,
  type Variable,
  type Variables,
} from "../../src/recipes/template.ts";

const text = (words = 4): Variable => ({ kind: "text", max_words: words });
const ORDER: Variables = { quantity: { kind: "number" }, product: text() };

function match(template: string, variables: Variables, prompt: string): Values | null {
  return matchTemplate(template, variables, prompt);
}

describe("a template", () => {
  const order = "Order <quantity> of <product>.";

  it.each<[prompt: string, values: Values | null]>([
    ["Order 2 of Brindle Kettle.", { quantity: "2", product: "Brindle Kettle" }],
    ["order 2 OF Brindle Kettle", { quantity: "2", product: "Brindle Kettle" }],
    ["  Order  2  of\nBrindle Kettle !", { quantity: "2", product: "Brindle Kettle" }],
    ["Order 1,299.50 of tea", { quantity: "1,299.50", product: "tea" }],
    ["Order two of Brindle Kettle.", null],
    ["Order 2 Brindle Kettle.", null],
    ["Please order 2 of Brindle Kettle.", null],
    ["Order 2 of Brindle Kettle?", null],
    ["Order 2 of.", null],
    ["Order 2 of 3.", null],
    ["Order 2 of jo@example.com.", null],
    ['Order 2 of "Brindle Kettle".', { quantity: "2", product: "Brindle Kettle" }],
    ['Order "2" of “Salt mill”', { quantity: "2", product: "Salt mill" }],
    ['Order 2 of "tea" and "salt"', null],
    ['Order 2 of the "Brindle" kettle', { quantity: "2", product: 'the "Brindle" kettle' }],
    ["Order 2 of <product>.", null],
    ["", null],
  ])("matches %j with %j", (prompt, values) => {
    expect(match(order, ORDER, prompt)).toEqual(values);
  });

  it.each<[kind: Variable["kind"], values: string[]]>([
    ["number", ["2", "-4", "1.299,50", "12'000", "0"]],
    ["email", ["jo@example.com", "a.b+c@mail.example.org"]],
    [
      "date",
      ["2026-03-11", "11.3.2026", "3/11/2026", "11 March 2026", "11. März 2026", "March 11, 2026", "2026年3月11日"],
    ],
    ["text", ["Brindle Kettle", "two", "T-1014", "4th floor", "水"]],
  ])("takes values of the kind %s for that kind only", (kind, values) => {
    for (const value of values) {
      expect(kindOf(value)).toBe(kind);
      for (const other of ["number", "email", "date", "text"] as const)
        expect([value, other, match("set it to <it>", { it: { kind: other } }, `Set it to ${value}`)?.["it"]]).toEqual([
          value,
          other,
          other === kind ? value : undefined,
        ]);
      // What can be chosen may be called anything.
      expect(fitsVariable(value, { kind: "choice" })).toBe(true);
    }
  });

  it("does not decide between two ways to read a prompt", () => {
    const variables = { what: text(), where: text() };
    expect(match("Send <what> to <where>", variables, "Send tea to Ghent")).toEqual({ what: "tea", where: "Ghent" });
    expect(match("Send <what> to <where>", variables, "Send a letter to Ghent to Oslo")).toBeNull();
    expect(match("<what> <where>", variables, "tea Ghent")).toEqual({ what: "tea", where: "Ghent" });
    expect(match("<what> <where>", variables, "green tea Ghent")).toBeNull();
  });

  it("does not take a longer text for a value", () => {
    expect(match("Search for <product>", { product: text(3) }, "Search for a small kettle")).not.toBeNull();
    expect(match("Search for <product>", { product: text(3) }, "Search for a kettle that whistles")).toBeNull();
  });

  it.each([
    "kettle and tell me its price",
    "kettle, then buy it",
    "kettle. Buy it",
    "kettle; buy it",
    "kettle or mug",
    "kettle und kaufe ihn",
    "kettle et achète",
    "kettle y cómpralo",
    "kettle en bestel",
    "kettle e compra",
    "kettle и купи",
    "kettle i kup",
    "kettle och köp",
    "kettle if cheap",
    "kettle unless expensive",
    "kettle falls günstig",
    "kettle si possible",
    "kettle except blue",
    "水壶，然后购买",
    "やかん、買う",
  ])("does not take a second request or a condition for a value: %s", (value) => {
    expect(match("Search for <product>", { product: text(20) }, `Search for ${value}`)).toBeNull();
    expect(match("Search for <product>", { product: { kind: "text" } }, `Search for ${value}`)).toBeNull();
    expect(match('Search for "<product>"', { product: { kind: "text" } }, `Search for "${value}"`)).toEqual({
      product: value,
    });
  });

  it.each(["Jo O'Hara", "T-E-12", "E.ON", "Trinidad"])(
    "takes a name with such letters in it for a value: %s",
    (value) => {
      expect(match("Search for <product>", { product: text(4) }, `Search for ${value}`)).toEqual({ product: value });
    },
  );

  it.each<[open: string, close: string]>([
    ['"', '"'],
    ["“", "”"],
    ["„", "“"],
    ["«", "»"],
    ["「", "」"],
    ["'", "'"],
  ])("takes what is between %s and %s as it is, up to the next mark", (open, close) => {
    const variables = { message: { kind: "text" } } as const;
    const template = `Send ${open}<message>${close}`;
    expect(match(template, variables, `Send ${open}Hello, and then? Yes.${close}`)).toEqual({
      message: "Hello, and then? Yes.",
    });
    expect(match(template, variables, `Send ${open}Hello${close} and order ${open}tea${close}`)).toBeNull();
    expect(match(template, variables, "Send Hello")).toBeNull();
  });

  it("takes an apostrophe inside a word for part of it", () => {
    const variables = { message: { kind: "text" } } as const;
    expect(match("Send '<message>'", variables, "Send 'it's here'")).toEqual({ message: "it's here" });
  });

  it.each<[template: string, variables: Variables, prompt: string, values: Values | null]>([
    ["订购<数量>", {}, "订购<数量>", {}],
    ["订购<quantity>个<product>", ORDER, "订购3个水壶", { quantity: "3", product: "水壶" }],
    ["<product>を<quantity>個注文", ORDER, "やかんを2個注文。", { quantity: "2", product: "やかん" }],
    ["สั่ง <quantity> ชิ้น <product>", ORDER, "สั่ง 4 ชิ้น ชา", { quantity: "4", product: "ชา" }],
    ["Bestelle <quantity> Stück <product>", ORDER, "bestelle 5 Stück Größe Ä", { quantity: "5", product: "Größe Ä" }],
    ["اطلب <quantity> من <product>", ORDER, "اطلب 2 من شاي", { quantity: "2", product: "شاي" }],
    ["Закажи <quantity> шт. <product>", ORDER, "закажи 7 шт. чайник", { quantity: "7", product: "чайник" }],
    ["订购<quantity>个<product>", ORDER, "订购三个水壶", null],
  ])("works in languages without spaces and in other scripts: %s", (template, variables, prompt, values) => {
    expect(match(template, variables, prompt)).toEqual(values);
  });

  it("wants the same value for a slot that is there twice", () => {
    const variables = { name: text() };
    const template = "Rename it to <name> and check that it is called <name>";
    expect(match(template, variables, "Rename it to Larch and check that it is called larch")).toEqual({
      name: "Larch",
    });
    expect(match(template, variables, "Rename it to Larch and check that it is called Oak")).toBeNull();
  });

  it("ends at once when slots could be filled in too many ways", () => {
    const names = ["one", "two", "three", "four", "five", "six"];
    const variables = Object.fromEntries(names.map((name) => [name, { kind: "text" } as const]));
    const template = [...names, "one"].map((name) => `<${name}>`).join(" ");
    expect(match(template, variables, `${"a b ".repeat(MAX_TOKENS / 2)}`.trim())).toBeNull();
  });

  it("does not compare prompts that are too long", () => {
    const long = `Order 2 of ${"very ".repeat(MAX_TOKENS)}old tea`;
    expect(match("Order <quantity> of <product>", { ...ORDER, product: { kind: "text" } }, long)).toBeNull();
    expect(listPromptKeys("scope", long)).toEqual([]);
  });

  it("has slots only for its variables, whatever they are called", () => {
    expect(parseTemplate("Type <b>bold</b> into <name>", { name: text() })).toEqual([
      { words: ["type", "<", "b", ">", "bold", "<", "/", "b", ">", "into"] },
      { slot: "name" },
    ]);
    expect(match("Build a <constructor>", { constructor: text() } as unknown as Variables, "Build a house")).toEqual({
      constructor: "house",
    });
  });

  it("is filled once: a value that looks like a slot stays a value", () => {
    expect(fillTemplate("<a> and <b>", { a: "<b>", b: "$1 $& <a>" })).toBe("<b> and $1 $& <a>");
    expect(fillTemplate("<a> and <c>", { a: "x" })).toBe("x and <c>");
  });
});

const WORD = fc.constantFrom(
  "kettle",
  "to",
  "of",
  "Ghent",
  "blue",
  "水",
  "壶",
  "Größe",
  "T-1",
  "and",
  "7",
  "it's",
  "(new)",
  "-",
);
const NUMBER = fc.oneof(
  fc.integer({ min: -9_999, max: 99_999 }).map(String),
  fc.constantFrom("1.5", "1,299.00", "12'000"),
);
const VALUE: Readonly<Record<string, fc.Arbitrary<string>>> = {
  number: NUMBER,
  email: fc.constantFrom("jo@example.com", "a.b@mail.example.org"),
  date: fc.constantFrom("2026-03-11", "11.3.2026", "11 March 2026", "March 11, 2026"),
  text: fc.array(WORD, { minLength: 1, maxLength: 4 }).map((words) => words.join(" ")),
  choice: fc.array(WORD, { minLength: 1, maxLength: 3 }).map((words) => words.join(" ")),
};
const BETWEEN = fc.constantFrom("Order", "of", "to", ", and put", "into the cart, with", '"', "订", ":", "please send");

interface Filled {
  readonly template: string;
  readonly variables: Variables;
  readonly values: Values;
}

/** A template of words and slots, with values that fit. */
const FILLED: fc.Arbitrary<Filled> = fc
  .array(
    fc.record({
      before: fc.array(BETWEEN, { maxLength: 2 }),
      kind: fc.constantFrom<Variable["kind"]>("text", "number", "date", "email", "choice"),
      isBounded: fc.boolean(),
      isAgain: fc.boolean(),
    }),
    { minLength: 1, maxLength: 4 },
  )
  .chain((slots) =>
    fc
      .tuple(...slots.map(({ kind }) => VALUE[kind] as fc.Arbitrary<string>), fc.array(BETWEEN, { maxLength: 2 }))
      .map((drawn) => {
        const after = drawn.at(-1) as string[];
        const values = Object.fromEntries(slots.map((_, at) => [`v${at}`, drawn[at] as string]));
        const variables = Object.fromEntries(
          slots.map(({ kind, isBounded }, at): [string, Variable] => [
            `v${at}`,
            { kind, ...(isBounded && (kind === "text" || kind === "choice") ? { max_words: 4 } : {}) },
          ]),
        );
        const template = slots
          .flatMap(({ before, isAgain }, at) => [...before, `<v${at}>`, ...(isAgain ? ["again", `<v${at}>`] : [])])
          .concat(after)
          .join(" ");
        return { template, variables, values };
      }),
  );

describe("any template", () => {
  it("that is filled with fitting values gives these values again, or none", () => {
    let matched = 0;
    fc.assert(
      fc.property(FILLED, ({ template, variables, values }) => {
        fc.pre(Object.entries(values).every(([name, value]) => fitsVariable(value, variables[name] as Variable)));
        const found = match(template, variables, fillTemplate(template, values));
        if (found === null) return;
        matched += 1;
        // Whatever else it found would have been a second way.
        expect(found).toEqual(values);
      }),
      { numRuns: 3_000, seed: 22 },
    );
    expect(matched).toBeGreaterThan(500);
  });

  it("is found by its keys in every prompt that it matches", () => {
    fc.assert(
      fc.property(FILLED, ({ template, variables, values }) => {
        const prompt = fillTemplate(template, values);
        if (match(template, variables, prompt) === null) return;
        const keys = new Set(listPromptKeys("scope", prompt));
        for (const key of listTemplateKeys("scope", template, variables)) expect(keys).toContain(key);
      }),
      { numRuns: 1_000, seed: 22 },
    );
  });

  it("has other keys in another scope", () => {
    const prompt = "Order 2 of Brindle Kettle";
    const keys = listTemplateKeys("one", "Order <quantity> of <product>", ORDER);
    expect(keys.length).toBeGreaterThan(0);
    expect(listPromptKeys("other", prompt).filter((key) => keys.includes(key))).toEqual([]);
    expect(keys.every((key) => BigInt.asIntN(64, BigInt(key)) === BigInt(key))).toBe(true);
    expect(listTemplateKeys("one", '"<product>"', ORDER)).toEqual([]);
  });
});
