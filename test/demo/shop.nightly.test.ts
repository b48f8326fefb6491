import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DEMO_CARDS } from "../../demo/trade/cards.ts";
import { startTestBrowser, type TestBrowser } from "../_harness/browser.ts";
import {
  addToCart,
  arriveAt,
  button,
  enterShop,
  openShop,
  ordersOf,
  SHOPPER,
  signInToShop,
  texts,
} from "../_harness/demo-shop.ts";

let browser: TestBrowser;
beforeAll(async () => {
  browser = await startTestBrowser();
});
afterAll(() => browser[Symbol.asyncDispose]());

describe.each([
  ["with JavaScript", true],
  ["without JavaScript", false],
])("a customer %s in the demo shop", (_name, script) => {
  it("finds a product, signs in on the way, orders it, and finds the order in the history", async () => {
    await using shop = await openShop();
    await using shopper = await enterShop(browser, shop, script);
    const { page, open } = shopper;
    await open("/");
    await page.getByLabel("Search the shop").fill("kettle");
    await button(page, "Search").click();
    await page.getByRole("table").getByRole("link", { name: "Brindle Kettle" }).click();
    await page.getByLabel("Quantity").selectOption("2");
    await button(page, "Add to cart").click();
    await page.getByText("2 × Brindle Kettle added to your cart.").waitFor();
    await page.getByRole("link", { name: "Go to checkout" }).click();
    await signInToShop(page);
    await arriveAt(page, "Where should it go?");
    await button(page, "Continue to delivery").click();
    await page.getByLabel("Express delivery").check();
    await page.getByLabel("Delivery day").fill("2026-03-19");
    await button(page, "Continue to payment").click();
    await page.getByLabel("By card").check();
    await page.getByLabel("Name on the card").fill("Demo Shopper");
    await page.getByLabel("Card number").fill(DEMO_CARDS.accepted);
    await page.getByLabel("Valid until").fill("09/31");
    await page.getByLabel("Security code").fill("123");
    await button(page, "Continue to review").click();
    await page.getByRole("main").getByText("Thu 19 Mar 2026").waitFor();
    await button(page, "Place order").click();
    await arriveAt(page, "Thank you, Demo Shopper");
    const order = shop.orders().at(-1);
    expect(order).toMatchObject({
      email: SHOPPER,
      lines: [{ sku: "KIT-101", quantity: 2, unitCents: 6_490 }],
      totals: { goodsCents: 12_980, deliveryCents: 990, totalCents: 13_970 },
      delivery: { day: "2026-03-19" },
      payment: { kind: "card", lastFour: "3005" },
    });
    await open("/account/orders");
    const row = page.getByRole("row").nth(1);
    for (const told of [`${order?.number}`, "2 items", "Received", "Thu 19 Mar 2026", "€139.70"]) {
      expect(await row.textContent()).toContain(told);
    }
  });

  it("cancels an order after confirming, in a dialog or on a page", async () => {
    await using shop = await openShop();
    await using shopper = await enterShop(browser, shop, script);
    const { page, open } = shopper;
    const order = ordersOf(shop).at(-1);
    await open(`/sign-in?return=/account/orders/${order?.number}`);
    await signInToShop(page);
    await page.getByRole("link", { name: "Cancel this order" }).click();
    expect(await page.getByRole("dialog").isVisible()).toBe(script);
    await page.getByRole("link", { name: "Keep the order" }).click();
    expect(order?.cancelled).toBe(false);
    await page.getByRole("link", { name: "Cancel this order" }).click();
    await button(page, "Yes, cancel it").click();
    await page.getByText("is cancelled.").waitFor();
    expect(order?.cancelled).toBe(true);
    expect(await page.getByRole("link", { name: "Cancel this order" }).count()).toBe(0);
  });
});

