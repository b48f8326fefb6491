import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { AxeBuilder } from "@axe-core/playwright";
import type { BrowserContextOptions, Page } from "playwright-core";
import { expect } from "vitest";
import { startTestBrowser, type TestBrowser, type TestPage } from "./browser.ts";
import { type ConsoleVisit, visitConsole } from "./console.ts";
import { type Party, startParty } from "./console-world.ts";
import { startTestService, type TestService } from "./service.ts";

/** The service with the built console, and a real browser. */
export interface ConsoleWeb extends AsyncDisposable {
  service: TestService;
  browser: TestBrowser;
  /** Opens a console page, signed in as this person. The path is relative to `/console`. */
  open(visit: ConsoleVisit, path: string, options?: BrowserContextOptions): Promise<TestPage>;
}

export async function startConsoleWeb(options: Parameters<typeof startTestService>[0] = {}): Promise<ConsoleWeb> {
  await using disposables = new AsyncDisposableStack();
  const service = disposables.use(await startTestService(options));
  const browser = disposables.use(await startTestBrowser());
  const built = await fetch(`${service.url}/console/`);
  if (built.status !== 200) throw new Error("The console is not built. Run scripts/bootstrap.");
  const owned = disposables.move();
  return {
    service,
    browser,
    async open(visit, path, pageOptions) {
      const opened = await browser.openPage(pageOptions);
      await opened.page.context().addCookies(toCookies(visit.cookie, service.url));
      await opened.page.goto(`${service.url}/console${path}`);
      return opened;
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** The same, with an owner's application and a user who is connected to it. */
export async function startConsoleShop(): Promise<{ web: ConsoleWeb; shop: Party }> {
  const web = await startConsoleWeb();
  // Without an installation owner the console shows only the setup page.
  await visitConsole(web.service, { isOperator: true });
  return { web, shop: await startParty(web.service, "Shop helper", 1_000) };
}

/** Expects no serious accessibility violations in either color scheme, on a page of the console or of the service itself. */
export async function expectAccessible(page: Page): Promise<void> {
  const isConsole = new URL(page.url()).pathname.startsWith("/console");
  await addAxe(page);
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    if (isConsole) await page.locator(`html[data-mantine-color-scheme="${colorScheme}"]`).waitFor();
    await page.waitForFunction(isStill);
    // Without frames, axe needs no extra page to collect its results.
    const axe = new AxeBuilder({ page, axeSource: NOTHING }).setLegacyMode().options({ resultTypes: ["violations"] });
    const { violations } = await axe.analyze();
    const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
    expect(serious.map(({ id, nodes }) => `${colorScheme}: ${id}: ${nodes.map(({ html }) => html).join(" ")}`)).toEqual(
      [],
    );
  }
}

/** The version that AxeBuilder uses. */
const AXE_FILE = createRequire(createRequire(import.meta.url).resolve("@axe-core/playwright")).resolve(
  "axe-core/axe.min.js",
);
const NOTHING = ";";

/** AxeBuilder would add its half a megabyte of script twice for each of its reports. */
async function addAxe(page: Page): Promise<void> {
  const source = readFileSync(AXE_FILE, "utf8");
  for (const frame of page.frames()) if (await frame.evaluate("!('axe' in window)")) await frame.evaluate(source);
}

/** Colors fade into those of the other scheme. Runs in the page. */
function isStill(): boolean {
  return document.getAnimations().every(({ playState, effect }) => {
    return playState !== "running" || !Number.isFinite(Number(effect?.getComputedTiming().endTime));
  });
}

function toCookies(header: string, url: string): { name: string; value: string; url: string }[] {
  return header.split("; ").map((pair) => {
    const at = pair.indexOf("=");
    return { name: pair.slice(0, at), value: pair.slice(at + 1), url };
  });
}
