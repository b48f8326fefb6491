import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startDemoShop } from "../../demo/shop.ts";
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
  ShopClock,
  signInToShop,
} from "../_harness/demo-shop.ts";

let browser: TestBrowser;
beforeAll(async () => {
  browser = await startTestBrowser();
});
afterAll(() => browser[Symbol.asyncDispose]());

describe("test hooks of the demo shop", () => {
  it("require a one-time code at sign-in, which is valid once", async () => {
    const mails: string[] = [];
    await using shop = await startDemoShop({ clock: new ShopClock(), onMail: ({ text }) => mails.push(text) });
    await using shopper = await enterShop(browser, shop);
    const { page, open } = shopper;
    shop.setOneTimeCode(SHOPPER, true);
    await open("/sign-in?return=/account/orders");
    await signInToShop(page);
    await page.getByRole("heading", { name: "Enter your one-time code" }).waitFor();
    const code = shop.oneTimeCode(SHOPPER) ?? "";
    expect(mails).toEqual([`Your one-time code is ${code}.`]);
    await page.getByLabel("One-time code").fill("no code");
    await button(page, "Confirm").click();
    await page.getByRole("alert").getByText("This is not the code we sent.").waitFor();
    await open("/account");
    await arriveAt(page, "Sign in");
    await open("/sign-in/code?return=/account/orders");
    await page.getByLabel("One-time code").fill(code);
    await button(page, "Confirm").click();
    await page.getByRole("heading", { name: "Your orders" }).waitFor();
    expect(shop.oneTimeCode(SHOPPER)).toBeNull();
  });

  it("end sessions in the middle of a checkout, which continues after signing in", async () => {
    const clock = new ShopClock();
    await using shop = await startDemoShop({ clock });
    await using shopper = await enterAtReview(browser, shop);
    const { page } = shopper;
    for (const endSessions of [() => shop.dropSessions(), () => clock.advance({ minutes: 31 })]) {
      endSessions();
      await button(page, "Place order").click();
      await page.getByRole("alert").getByText("Your session has expired.").waitFor();
      expect(ordersOf(shop)).toHaveLength(4);
      await signInToShop(page);
      await page.getByRole("heading", { name: "Is everything right?" }).waitFor();
    }
    await button(page, "Place order").click();
    await page.waitForURL("**/checkout/confirmed/**");
  });

  it("rotate cookies: an old copy is invalid once the newer one was used", async () => {
    await using shop = await openShop();
    shop.setRollingSessions(true);
    await using shopper = await enterShop(browser, shop);
    const { page, open } = shopper;
    await open("/sign-in");
    await signInToShop(page);
    await page.getByRole("heading", { name: "Hello" }).waitFor();
    const copy = await page.context().cookies();
    await open("/products/brindle-kettle");
    await page.getByRole("heading", { name: "Corvin Skillet" }).waitFor();
    await open("/account");
    await arriveAt(page, "Hello, Demo Shopper");
    await using other = await enterShop(browser, shop);
    await other.page.context().addCookies(copy);
    await other.open("/account");
    await arriveAt(other.page, "Sign in");
    await open("/account");
    await arriveAt(page, "Hello, Demo Shopper");
  });

  it("show success although nothing was done, or an honest failure, each once", async () => {
    await using shop = await openShop();
    await using shopper = await enterAtReview(browser, shop);
    const { page, open } = shopper;
    shop.failNext({ path: "/checkout/review", method: "POST", claimsSuccess: true });
    const answered = page.waitForResponse((response) => response.request().method() === "POST");
    await button(page, "Place order").click();
    expect((await answered).status()).toBe(500);
    await arriveAt(page, "Thank you, all done!");
    expect(ordersOf(shop)).toHaveLength(4);
    shop.failNext({ path: "/account/orders", status: 503 });
    expect(await open("/account/orders")).toBe(503);
    await arriveAt(page, "Something went wrong");
    expect(await open("/account/orders")).toBe(200);
    await open("/checkout");
    await button(page, "Place order").click();
    await page.waitForURL("**/checkout/confirmed/**");
    expect(ordersOf(shop)).toHaveLength(5);
  });

  it("delay pages for a long time without keeping the shop from closing", async () => {
    const shop = await openShop();
    shop.setLatency(24 * 60 * 60 * 1_000);
    const slow = fetch(shop.url).then(
      ({ status }) => status,
      () => "cut off",
    );
    expect((await fetch(`${shop.url}/health`)).status).toBe(200);
    await shop[Symbol.asyncDispose]();
    expect(await slow).not.toBe(200);
  });

  it("record requests and writes", async () => {
    await using shop = await openShop();
    await using shopper = await enterShop(browser, shop);
    const { page, open } = shopper;
    await open("/contact?from=test");
    await button(page, "Send message").click();
    await page.getByRole("alert").waitFor();
    expect(await problems(page)).toHaveLength(4);
    const message = { name: "Robin", email: "robin@post.example", topic: "An order", text: "Where is my kettle?" };
    await page.getByLabel("Your name").fill(message.name);
    await page.getByLabel("E-mail address").fill(message.email);
    await page.getByLabel("What is it about?").selectOption(message.topic);
    await page.getByLabel("Message", { exact: true }).fill(message.text);
    await button(page, "Send message").click();
    await page.getByRole("heading", { name: "Thank you, your message is here" }).waitFor();
    expect(shop.messages()).toEqual([message]);
    expect(shop.requests().filter(({ path }) => path.startsWith("/contact"))).toEqual([
      { method: "GET", path: "/contact", status: 200 },
      { method: "POST", path: "/contact", status: 422 },
      { method: "POST", path: "/contact", status: 303 },
      { method: "GET", path: "/contact/thanks", status: 200 },
    ]);
  });
});

