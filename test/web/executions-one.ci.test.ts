import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Errand, ErrandOutcome, StepReport } from "../../src/agent/loop/errand.ts";
import type { ExecutionResult } from "../../src/contract/execution.ts";
import { createApi } from "../_harness/api.ts";
import { type ConsoleWeb, expectAccessible, startConsoleShop } from "../_harness/console-web.ts";
import { type Party, startParty } from "../_harness/console-world.ts";
import { failedErrand, startTestWorker, type TestWorker, VERIFIED } from "../_harness/worker.ts";

/** Runs a script if treated as markup, and reorders the page if treated as trusted text. */
const EVIL = `<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>\u202e\u0007</title>`;
const SHOWN = `<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>\ufffd\ufffd</title>`;
const LONG = "W".repeat(3_000);

/** The machine may be busy. */
const PATIENTLY = { timeout: 100_000 };

describe("one execution", () => {
  let web: ConsoleWeb;
  let shop: Party;
  let worker: TestWorker;
  let picture: Buffer;
  let run: (errand: Errand) => Promise<ErrandOutcome>;

  beforeAll(async () => {
    ({ web, shop } = await startConsoleShop());
    worker = await startTestWorker(web.service, { runErrand: (errand) => run(errand) });
    await using blank = await web.browser.openPage({ viewport: { width: 1280, height: 800 } });
    picture = await blank.page.screenshot({ type: "jpeg" });
  });
  afterAll(async () => {
    await worker[Symbol.asyncDispose]();
    await web[Symbol.asyncDispose]();
  });

  const create = (body: object) => createApi(web.service.url, shop.connection).created(body);
  const keepPicture = async (errand: Errand) => {
    const kept = await errand.reporter.saveArtifact({
      kind: "screenshot",
      name: "step-001.jpeg",
      contentType: "image/jpeg",
      data: picture,
    });
    return kept.id;
  };

  it("shows steps as they happen, then the result with the source of each value", async () => {
    const [second, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    run = async (errand) => {
      await errand.begin();
      const screenshot = await keepPicture(errand);
      await errand.reporter.step(step({ screenshot, why: "Begin at the beginning." }));
      await second.promise;
      await errand.reporter.step(
        step({
          step: 2,
          action: "click",
          input: { ref: "e1", label: "Kettle" },
          outcome: "failed",
          message: "It is covered.",
        }),
      );
      await end.promise;
      await errand.reporter.verification({
        agreed: true,
        reason: "All agreed.",
        checks: [{ about: "The price stands on the page", verdict: "satisfied", evidence: "12.50" }],
        cost: null,
        total_cost: null,
      });
      const place = { value: 12.5, quote: "€12.50", url: "https://shop.example/kettle", screenshot };
      const box = { x: 128, y: 80, width: 256, height: 40 };
      await errand.reporter.saveArtifact({
        kind: "provenance",
        name: "provenance.json",
        contentType: "application/json",
        data: Buffer.from(JSON.stringify([{ pointer: "/items/0/price", ...place, box }])),
      });
      return verified({ extracted: { items: [{ name: "Kettle", price: 12.5 }] } });
    };
    const { id } = await create({ prompt: "Tell me the price of the kettle." });
    await using opened = await web.open(shop.owner, `/executions/${id}`);
    const { page } = opened;
    const timeline = page.getByRole("region", { name: "Timeline" });
    await timeline.getByText("Begin at the beginning.").waitFor();
    expect(await page.getByRole("button", { name: "Cancel" }).count()).toBe(1);
    second.resolve();
    await timeline.getByText("This step failed: It is covered.").waitFor();
    end.resolve();
    await page.getByRole("region", { name: "Result" }).getByText("It costs 12.50.").waitFor();
    await timeline.getByText("The price stands on the page").waitFor();
    await page.getByText("Nothing was changed.").waitFor();
    expect(opened.requests.filter((url) => url.includes("/events?after=")).length).toBeGreaterThan(0);

    await page.getByRole("cell", { name: "12.5" }).getByRole("button").click();
    const dialog = page.getByRole("dialog", { name: "Where this value was found" });
    await dialog.getByText("€12.50").waitFor();
    const image = dialog.getByRole("img", { name: "The page where the value was found" });
    const mark = await dialog.getByTestId("place").boundingBox();
    const shown = await image.boundingBox();
    const scale = (shown?.width ?? 0) / 1280;
    expect((mark?.x ?? 0) - (shown?.x ?? 0)).toBeCloseTo(128 * scale - 6, 0);
    await dialog.getByRole("button", { name: "Actual size" }).click();
    await expect.poll(async () => (await image.boundingBox())?.width, PATIENTLY).toBe(1280);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });

    await page.getByText("JSON", { exact: true }).click();
    expect(await page.getByRole("region", { name: "JSON", exact: true }).textContent()).toBe(
      JSON.stringify({ items: [{ name: "Kettle", price: 12.5 }] }, null, 2),
    );
    await expectAccessible(page);
    expect(opened.complaints).toEqual([]);
  });

  it("shows all page content as text, however hostile", async () => {
    run = async (errand) => {
      await errand.begin();
      const url = `https://shop.example/?q=${EVIL}`;
      const change = {
        type: "request",
        method: "POST",
        url,
        status: 403,
        step: 1,
        cause: EVIL,
        first_party: false,
      } as const;
      await errand.reporter.step(
        step({
          action: "fill",
          input: { label: EVIL, text: EVIL },
          why: EVIL,
          title: `${EVIL}${LONG}`,
          url,
          outcome: "failed",
          message: EVIL,
          side_effects: [{ ...change, at: new Date().toISOString() }],
        }),
      );
      await errand.reporter.verification({
        agreed: true,
        reason: EVIL,
        checks: [{ about: EVIL, verdict: "unknown", evidence: EVIL }],
        cost: null,
        total_cost: null,
      });
      await errand.reporter.saveArtifact({
        kind: "download",
        name: "evil<b>.html",
        contentType: "text/html",
        data: Buffer.from(EVIL),
      });
      return verified({
        final_text: EVIL,
        final_url: "javascript:window.hacked=1",
        final_title: EVIL,
        extracted: { [EVIL]: [{ [EVIL]: EVIL, long: LONG }, { [EVIL]: { deep: [EVIL] } }] },
        evidence: { urls: [], verifier: { agreed: true, reason: EVIL }, side_effects: [] },
      });
    };
    const { id } = await create({ prompt: EVIL.replace("\u0007", "") });
    await using opened = await web.open(shop.user, `/executions/${id}`, { viewport: { width: 360, height: 740 } });
    const { page } = opened;
    await page.getByRole("region", { name: "Result" }).getByText(SHOWN).first().waitFor();
    await page.getByRole("region", { name: "Timeline" }).getByText(SHOWN).first().waitFor();
    await page.getByRole("region", { name: "Data" }).getByRole("cell", { name: SHOWN }).first().waitFor();
    await page.getByText("JSON", { exact: true }).click();
    await page.getByText("javascript:window.hacked=1").waitFor();
    expect(await injectedMarkup(page)).toEqual([]);
    expect(await page.getByText("\u202e").count()).toBe(0);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
    expect(await page.getByRole("button", { name: "Run again" }).count()).toBe(0);

    await page.goto(`${web.service.url}/console/executions`);
    await page.getByRole("list", { name: "Errands" }).getByText("<img src=x").waitFor();
    expect(await injectedMarkup(page)).toEqual([]);
    expect(opened.complaints).toEqual([]);
  });

  it("says what went wrong and what to do, and runs it again", async () => {
    run = async (errand) => {
      await errand.begin();
      return failedErrand({ failure: "reauthorization_required", code: "REAUTHORIZATION_REQUIRED" });
    };
    await web.service.database.query("update applications set sign_in_url = 'https://shop.example/in' where id = $1", [
      shop.connection.applicationId,
    ]);
    const { id } = await create({ prompt: "Open my orders." });
    await using opened = await web.open(shop.owner, `/executions/${id}`);
    const { page } = opened;
    const failure = page.getByRole("region", { name: "The user needs to sign in again" });
    await failure.getByText("The shop has no kettle.").waitFor();
    await failure.getByText("REAUTHORIZATION_REQUIRED").waitFor();
    await failure.getByRole("link", { name: "Open the authorization link" }).waitFor();
    await page.getByRole("button", { name: "Run again" }).click();
    await page.getByRole("alert").getByText("sign in", { exact: false }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/console/executions/${id}`);
  });

  it("can be run again by its owner, and canceled", async () => {
    const other = await startParty(web.service, "Other shop", 10);
    const api = createApi(web.service.url, other.connection);
    run = async (errand) => {
      await errand.begin();
      const stopped = Promise.withResolvers<never>();
      errand.signal.addEventListener("abort", () => stopped.reject(errand.signal.reason));
      return await stopped.promise;
    };
    const { id } = await api.created({ prompt: "Wait for me." });
    await using opened = await web.open(other.owner, `/executions/${id}`);
    const { page } = opened;
    await page.getByText("Working on the next step…").waitFor();
    // More tabs than a browser has connections per host: none of them may starve the others.
    const tabs = await Promise.all(Array.from({ length: 6 }, () => page.context().newPage()));
    for (const tab of tabs) {
      await tab.goto(page.url());
      await tab.getByText("Working on the next step…").waitFor();
    }
    await expect.poll(() => countLocks(page), PATIENTLY).toBe(3);
    await page.getByRole("button", { name: "Cancel" }).click();
    for (const tab of [page, ...tabs]) await tab.getByRole("region", { name: "The errand was canceled" }).waitFor();
    await expect.poll(() => countLocks(page), PATIENTLY).toBe(0);
    for (const tab of tabs) await tab.close();
    await page.bringToFront();
    await page.getByRole("button", { name: "Try again" }).click();
    await expect.poll(() => new URL(page.url()).pathname, PATIENTLY).not.toContain(id);
    await page.getByRole("heading", { name: "Wait for me." }).waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("region", { name: "The errand was canceled" }).waitFor();
    await page.goto(`${web.service.url}/console/executions/01890000-0000-7000-8000-000000000000`);
    await page.getByRole("heading", { name: "Errand not found" }).waitFor();
  });
});

function countLocks(page: Page): Promise<number | undefined> {
  return page.evaluate(async () => (await navigator.locks.query()).held?.length);
}

function verified(more: Partial<ExecutionResult>): ErrandOutcome {
  if (VERIFIED.kind !== "verified") throw new Error("it is verified");
  return { ...VERIFIED, result: { ...VERIFIED.result, ...more } };
}

function step(more: Partial<StepReport>): StepReport {
  return {
    step: 1,
    action: "goto",
    input: { url: "https://shop.example/" },
    why: "",
    outcome: "ok",
    message: null,
    url: "https://shop.example/",
    title: "Shop",
    side_effects: [],
    screenshot: null,
    mark: null,
    cost: null,
    ...more,
  };
}

/** Injected elements, and links that are not http or https. */
function injectedMarkup(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const elements = [
      ...document.querySelectorAll<HTMLElement>("[onerror], [src=x], script:not([src]), iframe, object"),
    ];
    const links = [...document.querySelectorAll<HTMLAnchorElement>("a[href]")].filter(
      ({ protocol }) => protocol !== "http:" && protocol !== "https:",
    );
    const ran = "hacked" in window ? ["a script ran"] : [];
    return [...ran, ...[...elements, ...links].map(({ outerHTML }) => outerHTML)];
  });
}
