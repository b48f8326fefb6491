import { describe, expect, test } from "vitest";
import { parseAmount } from "../../../src/agent/grounding/amounts.ts";
import { capturePage, isSamePage } from "../../../src/agent/grounding/captured-pages.ts";
import { findDates, findDayOrders, parseDate } from "../../../src/agent/grounding/dates.ts";
import {
  asksForChange,
  asksForInformation,
  asksToChangeStoredValue,
  asksToKeepValue,
  findCommitVerb,
  isCreatingLabel,
  isNegatedBy,
  isSavingLabel,
  mayAskForAnswer,
  maySaveLabel,
  mentionsChange,
  onlyAsks,
  parseNumberWord,
} from "../../../src/agent/grounding/english-words.ts";
import { isSameValue } from "../../../src/agent/grounding/page-text.ts";
import { quoteStates, quoteStatesFact } from "../../../src/agent/grounding/quoted-values.ts";
import { findOccurrences, findQuote } from "../../../src/agent/grounding/quotes.ts";
import { hasReference } from "../../../src/agent/grounding/references.ts";
import { findUnstatedNumber } from "../../../src/agent/grounding/stated-numbers.ts";
import { findWantedUnit, readQuantity } from "../../../src/agent/grounding/units.ts";
import { node, observation } from "../../_harness/observed.ts";

// Written from the verifier's side: each case is a way to pass something wrong, or a right value that must pass.

test.each([
  ["/mail", "/mail#/", true],
  ["/mail", "/mail#!/", true],
  ["/mail", "/mail#top", true],
  ["/mail", "/mail#/4", false],
  ["/mail#/4", "/mail#/5", false],
])("%s and %s: the same page is %s", (one, other, expected) => {
  expect(isSamePage(`https://example.com${one}`, `https://example.com${other}`)).toBe(expected);
});

describe("a quote is found", () => {
  test.each([
    ["in another case", "Brindle Kettle", "brindle KETTLE", "Brindle Kettle"],
    ["in another case of another script", "ΑΘΗΝΑ", "αθηνα", "ΑΘΗΝΑ"],
    ["with other quotation marks and dashes", "It’s „new“ – really", `it's "new“ - really`, "It’s „new“ – really"],
    ["with other whitespace", "Total €24.00", "Total\n  €24.00", "Total €24.00"],
    ["with a plain space for a thin one", "1\u202f234 kr", "1 234 kr", "1\u202f234 kr"],
    ["at the end of a sentence", "It costs 12.", "12", "12"],
    ["next to a currency sign", "€64.90", "64.90", "64.90"],
    ["in brackets", "(5.00)", "5.00", "5.00"],
    ["as one character that is a word", "Room 4 b", "4", "4"],
    ["after an icon of the page's own font", "\ue000 4.7", "4.7", "4.7"],
    ["before a variation selector", "✔\ufe0f Paid", "✔", "✔"],
    ["as a discount without its dash", "-20%", "20%", "20%"],
    ["as the year of a date", "2026-03-12", "2026", "2026"],
    ["after a dash that separates", "Kettle – 5 €", "5 €", "5 €"],
    ["after an ellipsis", "...50 more", "50 more", "50 more"],
    ["in a code", "KIT-101", "101", "101"],
  ])("%s", (_, text, quote, found) => {
    expect(findQuote(text, quote)).toBe(found);
  });
});

