import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { DemoShop } from "../../demo/shop.ts";
import { type Api, createApi } from "../_harness/api.ts";
import { type BrowsingWorker, startBrowsingWorker } from "../_harness/browsing-worker.ts";
import { visitConsole } from "../_harness/console.ts";
import { type ConsoleWeb, expectAccessible, startConsoleWeb } from "../_harness/console-web.ts";
import { type Party, startParty } from "../_harness/console-world.ts";
import { openShop } from "../_harness/demo-shop.ts";
import { startWaitingShop, WAITING_ERRAND, type WaitingShop } from "../_harness/live-run.ts";

const GREEN = [0, 128, 0];
const PHONE = { viewport: { width: 360, height: 640 } };
const KETTLE = "Search for kettle, open Brindle Kettle and tell me its price.";
/** The machine may be busy. */
const PATIENTLY = { timeout: 100_000 };

describe("watching an errand", () => {
  let web: ConsoleWeb;
  let party: Party;
  let shop: DemoShop;
  let waiting: WaitingShop;
  let worker: BrowsingWorker;
  let api: Api;

  beforeAll(async () => {
    web = await startConsoleWeb();
    await visitConsole(web.service, { isOperator: true });
    party = await startParty(web.service, "Larder", 1_000);
    api = createApi(web.service.url, party.connection);
    shop = await openShop();
  });
  beforeEach(async () => {
    waiting = await startWaitingShop();
    const privateHosts = [shop, waiting].map(({ url }) => new URL(url).host);
    worker = await startBrowsingWorker(web.service, { privateHosts });
    return async () => {
      await worker[Symbol.asyncDispose]();
      await waiting[Symbol.asyncDispose]();
    };
  });
  afterAll(async () => {
    await shop[Symbol.asyncDispose]();
    await web[Symbol.asyncDispose]();
  });

  it("shows the browser in the console while it runs", async () => {
    await using opened = await web.open(party.user, "/executions");
    const { page } = opened;
    const { id } = await api.created({ prompt: WAITING_ERRAND, start_url: `${waiting.url}/` });
    await page.goto(`${web.service.url}/console/executions/${id}`);
    const frame = page.frameLocator('iframe[title="The errand\'s browser, live"]');
    await frame.getByText("Live", { exact: true }).waitFor(PATIENTLY);
    await frame.getByText(new URL(waiting.url).host).waitFor();
    // The first picture may come after the message that the view is live.
    await expect.poll(() => colourOf(page), PATIENTLY).toEqual(GREEN);
    waiting.open();
    await page.getByRole("region", { name: "Result" }).waitFor(PATIENTLY);
    expect(await page.locator("iframe").count()).toBe(0);
    expect(opened.complaints).toEqual([]);
  });

  it("fits a phone, in both color schemes, until the errand ends", async () => {
    const { id } = await api.created({ prompt: WAITING_ERRAND, start_url: `${waiting.url}/` });
    await using opened = await web.browser.openPage(PHONE);
    const { page } = opened;
    await page.goto((await api.live(id)).body.url);
    await page.getByText("Live", { exact: true }).waitFor(PATIENTLY);
    const picture = page.getByRole("img", { name: "What the errand’s browser shows now" });
    expect(await picture.boundingBox()).toMatchObject({ x: 0, width: 360, height: 225 });
    // With little room it is smaller, in the same shape.
    await page.setViewportSize({ width: 360, height: 200 });
    const { y, width, height } = (await picture.boundingBox()) ?? { y: 0, width: 0, height: 1 };
    expect(width / height).toBeCloseTo(1.6, 1);
    expect(y + height).toBeLessThanOrEqual(200);
    await page.setViewportSize(PHONE.viewport);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze();
      expect(violations.map(({ id: rule }) => `${colorScheme}: ${rule}`)).toEqual([]);
    }
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
    waiting.open();
    await page.getByRole("heading", { name: "The errand has ended" }).waitFor(PATIENTLY);
    expect(opened.complaints).toEqual([]);
  });

  it("replays the errand with a mark where each step acted", async () => {
    const { id } = await api.created({ prompt: KETTLE, start_url: `${shop.url}/` });
    expect((await api.get(id, "?wait=30")).body.execution.terminal.status).toBe("verified");
    await using opened = await web.open(party.owner, `/executions/${id}`);
    const { page } = opened;
    // The mark does not move then.
    await page.emulateMedia({ reducedMotion: "reduce" });
    await page.getByRole("button", { name: "Replay" }).click();
    const dialog = page.getByRole("dialog", { name: "What the browser showed" });
    await expect.poll(() => dialog.getByRole("button", { name: "Play" }).evaluate(isFocused), PATIENTLY).toBe(true);
    await dialog.getByText("1 / 5").waitFor();
    await page.keyboard.press("Space");
    await dialog.getByRole("button", { name: "Pause" }).waitFor();
    // It plays to its end.
    await dialog.getByText("5 / 5").waitFor(PATIENTLY);
    await dialog.getByRole("button", { name: "Play" }).waitFor();

    await page.keyboard.press("Home");
    await dialog.getByText("1 / 5").waitFor();
    expect(await dialog.getByTestId("target").count()).toBe(0);
    await page.keyboard.press("ArrowRight");
    await dialog.getByRole("img", { name: "The page before step 2" }).waitFor();
    const step = (await api.events(id)).body.events.find(({ data }) => data["step"] === 2);
    const expected = step?.data["mark"] as { x: number; width: number };
    const picture = await dialog.getByRole("img", { name: "The page before step 2" }).boundingBox();
    const mark = await dialog.getByTestId("target").boundingBox();
    const scale = (picture?.width ?? 0) / 1280;
    expect((mark?.x ?? 0) - (picture?.x ?? 0)).toBeCloseTo(expected.x * scale - 6, 0);
    await page.keyboard.press("ArrowRight");
    await dialog.getByRole("img", { name: "The page after step 2" }).waitFor();
    await page.keyboard.press("End");
    await dialog.getByText("5 / 5").waitFor();
    await page.keyboard.press("ArrowLeft");
    await dialog.getByText("4 / 5").waitFor();
    await dialog.getByRole("slider", { name: "Position in the replay" }).fill("2");
    await dialog.getByText("3 / 5").waitFor();
    await dialog.getByText("What the browser showed").click();
    await page.keyboard.press("Space");
    await dialog.getByRole("button", { name: "Pause" }).waitFor();
    await page.keyboard.press("Space");
    await dialog.getByRole("button", { name: "Play" }).waitFor();
    await expectAccessible(page);
    await page.setViewportSize(PHONE.viewport);
    await expect.poll(async () => (await dialog.boundingBox())?.width ?? 999, PATIENTLY).toBeLessThanOrEqual(360);
    expect(opened.complaints).toEqual([]);
  });
});

function isFocused(element: Element): boolean {
  return element === document.activeElement;
}

/** Of a place without text in the live picture. A JPEG is not exact. */
async function colourOf(page: Page): Promise<number[]> {
  const frame = page.frames().find((one) => one.url().includes("/live/"));
  const colour = await frame?.locator("#picture").evaluate((canvas) => {
    if (!(canvas instanceof HTMLCanvasElement)) throw new Error("there is no picture");
    const pixel = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
    pixel?.drawImage(canvas, -canvas.width / 2, -canvas.height / 2);
    return [...(pixel?.getImageData(0, 0, 1, 1).data ?? [])].slice(0, 3);
  });
  return (colour ?? []).map((value, index) =>
    Math.abs(value - (GREEN[index] ?? 0)) < 8 ? (GREEN[index] ?? 0) : value,
  );
}
