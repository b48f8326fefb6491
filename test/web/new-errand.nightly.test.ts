import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Errand, ErrandOutcome } from "../../src/agent/loop/errand.ts";
import { createApi } from "../_harness/api.ts";
import { type ConsoleWeb, expectAccessible, startConsoleShop } from "../_harness/console-web.ts";
import type { Party } from "../_harness/console-world.ts";
import { failedErrand, startTestWorker, type TestWorker, VERIFIED } from "../_harness/worker.ts";

const PATIENTLY = { timeout: 100_000 };
const ORDER = {
  type: "form_submission",
  method: "POST",
  url: "https://shop.example/orders",
  status: 303,
  step: 2,
  cause: 'click "Place order"',
  first_party: true,
  at: "2026-03-11T10:00:00.000Z",
  description: "Placed order T-10076: 1 × mug, €16.90",
} as const;

describe("the box for a new errand", () => {
  let web: ConsoleWeb;
  let shop: Party;
  let worker: TestWorker;
  let run: (errand: Errand) => Promise<ErrandOutcome> = async () => VERIFIED;

  beforeAll(async () => {
    ({ web, shop } = await startConsoleShop());
    worker = await startTestWorker(web.service, { runErrand: (errand) => run(errand) });
  });
  afterAll(async () => {
    await worker[Symbol.asyncDispose]();
    await web[Symbol.asyncDispose]();
  });

  const read = async (id: string | undefined) => (await shop.owner.get(`/executions/${id}`)).body.execution;
  const idOf = (url: string) => new URL(url).pathname.split("/").at(-1);

  it("shows while typing what is understood, and takes over the suggestion", async () => {
    await createApi(web.service.url, shop.connection).created({ prompt: "Say hello." });
    await using opened = await web.open(shop.owner, "/");
    const { page } = opened;
    const form = page.getByRole("form", { name: "New errand" });
    const prompt = form.getByLabel("What should be done?");
    await prompt.fill("Search for kettle, open Brindle Kettle and tell me its price.");
    const steps = form.getByRole("list", { name: "Steps" }).getByRole("listitem");
    await expect.poll(() => steps.count(), PATIENTLY).toBe(3);
    await form.getByText("Understood: 3 steps.").waitFor();

    await prompt.fill("Search for kettle. Clik on Save.");
    await form.getByText("isn't understood").waitFor();
    await form.getByText("Did you mean").waitFor();
    await expectAccessible(page);
    await form.getByRole("button", { name: "Use this" }).click();
    await form.getByText("Understood: 2 steps.").waitFor();
    expect(await prompt.inputValue()).toBe("Search for kettle. Click on Save.");
    expect(opened.complaints).toEqual([]);
  });

  it("creates an errand as the chosen person, with fields instead of a JSON Schema", async () => {
    const second = await web.service.connect({
      applicationId: shop.connection.applicationId,
      email: "second@example.com",
    });
    await using opened = await web.open(shop.owner, "/credits");
    const { page } = opened;
    await page.getByRole("button", { name: "New errand" }).click();
    const box = page.getByRole("dialog", { name: "New errand" });
    await box.getByLabel("What should be done?").fill("List all products.");
    await box.getByLabel("Run as").selectOption({ label: "second@example.com" });
    await box.getByLabel("Ask before anything is bought, sent or deleted").check();
    await box.getByText("More options").click();
    await box.getByLabel("Start URL").fill("nonsense://x");
    await box.getByRole("button", { name: "Add field" }).click();
    await box.getByLabel("Name of field 1").fill("Name");
    await box.getByRole("button", { name: "Add field" }).click();
    await box.getByLabel("Name of field 2").fill("Price with VAT");
    await box.getByLabel("Type of field 2").selectOption("Number");
    await box.getByRole("list", { name: "Fields" }).getByLabel("Required").nth(1).uncheck();
    await box.getByRole("radio", { name: "A list of results" }).check();
    await expectAccessible(page);
    await box.getByRole("button", { name: "Run errand" }).click();
    await box.getByText("It must be an http or https URL", { exact: false }).waitFor();
    await box.getByLabel("Start URL").fill("https://shop.example/products");
    await box.getByRole("button", { name: "Run errand" }).click();
    await page.waitForURL(/\/executions\/[0-9a-f-]{36}$/);
    const { connection, execution, approval } = (await shop.owner.get(`/executions/${idOf(page.url())}`)).body;
    expect([connection.id, approval]).toEqual([second.connectionId, "commits"]);
    expect(execution).toMatchObject({
      prompt: "List all products.",
      start_url: "https://shop.example/products",
      output_schema: {
        type: "object",
        properties: {
          items: {
            type: "array",
            items: {
              type: "object",
              properties: { Name: { type: "string" }, price_with_vat: { type: "number", title: "Price with VAT" } },
              required: ["Name"],
              additionalProperties: false,
            },
          },
        },
        required: ["items"],
        additionalProperties: false,
      },
    });
  });

  it("is filled in by Edit and run, and refuses two fields with one name", async () => {
    const schema = { type: "object", properties: { price: { type: "number" } }, required: ["price"] };
    const { id } = await ended({ prompt: "Read the price.", output_schema: schema });
    await using opened = await web.open(shop.owner, `/executions/${id}`);
    const { page } = opened;
    await page.getByRole("button", { name: "Edit and run" }).click();
    const box = page.getByRole("dialog", { name: "New errand" });
    await expect.poll(() => box.getByLabel("What should be done?").inputValue(), PATIENTLY).toBe("Read the price.");
    expect(await box.getByLabel("Name of field 1").inputValue()).toBe("price");
    expect(await box.getByLabel("Type of field 1").inputValue()).toBe("number");
    expect(await box.getByText(`Runs as ${shop.user.email}.`).count()).toBe(1);
    await box.getByRole("button", { name: "Add field" }).click();
    await box.getByLabel("Name of field 2").fill("price");
    await box.getByRole("button", { name: "Run errand" }).click();
    await box.getByText("Two fields are named “price”.").waitFor();
    await box.getByRole("button", { name: "Remove field 2" }).click();
    await box.getByLabel("What should be done?").fill("Read the price of the mug.");
    await box.getByRole("button", { name: "Run errand" }).click();
    await page.waitForURL((url) => idOf(url.href) !== id);
    expect(await read(idOf(page.url()))).toMatchObject({ prompt: "Read the price of the mug." });
  });

  it("keeps a JSON Schema that fields cannot show", async () => {
    const schema = { type: "array", items: { enum: ["a", "b"] } };
    const { id } = await ended({ prompt: "List all letters.", output_schema: schema });
    await using opened = await web.open(shop.owner, `/executions/${id}`);
    const { page } = opened;
    await page.getByRole("button", { name: "Edit and run" }).click();
    const box = page.getByRole("dialog", { name: "New errand" });
    const text = box.getByLabel("JSON Schema", { exact: true });
    await expect.poll(async () => JSON.parse(await text.inputValue()), PATIENTLY).toEqual(schema);
    await text.fill("{");
    await box.getByRole("button", { name: "Run errand" }).click();
    await box.getByText("The schema is not valid JSON.").waitFor();
  });

  it("is for owners only", async () => {
    await using opened = await web.open(shop.user, "/");
    await opened.page.getByRole("heading", { name: "Connected apps" }).waitFor();
    expect(await opened.page.getByText("New errand").count()).toBe(0);
  });

  it("fits on a phone", async () => {
    await using opened = await web.open(shop.owner, "/executions", { viewport: { width: 360, height: 700 } });
    const { page } = opened;
    await page.getByRole("button", { name: "New errand" }).click();
    const box = page.getByRole("dialog", { name: "New errand" });
    await box.getByLabel("What should be done?").fill("Search for kettle");
    await box.getByText("Understood: 1 step.").waitFor();
    const widths = await page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth]);
    expect(widths[0]).toBeLessThanOrEqual(widths[1] ?? 0);
    await expectAccessible(page);
  });

  /** Run by the worker. */
  async function ended(body: object): Promise<{ id: string }> {
    const { id } = await createApi(web.service.url, shop.connection).created(body);
    await expect.poll(async () => (await read(id)).terminal, PATIENTLY).not.toBeNull();
    return { id };
  }

  describe("after an errand", () => {
    const withOrder = async (errand: Errand): Promise<ErrandOutcome> => {
      await errand.begin();
      const { result, ...verified } = VERIFIED as Extract<ErrandOutcome, { kind: "verified" }>;
      return { ...verified, result: { ...result, evidence: { ...result.evidence, side_effects: [ORDER] } } };
    };

    it("that changed something, the receipt is the headline and requests are details", async () => {
      run = withOrder;
      const { id } = await ended({ prompt: "Buy the mug." });
      await using opened = await web.open(shop.owner, `/executions/${id}`);
      const { page } = opened;
      const receipt = page.getByRole("region", { name: "What was done" });
      await receipt.getByText(ORDER.description).first().waitFor();
      expect(await receipt.getByText(ORDER.url).isVisible()).toBe(false);
      await receipt.getByText("Technical details").click();
      await receipt.getByText(ORDER.url).waitFor();
      expect(await page.getByRole("heading", { level: 2 }).first().textContent()).toBe("What was done");
      await expectAccessible(page);
    });

    it("that changed something, Run again asks first, and says as whom and what it did", async () => {
      run = withOrder;
      const { id } = await ended({ prompt: "Buy the mug." });
      const count = async () => (await shop.owner.get("/executions?limit=200")).body.executions.length;
      const before = await count();
      await using opened = await web.open(shop.owner, `/executions/${id}`);
      const { page } = opened;
      await page.getByRole("button", { name: "Run again" }).click();
      const question = page.getByRole("dialog", { name: "Do this again?" });
      await question.getByText(ORDER.description).waitFor();
      await question.getByText(shop.user.email).waitFor();
      await expectAccessible(page);
      await question.getByRole("button", { name: "Cancel" }).click();
      await question.waitFor({ state: "detached" });
      expect(await count()).toBe(before);
      await page.getByRole("button", { name: "Run again" }).click();
      await question.getByRole("button", { name: "Run again" }).click();
      await page.waitForURL((url) => idOf(url.href) !== id);
      expect(await count()).toBe(before + 1);
    });

    it.each([
      ["unsupported_prompt", "Rewrite it step by step"],
      ["output_schema_mismatch", "Change the requested data"],
      ["goal_unreachable", "Change the errand"],
      ["site_error", "Try again"],
      ["approval_declined", "Try again"],
      ["approval_expired", "Try again"],
      ["timed_out", "Make it smaller"],
    ] as const)("that failed with %s, the next step is offered", async (failure, label) => {
      run = async (errand) => {
        await errand.begin();
        return failedErrand({ failure });
      };
      const { id } = await ended({ prompt: "Do something." });
      await using opened = await web.open(shop.owner, `/executions/${id}`);
      const { page } = opened;
      await page.getByText("What to do next").waitFor();
      await page.getByRole("button", { name: label }).waitFor();
      // The same errand is offered once, under one name.
      const same = page.getByRole("button", { name: /^(?:Run|Try) again$/ });
      expect(await same.count()).toBe(1);
      await expectAccessible(page);
    });

    it.each([
      ["policy_violation", "Change what the application may do", "/settings"],
      ["reauthorization_required", "Open the authorization link", ""],
    ] as const)("that failed with %s, the page to fix it is linked", async (failure, label, path) => {
      const { applicationId } = shop.connection;
      // Without a sign-in of its own, an application cannot require one.
      await web.service.database.query(
        "update applications set sign_in_url = 'https://shop.example/sign-in' where id = $1",
        [applicationId],
      );
      run = async (errand) => {
        await errand.begin();
        return failedErrand({ failure });
      };
      const { id } = await ended({ prompt: "Do something." });
      expect((await read(id)).terminal.status).toBe(failure);
      await using opened = await web.open(shop.owner, `/executions/${id}`);
      const link = opened.page.getByRole("link", { name: label });
      expect(await link.getAttribute("href")).toBe(`/console/applications/${applicationId}${path}`);
    });
  });
});
