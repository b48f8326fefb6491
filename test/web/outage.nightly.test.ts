import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ConsoleVisit, visitConsole } from "../_harness/console.ts";
import { type ConsoleWeb, expectAccessible, startConsoleWeb } from "../_harness/console-web.ts";
import { startLoadBalancer } from "../_harness/load-balancer.ts";

const PATIENTLY = { timeout: 100_000 };

describe("an outage", () => {
  let web: ConsoleWeb;
  let owner: ConsoleVisit;

  beforeAll(async () => {
    web = await startConsoleWeb();
    owner = await visitConsole(web.service, { isOperator: true });
  });
  afterAll(() => web[Symbol.asyncDispose]());

  it("before anything was loaded is shown, and ends by itself", async () => {
    await using opened = await web.open(owner, "/settings");
    const { page } = opened;
    const away = "**/console/api/**";
    await page.route(away, (route) => route.abort("connectionrefused"));
    await page.reload();
    await page.getByRole("heading", { name: "Can't reach Errand" }).waitFor(PATIENTLY);
    await expectAccessible(page);
    await page.unroute(away);
    await page.getByRole("heading", { name: "Settings" }).waitFor(PATIENTLY);
    expect(await page.getByText("Can't reach Errand").count()).toBe(0);
  });

  it("while a page is opened for the first time is shown, and ends by itself", async () => {
    await using opened = await web.open(owner, "/settings");
    const { page } = opened;
    await page.getByRole("heading", { name: "Settings" }).waitFor(PATIENTLY);
    await page.context().setOffline(true);
    await page.getByRole("link", { name: "Credits", exact: true }).click();
    await page.getByText("Can't reach Errand").first().waitFor(PATIENTLY);
    await page.context().setOffline(false);
    await page.getByRole("heading", { level: 1, name: "Credits" }).waitFor(PATIENTLY);
    expect(await page.getByText("Can't reach Errand").count()).toBe(0);
  });

  it("behind a proxy that answers 502 is the same", async () => {
    await using proxy = await startLoadBalancer();
    const port = Number(new URL(web.service.url).port);
    proxy.ports.push(port);
    await using opened = await web.open(owner, "/settings");
    const { page } = opened;
    await page.goto(`${proxy.url}/console/applications`);
    await page.getByRole("heading", { level: 1, name: "Applications" }).waitFor(PATIENTLY);
    proxy.ports.length = 0;
    await page.getByRole("link", { name: "Errands" }).click();
    await page.getByText("Can't reach Errand").first().waitFor(PATIENTLY);
    proxy.ports.push(port);
    await page.getByRole("heading", { level: 1, name: "Errands" }).waitFor(PATIENTLY);
    await expect.poll(() => page.getByText("Can't reach Errand").count(), PATIENTLY).toBe(0);
  });
});
