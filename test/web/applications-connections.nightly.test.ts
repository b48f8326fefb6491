import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ConsoleVisit, registerInConsole, visitConsole } from "../_harness/console.ts";
import { type ConsoleWeb, expectAccessible, startConsoleWeb } from "../_harness/console-web.ts";
import { issueMcpToken } from "../_harness/mcp.ts";
import type { TestConnection } from "../_harness/service.ts";

const MARKUP = `<img src=x onerror="alert(1)"> & "friends"`;
/** The machine may be busy. */
const PATIENT = { timeout: 100_000 };

describe("connections in the console", () => {
  let web: ConsoleWeb;
  let owner: ConsoleVisit;

  beforeAll(async () => {
    web = await startConsoleWeb();
    // One person owns the installation, another one the applications.
    await visitConsole(web.service, { isOperator: true });
    owner = await visitConsole(web.service, { credits: 1_000 });
  });
  afterAll(() => web[Symbol.asyncDispose]());

  test("an owner restricts a connection step by step, and sees the consequences each time", async () => {
    const { id } = await registerInConsole(owner, { sign_in_url: "https://shop.example/login" });
    const connection = await web.service.connect({ applicationId: id, email: "stopped@example.com" });
    await saveSignIn(connection);
    await using opened = await web.open(owner, `/applications/${id}/connections`);
    const { page } = opened;
    const actions = page.getByLabel("Actions for stopped@example.com");

    await choose(page, actions, "Stop now");
    await page.getByText("The token, the saved sign-in and the history stay.").waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Stop now" }).click();
    await page.getByText("Needs reauthorization").waitFor();
    expect((await listExecutions(connection)).status).toBe(200);

    await actions.press("Enter");
    await page.getByRole("menuitem", { name: "Disconnect" }).press("Enter");
    await page.getByRole("button", { name: "Cancel" }).press("Enter");
    await expect.poll(() => actions.evaluate((button) => button === document.activeElement), PATIENT).toBe(true);
    expect(await countSignIns(connection)).toBe(1);
    await choose(page, actions, "Disconnect");
    await page.getByRole("button", { name: "Disconnect" }).click();
    await page.getByText("None saved").waitFor();
    expect(await countSignIns(connection)).toBe(0);
    expect((await listExecutions(connection)).status).toBe(401);

    await choose(page, actions, "Delete history");
    await page.getByText("Only your credits and transactions stay.").waitFor();
    await page.getByRole("button", { name: "Delete history" }).click();
    await page.getByRole("heading", { name: "No connections yet" }).waitFor();
    const { body } = await owner.get(`/applications/${id}/connections`);
    expect(body.connections).toEqual([]);
  });

  test("everyone sees their connected apps, and can stop and disconnect them", async () => {
    const { id } = await registerInConsole(owner, {
      name: MARKUP,
      access: "read_only",
      home_url: "https://shop.example/",
    });
    const person = await visitConsole(web.service);
    await using opened = await web.open(person, "/connections");
    const { page } = opened;
    await page.getByRole("heading", { name: "No connected apps" }).waitFor();
    const connection = await web.service.connect({ applicationId: id, email: person.email });
    await saveSignIn(connection);
    await page.reload();
    const card = page.getByRole("listitem", { name: MARKUP });
    await card.getByText("It can't change anything.").waitFor();
    await card.getByText("shop.example").waitFor();
    expect(await page.locator("main img, main script").count()).toBe(0);
    await expectAccessible(page);

    const manage = page.getByRole("button", { name: `Manage ${MARKUP}` });
    await choose(page, manage, "Stop now");
    await page.getByRole("button", { name: "Stop now" }).click();
    await card.getByText("Stopped until you reconnect").waitFor();
    await choose(page, manage, "Disconnect");
    await page.getByRole("button", { name: "Disconnect" }).click();
    await card.getByText("None saved").waitFor();
    expect(await countSignIns(connection)).toBe(0);
    await choose(page, manage, "Delete history");
    await page.getByRole("button", { name: "Delete history" }).click();
    await page.getByRole("heading", { name: "No connected apps" }).waitFor();
    expect((await listExecutions(connection)).status).toBe(401);
  });

  test("everyone sees the assistants on a connection, and can disconnect one of them", async () => {
    const { id } = await registerInConsole(owner, { name: "Market" });
    const person = await visitConsole(web.service);
    const { connectionId } = await web.service.connect({ applicationId: id, email: person.email });
    const client = { id: "https://assistant.example/client.json", name: MARKUP, resource: `${web.service.url}/mcp` };
    await web.service.operations.mcpTokens.issue(connectionId, client);
    await issueMcpToken(web.service, connectionId, "Desk helper");
    await using opened = await web.open(person, "/connections", { viewport: { width: 360, height: 740 } });
    const { page } = opened;
    const card = page.getByRole("listitem", { name: "Market" });
    await card.getByText(`${MARKUP} of assistant.example`).waitFor();
    await expectAccessible(page);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
    await card.getByRole("button", { name: `Disconnect ${MARKUP}` }).click();
    await page.getByRole("button", { name: "Disconnect assistant" }).click();
    await card.getByText(`${MARKUP} of assistant.example`).waitFor({ state: "detached" });
    await card.getByText("Desk helper, connected").waitFor();
  });

  test("a long list of connections loads as it is scrolled, and can be searched", async () => {
    const { id } = await registerInConsole(owner);
    await web.service.database.query(
      `with people as (
         insert into users (id, email, name) select gen_random_uuid(), 'many-' || n || '@example.com', '' from generate_series(1, 120) as n
         returning id
       )
       insert into connections (application_id, user_id) select $1, id from people`,
      [id],
    );
    await using opened = await web.open(owner, `/applications/${id}/connections`);
    const { page } = opened;
    const rows = page.getByRole("list", { name: "Connections" }).getByRole("listitem");
    await expect.poll(() => rows.count(), PATIENT).toBeGreaterThanOrEqual(50);
    await expect
      .poll(async () => {
        await page.keyboard.press("End");
        return rows.count();
      }, PATIENT)
      .toBe(120);
    await page.getByRole("searchbox").fill("MANY-11");
    await expect.poll(() => rows.count(), PATIENT).toBe(11);
    expect(new URL(page.url()).search).toBe("?text=MANY-11");
    await page.getByRole("searchbox").fill("nobody at all");
    await page.getByRole("heading", { name: "No matching connections" }).waitFor();
  });

  async function saveSignIn({ connectionId }: TestConnection): Promise<void> {
    await web.service.database.query(
      "insert into saved_sign_ins (connection_id, key_id, wrapped_key, ciphertext) values ($1, 'key', '', '')",
      [connectionId],
    );
  }

  async function countSignIns({ connectionId }: TestConnection): Promise<number> {
    const sql = "select 1 from saved_sign_ins where connection_id = $1";
    return (await web.service.database.query(sql, [connectionId])).length;
  }

  function listExecutions({ applicationId, token }: TestConnection): Promise<Response> {
    return fetch(`${web.service.url}/v1/applications/${applicationId}/executions`, {
      headers: { authorization: `Bearer ${token}` },
    });
  }
});

async function choose(page: Page, button: Locator, item: string): Promise<void> {
  await button.click();
  await page.getByRole("menuitem", { name: item }).click();
  await page.getByRole("dialog").waitFor();
}
