import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectContract } from "../_harness/api.ts";
import { visitConsole } from "../_harness/console.ts";
import { type Party, registerFor, startParty } from "../_harness/console-world.ts";
import { startTestService, type TestService } from "../_harness/service.ts";

const HOOK = { url: "https://app.example.com/hook" };

describe("an owner's API key", () => {
  let service: TestService;
  let ann: Party;
  let ben: Party;
  let annKey: string;

  beforeAll(async () => {
    service = await startTestService({ settings: { ERRAND_LOG_LEVEL: "trace" } });
    ann = await startParty(service, "Larder", 40);
    ben = await startParty(service, "Pantry", 7);
    annKey = (await createKey(ann)).secret;
  });
  afterAll(() => service[Symbol.asyncDispose]());

  async function createKey({ owner }: Party, body: object = {}) {
    const answer = await owner.post("/keys", { name: "Deploy script", scope: "manage", application_id: null, ...body });
    expect(answer.status, JSON.stringify(answer.body)).toBe(201);
    return answer.body as { key: { id: string; last_used_at: string | null }; secret: string };
  }

  /** Every response is checked against the OpenAPI document. */
  async function call(key: string, method: string, path: string, body?: object) {
    const response = await fetch(service.url + path, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const parsed = text === "" ? null : JSON.parse(text);
    const template = path
      .replace(/^(\/v1\/applications)\/[^/]+/, "$1/{applicationId}")
      .replace(/\/webhooks\/[^/]+/, "/webhooks/{webhookId}")
      .replace(/\?.*$/, "")
      .replace(/\/executions\/[^/]+/, "/executions/{executionId}");
    expectContract(template, method, response.status, parsed);
    return { status: response.status, headers: response.headers, body: parsed, code: parsed?.error?.code };
  }

  const pathOf = ({ connection }: Party, rest: string) => `/v1/applications/${connection.applicationId}${rest}`;

  it("manages the webhooks of a public application", async () => {
    const created = await call(annKey, "POST", pathOf(ann, "/webhooks"), HOOK);
    expect([created.status, created.body.secret]).toEqual([201, expect.stringMatching(/^whsec_/)]);
    const { id } = created.body.webhook;
    expect((await call(annKey, "GET", pathOf(ann, "/webhooks"))).body.webhooks).toMatchObject([{ id, url: HOOK.url }]);
    const changed = await call(annKey, "PATCH", pathOf(ann, `/webhooks/${id}`), { enabled: false });
    expect(changed.body.webhook).toMatchObject({ id, enabled: false });
    expect((await call(annKey, "DELETE", pathOf(ann, `/webhooks/${id}`))).status).toBe(204);
  });

  it("lists the application's connections and reads the owner's balance", async () => {
    const { connection, user } = ann;
    const page = await call(annKey, "GET", pathOf(ann, "/connections?limit=1"));
    expect(page.body).toEqual({
      connections: [
        {
          id: connection.connectionId,
          user_id: user.userId,
          user_email: user.email,
          state: "ACTIVE",
          signed_in_at: null,
          last_execution: null,
          created_at: expect.any(String),
        },
      ],
      has_more: false,
    });
    const search = (text: string) => call(annKey, "GET", pathOf(ann, `/connections?user_email=${text}`));
    expect((await search(encodeURIComponent(user.email))).body.connections).toHaveLength(1);
    expect((await search("nobody")).body.connections).toEqual([]);
    expect((await call(annKey, "GET", pathOf(ann, `/connections?after=${randomUUID()}`))).code).toBe("INVALID_CURSOR");
    expect((await call(annKey, "GET", pathOf(ann, "/balance"))).body).toEqual({
      balance: { credits: 40, execution_credits: 1 },
    });
  });

  it.each(["/webhooks", "/connections", "/balance"])(
    "does not reach another owner's application (%s)",
    async (rest) => {
      const others = await call(annKey, "GET", pathOf(ben, rest));
      const unknown = await call(annKey, "GET", `/v1/applications/${randomUUID()}${rest}`);
      expect([others.status, others.code, unknown.body.error.message]).toEqual([
        404,
        "NOT_FOUND",
        others.body.error.message,
      ]);
    },
  );

  it("changes nothing of another owner's application", async () => {
    const { secret } = await createKey(ben);
    const { body } = await call(secret, "POST", pathOf(ben, "/webhooks"), HOOK);
    const path = `/webhooks/${body.webhook.id}`;
    expect((await call(annKey, "POST", pathOf(ben, "/webhooks"), HOOK)).code).toBe("NOT_FOUND");
    expect((await call(annKey, "DELETE", pathOf(ben, path))).code).toBe("NOT_FOUND");
    // Not through one's own application either.
    expect((await call(annKey, "DELETE", pathOf(ann, path))).code).toBe("NOT_FOUND");
    expect((await call(secret, "GET", pathOf(ben, path))).body.webhook).toMatchObject({ enabled: true });
  });

  it("can be limited to one application", async () => {
    const second = await registerFor(service, ann.owner, "Cellar");
    const { secret } = await createKey(ann, { application_id: second });
    expect((await call(secret, "GET", `/v1/applications/${second}/balance`)).status).toBe(200);
    expect((await call(secret, "GET", pathOf(ann, "/balance"))).code).toBe("NOT_FOUND");
    expect((await call(annKey, "GET", `/v1/applications/${second}/balance`)).status).toBe(200);
    const refused = await ann.owner.post("/keys", {
      name: "x",
      scope: "read",
      application_id: ben.connection.applicationId,
    });
    expect([refused.status, refused.body.error.details[0].path]).toEqual([400, "application_id"]);
  });

  it("can be limited to reading", async () => {
    const { secret } = await createKey(ann, { scope: "read" });
    expect((await call(secret, "GET", pathOf(ann, "/webhooks"))).status).toBe(200);
    const refused = await call(secret, "POST", pathOf(ann, "/webhooks"), HOOK);
    expect([refused.status, refused.code]).toEqual([403, "FORBIDDEN"]);
    expect(refused.headers.get("www-authenticate")).toContain('error="insufficient_scope"');
    expect((await call(secret, "GET", pathOf(ann, "/webhooks"))).body.webhooks).toEqual([]);
  });

  it("is never valid for executions, and a connection's token never for an application", async () => {
    const { connection } = ann;
    const api = (method: string, path: string, body?: object) => call(annKey, method, pathOf(ann, path), body);
    expect((await api("GET", "/executions")).status).toBe(401);
    expect((await api("POST", "/executions", { prompt: "x" })).status).toBe(401);
    expect((await api("GET", `/executions/${randomUUID()}`)).status).toBe(401);
    expect((await call(annKey, "GET", "/v1/connection")).status).toBe(401);
    for (const rest of ["/webhooks", "/connections", "/balance"]) {
      const answer = await call(connection.token, "GET", pathOf(ann, rest));
      expect([answer.status, answer.headers.get("www-authenticate")]).toEqual([
        401,
        'Bearer realm="errand", error="invalid_token"',
      ]);
    }
  });

  it("works until it is revoked, which only its owner can do", async () => {
    const { key, secret } = await createKey(ann, { name: "  Nightly  " });
    expect(key).toMatchObject({ name: "Nightly", scope: "manage", application: null, last_used_at: null });
    expect((await call(secret, "GET", pathOf(ann, "/balance"))).status).toBe(200);
    const list = async () => (await ann.owner.get("/keys")).body.keys as { id: string; last_used_at: string | null }[];
    expect((await list()).find(({ id }) => id === key.id)?.last_used_at).toEqual(expect.any(String));
    expect((await ben.owner.call("DELETE", `/keys/${key.id}`)).status).toBe(404);
    expect((await ben.owner.get("/keys")).body.keys).not.toContainEqual(expect.objectContaining({ id: key.id }));
    expect((await call(secret, "GET", pathOf(ann, "/balance"))).status).toBe(200);
    expect((await ann.owner.call("DELETE", `/keys/${key.id}`)).status).toBe(204);
    expect((await call(secret, "GET", pathOf(ann, "/balance"))).status).toBe(401);
    expect((await ann.owner.call("DELETE", `/keys/${key.id}`)).status).toBe(404);
  });

  it("ends with its application", async () => {
    const applicationId = await registerFor(service, ben.owner, "Shed");
    const { secret, key } = await createKey(ben, { application_id: applicationId });
    expect((await ben.owner.call("DELETE", `/applications/${applicationId}`, { name: "Shed" })).status).toBeLessThan(
      300,
    );
    expect((await call(secret, "GET", pathOf(ben, "/balance"))).status).toBe(401);
    expect((await ben.owner.get("/keys")).body.keys).not.toContainEqual(expect.objectContaining({ id: key.id }));
  });

  it("is only for owners", async () => {
    const visitor = await visitConsole(service);
    expect((await visitor.get("/keys")).status).toBe(403);
    expect((await visitor.post("/keys", { name: "x", scope: "read", application_id: null })).status).toBe(403);
  });

  it.each([
    ["without a name", { name: "   " }, "name"],
    ["with a name that is too long", { name: "x".repeat(101) }, "name"],
    ["with an unknown scope", { scope: "everything" }, "scope"],
    ["for something that is not an application", { application_id: "x" }, "application_id"],
  ])("is not created %s", async (_name, change, path) => {
    const { status, body } = await ann.owner.post("/keys", {
      name: "x",
      scope: "read",
      application_id: null,
      ...change,
    });
    expect([status, body.error.details[0].path]).toEqual([400, path]);
  });

  it("has a recognisable prefix and check digits, and stands in clear nowhere", async () => {
    expect(annKey).toMatch(/^errand_ok_[0-9A-Za-z]{49}$/);
    const mistyped = annKey.slice(0, -1) + (annKey.endsWith("a") ? "b" : "a");
    expect((await call(mistyped, "GET", pathOf(ann, "/balance"))).status).toBe(401);
    const tables = await service.database.query<{ name: string }>(
      "select tablename as name from pg_tables where schemaname = 'public'",
    );
    expect(tables.map(({ name }) => name)).toContain("owner_keys");
    for (const { name } of tables) {
      const sql = `select t::text from ${name} t where position($1 in t::text) > 0`;
      expect(await service.database.query(sql, [annKey]), name).toEqual([]);
    }
    expect(service.log.filter((line) => line.includes(annKey))).toEqual([]);
    expect(JSON.stringify((await ann.owner.get("/keys")).body)).not.toContain("errand_ok_");
  });
});
