import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { InteractionRequest } from "../../src/agent/gate/people.ts";
import { createApi } from "../_harness/api.ts";
import { type ConsoleWeb, expectAccessible, startConsoleShop } from "../_harness/console-web.ts";
import type { Party } from "../_harness/console-world.ts";
import { CODE_QUESTION, createAskingErrand, ORDER, untilAsked } from "../_harness/interactions.ts";
import { startTestWorker } from "../_harness/worker.ts";

describe("the page of an errand that waits for a person", () => {
  let web: ConsoleWeb;
  let shop: Party;

  beforeAll(async () => {
    ({ web, shop } = await startConsoleShop());
  });
  afterAll(() => web[Symbol.asyncDispose]());

  async function ask(request: InteractionRequest) {
    const errand = createAskingErrand(request);
    const worker = await startTestWorker(web.service, { runErrand: errand.run });
    const api = createApi(web.service.url, shop.connection);
    const { id } = await api.created({ prompt: "Order a mug." });
    await untilAsked(api, id);
    return { id, errand, api, [Symbol.asyncDispose]: () => worker[Symbol.asyncDispose]() };
  }

  it("shows what is about to be sent and sends it when the user approves", async () => {
    await using asking = await ask(ORDER);
    await using visit = await web.open(shop.user, "/");
    const { page } = visit;
    await page.getByText("Waiting for an answer").click();
    const panel = page.getByRole("region", { name: "Approve this?" });
    for (const text of [ORDER.message, "Ada Birch", "•••• 4242"]) await panel.getByText(text).waitFor();
    await panel.getByText("€16.90", { exact: true }).waitFor();
    await expectAccessible(page);
    await panel.getByRole("button", { name: "Approve" }).click();
    await page.getByText("Verified").first().waitFor();
    expect(await panel.count()).toBe(0);
    await page.getByText("Approved by the user.").waitFor();
    expect(asking.errand.sent).toEqual([ORDER.message]);
  });

  it("takes the answer to a question, on a phone", async () => {
    await using asking = await ask(CODE_QUESTION);
    const phone = { viewport: { width: 390, height: 844 } };
    await using visit = await web.open(shop.owner, `/executions/${asking.id}`, phone);
    const { page } = visit;
    await page.getByLabel("Code").fill("123456");
    await expectAccessible(page);
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText("Verified").first().waitFor();
    expect(asking.errand.answers).toEqual([{ kind: "answered", text: "123456" }]);
  });
});
