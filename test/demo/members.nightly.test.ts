import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DEMO_ACCOUNTS } from "../../demo/people/demo-accounts.ts";
import { DEMO_CARDS } from "../../demo/trade/cards.ts";
import { startTestBrowser, type TestBrowser } from "../_harness/browser.ts";
import {
  addToCart,
  arriveAt,
  button,
  enterAtReview,
  enterShop,
  openShop,
  ordersOf,
  problems,
  SHOPPER,
  signInToShop,
} from "../_harness/demo-shop.ts";

let browser: TestBrowser;
beforeAll(async () => {
  browser = await startTestBrowser();
});
afterAll(() => browser[Symbol.asyncDispose]());

describe("the checkout of the demo shop", () => {
  it("reports what is wrong with an address, a date and a card next to their fields", async () => {
    await using shop = await openShop();
    await using shopper = await enterShop(browser, shop);
    const { page, open } = shopper;
    await open("/sign-in");
    await signInToShop(page);
    await arriveAt(page, "Hello, Demo Shopper");
    await addToCart(shopper, "ossery-mug");
    await open("/checkout/payment");
    await arriveAt(page, "Where should it go?");
    await page.getByLabel("Another address").check();
    await button(page, "Continue to delivery").click();
    await page.getByRole("alert").waitFor();
    expect(await problems(page)).toHaveLength(5);
    await page.getByRole("radio", { name: "Demo Shopper" }).check();
    await button(page, "Continue to delivery").click();

    for (const [day, problem] of [
      ["", "Choose a day for your delivery."],
      ["2026-03-12", "Standard delivery is possible from Sat 14 Mar 2026."],
      ["2026-03-15", "We do not deliver on Sundays. Choose another day."],
      ["2026-09-01", "Choose a day up to Fri 10 Apr 2026."],
    ] as const) {
      await page.getByLabel("Delivery day").fill(day);
      await button(page, "Continue to payment").click();
      await page.getByRole("alert").getByText(problem).waitFor();
    }
    await page.getByLabel("Delivery day").fill("2026-03-16");
    await button(page, "Continue to payment").click();

    await page.getByLabel("By card").check();
    await button(page, "Continue to review").click();
    await page.getByRole("alert").waitFor();
    expect(await problems(page)).toHaveLength(4);
    expect(await page.getByLabel("Card number").getAttribute("aria-invalid")).toBe("true");
    for (const [number, problem] of [
      ["1234", "The card number has 16 digits."],
      ["9400 1000 2000 3006", "This card number is not valid. Check the digits."],
      ["9400 1234 0000 0003", "This demo shop only takes its own test cards."],
    ] as const) {
      await page.getByLabel("Card number").fill(number);
      await page.getByLabel("Valid until").fill("02/26");
      await button(page, "Continue to review").click();
      await page.getByRole("alert").getByText(problem).waitFor();
      expect(await problems(page)).toContain("This card has expired.");
    }
    expect(ordersOf(shop)).toHaveLength(4);
  });

  it("orders nothing with a declined card, and then accepts payment by invoice", async () => {
    await using shop = await openShop();
    await using shopper = await enterAtReview(browser, shop);
    const { page } = shopper;
    await page.getByRole("link", { name: "Change payment" }).click();
    await page.getByLabel("By card").check();
    await page.getByLabel("Name on the card").fill("Demo Shopper");
    await page.getByLabel("Card number").fill(DEMO_CARDS.declined);
    await page.getByLabel("Valid until").fill("12/30");
    await page.getByLabel("Security code").fill("999");
    await button(page, "Continue to review").click();
    await button(page, "Place order").click();
    await page.getByRole("alert").getByText("Your card was declined").waitFor();
    expect(ordersOf(shop)).toHaveLength(4);
    await page.getByLabel("On invoice").check();
    await button(page, "Continue to review").click();
    await button(page, "Place order").click();
    await arriveAt(page, "Thank you, Demo Shopper");
    expect(ordersOf(shop).at(-1)?.payment).toEqual({ kind: "invoice" });
  });

  it("creates one order from a double click, and from a form that is submitted twice at once and again later", async () => {
    await using shop = await openShop();
    await using shopper = await enterAtReview(browser, shop);
    const { page } = shopper;
    const form = {
      csrf: await page.locator("main [name=csrf]").inputValue(),
      key: await page.locator("main [name=key]").inputValue(),
    };
    await button(page, "Place order").dblclick();
    // The second click aborts the navigation of the first.
    await expect.poll(() => page.url(), { timeout: 100_000 }).toContain("/checkout/confirmed/");
    expect(ordersOf(shop)).toHaveLength(5);

    const send = () => page.request.post("/checkout/review", { form, maxRedirects: 0 });
    const answers = [...(await Promise.all([send(), send()])), await send()];
    const confirmed = `/checkout/confirmed/${ordersOf(shop).at(-1)?.number}`;
    expect(answers.map((answer) => answer.headers()["location"])).toEqual([confirmed, confirmed, confirmed]);
    expect(ordersOf(shop)).toHaveLength(5);
  });

  it("refuses a form without its token, also from a signed-in user", async () => {
    await using shop = await openShop();
    await using shopper = await enterAtReview(browser, shop);
    const { page } = shopper;
    const key = await page.locator("main [name=key]").inputValue();
    for (const form of [{ key }, { key, csrf: "made-up" }]) {
      expect((await page.request.post("/checkout/review", { form })).status()).toBe(403);
    }
    expect((await page.request.post("/cart/add", { form: { sku: "KIT-102" } })).status()).toBe(403);
    expect((await page.request.post("/checkout/review", { data: { key } })).status()).toBe(415);
    expect(ordersOf(shop)).toHaveLength(4);
  });
});