describe("a quote is not found", () => {
  test.each([
    ["that is empty", "Kettle", " "],
    ["inside a word", "Kettle", "ett"],
    ["of one character inside a word", "cat", "a"],
    ["inside a longer number", "€12.00", "€1"],
    ["before the decimals", "€12.50", "12"],
    ["after the decimal point", "version 1.2", "2"],
    ["after the point of a fraction", "€.50", "50"],
    ["before decimals in a separate element", "€12 .99", "€12"],
    ["before a group of thousands", "€1.234", "€1"],
    ["before a group after an apostrophe", "1'234", "1"],
    ["after an apostrophe that groups", "CHF 1’234", "234"],
    ["after a no-break space that groups", "1\u00a0234 km", "234 km"],
    ["after a thin space that groups", "1\u2009234 km", "234"],
    ["across a zero-width space in a number", "€1\u200b2.00", "€1"],
    ["across a soft hyphen in a number", "€1\u00ad2.00", "€1"],
    ["across a long run of invisible characters", `€1${"\u2060".repeat(50)}2`, "€1"],
    ["across a private-use glyph in a number", "1\ue0002", "1"],
    ["before a digit of another script", "1２", "1"],
    ["after a digit outside the basic plane", "𝟙2", "2"],
    ["before a raised digit", "10²", "10"],
    ["before a fraction", "1½", "1"],
    ["inside a word with a combining accent", "nai\u0308ve", "nai"],
    ["without its minus", "-5", "5"],
    ["without its typographic minus", "−5 °C", "5 °C"],
    ["without the minus before the currency", "-€5", "€5"],
    ["without the minus after the currency", "$-5", "5"],
    ["in digits of another script", "Total ١٢٣", "123"],
    ["in look-alike letters", "l2 O5", "12"],
    ["in look-alike letters of another alphabet", "Раypal", "Paypal"],
  ])("%s", (_, text, quote) => {
    expect(findQuote(text, quote)).toBeNull();
  });

  test("across parts of a page that are not next to each other", () => {
    const page = observation("https://shop.example/", [node("text", "Delivery costs"), node("text", "nothing today")]);
    const { text } = capturePage({ ...page, title: "Order total" });
    expect(findQuote(text, "Delivery costs nothing")).not.toBeNull();
    expect(findQuote(text, "Order total Delivery")).toBeNull();
    expect(findQuote(text, "today Delivery")).toBeNull();
  });
});

test("occurrences come with the rest of the words they are in, and the word before", () => {
  expect(findOccurrences("not available, €12.50", "available")).toEqual([
    { quote: "available", whole: "available,", before: "not" },
  ]);
  expect(findOccurrences("not available, €12.50", "12")).toMatchObject([{ whole: "€12.50" }]);
});

test("a reference is found, also in a long text", () => {
  expect(hasReference("Your ticket is T-10076.")).toBe(true);
  expect(hasReference("T-shirts")).toBe(false);
  expect(hasReference(`${"A-".repeat(200_000)} #4711`)).toBe(true);
});

test("a long text of near misses is searched quickly", () => {
  const startedAt = performance.now();
  expect(findQuote("12.50 ".repeat(200_000), "12")).toBeNull();
  expect(findQuote(`1${"\u200b".repeat(500_000)}2`, "1")).toBeNull();
  expect(performance.now() - startedAt).toBeLessThan(3_000);
});

describe("an amount is read", () => {
  test.each([
    ["as thousands after a comma", "1,234", 1234],
    ["with both marks", "1.234,56", 1234.56],
    ["with both marks the other way round", "1,234.56", 1234.56],
    ["with a no-break space next to a currency", "1\u00a0234 €", 1234],
    ["with a thin space next to a currency", "1\u2009234 €", 1234],
    ["with a narrow no-break space", "1\u202f234", 1234],
    ["as a fraction without a zero", ".50", 0.5],
    ["as a fraction after a currency", "€ .50", 0.5],
    ["as a negative fraction", "-€.50", -0.5],
    ["with a minus sign", "−5", -5],
    ["with a minus on either side of the currency", "-$5", -5],
    ["with the word minus", "minus €5", -5],
    ["with a detached minus, as banks write it", "- 5,00 €", -5],
    ["in brackets and nothing else, as minus", "(€5.00)", -5],
    ["in brackets with decimals, as minus", "(1,150.00)", -1150],
    ["with its currency outside of the brackets", "€ (5)", -5],
    ["with its currency behind the brackets", "(5,00) €", -5],
    ["in brackets with a minus on either side", "-(5.00)", -5],
    ["in brackets that may hold a count", "(128)", 128],
    ["in brackets behind a name", "Active (2)", 2],
    ["in brackets behind another text", "Delivery (€5.00)", 5],
    ["next to a number that cannot be read", "Kettle 1½ l €64.90", 64.9],
    ["with a footnote", "€12.00²", 12],
    ["with as many digits as a bar code", "4006381333931", 4006381333931],
    ["after an icon of the page's own font", "\uf0054.7", 4.7],
  ])("%s: %s", (_, text, value) => {
    expect(parseAmount(text)?.value).toBe(value);
  });

  test("with its other meaning when a dot is ambiguous", () => {
    expect(parseAmount("1.234")).toMatchObject({ value: 1.234, otherValue: 1234 });
    expect(parseAmount("€1.234")).toMatchObject({ value: 1234, otherValue: 1.234 });
  });
});

