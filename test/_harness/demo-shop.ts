import type { Page } from "playwright-core";
import { DEMO_PASSWORD } from "../../demo/people/demo-accounts.ts";
import { type DemoShop, startDemoShop } from "../../demo/shop.ts";
import type { TestBrowser } from "./browser.ts";

export const SHOPPER = "shopper@demo.example";

/** A Wednesday, so that standard delivery does not fall on a Sunday. */
export const OPENING_DAY = "2026-03-11";

/** The shop's clock, which moves only when told. */
export class ShopClock {
  #nowMs = Date.parse(`${OPENING_DAY}T10:00:00Z`);

  now(): Date {
    return new Date(this.#nowMs);
  }

  advance({ minutes }: { minutes: number }): void {
    this.#nowMs += minutes * 60_000;
  }
}

export interface Shopper extends AsyncDisposable {
  page: Page;
  /** Opens a page of the shop and returns its status. */
  open(path: string): Promise<number | undefined>;
}

/** A customer in their own browser, with or without JavaScript. */
export async function enterShop(browser: TestBrowser, shop: DemoShop, script = true): Promise<Shopper> {
  // The page is opened for its browser: the shop needs its own context.
  await using visit = await browser.openPage();
  const context = await visit.page.context().browser()?.newContext({ javaScriptEnabled: script, baseURL: shop.url });
  if (context === undefined) throw new Error("the browser is gone");
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  return {
    page,
    open: async (path) => (await page.goto(path))?.status(),
    [Symbol.asyncDispose]: () => context.close(),
  };
}

export function button(page: Page, name: string) {
  return page.getByRole("main").getByRole("button", { name, exact: true });
}

/** Waits for the page with this heading. */
export async function arriveAt(page: Page, heading: string): Promise<void> {
  await page.getByRole("heading", { level: 1, name: heading, exact: true }).waitFor();
}

/** Signs in on the sign-in page. */
export async function signInToShop(page: Page, email = SHOPPER, password = DEMO_PASSWORD): Promise<void> {
  await page.getByLabel("E-mail address").fill(email);
  await page.getByLabel("Password").fill(password);
  await button(page, "Sign in").click();
}

export async function addToCart({ page, open }: Shopper, slug: string, quantity = 1): Promise<void> {
  await open(`/products/${slug}`);
  await page.getByLabel("Quantity").selectOption(String(quantity));
  await button(page, "Add to cart").click();
  await page.waitForURL("**/cart");
}

/** Signed in and with something in the cart: goes through all steps, up to the last button. */
export async function goToReview({ page, open }: Shopper): Promise<void> {
  await open("/checkout");
  await button(page, "Continue to delivery").click();
  await button(page, "Continue to payment").click();
  await button(page, "Continue to review").click();
  await arriveAt(page, "Is everything right?");
}

/** A member with one kettle in the cart, at the last step of the checkout. */
export async function enterAtReview(browser: TestBrowser, shop: DemoShop): Promise<Shopper> {
  const shopper = await enterShop(browser, shop);
  await shopper.open("/sign-in");
  await signInToShop(shopper.page);
  await arriveAt(shopper.page, "Hello, Demo Shopper");
  await addToCart(shopper, "brindle-kettle");
  await goToReview(shopper);
  return shopper;
}

export function openShop(): Promise<DemoShop> {
  return startDemoShop({ clock: new ShopClock() });
}

export function texts(page: Page, selector: string): Promise<string[]> {
  return page.getByRole("main").locator(selector).allInnerTexts();
}

export function problems(page: Page): Promise<string[]> {
  return page.getByRole("alert").getByRole("listitem").allInnerTexts();
}

export function ordersOf(shop: DemoShop, email = SHOPPER) {
  return shop.orders().filter((order) => order.email === email);
}