describe("an account of the demo shop", () => {
  it.each(DEMO_ACCOUNTS)("exists from the start: $email", async ({ email, displayName, asksForCode }) => {
    await using shop = await openShop();
    await using shopper = await enterShop(browser, shop);
    const { page, open } = shopper;
    await open("/account");
    await signInToShop(page, email);
    if (asksForCode) {
      await arriveAt(page, "Enter your one-time code");
      await page.getByLabel("One-time code").fill(shop.oneTimeCode(email) ?? "");
      await button(page, "Confirm").click();
    }
    await arriveAt(page, `Hello, ${displayName}`);
  });

  it("can be created with any email address, but not twice", async () => {
    await using shop = await openShop();
    await using shopper = await enterShop(browser, shop);
    const { page, open } = shopper;
    const signUp = async (password: string) => {
      await page.getByLabel("Your name").fill("Robin");
      await page.getByLabel("E-mail address").fill("robin@post.example");
      await page.getByLabel("Password").fill(password);
      await button(page, "Create account").click();
    };
    await open("/sign-up?return=/account/orders");
    await signUp("short");
    await page.getByRole("alert").waitFor();
    expect(await problems(page)).toEqual(["A password has eight characters or more."]);
    await signUp("long enough");
    await page.getByText("You have not ordered anything yet.").waitFor();
    await page.getByLabel("Your account, Robin").click();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByText("You are signed out.").waitFor();
    await open("/sign-up");
    await signUp("long enough");
    await page.getByRole("alert").waitFor();
    expect(await problems(page)).toEqual(["There is an account with this e-mail address. Please sign in."]);
    await open("/sign-in?return=//evil.example/");
    await signInToShop(page, "robin@post.example", "wrong password");
    await page.getByRole("alert").getByText("do not fit together").waitFor();
    await signInToShop(page, "robin@post.example", "long enough");
    await page.waitForURL(`${shop.url}/`);
  });

  it("stores changes to display name, newsletter and addresses", async () => {
    await using shop = await openShop();
    await using shopper = await enterShop(browser, shop);
    const { page, open } = shopper;
    await open("/account/settings");
    await signInToShop(page);
    await page.getByLabel("Display name").fill("");
    await button(page, "Save settings").click();
    await page.getByRole("alert").getByText("Enter a name.").waitFor();
    await page.getByLabel("Display name").fill("Shopper <S>");
    await page.getByLabel("Send me the newsletter").check();
    await button(page, "Save settings").click();
    await page.getByText("Your settings are saved.").waitFor();
    expect(await page.getByLabel("Send me the newsletter").isChecked()).toBe(true);
    await open("/account/addresses");
    await page.getByRole("link", { name: "Edit 12 Lantern Lane" }).click();
    await page.getByLabel("Street and number").fill("13 Lantern Lane");
    await button(page, "Save address").click();
    await page.getByText("The address is saved.").waitFor();
    expect(shop.account(SHOPPER)).toMatchObject({
      displayName: "Shopper <S>",
      newsletter: true,
      addresses: [{ street: "13 Lantern Lane", city: "Willowford" }],
    });
  });

  it("shows its own orders and no others", async () => {
    await using shop = await openShop();
    await using shopper = await enterShop(browser, shop);
    const [hers] = ordersOf(shop, "careful@demo.example");
    await shopper.open("/sign-in");
    await signInToShop(shopper.page);
    await arriveAt(shopper.page, "Hello, Demo Shopper");
    expect(await shopper.open(`/account/orders/${hers?.number}`)).toBe(404);
    expect(await shopper.open(`/checkout/confirmed/${hers?.number}`)).toBe(404);
  });
});
