import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findFreePort } from "../../src/lib/free-port.ts";
import { type ConsoleVisit, registerInConsole, visitConsole } from "../_harness/console.ts";
import { type ConsoleWeb, expectAccessible, startConsoleWeb } from "../_harness/console-web.ts";
import { type Receiver, startDeliveries, startReceiver } from "../_harness/webhooks.ts";

const PHONE = { viewport: { width: 390, height: 844 } };
const PATH = "/messages";
/** The machine may be busy. */
const PATIENT = { timeout: 100_000 };

describe("webhooks in the console", () => {
  let web: ConsoleWeb;
  let owner: ConsoleVisit;
  let receiver: Receiver;
  let sampleUrl: string;
  const disposables = new AsyncDisposableStack();

  beforeAll(async () => {
    receiver = disposables.use(await startReceiver());
    sampleUrl = `http://127.0.0.1:${await findFreePort()}/webhooks`;
    const allowHosts = `${receiver.host},${new URL(sampleUrl).host}`;
    web = disposables.use(await startConsoleWeb({ settings: { ERRAND_ALLOW_HOSTS: allowHosts } }));
    disposables.use(startDeliveries(web.service, { allowHosts }));
    await visitConsole(web.service, { isOperator: true });
    owner = await visitConsole(web.service, { credits: 1_000 });
  });
  afterAll(() => disposables.disposeAsync());

  test("a webhook is added after an error, its secret is shown once, and the example receives a ping", async () => {
    const { id } = await registerInConsole(owner);
    await using opened = await web.open(owner, `/applications/${id}/webhooks`);
    const { page } = opened;
    await page.getByRole("button", { name: "Add webhook" }).click();
    const form = page.getByRole("dialog");
    const address = form.getByLabel("URL");
    await address.fill("http://app.example.com/webhooks");
    await page.getByRole("radio", { name: "Selected events" }).check();
    await form.getByRole("button", { name: "Add webhook" }).click();
    await page.getByText("Select at least one event").waitFor();
    await page.getByRole("checkbox", { name: "execution.failed" }).check();
    await form.getByRole("button", { name: "Add webhook" }).click();
    await page.getByText("It must use https").waitFor();
    await expect.poll(() => isFocused(address), PATIENT).toBe(true);
    await expectAccessible(page);

    await address.fill(sampleUrl);
    await page.getByLabel("Description").fill("<b>Orders</b>");
    await form.getByRole("button", { name: "Add webhook" }).click();
    const secret = (await page.getByText(/^whsec_/).textContent()) ?? "";
    const sample = (await page.getByText("npm install standardwebhooks").textContent()) ?? "";
    await expectAccessible(page);
    await using program = await startSample(sample, secret, sampleUrl);
    await page.getByLabel("I've stored this secret").check();
    await page.getByRole("button", { name: "Done" }).click();
    await page.getByRole("heading", { name: sampleUrl, level: 2 }).waitFor();
    expect(await page.content()).not.toContain(secret);
    await page.getByText("<b>Orders</b>").waitFor();

    await page.getByRole("button", { name: "Send ping" }).click();
    const ping = deliveriesOn(page).filter({ hasText: "ping" });
    await ping.getByText("Delivered", { exact: true }).waitFor();
    await ping.getByText("204", { exact: true }).waitFor();
    expect(await program.firstLine).toMatch(/^msg_\S+ ping /);
    await expectAccessible(page);
    expect(opened.complaints.filter((complaint) => !complaint.includes("400"))).toEqual([]);
  });

  test("a secret is rotated, and deleting a webhook leaves nothing behind", async () => {
    const { id } = await registerInConsole(owner);
    const { webhook, secret } = (await owner.post(`/applications/${id}/webhooks`, { url: receiver.url })).body;
    await using opened = await web.open(owner, `/applications/${id}/webhooks/${webhook.id}`);
    const { page } = opened;
    await chooseMore(page, "Rotate secret");
    await page.getByText("For 24 hours, messages are signed with both the new and the previous secret").waitFor();
    await page.getByRole("button", { name: "Rotate secret" }).click();
    expect(await page.getByText(/^whsec_/).textContent()).not.toBe(secret);
    await page.getByLabel("I've stored this secret").check();
    await page.getByRole("button", { name: "Done" }).click();
    await page.getByText("Also valid until").waitFor();

    await chooseMore(page, "Delete");
    await page.getByRole("button", { name: "Delete webhook" }).click();
    await page.getByRole("heading", { name: "No webhooks yet" }).waitFor();
    expect((await owner.get(`/applications/${id}/webhooks`)).body.webhooks).toEqual([]);
  });

  test("a failed delivery shows its status, a 410 disables the webhook, and resending delivers", async () => {
    const { id } = await registerInConsole(owner);
    const { connectionId } = await web.service.connect({ applicationId: id });
    const url = receiver.url + PATH;
    const made = await owner.post(`/applications/${id}/webhooks`, { url });
    const { webhook, secret } = made.body;
    receiver.answer(PATH, 503);
    const executionId = await runAndCancel(owner, connectionId);
    await using opened = await web.open(owner, `/applications/${id}/webhooks`, PHONE);
    const { page } = opened;
    await page.getByText("Last delivery").waitFor();
    await expectAccessible(page);
    await page.getByRole("link", { name: url }).click();
    const delivery = deliveriesOn(page).filter({ hasText: "execution.failed" });
    const newest = delivery.getByRole("list", { name: "Latest attempt" });
    await newest.getByText("The receiver responded with 503").waitFor();
    const link = await delivery.getByRole("link", { name: "View errand" }).getAttribute("href");
    expect(link).toBe(`/console/executions/${executionId}`);

    receiver.answer(PATH, 410);
    await delivery.getByRole("button", { name: "Resend execution.failed" }).click();
    await page.getByText("which means it wants no more messages").waitFor();
    await delivery.getByText("Failed", { exact: true }).waitFor();
    expect(await page.getByRole("button", { name: "Send ping" }).isDisabled()).toBe(true);
    await delivery.getByText(/earlier attempts?$/).click();
    await delivery.getByRole("list", { name: "Earlier attempts" }).getByText("503").first().waitFor();
    await expectAccessible(page);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(PHONE.viewport.width);

    receiver.answer(PATH, 204);
    await page.getByRole("button", { name: "Enable" }).click();
    await delivery.getByRole("button", { name: "Resend execution.failed" }).click();
    await delivery.getByText("Delivered", { exact: true }).waitFor();
    await newest.getByText("204", { exact: true }).waitFor();
    expect(new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
    const last = receiver.received.at(-1);
    const message = new Webhook(secret).verify(last?.body ?? "", last?.headers ?? {});
    expect(message).toMatchObject({ type: "execution.failed", data: { execution: { id: executionId } } });

    await page.getByText("Undelivered", { exact: true }).click();
    await page.getByRole("heading", { name: "Everything was delivered" }).waitFor();
    expect((await owner.get(`/applications/${id}/webhooks/${webhook.id}`)).body.webhook.enabled).toBe(true);
  });

  test("other owners can't see it", async () => {
    const { id } = await registerInConsole(owner);
    const made = await owner.post(`/applications/${id}/webhooks`, { url: receiver.url });
    const place = `/applications/${id}/webhooks/${made.body.webhook.id}`;
    const stranger = await visitConsole(web.service, { credits: 1_000 });
    await using opened = await web.open(stranger, place);
    await opened.page.getByRole("heading", { name: "Application not found" }).waitFor();
    expect(await opened.page.content()).not.toContain(receiver.url);
    const mine = await registerInConsole(stranger);
    await opened.page.goto(`${web.service.url}/console/applications/${mine.id}/webhooks/${made.body.webhook.id}`);
    await opened.page.getByRole("heading", { name: "Webhook not found" }).waitFor();
  });
});

function isFocused(field: Locator): Promise<boolean> {
  return field.evaluate((element) => element === document.activeElement);
}

function deliveriesOn(page: Page): Locator {
  return page.getByRole("list", { name: "Deliveries", exact: true }).locator("> li");
}

async function chooseMore(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name: "More", exact: true }).click();
  await page.getByRole("menuitem", { name }).click();
}