describe("no amount is read from", () => {
  test.each([
    ["a range", "5-10"],
    ["a range with a dash", "€5–€10"],
    ["two numbers, or one with a space", "1 234"],
    ["unknown groups", "1,234,56"],
    ["lakh groups next to another number", "₹12,34,567 (5)"],
    ["a mixed number", "1½"],
    ["a power", "10²"],
    ["a trailing minus, as in bookkeeping", "€5.00-"],
    ["a debit", "150.00 DR"],
    ["a credit", "€90 Cr"],
    ["a credit with its currency behind it", "90.00 EUR CR"],
    ["a debit with its sign before it", "DR 150.00"],
    ["a dash that may be a bullet", "- 5"],
    ["decimals in a separate element", "€4 ,99"],
    ["digits with something invisible between them", "1\u200b1"],
    ["digits with a private-use glyph between them", "1\ue0001"],
    ["digits of two scripts", "1２"],
    ["digits of another script", "１２３"],
    ["more digits than a number can hold", "9007199254740993"],
    ["a code", "T-10062"],
    ["scientific notation", "5e3"],
  ])("%s: %s", (_, text) => {
    expect(parseAmount(text)).toBeNull();
  });
});

describe("a quantity", () => {
  test.each([
    ["$1.5k", "", [1500]],
    ["1.5 million", "", [1_500_000]],
    ["50%", "", [50]],
    ["50%", "share_fraction", [0.5]],
    ["5‰", "share_fraction", [0.005]],
    ["€64.90", "price_cents", [6490]],
    ["$64.90", "price (EUR)", []],
    ["1.2 kg", "weight_g", [1200]],
    ["1.2 l", "weight_g", []],
    ["4006381333931", "ean", [4006381333931]],
  ])("%s as %j is %j", (text, name, numbers) => {
    expect(readQuantity(text, findWantedUnit(name))).toEqual(numbers);
  });
});

describe("a day", () => {
  test.each([
    ["2026-03-12", "2026-03-12"],
    ["12.03.2026", "2026-03-12"],
    ["13/03/2026", "2026-03-13"],
    ["03/13/2026", "2026-03-13"],
    ["05/05/2026", "2026-05-05"],
    ["12/03/2026, that is 12 March 2026", "2026-03-12"],
    ["10:30 - 12 March 2026", "2026-03-12"],
    ["12 Mar\u00a02026", "2026-03-12"],
  ])("is read from %s", (text, day) => {
    expect(parseDate(text)?.day).toBe(day);
  });

  test.each([
    ["that is ambiguous", "12/03/2026"],
    ["that is ambiguous, next to another", "12/03/2026 and 13 March 2026"],
    ["of a range of days", "12–14 March 2026"],
    ["of two days", "12 and 14 March 2026"],
    ["of a range of months", "28 Feb – 3 Mar 2026"],
    ["of a range with the month first", "Feb 28 – Mar 3, 2026"],
    ["of a range with dots", "12.03. – 14.03.2026"],
    ["of a range with slashes", "12/03–14/03/2026"],
    ["of an interval", "2026-03-12/2026-03-14"],
    ["inside a code", "2026-03-12-05"],
    ["without a year", "12 March"],
    ["with a short year", "12/03/26"],
    ["that does not exist", "2026-02-30"],
    ["in relative words", "in 3 days"],
    ["in look-alike letters", "12 M\u0430rch 2026"],
    ["across an invisible character", "12\u200b March 2026"],
  ])("is not read %s: %s", (_, text) => {
    expect(parseDate(text)).toBeNull();
  });

  test("in a given order is read in that order only", () => {
    expect(findDates("12/03/2026", "dmy").map(({ day }) => day)).toEqual(["2026-03-12"]);
    expect(findDates("12/03/2026", "mdy").map(({ day }) => day)).toEqual(["2026-12-03"]);
    expect(findDayOrders(["01/02/2026 … 25/02/2026", "02/25/2026"])).toEqual(new Set(["dmy", "mdy"]));
    expect(findDayOrders(["01/02/2026", "45/99/2026"])).toEqual(new Set());
  });
});

