import { describe, expect, test } from "vitest";
import { parseAmount, parseAmounts } from "../../../src/agent/grounding/amounts.ts";
import { findDayOrder, parseDate } from "../../../src/agent/grounding/dates.ts";
import { kindOfText, parseBoolean, splitLabel } from "../../../src/agent/grounding/short-texts.ts";

describe("amounts", () => {
  test.each([
    ["£1,299.00", 1299, "GBP", null],
    ["1.299,00 €", 1299, "EUR", null],
    ["1 299,00 kr", 1299, "kr", null],
    ["1'299.50 CHF", 1299.5, "CHF", null],
    ["USD 12", 12, "USD", null],
    ["US$12.00", 12, "USD", null],
    ["$5", 5, "$", null],
    ["20 pounds", 20, "GBP", null],
    ["12.5 kg", 12.5, null, "kg"],
    ["12kg", 12, null, "kg"],
    ["-3%", -3, null, "%"],
    ["3 %", 3, null, "%"],
    ["17 °C", 17, null, "°c"],
    ["72° F", 72, null, "°f"],
    ["72 ℉", 72, null, "°f"],
    ["20 degrees Celsius", 20, null, "°c"],
    ["50¢", 50, null, "¢"],
    ["−3%", -3, null, "%"],
    ["-£3", -3, "GBP", null],
    ["£-3.50", -3.5, "GBP", null],
    ["1.2k reviews", 1200, null, "reviews"],
    ["1,299", 1299, null, null],
    ["1.234.567", 1234567, null, null],
    ["0.299", 0.299, null, null],
    ["5 items", 5, null, "items"],
    ["Subtotal£4", 4, "GBP", null],
    ["€64.90 with VAT", 64.9, "EUR", null],
    ["4.5/5", 4.5, null, null],
    ["Rated 4.7 out of 5 (128)", 4.7, null, null],
    ["★ 4.7 (128)", 4.7, null, null],
    ["3 for £10", 10, "GBP", null],
    ["Free", 0, null, null],
  ])("reads %s", (text, value, currency, unit) => {
    expect(parseAmount(text)).toMatchObject({ value, currency, unit });
  });

  test.each([
    ["several different amounts", "£20–£30"],
    ["several different amounts", "$5 off $20"],
    ["two adjacent numbers", "12 300"],
    ["a code", "T-10062"],
    ["a code", "KIT-101"],
    ["a code", "#12"],
    ["a part of a name", "3D"],
    ["a version", "1.2.3"],
    ["a day", "Sat 14 Mar 2026"],
    ["a time", "10:30"],
    ["no number", "none"],
    ["nothing", ""],
  ])("finds no amount in %s: %s", (_, text) => {
    expect(parseAmount(text)).toBeNull();
  });

  test("reads 1.299 as thousands next to a currency, as decimals without one, and reports the other reading", () => {
    expect(parseAmount("€1.299")).toMatchObject({ value: 1299, otherValue: 1.299 });
    expect(parseAmount("1.299 kg")).toMatchObject({ value: 1.299, otherValue: 1299 });
  });

  test("quotes each amount word for word", () => {
    expect(parseAmounts("2 × £10.00 and 12.5 kg").map(({ quote }) => quote)).toEqual(["2", "£10.00", "12.5 kg"]);
  });

  test("reads a long text of digits quickly", () => {
    expect(parseAmounts("1,".repeat(200_000)).length).toBeLessThan(2);
  });
});

describe("dates", () => {
  test.each([
    ["2026-03-12", "2026-03-12"],
    ["2026/03/12", "2026-03-12"],
    ["12 March 2026", "2026-03-12"],
    ["12th of March 2026", "2026-03-12"],
    ["Sat 14 Mar 2026", "2026-03-14"],
    ["March 12, 2026", "2026-03-12"],
    ["Delivered on Dec 1st, 2025", "2025-12-01"],
    ["12.03.2026", "2026-03-12"],
    ["25/03/2026", "2026-03-25"],
    ["03/25/2026", "2026-03-25"],
    ["05/05/2026", "2026-05-05"],
  ])("reads %s", (text, day) => {
    expect(parseDate(text)?.day).toBe(day);
  });

  test.each(["12/03/2026", "12 March", "tomorrow", "31 February 2026", "1 May 2026 – 3 May 2026", "March 2026", ""])(
    "reads no date from %s",
    (text) => {
      expect(parseDate(text)).toBeNull();
    },
  );

  test("reads an ambiguous date only with a given order", () => {
    expect(parseDate("12/03/2026", "dmy")?.day).toBe("2026-03-12");
    expect(parseDate("12/03/2026", "mdy")?.day).toBe("2026-12-03");
  });

  test("derives the order from the other dates of a column", () => {
    expect(findDayOrder(["01/02/2026", "25/02/2026"])).toBe("dmy");
    expect(findDayOrder(["01/02/2026", "02/25/2026"])).toBe("mdy");
    expect(findDayOrder(["01/02/2026"])).toBeNull();
    expect(findDayOrder(["25/02/2026", "02/25/2026"])).toBeNull();
  });

  test("includes the time of day where it is next to the day", () => {
    expect(parseDate("12 March 2026 at 2:30 pm")).toMatchObject({ time: "14:30:00", offset: null });
    expect(parseDate("2026-03-12T10:00:00+0100")).toMatchObject({ time: "10:00:00", offset: "+01:00" });
  });
});

describe("yes and no", () => {
  test.each([
    ["Yes", true],
    ["in stock", true],
    ["In stock, ships tomorrow", true],
    ["✓", true],
    ["☑ Gift wrap", true],
    ["3 in stock", true],
    ["Only 3 left", true],
    ["No", false],
    ["Out of stock", false],
    ["Not available", false],
    ["☐ Gift wrap", false],
    ["0 left", false],
    ["No. 12", null],
    ["Norway", null],
    ["Yes Minister", null],
    ["Available from May", null],
    ["back in stock on 3 May", null],
    ["-", null],
    ["", null],
  ])("reads %s as %s", (text, answer) => {
    expect(parseBoolean(text)).toBe(answer);
  });
});

test.each([
  ["€64.90 with VAT", "price"],
  ["★ 4.7 (128)", "rating"],
  ["3 stars", "rating"],
  ["Sat 14 Mar 2026", "date"],
  ["Sold out", "availability"],
  ["Stoneware mug", "text"],
  ["Free delivery for all orders of more than €50 today", "text"],
  ["12", "text"],
])("recognizes %s as a %s", (text, kind) => {
  expect(kindOfText(text)).toBe(kind);
});

describe("a label before an amount", () => {
  test.each([
    ["Check-up €45.00", "Check-up"],
    ["Build-to-order €90.00", "Build-to-order"],
  ])("%s", (text, label) => expect(splitLabel(text)?.label).toBe(label));

  test.each(["From €45.00", "Save up €45.00", "Now only €9.00"])("is not in %s", (text) =>
    expect(splitLabel(text)).toBeNull(),
  );
});
