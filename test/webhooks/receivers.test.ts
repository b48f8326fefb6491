import type { ServerResponse } from "node:http";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { startTestService } from "../_harness/service.ts";
import { CONFIDENTIAL, nobodyKnows, setWebhookStage, type WebhookStage } from "../_harness/webhook-stage.ts";
import {
  createWebhookApi,
  PATIENCE,
  type Receiver,
  startDeliveries,
  startReceiver,
  type WebhookApi,
} from "../_harness/webhooks.ts";

/** Host names of a hostile owner, and what they resolve to. */
const NAMES: Record<string, string[]> = {
  "loopback.example": ["127.0.0.1"],
  "loopback-six.example": ["::1"],
  "mapped.example": ["::ffff:127.0.0.1"],
  "inner.example": ["10.1.2.3"],
  "metadata.example": ["169.254.169.254"],
  "mixed.example": ["192.0.43.8", "127.0.0.1"],
};

describe("a receiver of webhook messages", () => {
  let stage: WebhookStage;
  let receiver: Receiver;
  let webhooks: WebhookApi;

  beforeAll(async () => {
    stage = await setWebhookStage(async (name, signal) => NAMES[name] ?? nobodyKnows(name, signal));
    ({ receiver, webhooks } = stage);
  });
  afterAll(() => stage[Symbol.asyncDispose]());

  const register = (events?: string[]) => stage.register(events);
  const ping = (id: string) => stage.ping(id);
  const attempted = (id: string) => stage.attempted(id);

  it("is not followed to a redirect, and the log says so", async () => {
    const { path, id } = await register();
    receiver.answer(path, (_request, response) => void response.writeHead(302, { location: "/elsewhere" }).end());
    await ping(id);
    expect((await attempted(id))?.attempts[0]).toMatchObject({
      status: 302,
      error: expect.stringContaining("Redirects are not followed"),
    });
    expect(receiver.received.filter((message) => message.path === "/elsewhere")).toEqual([]);
  });

  it.each(Object.keys(NAMES))("is never at a private network address: %s", async (name) => {
    const { webhook } = await webhooks.created({ url: `https://${name}/hook` });
    await ping(webhook.id);
    expect((await attempted(webhook.id))?.attempts[0]).toMatchObject({
      status: null,
      error: expect.stringContaining("private network address"),
    });
    await webhooks.call("DELETE", `/${webhook.id}`);
  });

  it("reports an unknown host name", async () => {
    const { webhook: unknown } = await webhooks.created({ url: "https://nowhere.example/hook" });
    await ping(unknown.id);
    expect((await attempted(unknown.id))?.attempts[0]?.error).toBe("The host name was not found.");
    await webhooks.call("DELETE", `/${unknown.id}`);
  });

  it("counts by the status of its response, whatever the body", async () => {
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

  it("counts as failed when it upgrades to another protocol", async () => {
    const { path, id } = await register();
    receiver.answer(path, (_request, response) => {
      response.socket?.write("HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: x\r\n\r\n");
    });
    await ping(id);
    expect((await attempted(id))?.attempts[0]).toMatchObject({ status: 101, error: expect.stringContaining("101") });
    await webhooks.call("DELETE", `/${id}`);
  });

  it("that never responds does not delay others", async () => {
    const [silent, lively] = [await register(), await register()];
    const held: ServerResponse[] = [];
    receiver.answer(silent.path, (_request, response) => void held.push(response));
    for (let count = 0; count < 15; count += 1) await ping(silent.id);
    await receiver.messages(silent.path, 2);
    await ping(lively.id);
    await webhooks.delivery(lively.id, "delivered");
    // Otherwise all slots of the process would be taken.
    expect(receiver.peak(silent.path)).toBe(2);
    await webhooks.call("DELETE", `/${silent.id}`);
    for (const response of held) response.end();
  });
});

describe("an application with many receivers that never respond", () => {
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