describe("a quote states", () => {
  test.each([
    ["a number", 64.9, "€64.90"],
    ["either reading of a dot", 1234, "1.234"],
    ["a number in letters", 1_500_000, "1.5 million"],
    ["a word of it", "Kettle", "Brindle Kettle"],
    ["an enum value", "on_its_way", "It is On its way"],
    ["plain digits for full-width ones", "12", "１２"],
    ["a currency", "EUR", "€12"],
    ["a day that can be read in one way", "2026-03-13", "Added 13/03/2026"],
    ["no", false, "Sold out"],
    ["a number after the word no", "12", "Order no 12"],
  ])("%s", (_, value, quote) => {
    expect(quoteStates(value, quote)).toBe(true);
  });

  test.each([
    ["another number", 65, "€64.90"],
    ["the number before its factor", 1.5, "$1.5k"],
    ["a number of a range", 5, "€5–€10"],
    ["the amount without its sign", 5, "-5"],
    ["a thousandth of it", 1.234, "1,234"],
    ["a part of a number", "1", "€12.00"],
    ["a part of a word", "ett", "Kettle"],
    ["a number as text without its sign", "5", "-5"],
    ["the opposite of a text", "available", "not available"],
    ["the opposite of an enum value", "shipped", "Not shipped"],
    ["the opposite in a short form", "shipped", "It isn't shipped"],
    ["digits of a power", "102", "10²"],
    ["a part of a fraction", "1", "½"],
    ["a URL", "https://shop.example/", "See https://shop.example/"],
    ["an ambiguous day", "2026-03-12", "12/03/2026"],
    ["nothing", "", "Kettle"],
    ["an object", { a: 1 }, "Kettle"],
  ])("not %s", (_, value, quote) => {
    expect(quoteStates(value, quote)).toBe(false);
  });

  test("an ambiguous day in the order of the page", () => {
    expect(quoteStates("2026-03-12", "12/03/2026", new Set(["dmy"]))).toBe(true);
    expect(quoteStates("2026-12-03", "12/03/2026", new Set(["dmy"]))).toBe(false);
  });

  test("a fact in its own words, or as a number or a day", () => {
    expect(quoteStatesFact("€64.90", "Price: €64.90")).toBe(true);
    expect(quoteStatesFact("64.9", "Price: €64.90")).toBe(true);
    expect(quoteStatesFact("2026-03-14", "Delivered 14 March 2026")).toBe(true);
    expect(quoteStatesFact("64", "Price: €64.90")).toBe(false);
    expect(quoteStatesFact("in stock", "not in stock")).toBe(false);
    expect(quoteStatesFact("5 °C", "−5 °C")).toBe(false);
    expect(quoteStatesFact("about 65 euros", "Price: €64.90")).toBe(false);
  });
});

describe("a number of an answer", () => {
  const unstated = (answer: string, facts: string[]) => findUnstatedNumber(answer, facts, facts, []);

  test.each([
    ["that is stated", "It costs €12.50.", ["€12.50"]],
    ["with another decimal mark", "12.50", ["12,50"]],
    ["with a group mark", "1,234", ["1234"]],
    ["in digits of another script", "It is 12.", ["١٢"]],
    ["that is a sum of two", "Together 30.", ["10", "20"]],
    ["that may be a decimal on the page", "1.25 kg", ["1,250 kg"]],
  ])("%s is accounted for", (_, answer, facts) => {
    expect(unstated(answer, facts)).toBeNull();
  });

  test.each([
    ["that is a part of another", "It is 12.", ["112"], "12"],
    ["that lost its decimals", "It is 12.", ["€12.50"], "12"],
    ["a thousand times as high", "It costs €1,250.", ["€1.25"], "1,250"],
    ["without its decimal point", "It costs €1250.", ["€12.50"], "1250"],
    ["in full-width digits", "It costs １２.", ["5"], "12"],
    ["in digits of another script", "It costs ١٢.", ["5"], "12"],
    ["with something invisible in it", "It costs 1\u200b2.", ["1", "2"], "12"],
    ["that is a time", "It is 12:30.", ["1230"], "12:30"],
  ])("%s is not", (_, answer, facts, number) => {
    expect(unstated(answer, facts)).toBe(number);
  });
});

