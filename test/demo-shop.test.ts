import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DEMO_ACCOUNTS } from "../demo/people/demo-accounts.ts";
import { type DemoShop, startDemoShop } from "../demo/shop.ts";
import { DEMO_CARDS } from "../demo/trade/cards.ts";
import { startTestBrowser, type TestBrowser } from "./_harness/browser.ts";
import {
  addToCart,
  arriveAt,
  button,
  enterAtReview,
  enterShop,
  ShopClock,
  signInToShop,
} from "./_harness/demo-shop.ts";

const SHOPPER = "shopper@demo.example";

let browser: TestBrowser;
beforeAll(async () => {
  browser = await startTestBrowser();
});
afterAll(() => browser[Symbol.asyncDispose]());

function openShop(): Promise<DemoShop> {
  return startDemoShop({ clock: new ShopClock() });
}

function texts(page: Page, selector: string): Promise<string[]> {
  return page.getByRole("main").locator(selector).allInnerTexts();
}

function problems(page: Page): Promise<string[]> {
  return page.getByRole("alert").getByRole("listitem").allInnerTexts();
}

function ordersOf(shop: DemoShop, email = SHOPPER) {
  return shop.orders().filter((order) => order.email === email);
}

describe.each([
  ["with script", true],
  ["without script", false],
])("somebody %s in the demo shop", (_name, script) => {
  it("finds something, signs in on the way, orders it, and finds the order in the history", async () => {
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

  it("cancels an order after being asked, in a dialog or on a page", async () => {
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

describe("the catalogue of the demo shop", () => {
  it("searches, filters, sorts and turns pages, and every list can be linked to", async () => {
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

  it("shows a product in tabs, with more that the script fetches, and all of it below each other without", async () => {
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

  it("sells nothing that is sold out", async () => {
    await using shop = await openShop();
    await using shopper = await enterShop(browser, shop);
    await shopper.open("/products/tansy-teapot");
    expect(await shopper.page.getByText("Out of stock").isVisible()).toBe(true);
    expect(await button(shopper.page, "Add to cart").count()).toBe(0);
  });
});

describe("the cart of the demo shop", () => {
  it("changes quantities, removes, and adds up to the cent", async () => {
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

  it("takes a voucher that counts, and says why another does not", async () => {
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

  it("comes along when a guest signs in", async () => {
    await using shop = await openShop();
    await using shopper = await enterShop(browser, shop);
    await addToCart(shopper, "ossery-mug", 2);
    await shopper.open("/sign-in");
    await signInToShop(shopper.page);
    await arriveAt(shopper.page, "Hello, Demo Shopper");
    expect(await shopper.page.getByRole("link", { name: "Cart, 2 items" }).isVisible()).toBe(true);
  });
});

describe("the checkout of the demo shop", () => {
  it("says what is wrong with an address, a day and a card, by their fields", async () => {
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

  it("orders nothing on a card that is declined, and then takes the invoice", async () => {
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

  it("makes one order of a double click, and of the same form sent twice at once and once more", async () => {
    await using shop = await openShop();
    await using shopper = await enterAtReview(browser, shop);
    const { page } = shopper;
    const form = {
      csrf: await page.locator("main [name=csrf]").inputValue(),
      key: await page.locator("main [name=key]").inputValue(),
    };
    await button(page, "Place order").dblclick();
    await page.waitForURL("**/checkout/confirmed/**");
    expect(ordersOf(shop)).toHaveLength(5);

    const send = () => page.request.post("/checkout/review", { form, maxRedirects: 0 });
    const answers = [...(await Promise.all([send(), send()])), await send()];
    const confirmed = `/checkout/confirmed/${ordersOf(shop).at(-1)?.number}`;
    expect(answers.map((answer) => answer.headers()["location"])).toEqual([confirmed, confirmed, confirmed]);
    expect(ordersOf(shop)).toHaveLength(5);
  });

  it("refuses a form without its token, also of somebody who is signed in", async () => {
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
  it.each(DEMO_ACCOUNTS)("is there from the beginning: $email", async ({ email, displayName, asksForCode }) => {
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

  it("is made with any e-mail address, and not twice", async () => {
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

  it("keeps display name, newsletter and addresses as changed", async () => {
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

  it("sees its own orders and nobody else's", async () => {
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

describe("what a test may arrange in the demo shop", () => {
  it("a one-time code at sign-in, which counts once", async () => {
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

  it("sessions that end in the middle of a checkout: one signs in and goes on where one was", async () => {
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

  it("cookies that roll on: yesterday's copy is worth nothing once the newer one was used", async () => {
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

  it("a page that claims success while nothing was done, and an honest failure, each once", async () => {
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

  it("pages that take longer than anybody waits, which does not keep the shop from closing", async () => {
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

  it("a look at what was asked for and written", async () => {
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

  it("fits a phone, names every field, has each id once, and gives the browser nothing to complain about", async () => {
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

  it("is there, or says kindly that it is not", async () => {
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
