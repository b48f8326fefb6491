import { describe, expect, test } from "vitest";
import { readPrice } from "../../../src/agent/gate/price.ts";
import type { OrderReading } from "../../../src/agent/gate/read-order.ts";
import { toCurrency } from "../../../src/agent/grounding/amounts.ts";
import { explainExcess } from "../../../src/executions/spending.ts";
import { SPENDING_CURRENCIES } from "../../../src/http/pages/spending-fields.ts";
import { formatMoney, toMoney } from "../../../src/lib/money.ts";

const EUROS = { value: 16.9, currency: "EUR" };
const DOLLARS = { value: 16.9, currency: "$" };

function order(total: OrderReading["total"], text = ""): OrderReading {
  return { total, amounts: [], items: [], recipient: null, addresses: [], chosen: [], values: [], text };
}

describe("the price that code and the judge read", () => {
  test.each([
    ["without a judge", EUROS, null, EUROS],
    ["the same", EUROS, "€16.90", EUROS],
    ["the same, written otherwise", EUROS, "EUR 16,90", EUROS],
    ["the judge names the dollar", DOLLARS, "16.90 USD", { value: 16.9, currency: "USD" }],
  ])("is certain: %s", (_name, total, judged, amount) => {
    expect(readPrice(order(total), "buy", judged)).toEqual({ amount, doubt: null, isDisputed: false });
  });

  test.each([
    ["another amount", EUROS, "€276.50", { value: 276.5, currency: "EUR" }, true],
    ["a lower amount", EUROS, "€6.90", EUROS, true],
    ["another currency", EUROS, "$16.90", EUROS, true],
    ["the judge names none", EUROS, "", EUROS, false],
    ["the judge names several", EUROS, "€16.90 or €4.90", EUROS, false],
    ["code reads none", null, "€16.90", EUROS, false],
    ["nobody reads one", null, "", null, false],
  ])("is doubtful: %s", (_name, total, judged, amount, isDisputed) => {
    expect(readPrice(order(total), "buy", judged)).toEqual({ amount, doubt: expect.any(String), isDisputed });
  });

  test("names both amounts when they differ", () => {
    expect(readPrice(order(EUROS), "buy", "€276.50")?.doubt).toMatch(/EUR 16\.90.*EUR 276\.50/);
  });

  test("is none for what costs nothing", () => {
    expect(readPrice(order(EUROS), "send", "")).toBeNull();
    expect(readPrice(order(null, "table for two, friday"), "book", "")).toBeNull();
    expect(readPrice(order(null, "room: €90 per night"), "book", "")).not.toBeNull();
    expect(readPrice(order(EUROS), null, "€16.90")).toMatchObject({ amount: EUROS, doubt: null });
  });
});

describe("money in minor units", () => {
  test.each([
    [16.9, "EUR", 1690],
    [0.1 + 0.2, "EUR", 30],
    [16.901, "EUR", 1691],
    [1299, "JPY", 1299],
    [0, "EUR", 0],
    [-1, "EUR", null],
    [Number.POSITIVE_INFINITY, "EUR", null],
    [Number.NaN, "EUR", null],
    [16.9, "$", null],
  ])("%f %s", (value, currency, minorUnits) => {
    expect(toMoney({ value, currency })?.minorUnits ?? null).toBe(minorUnits);
  });

  test("is written with its decimals", () => {
    expect(formatMoney({ minorUnits: 1690, currency: "EUR" })).toBe("€16.90");
    expect(formatMoney({ minorUnits: 1299, currency: "JPY" })).toBe("¥1,299");
  });

  test("has limits only in currencies that can be read from pages", () => {
    expect(SPENDING_CURRENCIES.filter((code) => toCurrency(code) !== code)).toEqual([]);
  });
});

describe("what exceeds the limits", () => {
  const limits = { currency: "EUR", perErrand: 1500, perMonth: 2000 };
  const amount = (minorUnits: number, currency = "EUR") => ({ minorUnits, currency });

  test("is said with what is left", () => {
    expect(explainExcess(amount(1500), limits, { inErrand: 0, inMonth: 500 })).toBeNull();
    expect(explainExcess(amount(1501), limits, { inErrand: 0, inMonth: 0 })).toContain("€15.00 per errand");
    expect(explainExcess(amount(501), limits, { inErrand: 1000, inMonth: 1000 })).toContain("€5.00 is left");
    expect(explainExcess(amount(1500), limits, { inErrand: 0, inMonth: 501 })).toContain("€14.99 is left");
    // What was approved above the limit leaves nothing.
    expect(explainExcess(amount(1), limits, { inErrand: 0, inMonth: 9000 })).toContain("€0.00 is left");
    expect(explainExcess(amount(1, "USD"), limits, { inErrand: 0, inMonth: 0 })).toContain("limit is in EUR");
  });

  test("needs only one of the two limits", () => {
    const spent = { inErrand: 9000, inMonth: 100 };
    expect(explainExcess(amount(100), { ...limits, perErrand: null }, spent)).toBeNull();
    expect(explainExcess(amount(100), { ...limits, perMonth: null }, spent)).not.toBeNull();
  });
});
