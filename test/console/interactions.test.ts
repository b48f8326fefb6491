import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createApi } from "../_harness/api.ts";
import { type ConsoleVisit, visitConsole } from "../_harness/console.ts";
import { type Party, startParty } from "../_harness/console-world.ts";
import { createAskingErrand, ORDER, untilAsked } from "../_harness/interactions.ts";
import { RunSocket } from "../_harness/live-run.ts";
import { startTestService, type TestService } from "../_harness/service.ts";
import { startTestWorker } from "../_harness/worker.ts";

describe("in the console a waiting errand", () => {
  let service: TestService;
  let shop: Party;
  let stranger: Party;

  beforeAll(async () => {
    service = await startTestService();
    await visitConsole(service, { isOperator: true });
    shop = await startParty(service, "Shop helper", 100);
    stranger = await startParty(service, "Other helper", 100);
  });
  afterAll(() => service[Symbol.asyncDispose]());

  it.each(["user", "owner"] as const)("can be seen and answered by the %s, and by nobody else", async (role) => {
    const errand = createAskingErrand(ORDER);
    await using _worker = await startTestWorker(service, { runErrand: errand.run });
    const api = createApi(service.url, shop.connection);
    const { id } = await api.created();
    const asked = await untilAsked(api, id);
    const isWaiting = async () => (await shop[role].get("/executions?limit=1")).body.executions[0].is_waiting;
    expect(await isWaiting()).toBe(true);
    const path = `/executions/${id}/interaction`;
    const approve = { id: asked.id, action: "approve" };
    for (const other of [stranger.owner, stranger.user]) {
      expect((await other.get(path)).status).toBe(404);
      expect((await other.post(path, approve)).status).toBe(404);
    }
    const visit: ConsoleVisit = shop[role];
    expect((await visit.get(path)).body.interaction).toMatchObject({ id: asked.id, message: ORDER.message });
    expect((await visit.post(path, { id: asked.id, action: "shrug" })).status).toBe(400);
    expect((await visit.post(path, approve)).body.interaction).toMatchObject({ answer: "approved", answered_by: role });
    expect((await visit.post(path, { ...approve, action: "decline" })).body.error.code).toBe("INTERACTION_ENDED");
    expect((await api.get(id, "?wait=30")).body.execution.status).toBe("COMPLETED");
    expect((await visit.get(path)).body).toEqual({ interaction: null });
    expect(await isWaiting()).toBe(false);
    expect(errand.sent).toEqual([ORDER.message]);
  });

  it("cannot be taken over before it was answered", async () => {
    const errand = createAskingErrand(ORDER);
    await using _worker = await startTestWorker(service, { runErrand: errand.run });
    const api = createApi(service.url, shop.connection);
    const { id } = await api.created();
    const asked = await untilAsked(api, id);
    const { url, may_take_over } = (await shop.user.post(`/executions/${id}/live`)).body;
    expect(may_take_over).toBe(true);
    const page = await RunSocket.open(url);
    if (typeof page === "number") throw new Error(`the socket was refused with ${page}`);
    await expect.poll(() => page.messages).toContainEqual({ type: "control", state: "asking" });
    await api.answer(id, { id: asked.id, action: "decline" });
    await expect.poll(() => page.messages).toContainEqual({ type: "over" });
    await page[Symbol.asyncDispose]();
  });
});
