import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { InteractionRequest } from "../../src/agent/gate/people.ts";
import type { Interaction } from "../../src/contract/interaction.ts";
import { type Api, createApi } from "../_harness/api.ts";
import { signUp, startTestBrowser, type TestBrowser } from "../_harness/browser.ts";
import { type AskingErrand, CODE_QUESTION, createAskingErrand, ORDER, untilAsked } from "../_harness/interactions.ts";
import { newEmail } from "../_harness/oauth-flow.ts";
import { startTestService, type TestService } from "../_harness/service.ts";
import { startTestWorker, type TestWorker } from "../_harness/worker.ts";

const PHONE = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, hasTouch: true, isMobile: true };
const CHECKOUT = `<title>Checkout</title><body style="margin:0;font:20px sans-serif"><h1 style="margin:40px">Checkout</h1>
  <p style="margin:40px">1 × Birchbark Mug, €16.90, to Ada Birch</p>
  <button style="position:absolute;left:900px;top:520px;width:200px;height:50px">Place order</button></body>`;
const MARK = { x: 900, y: 520, width: 200, height: 50 };

describe("the page on which a person answers", () => {
  let service: TestService;
  let browser: TestBrowser;
  let picture: Buffer;

  beforeAll(async () => {
    service = await startTestService();
    browser = await startTestBrowser();
    await using shop = await browser.openPage({ viewport: { width: 1_280, height: 800 } });
    await shop.page.setContent(CHECKOUT);
    picture = await shop.page.screenshot({ type: "jpeg" });
  });
  afterAll(async () => {
    await browser[Symbol.asyncDispose]();
    await service[Symbol.asyncDispose]();
  });

  interface Waiting extends AsyncDisposable {
    api: Api;
    id: string;
    asked: Interaction;
    link: string;
    errand: AskingErrand;
    ended(): Promise<{ terminal: { status: string } }>;
  }

  async function ask(request: InteractionRequest, email?: string): Promise<Waiting> {
    const errand = createAskingErrand(request, { data: picture, mark: MARK });
    const worker: TestWorker = await startTestWorker(service, { runErrand: errand.run });
    const connection = await service.connect({
      registration: { name: "Mug Watch", homeUrl: "https://shop.example/" },
      ...(email === undefined ? {} : { email }),
    });
    const api = createApi(service.url, connection);
    const { id } = await api.created();
    const asked = await untilAsked(api, id);
    return {
      api,
      id,
      asked,
      link: asked.link ?? "",
      errand,
      ended: async () => (await api.get(id, "?wait=30")).body.execution,
      [Symbol.asyncDispose]: () => worker[Symbol.asyncDispose](),
    };
  }

  async function expectAccessible(page: Page): Promise<void> {
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze();
      expect(violations.map(({ id, nodes }) => `${colorScheme}: ${id}: ${nodes.map(({ html }) => html)}`)).toEqual([]);
    }
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(width).toBeLessThanOrEqual(PHONE.viewport.width);
  }

  const show = async (page: Page, name: string) => {
    const folder = process.env["ERRAND_TEST_PICTURES"];
    if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
  };

  it("approves by the link alone, on a phone, with everything that matters in view", async () => {
    await using waiting = await ask(ORDER);
    await using visitor = await browser.openPage(PHONE);
    const { page, complaints } = visitor;
    await page.goto(waiting.link);
    await page.getByRole("heading", { name: "Approve this?" }).waitFor();
    for (const text of [
      ORDER.message,
      "Mug Watch",
      "shop.example",
      "€16.90",
      "Ada Birch",
      "•••• 4242",
      "minutes of opening this page",
    ]) {
      await page.getByText(text).first().waitFor();
    }
    const marked = page.getByRole("img", { name: "The place on the page, marked" });
    await marked.waitFor();
    expect(visitor.requests).toContain(`${waiting.link}/picture`);
    const shown = await page.request.get(`${waiting.link}/picture`);
    expect([shown.status(), await shown.body()]).toEqual([200, picture]);
    await expectAccessible(page);
    await show(page, "approval");
    await page.getByRole("button", { name: "Approve" }).tap();
    await page.getByRole("heading", { name: "Approved" }).waitFor();
    await expectAccessible(page);
    await show(page, "approved");
    expect((await waiting.ended()).terminal.status).toBe("verified");
    expect(waiting.errand.sent).toEqual([ORDER.message]);
    expect(complaints).toEqual([]);
    const { events } = (await waiting.api.events(waiting.id)).body;
    expect(events.find(({ data }) => data["state"] === "answered")?.data["answered_by"]).toBe("link");
    // Used once, it shows neither the picture nor what was sent.
    await page.goto(waiting.link);
    await page.getByText("This was approved through the link. The errand has ended since.").waitFor();
    expect(await page.getByText("•••• 4242").count()).toBe(0);
    expect((await page.request.get(`${waiting.link}/picture`)).status()).toBe(404);
  });

  it("declines, and shows the second person what was decided", async () => {
    await using waiting = await ask(ORDER);
    await using first = await browser.openPage(PHONE);
    await using second = await browser.openPage(PHONE);
    await first.page.goto(waiting.link);
    await second.page.goto(waiting.link);
    await first.page.getByRole("button", { name: "Decline" }).tap();
    await first.page.getByRole("heading", { name: "Declined" }).waitFor();
    await second.page.getByRole("button", { name: "Approve" }).tap();
    await second.page.getByRole("heading", { name: "Too late" }).waitFor();
    await second.page.getByText("Your “Approve” came too late. This was declined through the link.").waitFor();
    await expectAccessible(second.page);
    expect((await waiting.ended()).terminal.status).toBe("approval_declined");
    expect(waiting.errand.sent).toEqual([]);
  });

  it("is not answered by whatever fetches the link, nor by a form of another site", async () => {
    await using waiting = await ask(ORDER);
    const preview = await fetch(waiting.link, { headers: { "user-agent": "LinkPreview/1.0" } });
    expect(preview.status).toBe(200);
    expect(preview.headers.get("x-robots-tag")).toBe("noindex");
    // The page opens again once the time is over.
    expect(Number(preview.headers.get("refresh"))).toBeGreaterThan(60);
    const cookie = preview.headers.getSetCookie()[0]?.split(";")[0] ?? "";
    const token = /name="form_token" value="([^"]+)"/.exec(await preview.text())?.[1] ?? "";
    const post = (headers: Record<string, string>, form: Record<string, string>) =>
      fetch(waiting.link, { method: "POST", headers, body: new URLSearchParams(form), redirect: "manual" });
    const foreign = { cookie, "sec-fetch-site": "cross-site", origin: "https://evil.example" };
    expect((await post({}, { action: "approve" })).status).toBe(400);
    expect((await post({ cookie }, { action: "approve" })).status).toBe(400);
    expect((await post(foreign, { action: "approve", form_token: token })).status).toBe(400);
    expect((await fetch(`${waiting.link}?action=approve`)).status).toBe(200);
    expect((await fetch(`${waiting.link}x`)).status).toBe(404);
    expect((await waiting.api.interaction(waiting.id)).body.interaction).toMatchObject({ state: "open" });
    await waiting.api.cancel(waiting.id);
    await waiting.ended();
    const after = await fetch(waiting.link);
    expect(await after.text()).toContain("No longer needed");
    expect([...service.log].join("\n")).not.toContain("errand_il_");
  });

  it("takes a one-time code and does not repeat it", async () => {
    const canary = "771904-c4n4ry";
    await using waiting = await ask(CODE_QUESTION);
    await using visitor = await browser.openPage(PHONE);
    const { page } = visitor;
    await page.goto(waiting.link);
    await page.getByLabel("Code").waitFor();
    await expectAccessible(page);
    await show(page, "code");
    await page.getByLabel("Code").fill(canary);
    await page.getByRole("button", { name: "Send" }).tap();
    await page.getByRole("heading", { name: "Answered" }).waitFor();
    expect(await page.content()).not.toContain(canary);
    await waiting.ended();
    expect(waiting.errand.answers).toEqual([{ kind: "answered", text: canary }]);
    expect(service.log.join("\n")).not.toContain(canary);
  });

  it("takes one of several choices", async () => {
    const options = ["Blue", "Green <b>bold</b>"];
    await using waiting = await ask({ ...CODE_QUESTION, message: "Which colour?", isSecret: false, options });
    await using visitor = await browser.openPage(PHONE);
    const { page } = visitor;
    await page.goto(waiting.link);
    await page.getByLabel(options[1] ?? "").check();
    await expectAccessible(page);
    await show(page, "choice");
    await page.getByRole("button", { name: "Send" }).tap();
    await page.getByRole("heading", { name: "Answered" }).waitFor();
    await waiting.ended();
    expect(waiting.errand.answers).toEqual([{ kind: "answered", text: options[1] }]);
  });

  it("opens for the signed-in user without the link, and for nobody else", async () => {
    const email = newEmail();
    await using visitor = await browser.openPage(PHONE);
    const { page } = visitor;
    await page.goto(`${service.url}/sign-in?return_to=/docs`);
    await signUp(page, email);
    await using waiting = await ask(ORDER, email);
    const own = `${service.url}/i/${waiting.asked.id}`;
    await using stranger = await browser.openPage(PHONE);
    await stranger.page.goto(own);
    expect(new URL(stranger.page.url()).pathname).toBe("/sign-in");
    await signUp(stranger.page, newEmail());
    await stranger.page.getByText("This link is not valid").waitFor();
    await page.goto(own);
    await page.getByRole("button", { name: "Approve" }).tap();
    await page.getByRole("heading", { name: "Approved" }).waitFor();
    expect((await waiting.ended()).terminal.status).toBe("verified");
    const { events } = (await waiting.api.events(waiting.id)).body;
    expect(events.find(({ data }) => data["state"] === "answered")?.data["answered_by"]).toBe("user");
  });
});