describe("a field", () => {
  test.each([
    ["12.5", "12.50"],
    ["1,234", "1234"],
    ["New name", "NEW NAME"],
    ["020 123 456", "020-123456"],
    ["4111 1111 1111 1111", "4111111111111111"],
  ])("that was given %s holds it as %s", (one, other) => {
    expect(isSameValue(one, other)).toBe(true);
  });

  test.each([
    ["1.50", "150"],
    ["-5", "5"],
    ["12.50", "1250"],
    ["01234", "1234"],
    ["€5", "£5"],
    ["4111 1111 1111 1111", "4111111111111112"],
  ])("that was given %s does not hold it as %s", (one, other) => {
    expect(isSameValue(one, other)).toBe(false);
  });
});

describe("words", () => {
  test.each([
    ["Change my name to Jo.", { change: true, mentions: true, asks: false, stored: true, kept: true }],
    ["Set the quantity to 2.", { change: true, mentions: true, asks: false, stored: false, kept: true }],
    ["What is the status of my order?", { change: false, mentions: true, asks: true, stored: false, kept: false }],
    ["Type kettle and tell me the price.", { change: false, mentions: true, asks: true, stored: false, kept: false }],
    ["Donate €5 to the shelter.", { change: false, mentions: true, asks: false, stored: false, kept: false }],
    ["Donate the money.", { change: true, mentions: true, asks: false, stored: false, kept: false }],
  ])("of a task: %s", (prompt, { change, mentions, asks, stored, kept }) => {
    expect(asksForChange(prompt)).toBe(change);
    expect(mentionsChange(prompt)).toBe(mentions);
    expect(onlyAsks(prompt)).toBe(asks);
    expect(asksToChangeStoredValue(prompt)).toBe(stored);
    expect(asksToKeepValue(prompt)).toBe(kept);
  });

  test("that ask for information may be broader for a criterion than for a fact", () => {
    for (const prompt of ["Tell me the price.", "Which is cheapest", "List them", "Is it open?"]) {
      expect([asksForInformation(prompt), mayAskForAnswer(prompt)]).toEqual([true, true]);
    }
    for (const prompt of [
      "Log in, what does it cost",
      "Open it and say who wrote it",
      "Please read the second one",
      "For each plant list its price",
    ]) {
      expect(asksForInformation(prompt), prompt).toBe(true);
    }
    for (const prompt of [
      "Send Kim, who is in sales, the report.",
      "Add milk to the list which is shared with Kim.",
      "Mark the message as read.",
      "Delete the shop where I bought it.",
      "Write a post with a bulleted list of three fruits.",
      "Drag Call Ann to the first place of the task list.",
    ]) {
      expect(asksForInformation(prompt), prompt).toBe(false);
    }
    expect([asksForInformation("Get the invoice."), mayAskForAnswer("Get the invoice.")]).toEqual([false, true]);
    expect([asksForInformation("Buy the mug."), mayAskForAnswer("Buy the mug.")]).toEqual([false, false]);
  });

  test.each([
    ["Save changes", { saves: true, maySave: true, creates: false, commit: null }],
    ["Apply", { saves: false, maySave: true, creates: false, commit: null }],
    ["Apply now", { saves: false, maySave: false, creates: true, commit: "apply now" }],
    ["Add to cart", { saves: false, maySave: false, creates: true, commit: "add" }],
    ["Yes, delete it", { saves: false, maySave: false, creates: false, commit: "delete" }],
    ["Confirm and pay", { saves: false, maySave: false, creates: false, commit: "pay" }],
    ["Search", { saves: false, maySave: false, creates: false, commit: null }],
    ["Accept cookies", { saves: false, maySave: false, creates: false, commit: null }],
  ])("on a button: %s", (label, { saves, maySave, creates, commit }) => {
    expect(isSavingLabel(label)).toBe(saves);
    expect(maySaveLabel(label)).toBe(maySave);
    expect(isCreatingLabel(label)).toBe(creates);
    expect(findCommitVerb(label)).toBe(commit);
  });

  test("that negate, and numbers", () => {
    expect(isNegatedBy("not", "available")).toBe(true);
    expect(isNegatedBy("isn’t", "available")).toBe(true);
    expect(isNegatedBy("no", "12")).toBe(false);
    expect(isNegatedBy("now", "available")).toBe(false);
    expect(["two", "both", "Twelve", "fifty", "hundred", "dozen"].map(parseNumberWord)).toEqual([
      2,
      2,
      12,
      50,
      100,
      null,
    ]);
  });
});
