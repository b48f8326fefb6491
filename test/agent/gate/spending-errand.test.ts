import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Api, createApi } from "../../_harness/api.ts";
import { type LoopbackServer, startLoopbackServer } from "../../_harness/browser.ts";
import { startBrowsingWorker } from "../../_harness/browsing-worker.ts";
import { untilAsked } from "../../_harness/interactions.ts";
import { startTestService, type TestConnection, type TestService } from "../../_harness/service.ts";

const checkout = (total: string, button = "Place order") => `<title>Checkout</title><h1>Checkout</h1>
  <table><tr><th>Item</th><th>Quantity</th><th>Price</th></tr><tr><td>Mug</td><td>1</td><td>€16.90</td></tr></table>
  <p>${total}</p><form method="post" action="/orders"><input type="hidden" name="id" value="3"><button>${button}</button></form>`;
const PAGES: Record<string, string> = {
  "/": checkout("Total: €16.90"),
  "/dollars": checkout("Total: US$16.90"),
  "/unclear": checkout("Ask us what it costs."),
  "/unnamed": checkout("Total: €16.90", "Go ahead"),
  "/orders": "<title>Thanks</title><h1>Thank you</h1><p>Order 4711 was placed.</p>",
};
const STEPS = 'Check that the page says "Mug". Click Place order. Check that the page says "Order 4711".';

describe("an errand that buys something, with a spending limit", () => {
  let service: TestService;
  let shop: LoopbackServer;
  let orders = 0;
  const disposables = new AsyncDisposableStack();

  beforeAll(async () => {
    service = disposables.use(await startTestService());
    shop = disposables.use(
      await startLoopbackServer((request, response) => {
        if (request.method === "POST" && request.url === "/orders") orders += 1;
        response.setHeader("content-type", "text/html; charset=utf-8").end(PAGES[request.url ?? ""] ?? "");
      }),
    );
    disposables.use(await startBrowsingWorker(service, { privateHosts: [new URL(shop.url).host] }));
  });
  afterAll(() => disposables.disposeAsync());

  /** Twenty euros per month. */
  async function connect(approval: "never" | "commits"): Promise<TestConnection> {
    const connection = await service.connect({ registration: { homeUrl: shop.url } });
    await service.database.query(
      "update connections set approval = $2, spending_currency = 'EUR', spending_per_month = 2000 where id = $1",
      [connection.connectionId, approval],
    );
    return connection;
  }

  async function ended(api: Api, id: string) {
    for (;;) {
      const { execution } = (await api.get(id, "?wait=30")).body;
      if (execution.terminal !== null) return execution;
    }
  }

  async function run(connection: TestConnection, path = "/", prompt = STEPS) {
    const api = createApi(service.url, connection);
    const before = orders;
    const { id } = await api.created({ prompt, start_url: shop.url + path });
    const execution = await ended(api, id);
    return { ...execution, orders: orders - before, entries: await entriesOf(id) };
  }

  const entriesOf = async (id: string) =>
    (
      await service.database.query<{ entry: string }>(
        "select kind || ' ' || amount || ' ' || currency as entry from spending_entries where execution_id = $1 order by id",
        [id],
      )
    ).map(({ entry }) => entry);

  it("pays what is within it, and refuses a second order that is not, when nobody can be asked", async () => {
    const connection = await connect("never");
    expect(await run(connection)).toMatchObject({
      terminal: { status: "verified" },
      orders: 1,
      entries: ["reserve 1690 EUR", "send 1690 EUR", "capture 1690 EUR"],
    });
    const second = await run(connection);
    expect(second).toMatchObject({ status: "FAILED", orders: 0, entries: [] });
    expect(JSON.stringify(second)).toContain("€3.10 is left of the spending limit of €20.00 per month");
  });

  it.each([
    ["in another currency", "/dollars", "the spending limit is in EUR"],
    ["that the page does not state", "/unclear", "The page states no total that can be read for certain."],
  ])("sends no order for an amount %s", async (_name, path, why) => {
    const refused = await run(await connect("never"), path);
    expect(refused).toMatchObject({ status: "FAILED", orders: 0, entries: [] });
    expect(JSON.stringify(refused)).toContain(why);
  });

  it("stops an order behind a button that does not say so", async () => {
    const refused = await run(
      await connect("never"),
      "/unnamed",
      `Order the mug. ${STEPS.replace("Place order", "Go ahead")}`,
    );
    expect(refused).toMatchObject({ status: "FAILED", orders: 0, entries: [] });
  });

  it("asks above the limit where somebody can be asked, with the reason, and counts what was approved", async () => {
    const connection = await connect("commits");
    const api = createApi(service.url, connection);
    const before = orders;
    const answer = async (action: "approve" | "decline") => {
      const { id } = await api.created({ prompt: STEPS, start_url: shop.url });
      const asked = await untilAsked(api, id);
      expect(await entriesOf(id)).toEqual(asked.message.includes("limit") ? [] : ["reserve 1690 EUR"]);
      await api.answer(id, { id: asked.id, action });
      const { terminal } = await ended(api, id);
      return { message: asked.message, end: terminal?.status, entries: await entriesOf(id) };
    };
    const captured = ["reserve 1690 EUR", "send 1690 EUR", "capture 1690 EUR"];
    const released = ["reserve 1690 EUR", "release 1690 EUR"];
    const message = expect.stringContaining("€3.10 is left of the spending limit of €20.00 per month");
    expect(await answer("decline")).toMatchObject({ end: "approval_declined", entries: released });
    expect(await answer("approve")).toMatchObject({ end: "verified", entries: captured });
    expect(await answer("decline")).toMatchObject({ message, end: "approval_declined", entries: [] });
    expect(await answer("approve")).toMatchObject({ message, end: "verified", entries: captured });
    expect(orders).toBe(before + 2);
  });
});
