import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { DEMO_PASSWORD } from "../../../demo/people/demo-accounts.ts";
import type { DemoShop } from "../../../demo/shop.ts";
import type { BrowserState } from "../../../src/browser/state/browser-state.ts";
import { startTestAgent, type TestAgent } from "../../_harness/agent.ts";
import { startTestBrowser, type TestBrowser } from "../../_harness/browser.ts";
import { arriveAt, enterShop, openShop, ordersOf, SHOPPER, signInToShop } from "../../_harness/demo-shop.ts";
import { resultOf } from "../../_harness/errands.ts";
import { call, done, type Line, play, type ShownTurn } from "../../_harness/model-script.ts";
import { type ModelServer, startModelServer } from "../../_harness/model-server.ts";

let agent: TestAgent;
let browser: TestBrowser;
let shop: DemoShop;
let server: ModelServer;
let signedIn: BrowserState;

beforeAll(async () => {
  agent = await startTestAgent();
  browser = await startTestBrowser();
  return async () => {
    await browser[Symbol.asyncDispose]();
    await agent[Symbol.asyncDispose]();
  };
});

beforeEach(async () => {
  shop = await openShop();
  server = await startModelServer();
  await using shopper = await enterShop(browser, shop);
  await shopper.open("/sign-in");
  await signInToShop(shopper.page);
  await arriveAt(shopper.page, "Hello, Demo Shopper");
  signedIn = { storage: await shopper.page.context().storageState(), sessionStorage: [] };
  return async () => {
    await shop[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  };
});

const search = (turn: ShownTurn) => turn.fill('searchbox "Search all products"', "kettle", { submit: true });
const openKettle: Line = (turn) => turn.click('link "Brindle Kettle"');
const priced = (turn: ShownTurn) => /€\d+\.\d\d/.exec(turn.page)?.[0] ?? "";

/** From the product to the order: the steps of a person, several at a time. */
const BUY: Line[] = [
  (turn) => [turn.select('combobox "Quantity"', "2"), turn.click('button "Add to cart"')],
  (turn) => turn.click('link "Go to checkout"'),
  (turn) => turn.click('button "Continue to delivery"'),
  (turn) => turn.click('button "Continue to payment"'),
  (turn) => [turn.click('radio "On invoice"'), turn.click('button "Continue to review"')],
  (turn) => turn.click('button "Place order"'),
];
const EDIT: Line[] = [
  (turn) => turn.click('link "Edit 12 Lantern Lane"'),
  (turn) => [turn.fill('textbox "Street and number"', "5 Harbour Lane"), turn.click('button "Save address"')],
];

describe("a run with a model in the demo shop", () => {
  test("answers a question, and gives a reason for each step", async () => {
    const planner = await play(
      server,
      (turn) => ({ text: "I look for the kettle.\nThen more.", calls: [search(turn)] }),
      openKettle,
      (turn) =>
        done(`It costs ${priced(turn)}.`, { facts: [{ about: "price", value: priced(turn), quote: priced(turn) }] }),
    );
    const run = await agent.run({ prompt: "What does the Brindle Kettle cost?", startUrl: shop.url, planner });
    expect(resultOf(run).final_text).toBe("It costs €64.90.");
    expect(run.steps.map(({ why }) => why)).toEqual([
      "Open the start page.",
      "I look for the kettle.",
      'click "Brindle Kettle".',
    ]);
    expect(run.steps.at(-1)?.cost).toMatchObject({ requests: 1, input_tokens: expect.any(Number) });
  });

  test("buys two of something and reports the order number", async () => {
    const planner = await play(server, search, openKettle, ...BUY, (turn) => {
      const number = /[A-Z]-?\d{4,}/.exec(turn.page)?.[0] ?? "";
      return done(`The order number is ${number}.`, {
        facts: [{ about: "order number", value: number, quote: number }],
      });
    });
    const run = await agent.run({
      prompt: "Buy two Brindle Kettles on invoice and tell me the order number.",
      startUrl: shop.url,
      state: signedIn,
      planner,
    });
    const { final_text, evidence } = resultOf(run);
    const [order] = ordersOf(shop).sort((a, b) => b.placedAt.getTime() - a.placedAt.getTime());
    expect(order?.lines).toMatchObject([{ quantity: 2 }]);
    expect(final_text).toContain(order?.number);
    expect(evidence.side_effects).toHaveLength(5);
  });

  test("fails when the shop shows a confirmation but returns 500", async () => {
    shop.failNext({ path: "/checkout/review", method: "POST", claimsSuccess: true });
    const before = ordersOf(shop).length;
    const planner = await play(server, search, openKettle, ...BUY, (turn) => {
      const heading = /^\s*# (.+)$/m.exec(turn.page)?.[1] ?? "";
      return done("The order is placed.", { proofs: [{ text: heading }] });
    });
    const { outcome } = await agent.run({
      prompt: "Buy two Brindle Kettles on invoice.",
      startUrl: shop.url,
      state: signedIn,
      planner,
    });
    expect(ordersOf(shop)).toHaveLength(before);
    expect(outcome).toMatchObject({ kind: "failed", failure: "unverified", reason: expect.stringContaining("500") });
  });

  test("changes an address, and has to cite the proof", async () => {
    const planner = await play(
      server,
      ...EDIT,
      () => done("The street is 5 Harbour Lane now.", { proofs: [{ text: "Address book" }] }),
      () => done("The street is 5 Harbour Lane now.", { proofs: [{ text: "5 Harbour Lane" }] }),
    );
    const run = await agent.run({
      prompt: "Change the street of my address to 5 Harbour Lane.",
      startUrl: `${shop.url}/account/addresses`,
      state: signedIn,
      planner,
    });
    expect(resultOf(run).evidence.side_effects).toHaveLength(1);
    expect(shop.account(SHOPPER)?.addresses[0]?.street).toBe("5 Harbour Lane");
    expect(server.lastRequest.text).toContain("it was there before");
  });

  test("proves a change by the field that contains it", async () => {
    const planner = await play(
      server,
      (turn) => [turn.fill('textbox "Display name"', "Rowan"), turn.click('button "Save settings"')],
      () => call("goto", { url: "/account/settings" }),
      () => done("You are called Rowan now.", { proofs: [{ field: "Display name", value: "Rowan" }] }),
    );
    const run = await agent.run({
      prompt: "Change my display name to Rowan.",
      startUrl: `${shop.url}/account/settings`,
      state: signedIn,
      planner,
    });
    expect(resultOf(run).final_text).toContain("Rowan");
    expect(run.verdict?.checks.map(({ evidence }) => evidence)).toContain(
      'In a fresh browser "Display name" holds the new value.',
    );
  });

  test("gets the verifier's objections, and corrects itself", async () => {
    const planner = await play(
      server,
      (turn) => turn.fill('textbox "Display name"', "Rowan"),
      () => done("You are called Rowan now.", { proofs: [{ field: "Display name", value: "Rowan" }] }),
      (turn) => turn.click('button "Save settings"'),
      () => done("You are called Rowan now.", { proofs: [{ field: "Display name", value: "Rowan" }] }),
    );
    const run = await agent.run({
      prompt: "Change my display name to Rowan.",
      startUrl: `${shop.url}/account/settings`,
      state: signedIn,
      planner,
    });
    expect(resultOf(run).evidence.verifier.agreed).toBe(true);
    expect(server.requests[2]?.text).toContain("the verifier did not agree");
    expect(server.requests[2]?.text).toContain('In a fresh browser "Display name" holds "Demo Shopper"');
  });

  test("signs in with a password that the model never sees", async () => {
    const planner = await play(
      server,
      (turn) => [
        turn.fill('textbox "E-mail address"', SHOPPER),
        turn.fill('textbox "Password"', "[secret-1]"),
        turn.click('button "Sign in"'),
      ],
      () =>
        done("Hello, Demo Shopper.", {
          facts: [{ about: "greeting", value: "Hello, Demo Shopper", quote: "Hello, Demo Shopper" }],
        }),
    );
    const run = await agent.run({
      prompt: `Sign in as ${SHOPPER} with the password ${DEMO_PASSWORD} and tell me how I am greeted.`,
      startUrl: `${shop.url}/sign-in`,
      planner,
    });
    expect(resultOf(run).final_text).toBe("Hello, Demo Shopper.");
    expect(server.everythingSent).not.toContain(DEMO_PASSWORD);
    expect(server.everythingSent).toContain("[secret-1]");
    expect(JSON.stringify(run.steps)).not.toContain(DEMO_PASSWORD);
  });

  test("enters a secret only into fields for secrets", async () => {
    const planner = await play(
      server,
      (turn) => turn.fill('textbox "E-mail address"', "[secret-1]"),
      () => call("give_up", { kind: "sign_in_required", reason: "The site wants something else." }),
    );
    const run = await agent.run({
      prompt: `Sign in as ${SHOPPER} with the password ${DEMO_PASSWORD}.`,
      startUrl: `${shop.url}/sign-in`,
      planner,
    });
    expect(run.outcome).toMatchObject({ kind: "failed", failure: "reauthorization_required" });
    expect(run.steps).toHaveLength(1);
    expect(server.lastRequest.text).toContain("only be filled into a field for such secrets");
  });
});
