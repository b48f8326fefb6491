import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { Api } from "../_harness/api.ts";
import type { TestService } from "../_harness/service.ts";
import { setWebhookStage, type WebhookStage } from "../_harness/webhook-stage.ts";
import { hold, hurry, PATIENCE, type Receiver, type WebhookApi } from "../_harness/webhooks.ts";

describe("delivering webhook messages", () => {
  let stage: WebhookStage;
  let receiver: Receiver;
  let service: TestService;
  let api: Api;
  let webhooks: WebhookApi;

  beforeAll(async () => {
    stage = await setWebhookStage();
    ({ receiver, service, api, webhooks } = stage);
  });
  afterAll(() => stage[Symbol.asyncDispose]());

  const register = (events?: string[]) => stage.register(events);
  const ping = (id: string) => stage.ping(id);
  const attempted = (id: string) => stage.attempted(id);

  it("retries a failed message with the same id and bytes, and never changes the execution", async () => {
    const { path, secret, id } = await register(["execution.failed"]);
    receiver.answer(path, 500);
    const execution = (await api.cancel((await api.created()).id)).body;
    const failing = await attempted(id);
    expect(failing).toMatchObject({
      state: "pending",
      execution_id: execution.execution.id,
      next_attempt_at: expect.any(String),
    });
    expect(failing?.attempts[0]).toMatchObject({ status: 500, error: expect.stringContaining("500") });
    receiver.answer(path, 204);
    await hurry(service);
    const delivered = await webhooks.delivery(id, "delivered");
    const [last, ...earlier] = delivered.attempts;
    expect(last).toMatchObject({ status: 204, error: null });
    expect(new Set(earlier.map(({ status }) => status))).toEqual(new Set([500]));
    expect(delivered).toMatchObject({ next_attempt_at: null, finished_at: expect.any(String) });
    const messages = await receiver.messages(path, 2);
    expect(new Set(messages.map(({ body }) => body)).size).toBe(1);
    for (const { body, headers } of messages) {
      expect(headers["webhook-id"]).toBe(delivered.id);
      expect(new Webhook(secret).verify(body, headers)).toMatchObject({ data: execution });
    }
    expect((await api.get(execution.execution.id)).body).toEqual(execution);
    await webhooks.call("DELETE", `/${id}`);
  });

  it("gives up after three days of attempts", async () => {
    const { path, id } = await register();
    receiver.answer(path, 503);
    await ping(id);
    await attempted(id);
    await service.database.query("update webhook_deliveries set attempts = 15 where endpoint_id = $1", [id]);
    await hurry(service);
    expect(await webhooks.delivery(id, "failed")).toMatchObject({ next_attempt_at: null });
  });

  it("gives up on a message that has waited for three days, without another attempt", async () => {
    const { path, id } = await register();
    receiver.answer(path, 500);
    await ping(id);
    await attempted(id);
    await hold(service);
    const before = receiver.count(path);
    await service.database.query(
      "update webhook_deliveries set tried_since = now() - interval '73 hours' where endpoint_id = $1",
      [id],
    );
    await hurry(service);
    await webhooks.delivery(id, "failed");
    expect(receiver.count(path)).toBe(before);
  });

  it("holds all messages of a webhook that did not respond three times, except requested ones", async () => {
    const { path, id } = await register(["execution.failed"]);
    receiver.answer(path, (request) => void request.socket.destroy());
    const end = async () => api.cancel((await api.created()).id);
    await end();
    for (const count of [1, 2, 3]) {
      await vi.waitFor(async () => {
        await hurry(service);
        // Each time it is hurried there may be one more.
        expect((await webhooks.deliveries(id))[0]?.attempts.length).toBeGreaterThanOrEqual(count);
      }, PATIENCE);
      if (count < 3)
        await service.database.query("update webhook_deliveries set attempts = 0 where endpoint_id = $1", [id]);
    }
    await hold(service);
    receiver.answer(path, 204);
    const before = receiver.count(path);
    for (let count = 0; count < 3; count += 1) await end();
    await vi.waitFor(async () => {
      const [rows] = [await webhooks.deliveries(id)];
      const waiting = rows.filter(({ next_attempt_at: at }) => at !== null && Date.parse(at) > Date.now() + 10_000);
      expect(waiting.filter(({ attempts }) => attempts.length === 0)).toHaveLength(3);
    }, PATIENCE);
    expect(receiver.count(path)).toBe(before);
    await ping(id);
    await vi.waitFor(async () => expect((await webhooks.deliveries(id))[0]?.state).toBe("delivered"), PATIENCE);
    await vi.waitFor(async () => {
      await hurry(service);
      const states = (await webhooks.deliveries(id)).map(({ state }) => state);
      expect(states).toEqual(Array(5).fill("delivered"));
    }, PATIENCE);
    await webhooks.call("DELETE", `/${id}`);
  });

  it("waits for as long as Retry-After says", async () => {
    const { path, id } = await register();
    receiver.answer(path, (_request, response) => void response.writeHead(503, { "retry-after": "1800" }).end());
    await ping(id);
    const at = (await attempted(id))?.next_attempt_at;
    expect(Date.parse(at ?? "")).toBeGreaterThan(Date.now() + 25 * 60_000);
    await webhooks.call("DELETE", `/${id}`);
  });

  it("resends a message that is requested during its last attempt, whatever its result", async () => {
    const { path, id } = await register();
    receiver.answer(path, 500);
    const { id: deliveryId } = await ping(id);
    await attempted(id);
    await hold(service);
    await service.database.query("update webhook_deliveries set attempts = 15 where endpoint_id = $1", [id]);
    const attempts = async () => (await webhooks.deliveries(id))[0]?.attempts.length ?? 0;
    const known = await attempts();
    const answers = [
      async () => {
        await webhooks.call("POST", `/${id}/deliveries/${deliveryId}/resend`);
        return 500;
      },
      async () => {
        await vi.waitFor(async () => expect(await attempts()).toBeGreaterThan(known), PATIENCE);
        return 204;
      },
    ];
    receiver.answer(path, async (_request, response) => {
      response.writeHead((await answers.shift()?.()) ?? 204).end();
    });
    await hurry(service);
    await webhooks.delivery(id, "delivered");
  });

  it("resends a message under the same id, whatever its state", async () => {
    const { path, id } = await register();
    const { id: deliveryId } = await ping(id);
    await webhooks.delivery(id, "delivered");
    expect(await webhooks.call("POST", `/${id}/deliveries/${deliveryId}/resend`)).toMatchObject({
      status: 202,
      body: { delivery: { id: deliveryId, state: expect.stringMatching(/pending|delivered/) } },
    });
    const [first, second] = await receiver.messages(path, 2);
    expect(second?.headers["webhook-id"]).toBe(deliveryId);
    expect(second?.body).toBe(first?.body);
    await vi.waitFor(async () => expect((await webhooks.delivery(id, "delivered")).attempts).toHaveLength(2), PATIENCE);
  });

  it("disables a webhook whose receiver responds with 410, and cancels its waiting messages", async () => {
    const { path, id } = await register();
    receiver.answer(path, 500);
    await ping(id);
    await attempted(id);
    await hold(service);
    receiver.answer(path, 410);
    await ping(id);
    await vi.waitFor(async () => {
      const states = (await webhooks.deliveries(id)).map(({ state }) => state);
      expect(states).toEqual(["failed", "canceled"]);
    }, PATIENCE);
    const { body } = await webhooks.call("GET", `/${id}`);
    expect(body.webhook).toMatchObject({ enabled: false, disabled: { reason: "gone", at: expect.any(String) } });
    expect(await webhooks.call("POST", `/${id}/ping`)).toMatchObject({ status: 400 });
    receiver.answer(path, 204);
    expect((await webhooks.call("PATCH", `/${id}`, { enabled: true })).body.webhook).toMatchObject({ disabled: null });
    await ping(id);
    await vi.waitFor(async () => expect((await webhooks.deliveries(id))[0]?.state).toBe("delivered"), PATIENCE);
  });

  it("ignores a 410 of a URL that has been changed since", async () => {
    const { path, id } = await register();
    receiver.answer(path, async (_request, response) => {
      await webhooks.call("PATCH", `/${id}`, { url: `${receiver.url}${path}-moved` });
      response.writeHead(410).end();
    });
    await ping(id);
    await attempted(id);
    await hurry(service);
    await webhooks.delivery(id, "delivered");
    expect((await webhooks.call("GET", `/${id}`)).body.webhook).toMatchObject({ enabled: true });
  });

  it("signs with both secrets for a day after a rotation, then with the new one only", async () => {
    const { path, secret: old, id } = await register();
    const { status, body } = await webhooks.call("POST", `/${id}/rotate-secret`);
    expect(status).toBe(200);
    expect(body.webhook.previous_secret_until).toEqual(expect.any(String));
    await ping(id);
    const [during] = await receiver.messages(path, 1);
    expect(during?.headers["webhook-signature"]?.split(" ")).toHaveLength(2);
    for (const secret of [old, body.secret]) {
      expect(new Webhook(secret).verify(during?.body ?? "", during?.headers ?? {})).toMatchObject({ type: "ping" });
    }
    const tooSoon = await webhooks.call("POST", `/${id}/rotate-secret`);
    expect(tooSoon).toMatchObject({ status: 409, body: { error: { code: "SECRET_JUST_ROTATED" } } });
    expect(tooSoon.body.error.message).toContain(body.webhook.previous_secret_until);
    await service.database.query("update webhook_endpoints set previous_until = now() where id = $1", [id]);
    expect((await webhooks.call("GET", `/${id}`)).body.webhook.previous_secret_until).toBeNull();
    await ping(id);
    const [, after] = await receiver.messages(path, 2);
    expect(new Webhook(body.secret).verify(after?.body ?? "", after?.headers ?? {})).toMatchObject({ type: "ping" });
    expect(() => new Webhook(old).verify(after?.body ?? "", after?.headers ?? {})).toThrow("No matching signature");
    for (const query of ["", "?force=true"]) {
      expect(await webhooks.call("POST", `/${id}/rotate-secret${query}`)).toMatchObject({ status: 200 });
    }
  });

  it("cancels a message whose subject was deleted", async () => {
    const { path, id } = await register(["execution.failed"]);
    receiver.answer(path, 500);
    const execution = await api.created();
    await api.cancel(execution.id);
    await attempted(id);
    await service.database.query("delete from executions where id = $1", [execution.id]);
    await hurry(service);
    await webhooks.delivery(id, "canceled");
    await webhooks.call("DELETE", `/${id}`);
  });

  it("sends nothing more to a webhook that is disabled, or deleted", async () => {
    const [stopped, deleted] = [await register(), await register()];
    for (const { path, id } of [stopped, deleted]) {
      receiver.answer(path, 500);
      await ping(id);
      await attempted(id);
    }
    await hold(service);
    const before = [stopped, deleted].map(({ path }) => receiver.count(path));
    await webhooks.call("PATCH", `/${stopped.id}`, { enabled: false });
    expect(await webhooks.call("DELETE", `/${deleted.id}`)).toMatchObject({ status: 204, body: null });
    expect(await webhooks.call("GET", `/${deleted.id}`)).toMatchObject({ status: 404 });
    expect(await webhooks.delivery(stopped.id, "canceled")).toMatchObject({ next_attempt_at: null });
    await api.cancel((await api.created()).id);
    expect(await webhooks.deliveries(stopped.id)).toHaveLength(1);
    await hurry(service);
    // Due messages are sent in order: once this has arrived, the others would have.
    const witness = await register();
    await ping(witness.id);
    await webhooks.delivery(witness.id, "delivered");
    expect([stopped, deleted].map(({ path }) => receiver.count(path))).toEqual(before);
  });
});
