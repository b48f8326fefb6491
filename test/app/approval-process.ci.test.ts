import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Api, createApi } from "../_harness/api.ts";
import { type LoopbackServer, startLoopbackServer, startTestBrowser, type TestBrowser } from "../_harness/browser.ts";
import { createTestDatabase, type TestDatabase } from "../_harness/database.ts";
import { createDataDir, errandJson, type RunningErrand, startErrand } from "../_harness/errand.ts";
import { untilAsked } from "../_harness/interactions.ts";

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const CART = `<title>Checkout</title><h1>Checkout</h1><table><tr><th>Item</th><th>Quantity</th><th>Price</th></tr>
  <tr><td>Mug</td><td>1</td><td>€16.90</td></tr></table><p>Total: €16.90</p>
  <form method="post" action="/orders"><input type="hidden" name="id" value="3"><button>Place order</button></form>`;
/** Names what is in the cart: anything else would not be ordered at all. */
const STEPS = 'Check that the page says "Mug". Click Place order. Check that the page says "Order 4711".';

describe("the service as a process, with an errand that has to be approved", () => {
  let disposables: AsyncDisposableStack;
  let database: TestDatabase;
  let browser: TestBrowser;
  let shop: LoopbackServer;
  let env: Record<string, string>;
  let connection: { applicationId: string; token: string };
  const orders: string[] = [];

  beforeAll(async () => {
    disposables = new AsyncDisposableStack();
    database = disposables.use(await createTestDatabase());
    browser = disposables.use(await startTestBrowser());
    shop = disposables.use(
      await startLoopbackServer((request, response) => {
        const isOrder = request.method === "POST" && request.url === "/orders";
        if (isOrder) orders.push("Mug");
        const thanks = "<title>Thanks</title><h1>Thank you</h1><p>Order 4711 was placed.</p>";
        const isPlaced = isOrder || request.url === "/orders";
        response.setHeader("content-type", "text/html; charset=utf-8").end(isPlaced ? thanks : CART);
      }),
    );
    const data = disposables.use(await createDataDir());
    env = {
      ...data.env,
      DATABASE_URL: database.url,
      ERRAND_ALLOW_HOSTS: new URL(shop.url).host,
      ERRAND_LEASE_SECONDS: "4",
      ERRAND_SHUTDOWN_SECONDS: "2",
    };
    const application = ["--name", "Mug Watch", "--type", "public", "--home-url", shop.url, "--approval", "commits"];
    const { id } = await errandJson<{ id: string }>(["app", "create", ...application], env);
    const { access_token: token } = await errandJson<{ access_token: string }>(
      ["connect", "--application", id, "--user", "ada@example.com"],
      env,
    );
    connection = { applicationId: id, token };
  });
  afterAll(() => disposables.disposeAsync());

  const start = () => startErrand(env, ["start", "--roles", "api,worker"]);
  const ended = async (api: Api, id: string) => {
    for (;;) {
      const { execution } = (await api.get(id, "?wait=30")).body;
      if (execution.terminal !== null) return execution;
    }
  };

  /** Creates the errand and waits until it asks. */
  async function untilWaiting(service: RunningErrand) {
    const api = createApi(service.url, connection);
    const { id } = await api.created({ prompt: STEPS });
    return { api, id, asked: await untilAsked(api, id) };
  }

  it("places the order only after somebody has approved it on a phone", { timeout: 180_000 }, async () => {
    const service = await start();
    try {
      const before = orders.length;
      const { api, id, asked } = await untilWaiting(service);
      expect(asked).toMatchObject({ kind: "approval", url: `${shop.url}/` });
      expect(asked.picture).not.toBeNull();
      await using visitor = await browser.openPage(PHONE);
      await visitor.page.goto(asked.link ?? "");
      await visitor.page.getByRole("img").first().waitFor();
      expect(orders).toHaveLength(before);
      const folder = process.env["ERRAND_TEST_PICTURES"];
      if (folder !== undefined) await visitor.page.screenshot({ path: `${folder}/process.png`, fullPage: true });
      await visitor.page.getByRole("button", { name: "Approve" }).tap();
      await visitor.page.getByRole("heading", { name: "Approved" }).waitFor();
      expect(await ended(api, id)).toMatchObject({ terminal: { status: "verified" }, usage: { charged: true } });
      expect(orders).toHaveLength(before + 1);
    } finally {
      await service.end("SIGTERM");
    }
  });

  it.each(["SIGKILL", "SIGTERM"] as const)(
    "sends nothing when it ends by %s while it waits, and the errand ends as worker_lost after a restart",
    { timeout: 180_000 },
    async (signal) => {
      const before = orders.length;
      const first = await start();
      const { id, asked } = await untilWaiting(first);
      await first.end(signal);
      const second = await start();
      try {
        const api = createApi(second.url, connection);
        expect(await ended(api, id)).toMatchObject({ terminal: { status: "worker_lost" }, usage: { charged: false } });
        expect((await api.interaction(id)).body).toEqual({ interaction: null });
        const late = await api.answer(id, { id: asked.id, action: "approve" });
        expect(late.body.error.code).toBe("INTERACTION_ENDED");
        const page = await fetch(`${second.url}${new URL(asked.link ?? "").pathname}`);
        expect(await page.text()).toContain("No longer needed");
        expect(orders).toHaveLength(before);
      } finally {
        await second.end("SIGTERM");
      }
    },
  );
});
