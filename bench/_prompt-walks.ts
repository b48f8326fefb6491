import type { Page } from "playwright-core";
import type { ToolCall } from "../src/models/model.ts";

/** What a scripted model is shown in a turn: the page as text, and the address. */
export interface Sight {
  readonly page: string;
  readonly url: string;
  readonly turn: number;
}

/** A long errand: where it begins, what it is, and what is done in each turn. */
export interface Walk {
  readonly name: string;
  readonly prompt: string;
  open(page: Page, shopUrl: string): Promise<void>;
  decide(sight: Sight): ToolCall;
}

/** Products one after the other into the cart, from all pages of the catalogue. */
export const SHOP_WALK: Walk = {
  name: "demo shop",
  prompt: "Put one of each product of the catalogue into the cart, page by page, and tell me the total.",
  async open(page, shopUrl) {
    await page.goto(shopUrl);
  },
  decide({ page, url, turn }) {
    const { pathname } = new URL(url);
    if (pathname === "/") return click(page, /((?:f\d+)?e\d+) (link "all products")/);
    if (pathname === "/cart") return click(page, /((?:f\d+)?e\d+) (link "Tindlemere")/);
    if (pathname === "/products") return click(page, /((?:f\d+)?e\d+) (link "[^"]+") → \/products\/[a-z-]+/g, turn);
    return click(page, /((?:f\d+)?e\d+) (button "Add to cart")/, 0, /((?:f\d+)?e\d+) (link "Tindlemere")/);
  },
};

/** Boxes of a large table, ticked one by one. */
export const TABLE_WALK: Walk = {
  name: "table of 1,000 rows",
  prompt: "Choose every order of customer-1@example.com to customer-60@example.com and refund them.",
  async open(page) {
    await page.setContent(writeTable(1000));
  },
  decide({ page, turn }) {
    if (turn % 10 === 0) return { tool: "scroll", input: { direction: "down" } };
    return click(page, /((?:f\d+)?e\d+) (checkbox "Choose \d+") \[unchecked\]/);
  },
};

function click(page: string, thing: RegExp, index = 0, otherwise?: RegExp): ToolCall {
  const all = [...page.matchAll(new RegExp(thing.source, "g"))];
  const [, ref, said] = all[index % Math.max(all.length, 1)] ?? [];
  if (ref !== undefined && said !== undefined) {
    return { tool: "click", input: { ref, label: /"([^"]*)"/.exec(said)?.[1] ?? "" } };
  }
  if (otherwise !== undefined) return click(page, otherwise);
  throw new Error(`The page does not tell ${thing.source}:\n${page.slice(0, 2_000)}`);
}

function writeTable(rows: number): string {
  const cells = (row: number) =>
    `<td><input type="checkbox" aria-label="Choose ${row}"></td><td><a href="/orders/${row}">Order ${row}</a></td>
     <td>customer-${row}@example.com</td><td>€${(row * 7.35).toFixed(2)}</td><td><button>Refund ${row}</button></td>`;
  const body = Array.from({ length: rows }, (_, row) => `<tr>${cells(row + 1)}</tr>`).join("");
  return `<title>Orders</title><h1>Orders</h1><table><tr><th></th><th>Order</th><th>Customer</th><th>Total</th><th></th></tr>${body}</table>`;
}
