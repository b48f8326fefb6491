import { afterAll, beforeAll, expect, it } from "vitest";
import { type ConsoleVisit, registerInConsole, visitConsole } from "../_harness/console.ts";
import { type ConsoleWeb, expectAccessible, startConsoleWeb } from "../_harness/console-web.ts";

let web: ConsoleWeb;
let owner: ConsoleVisit;

beforeAll(async () => {
  web = await startConsoleWeb();
  owner = await visitConsole(web.service, { isOperator: true });
});
afterAll(() => web[Symbol.asyncDispose]());

it("creates an API key for one application, shows it once, and revokes it", async () => {
  const application = await registerInConsole(owner);
  await using opened = await web.open(owner, "/settings", { viewport: { width: 360, height: 740 } });
  const { page } = opened;
  const panel = page.getByRole("region", { name: "API keys", exact: true });
  await panel.getByText("You have no API keys.").waitFor();
  await panel.getByRole("button", { name: "New API key" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: "Name" }).fill("Deploy <b>script</b>");
  await dialog.getByRole("combobox", { name: "Applications" }).click();
  await page.getByRole("option", { name: application.name }).click();
  await dialog.getByRole("radio", { name: "Read", exact: true }).check();
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Create key" }).click();

  const secret = (await dialog.locator(".code-text").textContent()) ?? "";
  expect(secret).toMatch(/^errand_ok_\w{49}$/);
  const done = dialog.getByRole("button", { name: "Done" });
  expect(await done.isDisabled()).toBe(true);
  await dialog.getByRole("checkbox", { name: "I've stored this secret" }).check();
  await done.click();
  await panel.getByText("Deploy <b>script</b>").waitFor();
  await panel.getByText(`${application.name} · created`).waitFor();
  expect(await page.content()).not.toContain(secret);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  await expectAccessible(page);

  const readBalance = () =>
    fetch(`${web.service.url}/v1/applications/${application.id}/balance`, {
      headers: { authorization: `Bearer ${secret}` },
    });
  expect((await readBalance()).status).toBe(200);
  await panel.getByRole("button", { name: "Revoke Deploy" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Revoke key" }).click();
  await panel.getByText("You have no API keys.").waitFor();
  expect((await readBalance()).status).toBe(401);
});

it("offers no API keys to people who own nothing", async () => {
  await using opened = await web.open(await visitConsole(web.service), "/settings");
  await opened.page.getByRole("region", { name: "Password", exact: true }).waitFor();
  expect(await opened.page.getByRole("region", { name: "API keys", exact: true }).count()).toBe(0);
});
