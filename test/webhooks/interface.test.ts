import { randomUUID } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createApi } from "../_harness/api.ts";
import { visitConsole } from "../_harness/console.ts";
import { registerFor } from "../_harness/console-world.ts";
import { errandJson, runErrand } from "../_harness/errand.ts";
import { startTestService, type TestConnection, type TestService } from "../_harness/service.ts";
import {
  createWebhookApi,
  PATIENCE,
  type Receiver,
  startDeliveries,
  startReceiver,
  type WebhookApi,
} from "../_harness/webhooks.ts";

const CONFIDENTIAL = { registration: { type: "confidential" as const } };
const FINE = { url: "https://app.example.com/hook" };
const LONG = `https://app.example.com/${"x".repeat(2_048)}`;

describe("managing webhooks", () => {
  let disposables: AsyncDisposableStack;
  let receiver: Receiver;
  let service: TestService;
  let deliveryLog: string[];
  let connection: TestConnection;
  let webhooks: WebhookApi;
  const secrets: string[] = [];

  beforeAll(async () => {
    disposables = new AsyncDisposableStack();
    receiver = disposables.use(await startReceiver());
    service = disposables.use(await startTestService({ settings: { ERRAND_ALLOW_HOSTS: receiver.host } }));
    deliveryLog = disposables.use(startDeliveries(service, { allowHosts: receiver.host })).log;
    connection = await service.connect(CONFIDENTIAL);
    webhooks = createWebhookApi(service.url, connection);
  });
  afterAll(() => disposables.disposeAsync());

  describe("over HTTP", () => {
    it("creates, lists, shows, changes and deletes one", async () => {
      const { webhook, secret } = await webhooks.created({ ...FINE, events: ["credits.low"] });
      secrets.push(secret);
      expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
      expect(webhook).toEqual({
        id: expect.any(String),
        url: FINE.url,
        description: null,
        events: ["credits.low"],
        enabled: true,
        disabled: null,
        previous_secret_until: null,
        created_at: expect.any(String),
      });
      expect((await webhooks.call("GET", "")).body.webhooks).toEqual([webhook]);
      expect((await webhooks.call("GET", `/${webhook.id}`)).body).toEqual({ webhook });
      const changes = { url: "https://app.example.com/other", events: null, description: "Orders", enabled: false };
      expect((await webhooks.call("PATCH", `/${webhook.id}`, changes)).body.webhook).toMatchObject({
        ...changes,
        disabled: { reason: "by_hand" },
      });
      expect((await webhooks.call("PATCH", `/${webhook.id}`, {})).body.webhook).toMatchObject(changes);
      expect((await webhooks.call("DELETE", `/${webhook.id}`)).status).toBe(204);
      expect((await webhooks.call("GET", "")).body.webhooks).toEqual([]);
    });

    it.each([
      ["no URL", {}, "url"],
      ["an unknown field", { ...FINE, secret: "mine" }, "secret"],
      ["an unknown event", { ...FINE, events: ["execution.exploded"] }, "events.0"],
      ["a ping, which cannot be subscribed to", { ...FINE, events: ["ping"] }, "events.0"],
      ["no events", { ...FINE, events: [] }, "events"],
      ["the same event twice", { ...FINE, events: ["credits.low", "credits.low"] }, "events"],
      ["a description that is too long", { ...FINE, description: "x".repeat(201) }, "description"],
      ["a description that cannot be stored", { ...FINE, description: "a\0b" }, "description"],
      ["a URL that is too long", { url: LONG }, "url"],
      ["a URL that is a number", { url: 7 }, "url"],
      ["an invalid URL", { url: "somewhere nice" }, "url"],
      ["plain http", { url: "http://app.example.com/hook" }, "url"],
      ["another scheme", { url: "ftp://app.example.com/hook" }, "url"],
      ["a script", { url: "javascript:alert(1)" }, "url"],
      ["credentials in the URL", { url: "https://ann:secret@app.example.com/hook" }, "url"],
      ["a fragment", { url: "https://app.example.com/hook#part" }, "url"],
      ["this machine by name", { url: "https://localhost/hook" }, "url"],
      ["this machine by address", { url: "https://127.0.0.1/hook" }, "url"],
      ["an obfuscated loopback address", { url: "https://2130706433/hook" }, "url"],
      ["this machine in IPv6", { url: "https://[::ffff:127.0.0.1]/hook" }, "url"],
      ["a URL without a host", { url: "https:///hook" }, "url"],
      ["a URL without slashes", { url: "https:app.example.com" }, "url"],
      ["an encoded host", { url: "https://app.%65xample.com/hook" }, "url"],
      ["a URL that is too long once it is normalized", { url: `https://app.example.com/${"ü".repeat(500)}` }, "url"],
      ["a private address", { url: "https://192.168.1.1/hook" }, "url"],
      ["the cloud's metadata service", { url: "https://169.254.169.254/latest" }, "url"],
    ])("rejects %s, and names the field", async (_, body, path) => {
      const answer = await webhooks.call("POST", "", body);
      expect(answer).toMatchObject({ status: 400, body: { error: { code: "INVALID_REQUEST" } } });
      expect(answer.body.error.details.map((detail: { path: string }) => detail.path)).toContain(path);
      expect(JSON.stringify(answer.body)).not.toContain("ann:secret");
    });

    it("stores a URL in normalized form", async () => {
      const { webhook } = await webhooks.created({ url: "HTTPS://App.Example.com:443/a/../hook" });
      expect(webhook.url).toBe("https://app.example.com/hook");
      const url = "https://BÜCHER.example";
      expect((await webhooks.call("PATCH", `/${webhook.id}`, { url })).body.webhook.url).toBe(
        "https://xn--bcher-kva.example/",
      );
      await webhooks.call("DELETE", `/${webhook.id}`);
    });

    it("sends sixty pings per minute for an application", async () => {
      const keen = createWebhookApi(service.url, await service.connect(CONFIDENTIAL));
      const { webhook } = await keen.created({ url: `${receiver.url}/keen` });
      await service.database.query(
        "insert into webhook_deliveries (endpoint_id, type, state, next_attempt_at, finished_at) select $1, 'ping', 'delivered', null, now() from generate_series(1, 60)",
        [webhook.id],
      );
      const { status, headers } = await keen.call("POST", `/${webhook.id}/ping`);
      expect({ status, retryAfter: headers.get("retry-after") }).toEqual({ status: 429, retryAfter: "60" });
    });

    it.each(["{", "[]", '"text"', "null"])("rejects a body that is not an object: %s", async (body) => {
      expect(await webhooks.call("POST", "", body)).toMatchObject({ status: 400 });
    });

    it("limits an application to twenty, however many are created at once", async () => {
      const crowded = createWebhookApi(service.url, await service.connect(CONFIDENTIAL));
      const answers = await Promise.all(Array.from({ length: 23 }, () => crowded.call("POST", "", FINE)));
      expect(answers.map(({ status }) => status).toSorted()).toEqual([...Array(20).fill(201), ...Array(3).fill(400)]);
    });

    it("requires the application's own credentials", async () => {
      const as = (authorization: string) => webhooks.call("GET", "", undefined, { authorization });
      const basic = (id: string, secret: string) => `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}`;
      for (const authorization of [
        basic(connection.applicationId, "errand_cs_wrong"),
        basic(randomUUID(), connection.clientSecret ?? ""),
        `Bearer ${connection.token}`,
        "Basic !",
        "",
      ]) {
        const { status, headers, body } = await as(authorization);
        expect({ status, code: body.error.code }).toEqual({ status: 401, code: "UNAUTHENTICATED" });
        expect(headers.get("www-authenticate")).toContain(authorization.startsWith("Bearer ") ? "Bearer" : "Basic");
      }
      const other = await service.connect(CONFIDENTIAL);
      expect(await as(basic(other.applicationId, other.clientSecret ?? ""))).toMatchObject({
        status: 403,
        body: { error: { code: "APPLICATION_MISMATCH" } },
      });
      const open = createWebhookApi(service.url, await service.connect());
      const refused = await open.call("POST", "", FINE);
      expect(refused).toMatchObject({ status: 403, body: { error: { code: "FORBIDDEN" } } });
      expect(refused.body.error.message).toContain("API key");
    });

    it("gives no access to another application's webhooks or deliveries", async () => {
      const mine = await webhooks.created({ url: `${receiver.url}/mine` });
      secrets.push(mine.secret);
      const other = createWebhookApi(service.url, await service.connect(CONFIDENTIAL));
      const own = await other.created({ url: `${receiver.url}/own` });
      await webhooks.call("POST", `/${mine.webhook.id}/ping`);
      const { id: deliveryId } = await webhooks.delivery(mine.webhook.id, "delivered");
      const at = `/${mine.webhook.id}`;
      for (const [method, path, body] of [
        ["GET", at],
        ["PATCH", at, { url: "https://evil.example/" }],
        ["DELETE", at],
        ["POST", `${at}/rotate-secret`],
        ["POST", `${at}/ping`],
        ["GET", `${at}/deliveries`],
        ["POST", `${at}/deliveries/${deliveryId}/resend`],
        ["POST", `/${own.webhook.id}/deliveries/${deliveryId}/resend`],
        ["GET", `/${randomUUID()}`],
        ["GET", "/not-an-id"],
        ["GET", "/%00"],
      ] as const) {
        expect((await other.call(method, path, body)).status, `${method} ${path}`).toBe(404);
      }
      expect((await other.call("GET", "")).body.webhooks).toEqual([own.webhook]);
      expect(await other.call("GET", `/${own.webhook.id}/deliveries?after=${deliveryId}`)).toMatchObject({
        status: 400,
        body: { error: { code: "INVALID_CURSOR" } },
      });
      expect((await webhooks.call("GET", at)).body.webhook).toEqual(mine.webhook);
      expect(receiver.count("/mine")).toBe(1);
    });

    it("pages through the delivery log, newest first", async () => {
      const { webhook } = await webhooks.created({ url: `${receiver.url}/pages` });
      const made: string[] = [];
      for (let count = 0; count < 5; count += 1) {
        made.unshift((await webhooks.call("POST", `/${webhook.id}/ping`)).body.delivery.id);
      }
      const seen: string[] = [];
      for (let after = ""; ; ) {
        const { body } = await webhooks.call("GET", `/${webhook.id}/deliveries?limit=2${after}`);
        seen.push(...body.deliveries.map(({ id }: { id: string }) => id));
        if (!body.has_more) break;
        after = `&after=${seen.at(-1)}`;
      }
      expect(seen).toEqual(made);
      for (const query of ["limit=0", "limit=101", "limit=x", "after=msg_1", "after=%00", "before=1"]) {
        expect((await webhooks.call("GET", `/${webhook.id}/deliveries?${query}`)).status, query).toBe(400);
      }
    });
  });

  it("in the console, for the application's owner only", async () => {
    const owner = await visitConsole(service, { credits: 100 });
    const stranger = await visitConsole(service, { credits: 100 });
    const base = `/applications/${await registerFor(service, owner, "Shop")}/webhooks`;
    const { status, body } = await owner.post(base, { url: `${receiver.url}/console` });
    expect(status).toBe(201);
    secrets.push(body.secret);
    const at = `${base}/${body.webhook.id}`;
    const { body: pinged } = await owner.post(`${at}/ping`);
    await vi.waitFor(async () => {
      expect((await owner.get(`${at}/deliveries`)).body.deliveries).toMatchObject([
        { state: "delivered", type: "ping" },
      ]);
    }, PATIENCE);
    expect((await owner.post(`${at}/deliveries/${pinged.delivery.id}/resend`)).status).toBe(202);
    expect((await owner.get(base)).body).toEqual({ webhooks: [body.webhook] });
    for (const [method, path, sent] of [
      ["GET", base],
      ["POST", base, FINE],
      ["GET", at],
      ["PATCH", at, { enabled: false }],
      ["DELETE", at],
      ["POST", `${at}/rotate-secret`],
      ["POST", `${at}/ping`],
      ["GET", `${at}/deliveries`],
      ["POST", `${at}/deliveries/${pinged.delivery.id}/resend`],
    ] as const) {
      expect((await stranger.call(method, path, sent)).status, `${method} ${path}`).toBe(404);
    }
    expect((await owner.call("PATCH", at, { enabled: false }, { origin: "https://evil.example" })).status).toBe(403);
    expect((await owner.post(`${at}/rotate-secret`)).body.secret).toMatch(/^whsec_/);
    expect((await owner.call("DELETE", at)).status).toBe(204);
  });

  it("on the command line, also for a public application", async () => {
    const open = await service.connect();
    const env = {
      DATABASE_URL: service.database.url,
      ERRAND_DATA_DIR: service.dataDir,
      ERRAND_ALLOW_HOSTS: receiver.host,
    };
    const run = <Result>(...args: string[]) => errandJson<Result>(["webhook", ...args], env);
    const { webhook, secret } = await run<{ webhook: { id: string; events: string[] }; secret: string }>(
      ...["create", "--application", open.applicationId, "--url", `${receiver.url}/cli`, "--event", "execution.failed"],
    );
    secrets.push(secret);
    expect(webhook.events).toEqual(["execution.failed"]);
    const api = createApi(service.url, open);
    await api.cancel((await api.created()).id);
    const [message] = await receiver.messages("/cli", 1);
    expect(new Webhook(secret).verify(message?.body ?? "", message?.headers ?? {})).toMatchObject({
      type: "execution.failed",
    });
    const one = ["--webhook", webhook.id];
    const { deliveries } = await run<{ deliveries: { id: string }[] }>("deliveries", ...one);
    const [{ secret: next }] = await Promise.all([
      run<{ secret: string }>("rotate-secret", ...one),
      run("resend", ...one, "--delivery", deliveries[0]?.id ?? ""),
      run("ping", ...one),
    ]);
    secrets.push(next);
    await receiver.messages("/cli", 3);
    await run("disable", ...one);
    const [listed, refused] = await Promise.all([
      run("list", "--application", open.applicationId),
      runErrand(["webhook", "ping", ...one], env),
    ]);
    expect(listed).toMatchObject({
      webhooks: [{ id: webhook.id, enabled: false, previous_secret_until: expect.any(String) }],
    });
    expect(refused.stderr).toContain("disabled");
    expect(await run("enable", ...one)).toMatchObject({ webhook: { enabled: true } });
    expect(await run("delete", ...one)).toEqual({ deleted: true });
  });

  it("protects the secrets: not in plain text in the database, the jobs or the log, and re-encrypted when keys rotate", async () => {
    const kept = await webhooks.created({ url: `${receiver.url}/kept` });
    secrets.push(kept.secret);
    const tables = await service.database.query<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables
       where schemaname in ('public', 'graphile_worker')`,
    );
    const dumps = await Promise.all(
      tables.map(({ name }) => service.database.query<{ row: string }>(`select t::text as row from ${name} as t`)),
    );
    const everything = [...dumps.flat().map(({ row }) => row), ...service.log, ...deliveryLog].join("\n");
    expect(everything).toContain("/kept");
    for (const secret of secrets) {
      const bytes = Buffer.from(secret.slice("whsec_".length), "base64");
      for (const form of [secret.slice("whsec_".length), bytes.toString("hex")]) expect(everything).not.toContain(form);
    }
    const env = { DATABASE_URL: service.database.url, ERRAND_DATA_DIR: service.dataDir };
    const sealed = await service.database.query("select id from webhook_endpoints");
    expect(await errandJson(["key", "rotate"], env)).toMatchObject({
      webhook_secrets: sealed.length,
      unreadable: [],
    });
    const { keys } = await errandJson<{ keys: { webhook_secrets: number }[] }>(["key", "list"], env);
    expect(keys.map((key) => key.webhook_secrets)).toEqual([sealed.length, 0]);
    await webhooks.call("POST", `/${kept.webhook.id}/ping`);
    const [message] = await receiver.messages("/kept", 1);
    expect(new Webhook(kept.secret).verify(message?.body ?? "", message?.headers ?? {})).toMatchObject({
      type: "ping",
    });
  });
});