/** An execution that ends without a browser. */
async function runAndCancel(owner: ConsoleVisit, connectionId: string): Promise<string> {
  const created = await owner.post("/executions", { connection_id: connectionId, prompt: "Tell me the title." });
  expect(created.status, JSON.stringify(created.body)).toBe(201);
  const { id } = created.body.execution;
  expect((await owner.post(`/executions/${id}/cancel`)).status).toBe(200);
  return id;
}

interface SampleProgram extends AsyncDisposable {
  firstLine: Promise<string>;
}

/** Runs the example from the page; resolves when it is listening. */
async function startSample(text: string, secret: string, address: string): Promise<SampleProgram> {
  // In node_modules, so that it finds the standardwebhooks package.
  const folder = await mkdtemp(join(import.meta.dirname, "../../node_modules/.sample-"));
  const file = join(folder, "receiver.mjs");
  await writeFile(file, text);
  const env = { ERRAND_WEBHOOK_SECRET: secret, PORT: new URL(address).port };
  const program = spawn(process.execPath, [file], { env, stdio: ["ignore", "pipe", "inherit"] });
  await expect.poll(() => isListening(address), PATIENT).toBe(true);
  return {
    firstLine: readFirst(program),
    async [Symbol.asyncDispose]() {
      program.kill();
      await once(program, "exit");
      await rm(folder, { recursive: true });
    },
  };
}

/** It rejects unsigned messages with 400. */
async function isListening(address: string): Promise<boolean> {
  try {
    return (await fetch(address, { method: "POST", body: "{}" })).status === 400;
  } catch {
    return false;
  }
}

async function readFirst({ stdout }: ChildProcess): Promise<string> {
  const [chunk] = stdout === null ? [] : await once(stdout, "data");
  return String(chunk);
}
