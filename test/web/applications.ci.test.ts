import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startCallbackServer } from "../_harness/browser.ts";
import { type ConsoleVisit, registerInConsole, visitConsole } from "../_harness/console.ts";
import { type ConsoleWeb, expectAccessible, startConsoleWeb } from "../_harness/console-web.ts";
import { agree, basic, newVisitor, postForm } from "../_harness/oauth-flow.ts";

const MARKUP = `<img src=x onerror="alert(1)"> & "friends"`;
/** The machine may be busy. */
const PATIENT = { timeout: 100_000 };

describe("applications in the console", () => {
  let web: ConsoleWeb;
  let owner: ConsoleVisit;

  beforeAll(async () => {
    web = await startConsoleWeb();
    // One person owns the installation, another one the applications.
    await visitConsole(web.service, { isOperator: true });
    owner = await visitConsole(web.service, { credits: 1_000 });
  });
  afterAll(() => web[Symbol.asyncDispose]());

  test("from a form with an error to a connection, through the link built by the page", async () => {
    await using callback = await startCallbackServer();
    await using opened = await web.open(owner, "/applications");
    const { page } = opened;
    await page.getByRole("heading", { name: "No applications yet" }).waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "New application" }).click();
    await page.getByLabel("Name").fill(MARKUP);
    await page.getByLabel("Redirect URLs").fill("http://shop.example/callback");
    await page.getByRole("button", { name: "Create application" }).click();
    const field = page.getByRole("textbox", { name: "Redirect URLs" });
    await expect.poll(() => field.getAttribute("aria-invalid"), PATIENT).toBe("true");
    await page.getByText("http://shop.example/callback must use https, unless it is a loopback address").waitFor();
    await expect.poll(() => isFocused(field), PATIENT).toBe(true);
    await expectAccessible(page);

    await field.fill(callback.redirectUri);
    await page.getByRole("button", { name: "Create application" }).click();
    const secret = (await page.getByText(/^errand_cs_/).textContent()) ?? "";
    const proceed = page.getByRole("button", { name: "Continue" });
    expect(await proceed.isDisabled()).toBe(true);
    await page.getByLabel("I've stored this secret").check();
    await proceed.click();
    await page.getByRole("heading", { name: MARKUP, level: 1 }).waitFor();
    expect(await page.locator("main img, main script").count()).toBe(0);
    await expectAccessible(page);

    const link = await page.getByRole("link", { name: "Try it" }).getAttribute("href");
    const verifier = (await codeBelow(page, "Code verifier").textContent()) ?? "";
    const state = await page.getByLabel("State").inputValue();
    const visitor = await newVisitor(web.service);
    const returned = (await agree(visitor, link ?? "")).searchParams;
    expect(returned.get("state")).toBe(state);
    const id = new URL(page.url()).pathname.split("/").at(-1) ?? "";
    const exchanged = await postForm(
      `${web.service.url}/v1/oauth/token`,
      {
        grant_type: "authorization_code",
        code: returned.get("code") ?? "",
        redirect_uri: callback.redirectUri,
        code_verifier: verifier,
      },
      basic(id, secret),
    );
    expect(exchanged.status, JSON.stringify(exchanged.body)).toBe(200);

    await page.getByRole("tab", { name: "Connections" }).click();
    const row = page.getByRole("list", { name: "Connections" }).getByRole("listitem");
    await row.getByText("active").waitFor();
    expect(await row.count()).toBe(1);
    await expectAccessible(page);
    expect(opened.complaints.filter((complaint) => !complaint.includes("400"))).toEqual([]);
  });

  test("the TypeScript example works as shown", async () => {
    const { id } = await registerInConsole(owner, {
      redirect_uris: ['http://127.0.0.1:4567/it\'s?a="$HOME"'],
      home_url: "https://shop.example/",
    });
    await using opened = await web.open(owner, `/applications/${id}`);
    await opened.page.getByRole("tab", { name: "TypeScript" }).click();
    const sample = await importSample(
      (await opened.page.getByText("export async function runErrand").textContent()) ?? "",
    );
    const started = await sample.startConnecting();
    const returnUrl = await agree(await newVisitor(web.service), started.link);
    const token = await sample.finishConnecting(returnUrl.href, started);
    const running = sample.runErrand(token);
    await expect.poll(async () => (await owner.get("/executions")).body.executions.length, PATIENT).toBe(1);
    const [execution] = (await owner.get("/executions")).body.executions;
    await owner.post(`/executions/${execution.id}/cancel`);
    expect((await running).terminal.status).toBe("canceled");

    await opened.page.getByRole("tab", { name: "Errands" }).click();
    await opened.page.getByRole("link", { name: "Tell me the title of the page." }).waitFor();
    await expectAccessible(opened.page);
  });

  test("settings are changed, a secret is rotated, and typing the name deletes the application", async () => {
    const { id, name } = await registerInConsole(owner, {
      type: "confidential",
      access: "read_only",
      name: "Pan\u202etry",
    });
    await web.service.connect({ applicationId: id });
    await using opened = await web.open(owner, `/applications/${id}/settings`);
    const { page } = opened;
    const save = page.getByRole("button", { name: "Save" });
    await save.waitFor();
    expect(await save.isDisabled()).toBe(true);
    await page.getByLabel("Allowed hosts").fill("shop.example\n*.cdn.example");
    await page.getByLabel("Read-only").uncheck();
    await page.getByText("Errands for 1 connection won't run").waitFor();
    await expectAccessible(page);
    await save.click();
    await page.getByText("Settings saved.").waitFor();
    const { application } = (await owner.get(`/applications/${id}`)).body;
    expect(application).toMatchObject({ name, access: "all", allowed_hosts: ["shop.example", "*.cdn.example"] });

    await page.getByRole("tab", { name: "Secrets" }).click();
    await page.getByRole("button", { name: "Create new secret" }).click();
    await page.getByRole("button", { name: "Create secret" }).click();
    await page.getByText(/^errand_cs_/).waitFor();
    await page.getByLabel("I've stored this secret").check();
    await page.getByRole("button", { name: "Done" }).click();
    await page.getByText("Old secret", { exact: true }).waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Revoke" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Revoke secret" }).click();
    await expect.poll(() => page.getByText("Old secret", { exact: true }).count(), PATIENT).toBe(0);

    await page.getByRole("heading", { level: 1, name: "Pan\ufffdtry" }).waitFor();
    expect(await page.title()).toBe("Pan\ufffdtry · Errand");
    await page.getByRole("tab", { name: "Delete" }).click();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Delete application" }).click();
    const really = page.getByRole("button", { name: "Delete permanently" });
    await page.getByLabel("to confirm").fill("pantry");
    expect(await really.isDisabled()).toBe(true);
    await page.getByLabel("to confirm").fill("Pantry");
    await really.click();
    await page.getByRole("heading", { name: "Applications", level: 1 }).waitFor();
    expect((await owner.get(`/applications/${id}`)).status).toBe(404);
  });
});

function isFocused(field: Locator): Promise<boolean> {
  return field.evaluate((element) => element === document.activeElement);
}

function codeBelow(page: Page, title: string): Locator {
  return page
    .locator("div", { has: page.getByText(title, { exact: true }) })
    .last()
    .locator("pre");
}

interface Sample {
  startConnecting(): Promise<{ link: string; state: string; verifier: string }>;
  finishConnecting(returnUrl: string, started: { state: string; verifier: string }): Promise<string>;
  runErrand(accessToken: string): Promise<{ terminal: { status: string } }>;
}

async function importSample(text: string): Promise<Sample> {
  const folder = await mkdtemp(join(tmpdir(), "errand-sample-"));
  const file = join(folder, "sample.ts");
  await writeFile(file, text);
  const sample = (await import(pathToFileURL(file).href)) as Sample;
  await rm(folder, { recursive: true });
  return sample;
}
