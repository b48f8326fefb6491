import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { visitConsole } from "../_harness/console.ts";
import { type ConsoleWeb, expectAccessible, startConsoleWeb } from "../_harness/console-web.ts";
import { type Party, startParty } from "../_harness/console-world.ts";
import { arriveAt, enterShop, openShop, signInToShop } from "../_harness/demo-shop.ts";
import { openSharedPool } from "../_harness/shared-browsers.ts";

describe("importing a sign-in in the console", () => {
  const parts = new AsyncDisposableStack();
  let shop: Awaited<ReturnType<typeof openShop>>;
  let web: ConsoleWeb;
  let party: Party;

  beforeAll(async () => {
    shop = parts.use(await openShop());
    const pool = parts.use(await openSharedPool());
    web = parts.use(await startConsoleWeb({ browsers: { pool, privateHosts: [new URL(shop.url).host] } }));
    await visitConsole(web.service, { isOperator: true });
    party = await startParty(web.service, "Larder", 10);
    await web.service.database.query("update applications set home_url = $2, sign_in_url = $3 where id = $1", [
      party.connection.applicationId,
      `${shop.url}/`,
      `${shop.url}/sign-in`,
    ]);
    await web.service.database.query("update connections set state = 'REAUTHORIZATION_REQUIRED' where id = $1", [
      party.connection.connectionId,
    ]);
  });
  afterAll(() => parts.disposeAsync());

  /** What a script of the user saves, before or after it has signed in. */
  async function saveState(signsIn: boolean) {
    await using shopper = await enterShop(web.browser, shop);
    await shopper.open("/sign-in");
    if (signsIn) {
      await signInToShop(shopper.page);
      await arriveAt(shopper.page, "Hello, Demo Shopper");
    }
    const state = await shopper.page.context().storageState();
    return { name: "state.json", mimeType: "application/json", buffer: Buffer.from(JSON.stringify(state)) };
  }

  it("is refused with the reason, and saved once the site recognizes the user", async () => {
    await using opened = await web.open(party.user, "/connections");
    const { page } = opened;
    await page.getByText("Import a sign-in").click();
    const [file, send] = [page.locator('input[type="file"]'), page.getByRole("button", { name: "Check and save" })];
    await expectAccessible(page);
    await file.setInputFiles(await saveState(false));
    await send.click();
    await page.getByText("The site does not recognize this sign-in.").waitFor();
    await file.setInputFiles(await saveState(true));
    await send.click();
    await page.getByText("Saved. The site recognizes you.").waitFor();
    const [row] = await web.service.database.query("select state from connections where id = $1", [
      party.connection.connectionId,
    ]);
    expect(row).toEqual({ state: "ACTIVE" });
  });
});