describe("every page of the demo shop", () => {
  const PATHS = [
    "/",
    "/products",
    "/products?view=grid&category=desk",
    "/products/brindle-kettle",
    "/contact",
    "/cart",
    "/checkout/address",
    "/account",
    "/account/orders",
    "/account/orders/T-10062",
    "/account/addresses/1",
    "/account/settings",
  ];

  it("fits a phone, labels every field, has unique ids, and causes no browser errors", async () => {
    await using shop = await openShop();
    await using shopper = await enterShop(browser, shop);
    const { page, open } = shopper;
    const complaints: string[] = [];
    page.on("console", (message) => complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(error.message));
    await page.setViewportSize({ width: 390, height: 844 });
    await open("/sign-in");
    await signInToShop(page);
    await arriveAt(page, "Hello, Demo Shopper");
    await addToCart(shopper, "haldor-reading-lamp");
    for (const path of PATHS) {
      expect(await open(path), path).toBe(200);
      await page.locator("[data-fallback]").waitFor({ state: "detached" });
      expect(await page.evaluate("document.documentElement.scrollWidth"), path).toBe(390);
      expect(await page.evaluate(UNNAMED_FIELDS), path).toEqual([]);
      expect(await page.evaluate(REPEATED_IDS), path).toEqual([]);
      expect(await page.getByRole("heading", { level: 1 }).count(), path).toBe(1);
    }
    expect(complaints).toEqual([]);
  });

  it("exists, or returns a friendly 404", async () => {
    await using shop = await openShop();
    await using shopper = await enterShop(browser, shop);
    expect(await shopper.open("/nowhere")).toBe(404);
    await arriveAt(shopper.page, "There is nothing on this shelf");
    for (const path of ["/products/nothing", "/account/orders", "//", "/products/%2e%2e%2f"]) {
      expect((await fetch(shop.url + path, { redirect: "manual" })).status, path).toBe(
        path === "/account/orders" ? 303 : 404,
      );
    }
    const health = await fetch(`${shop.url}/health`);
    expect(await health.json()).toEqual({ status: "ok" });
  });
});

const UNNAMED_FIELDS = `[...document.querySelectorAll("input:not([type=hidden]), select, textarea")]
  .filter((field) => field.labels.length === 0 && !field.ariaLabel).map((field) => field.outerHTML)`;

const REPEATED_IDS = `[...document.querySelectorAll("[id]")].map(({ id }) => id)
  .filter((id, index, ids) => ids.indexOf(id) !== index)`;
