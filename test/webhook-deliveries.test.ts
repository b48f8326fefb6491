import type { ServerResponse } from "node:http";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type Api, createApi } from "./_harness/api.ts";
import { startTestService, type TestConnection, type TestService } from "./_harness/service.ts";
import {
  createWebhookApi,
  hold,
  hurry,
  PATIENCE,
  type Receiver,
  startDeliveries,
  startReceiver,
  type WebhookApi,
} from "./_harness/webhooks.ts";

const CONFIDENTIAL = { registration: { type: "confidential" as const } };

/** What names lead to that a hostile owner may have made up. */
const NAMES: Record<string, string[]> = {
  "loopback.example": ["127.0.0.1"],
  "loopback-six.example": ["::1"],
  "mapped.example": ["::ffff:127.0.0.1"],
  "inner.example": ["10.1.2.3"],
  "metadata.example": ["169.254.169.254"],
  "mixed.example": ["192.0.43.8", "127.0.0.1"],
};

describe("delivering webhook messages", () => {
  let disposables: AsyncDisposableStack;
  let receiver: Receiver;
  let service: TestService;
  let connection: TestConnection;
  let api: Api;
  let webhooks: WebhookApi;

  beforeAll(async () => {
    disposables = new AsyncDisposableStack();
    receiver = disposables.use(await startReceiver());
    service = disposables.use(await startTestService({ settings: { ERRAND_ALLOW_HOSTS: receiver.host } }));
    const resolve = async (name: string) =>
      NAMES[name] ?? Promise.reject(Object.assign(new Error(), { code: "ENOTFOUND" }));
    disposables.use(startDeliveries(service, { allowHosts: receiver.host, resolve }));
    connection = await service.connect(CONFIDENTIAL);
    api = createApi(service.url, connection);
    webhooks = createWebhookApi(service.url, connection);
  });
  afterAll(() => disposables.disposeAsync());

  let paths = 0;
  /** A webhook with a path of its own. */
  async function register(events?: string[]) {
    const path = `/hook-${++paths}`;
    const { webhook, secret } = await webhooks.created({
      url: receiver.url + path,
      ...(events === undefined ? {} : { events }),
    });
    return { path, secret, webhook, id: webhook.id };
  }

  const ping = async (id: string) => {
    const { status, body } = await webhooks.call("POST", `/${id}/ping`);
    expect(status, JSON.stringify(body)).toBe(202);
    return body.delivery as { id: string };
  };

  const attempted = (id: string) =>
    vi.waitFor(async () => {
      const [delivery] = await webhooks.deliveries(id);
      expect(delivery?.attempts).not.toEqual([]);
      return delivery;
    }, PATIENCE);

  it("tries again what failed, with the same id and the same bytes, and never touches the execution", async () => {
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

  it("gives up one that has waited for three days, without another attempt", async () => {
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

  it("has all of a webhook wait that gave no answer three times, except what somebody asks for", async () => {
    const { path, id } = await register(["execution.failed"]);
    receiver.answer(path, (request) => void request.socket.destroy());
    const end = async () => api.cancel((await api.created()).id);
    await end();
    for (const count of [1, 2, 3]) {
      await vi.waitFor(async () => {
        await hurry(service);
        expect((await webhooks.deliveries(id))[0]?.attempts).toHaveLength(count);
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

  it("leaves a receiver alone for as long as it asks", async () => {
    const { path, id } = await register();
    receiver.answer(path, (_request, response) => void response.writeHead(503, { "retry-after": "1800" }).end());
    await ping(id);
    const at = (await attempted(id))?.next_attempt_at;
    expect(Date.parse(at ?? "")).toBeGreaterThan(Date.now() + 25 * 60_000);
    await webhooks.call("DELETE", `/${id}`);
  });

  it("sends a message again that is asked for during its last attempt, whatever becomes of that", async () => {
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

  it("sends a message again when asked, under the same id, whatever became of it", async () => {
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

  it("disables a webhook whose receiver says 410, and cancels what waits for it", async () => {
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

  it("does not take the 410 of an address for that of the next", async () => {
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

  it("follows no redirect, and says so", async () => {
    const { path, id } = await register();
    receiver.answer(path, (_request, response) => void response.writeHead(302, { location: "/elsewhere" }).end());
    await ping(id);
    expect((await attempted(id))?.attempts[0]).toMatchObject({
      status: 302,
      error: expect.stringContaining("Redirects are not followed"),
    });
    expect(receiver.received.filter((message) => message.path === "/elsewhere")).toEqual([]);
  });

  it.each(Object.keys(NAMES))("connects to no private address: %s", async (name) => {
    const { webhook } = await webhooks.created({ url: `https://${name}/hook` });
    await ping(webhook.id);
    expect((await attempted(webhook.id))?.attempts[0]).toMatchObject({
      status: null,
      error: expect.stringContaining("private address"),
    });
    await webhooks.call("DELETE", `/${webhook.id}`);
  });

  it("says that nobody knows a name", async () => {
    const { webhook: unknown } = await webhooks.created({ url: "https://nowhere.example/hook" });
    await ping(unknown.id);
    expect((await attempted(unknown.id))?.attempts[0]?.error).toBe("The name of the host cannot be found.");
    await webhooks.call("DELETE", `/${unknown.id}`);
  });

  it("takes any answer for what its status says, however its body comes", async () => {
    const { path, id } = await register();
    receiver.answer(path, (_request, response) => {
      response.writeHead(200);
      const pour = () => {
        while (!response.destroyed && response.write("x".repeat(65_536)));
      };
      response.on("drain", pour);
      pour();
    });
    await ping(id);
    expect(await webhooks.delivery(id, "delivered")).toMatchObject({ attempts: [{ status: 200, error: null }] });
  });

  it("takes a receiver that wants to speak another protocol for one that did not take the message", async () => {
    const { path, id } = await register();
    receiver.answer(path, (_request, response) => {
      response.socket?.write("HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: x\r\n\r\n");
    });
    await ping(id);
    expect((await attempted(id))?.attempts[0]).toMatchObject({ status: 101, error: expect.stringContaining("101") });
    await webhooks.call("DELETE", `/${id}`);
  });

  it("signs with both secrets for a day after a rotation, then with the new one alone", async () => {
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

  it("cancels a message about what was deleted meanwhile", async () => {
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
    // Whatever is due is done in order: once this has come, the others would have.
    const witness = await register();
    await ping(witness.id);
    await webhooks.delivery(witness.id, "delivered");
    expect([stopped, deleted].map(({ path }) => receiver.count(path))).toEqual(before);
  });

  it("lets a receiver that never answers wait in lanes of its own", async () => {
    const [silent, lively] = [await register(), await register()];
    const held: ServerResponse[] = [];
    receiver.answer(silent.path, (_request, response) => void held.push(response));
    for (let count = 0; count < 15; count += 1) await ping(silent.id);
    await receiver.messages(silent.path, 2);
    await ping(lively.id);
    await webhooks.delivery(lively.id, "delivered");
    // All places of the process would have been taken otherwise.
    expect(receiver.peak(silent.path)).toBe(2);
    await webhooks.call("DELETE", `/${silent.id}`);
    for (const response of held) response.end();
  });
});

describe("an application with many receivers that never answer", () => {
  it("leaves room for others", async () => {
    await using receiver = await startReceiver();
    await using service = await startTestService({ settings: { ERRAND_ALLOW_HOSTS: receiver.host } });
    const [many, other] = [await service.connect(CONFIDENTIAL), await service.connect(CONFIDENTIAL)].map((connection) =>
      createWebhookApi(service.url, connection),
    );
    if (many === undefined || other === undefined) throw new Error("there is no application");
    const held: ServerResponse[] = [];
    for (let count = 0; count < 16; count += 1) {
      receiver.answer(`/silent-${count}`, (_request, response) => void held.push(response));
      const { webhook } = await many.created({ url: `${receiver.url}/silent-${count}` });
      await many.call("POST", `/${webhook.id}/ping`);
    }
    const { webhook } = await other.created({ url: `${receiver.url}/lively` });
    await using _worker = startDeliveries(service, { allowHosts: receiver.host });
    await vi.waitFor(() => expect(held).toHaveLength(4), PATIENCE);
    await other.call("POST", `/${webhook.id}/ping`);
    await other.delivery(webhook.id, "delivered");
    expect(held.filter((response) => !response.destroyed).length).toBeLessThanOrEqual(4);
    for (const response of held) response.destroy();
  });
});