describe("the catalog of the demo shop", () => {
  it("searches, filters, sorts and paginates, and every list has its own URL", async () => {
    await using shop = await openShop();
    await using shopper = await enterShop(browser, shop);
    const { page, open } = shopper;
    await open("/products");
    const firstPage = await texts(page, "tbody th a");
    expect(firstPage).toHaveLength(12);
    expect(await page.getByRole("status").textContent()).toContain("60 products");
    await page.getByRole("link", { name: "Next" }).click();
    await page.waitForURL("**page=2");
    expect(await texts(page, "tbody th a")).not.toContain(firstPage[0]);
    await page.getByRole("link", { name: "Page 5" }).click();
    await page.waitForURL("**page=5");
    expect(await page.getByRole("link", { name: "Next" }).count()).toBe(0);

    await page.getByLabel("Category").selectOption("Garden");
    await page.getByLabel("Sort by").selectOption("Price, lowest first");
    await button(page, "Apply").click();
    await page.waitForURL("**category=garden**");
    const prices = (await texts(page, "tbody .price")).map((price) => Number(price.slice(1)));
    expect(prices).toHaveLength(10);
    expect(prices).toEqual(prices.toSorted((one, other) => one - other));
    await page.getByRole("link", { name: "Grid" }).click();
    await page.waitForURL("**view=grid**");
    expect(await page.getByRole("table").count()).toBe(0);
    const cards = await texts(page, "h3");
    expect(cards[0]).toBe("Loam Plant Pot");

    await open("/products?sort=name&q=LAMP");
    expect(await texts(page, "tbody th a")).toEqual([
      "Comet Pendant",
      "Drift Pendant",
      "Haldor Reading Lamp",
      "Moth Table Lamp",
      "Stork Floor Lamp",
    ]);
    await open("/products?sort=rating");
    expect((await texts(page, "tbody th a"))[0]).toBe("Heath Wool Blanket");
    await open(`/products?q=${encodeURIComponent("<b>nothing</b>")}`);
    expect(await page.getByRole("status").textContent()).toContain("0 products for “<b>nothing</b>”");
  });

  it("shows a product in tabs with content loaded by script, and all of it at once without script", async () => {
    await using shop = await openShop();
    await using scripted = await enterShop(browser, shop);
    await using plain = await enterShop(browser, shop, false);
    await scripted.open("/products/brindle-kettle");
    await plain.open("/products/brindle-kettle");

    const tab = scripted.page.getByRole("tab", { name: "Description" });
    expect(await tab.getAttribute("aria-selected")).toBe("true");
    const materialIn = (page: Page) => page.getByText("Enamelled steel", { exact: true });
    expect(await materialIn(scripted.page).isVisible()).toBe(false);
    await tab.press("ArrowRight");
    expect(await materialIn(scripted.page).isVisible()).toBe(true);
    await scripted.page.getByRole("heading", { name: "Corvin Skillet" }).waitFor();

    expect(await materialIn(plain.page).isVisible()).toBe(true);
    expect(await plain.page.getByRole("tab").count()).toBe(0);
    expect(await plain.page.getByRole("link", { name: "See more from Kitchen" }).isVisible()).toBe(true);
  });

  it("sells no sold-out products", async () => {
    await using shop = await openShop();
    await using shopper = await enterShop(browser, shop);
    await shopper.open("/products/tansy-teapot");
    expect(await shopper.page.getByText("Out of stock").isVisible()).toBe(true);
    expect(await button(shopper.page, "Add to cart").count()).toBe(0);
  });
});

describe("the cart of the demo shop", () => {
  it("changes quantities, removes items, and adds up to the cent", async () => {
    await using shop = await openShop();
    await using shopper = await enterShop(browser, shop);
    const { page } = shopper;
    await addToCart(shopper, "ossery-mug", 3);
    await addToCart(shopper, "nib-pencil-set");
    expect(await texts(page, ".totals dd")).toEqual(["€63.60", "€4.90", "€68.50"]);
    await page.getByLabel("Quantity of Ossery Mug").selectOption("1");
    await button(page, "Update Ossery Mug").click();
    await page.getByText("Quantity of Ossery Mug: 1.").waitFor();
    expect(await texts(page, ".totals dd")).toEqual(["€29.80", "€4.90", "€34.70"]);
    await button(page, "Remove Nib Pencil Set").click();
    await page.getByText("Nib Pencil Set removed").waitFor();
    expect(await texts(page, ".totals dd")).toEqual(["€16.90", "€4.90", "€21.80"]);
    await button(page, "Remove Ossery Mug").click();
    await page.getByRole("heading", { name: "Your cart is empty" }).waitFor();
  });

  it("accepts a valid voucher, and says why another is invalid", async () => {
    await using shop = await openShop();
    await using shopper = await enterShop(browser, shop);
    const { page } = shopper;
    await addToCart(shopper, "ossery-mug");
    const enter = async (code: string) => {
      await page.getByLabel("Voucher code").fill(code);
      await button(page, "Apply").click();
    };
    for (const [code, problem] of [
      ["", "Enter a voucher code."],
      ["NOPE", "We do not know this voucher code. Check the spelling."],
      ["SUMMER5", "The voucher SUMMER5 has expired."],
      ["TAKE15", "The voucher TAKE15 counts from €60.00."],
    ] as const) {
      await enter(code);
      await page.getByText(problem).waitFor();
    }
    await enter("welcome10");
    await page.getByText("Voucher WELCOME10 applied.").waitFor();
    expect(await texts(page, ".totals dd")).toEqual(["€16.90", "−€1.69", "€4.90", "€20.11"]);
  });

  it("is kept when a guest signs in", async () => {
    await using shop = await openShop();
    await using shopper = await enterShop(browser, shop);
    await addToCart(shopper, "ossery-mug", 2);
    await shopper.open("/sign-in");
    await signInToShop(shopper.page);
    await arriveAt(shopper.page, "Hello, Demo Shopper");
    expect(await shopper.page.getByRole("link", { name: "Cart, 2 items" }).isVisible()).toBe(true);
  });
});
