import { findProduct } from "../catalogue/products.ts";
import type { Address } from "../trade/addresses.ts";
import { addDays, dayOf, skipSunday } from "../trade/calendar.ts";
import { addToCart, cartLines, emptyCart, MAX_QUANTITY, totalsOf } from "../trade/cart.ts";
import { STANDARD } from "../trade/delivery.ts";
import { type Orders, toOrderLines } from "../trade/orders.ts";
import type { Accounts } from "./accounts.ts";

export const DEMO_PASSWORD = "demo-pass";

/** Accounts that exist when the shop opens. All have the same password. */
export const DEMO_ACCOUNTS = [
  { email: "shopper@demo.example", displayName: "Demo Shopper", asksForCode: false },
  { email: "careful@demo.example", displayName: "Careful Shopper", asksForCode: true },
] as const;

const HOMES: Record<string, Address> = {
  "shopper@demo.example": {
    name: "Demo Shopper",
    street: "12 Lantern Lane",
    postcode: "4020",
    city: "Willowford",
    country: "Austria",
  },
  "careful@demo.example": {
    name: "Careful Shopper",
    street: "3 Harbour Steps",
    postcode: "D08 X2",
    city: "Eastmere",
    country: "Ireland",
  },
};

/** Days are relative to the day on which the shop opens, so that there is always one order in every state. */
const EARLIER_ORDERS = [
  { email: "shopper@demo.example", placed: -41, arrives: -37, goods: { "KIT-102": 2, "TXT-105": 1 } },
  { email: "shopper@demo.example", placed: -12, arrives: -8, goods: { "DSK-101": 3 } },
  { email: "shopper@demo.example", placed: -4, arrives: 1, goods: { "LGT-105": 1, "LGT-107": 4 } },
  { email: "shopper@demo.example", placed: -1, arrives: 5, goods: { "TRV-101": 1 } },
  { email: "careful@demo.example", placed: -20, arrives: -16, goods: { "GDN-102": 4, "GDN-103": 1 } },
];

export function addDemoAccounts(accounts: Accounts, orders: Orders, now: Date): void {
  for (const { email, displayName, asksForCode } of DEMO_ACCOUNTS) {
    const account = accounts.create(email, displayName, DEMO_PASSWORD);
    account.asksForCode = asksForCode;
    const home = HOMES[email];
    if (home !== undefined) account.addresses.push({ id: "1", ...home });
  }
  for (const order of EARLIER_ORDERS) addEarlierOrder(order, orders, now);
}

function addEarlierOrder(
  { email, placed, arrives, goods }: (typeof EARLIER_ORDERS)[number],
  orders: Orders,
  now: Date,
): void {
  const cart = emptyCart();
  for (const [sku, quantity] of Object.entries(goods)) {
    if (findProduct(sku) !== undefined) addToCart(cart, sku, quantity, MAX_QUANTITY);
  }
  const address = HOMES[email];
  if (address === undefined) return;
  const placedOn = addDays(dayOf(now), placed);
  orders.add({
    email,
    key: `earlier-${orders.all().length}`,
    placedAt: new Date(`${placedOn}T09:30:00Z`),
    lines: toOrderLines(cartLines(cart)),
    totals: totalsOf(cart, STANDARD, placedOn),
    address,
    delivery: { method: STANDARD, day: skipSunday(addDays(dayOf(now), arrives)), note: "" },
    payment: { kind: "invoice" },
  });
}
