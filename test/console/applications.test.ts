import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ConsoleVisit, visitConsole } from "../_harness/console.ts";
import { authorizePath, basic, newVisitor, obtainCode, postForm, REDIRECT_URI } from "../_harness/oauth-flow.ts";
import { startTestService, type TestService } from "../_harness/service.ts";

const SETTINGS = {
  name: "Shop errands",
  redirect_uris: ["https://app.example/callback", "http://127.0.0.1/callback"],
  home_url: "https://shop.example/",
  sign_in_url: "https://shop.example/sign-in",
  signed_in_url: "https://shop.example/account",
  signed_in_text: "Sign out",
  signed_out_text: "Sign in",
  allowed_hosts: ["*.shop.example"],
  access: "read_only",
  approval: "commits",
  require_pkce: true,
  mcp_clients: true,
  stored_credentials: true,
  recipes: false,
};

describe("an owner's applications", () => {
  let service: TestService;
  let owner: ConsoleVisit;

  beforeAll(async () => {
    service = await startTestService();
    owner = await visitConsole(service, { credits: 100 });
  });
  afterAll(() => service[Symbol.asyncDispose]());

  async function create(body: object = {}) {
    const answer = await owner.post("/applications", { name: "Plain", type: "public", ...body });
    expect(answer.status, JSON.stringify(answer.body)).toBe(201);
    return answer.body;
  }

  const change = (id: string, body: unknown) => owner.call("PATCH", `/applications/${id}`, body);
  const remove = (id: string, name: unknown) => owner.call("DELETE", `/applications/${id}`, { name });
  const tokenAt = (id: string, secret: string) =>
    postForm(`${service.url}/v1/oauth/token`, { grant_type: "authorization_code" }, basic(id, secret));
  const isKnown = async (id: string, secret: string) => (await tokenAt(id, secret)).body.error !== "invalid_client";

  it("are created from the body, and a secret is shown once", async () => {
    const { application, client_secret } = await create({ ...SETTINGS, type: "confidential" });
    expect(application).toEqual({
      ...SETTINGS,
      id: expect.any(String),
      type: "confidential",
      secrets_created_at: [expect.any(String)],
      connections: 0,
      recent_executions: 0,
      created_at: expect.any(String),
    });
    expect(await isKnown(application.id, client_secret)).toBe(true);
    expect(await owner.get(`/applications/${application.id}`)).toMatchObject({ status: 200, body: { application } });
    const listed = (await owner.get("/applications")).body;
    expect(listed.applications).toContainEqual(application);
    expect(JSON.stringify(listed)).not.toContain(client_secret);
  });

  it("have default settings where the body has none, and no secret when they are public", async () => {
    const { application, client_secret } = await create({ name: "  Spaced out " });
    expect(client_secret).toBeNull();
    expect(application).toMatchObject({
      name: "Spaced out",
      redirect_uris: [],
      home_url: null,
      sign_in_url: null,
      allowed_hosts: [],
      access: "all",
      require_pkce: false,
      mcp_clients: false,
      stored_credentials: false,
      recipes: true,
      secrets_created_at: [],
    });
  });

  it("belong to their creator, who pays for their executions", async () => {
    const { application } = await create();
    const connection = await service.connect({ applicationId: application.id });
    const answer = await fetch(`${service.url}/v1/applications/${application.id}/executions`, {
      method: "POST",
      body: JSON.stringify({ prompt: "Say hello." }),
      headers: { authorization: `Bearer ${connection.token}`, "content-type": "application/json" },
    });
    expect(answer.status).toBe(201);
    const [{ balance }] = (await service.database.query<{ balance: string }>(
      "select balance from owners where user_id = $1",
      [owner.userId],
    )) as [{ balance: string }];
    expect(Number(balance)).toBeLessThan(100);
    expect((await owner.get(`/applications/${application.id}`)).body.application).toMatchObject({
      connections: 1,
      recent_executions: 1,
    });
  });

  it("count the executions of the last day, and none before", async () => {
    const { application } = await create();
    const { connectionId } = await service.connect({ applicationId: application.id });
    const uuidAt = (hoursAgo: number) => {
      const hex = (Date.now() - hoursAgo * 3_600_000).toString(16).padStart(12, "0");
      return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-${hex}`;
    };
    for (const hoursAgo of [1, 23, 25, 500]) {
      await service.database.query(
        "insert into executions (id, connection_id, prompt, credits) values ($1, $2, 'Look.', 0)",
        [uuidAt(hoursAgo), connectionId],
      );
    }
    expect((await owner.get(`/applications/${application.id}`)).body.application.recent_executions).toBe(2);
    await remove(application.id, application.name);
  });

  it("are changed only where the body says so", async () => {
    const { application } = await create({ ...SETTINGS, type: "confidential" });
    const changed = await change(application.id, {
      name: "Renamed",
      home_url: null,
      allowed_hosts: ["SHOP.example:8080"],
    });
    expect(changed).toMatchObject({
      status: 200,
      body: {
        application: { ...application, name: "Renamed", home_url: null, allowed_hosts: ["shop.example:8080"] },
      },
    });
    expect((await change(application.id, {})).body).toEqual(changed.body);
    expect((await owner.get(`/applications/${application.id}`)).body).toEqual(changed.body);
  });

  it("keep both of two concurrent changes", async () => {
    const { application } = await create();
    await Promise.all([
      change(application.id, { name: "Renamed" }),
      change(application.id, { require_pkce: true }),
      change(application.id, { home_url: "https://shop.example/" }),
    ]);
    expect((await owner.get(`/applications/${application.id}`)).body.application).toMatchObject({
      name: "Renamed",
      require_pkce: true,
      home_url: "https://shop.example/",
    });
  });

  it.each<[string, object, string[]]>([
    ["an empty name", { name: "  " }, ["name"]],
    ["a name that cannot be stored", { name: "a\0b" }, ["name"]],
    ["a redirect URI without TLS", { redirect_uris: ["http://app.example/"] }, ["redirect_uris"]],
    ["a home page that is a script", { home_url: "javascript:alert(1)" }, ["home_url"]],
    ["a home page with a password", { home_url: "https://ann:pass@shop.example/" }, ["home_url"]],
    ["a sign-in page with a user name", { sign_in_url: "https://ann@shop.example/" }, ["sign_in_url"]],
    ["an invalid host", { allowed_hosts: ["https://shop.example/"] }, ["allowed_hosts"]],
    ["an empty signed-in text", { signed_in_text: " " }, ["signed_in_text"]],
    ["several mistakes at once", { name: "", sign_in_url: "ftp://shop.example" }, ["name", "sign_in_url"]],
    ["an unknown access", { access: "write" }, ["access"]],
    ["an unknown field", { owner_id: "me" }, ["owner_id"]],
  ])("are neither created nor changed with %s", async (_what, mistake, paths) => {
    const { application } = await create();
    const count = (await owner.get("/applications")).body.applications.length;
    for (const answer of [
      await owner.post("/applications", { name: "Wrong", type: "public", ...mistake }),
      await change(application.id, mistake),
    ]) {
      expect(answer).toMatchObject({ status: 400, body: { error: { code: "INVALID_REQUEST" } } });
      const named = answer.body.error.details.map(({ path }: { path: string }) => path);
      expect([...new Set(named)]).toEqual(paths);
    }
    expect((await owner.get("/applications")).body.applications).toHaveLength(count);
    expect((await owner.get(`/applications/${application.id}`)).body.application).toEqual(application);
  });

  it("stay public or confidential forever", async () => {
    const { application } = await create();
    const answer = await change(application.id, { type: "confidential" });
    expect(answer).toMatchObject({ status: 400, body: { error: { details: [{ path: "type" }] } } });
  });

  it("have two valid secrets after a rotation, and the older one goes with the next or on request", async () => {
    const { application, client_secret: first } = await create({ type: "confidential" });
    const rotate = async () => {
      const answer = await owner.post(`/applications/${application.id}/secrets`);
      expect(answer.status).toBe(201);
      return answer.body.client_secret as string;
    };
    const valid = async (secrets: string[]) => {
      const known = await Promise.all(secrets.map((secret) => isKnown(application.id, secret)));
      return secrets.filter((_, index) => known[index]);
    };
    const second = await rotate();
    expect(await valid([first, second])).toEqual([first, second]);
    const third = await rotate();
    expect(await valid([first, second, third])).toEqual([second, third]);
    const [newest, older] = (await owner.get(`/applications/${application.id}`)).body.application.secrets_created_at;
    expect(Date.parse(newest)).toBeGreaterThan(Date.parse(older));
    for (const _time of [1, 2]) {
      expect((await owner.call("DELETE", `/applications/${application.id}/secrets/old`)).status).toBe(204);
      expect(await valid([first, second, third])).toEqual([third]);
    }
  });

  it("have no secret when they are public", async () => {
    const { application } = await create();
    expect((await owner.post(`/applications/${application.id}/secrets`)).status).toBe(400);
    expect((await owner.call("DELETE", `/applications/${application.id}/secrets/old`)).status).toBe(400);
  });

  it("need new consent before they may do more than their users consented to", async () => {
    const { application } = await create({ access: "read_only" });
    const [connection, other] = [await service.connect({ applicationId: application.id }), await service.connect()];
    const stateOf = async ({ connectionId }: { connectionId: string }) =>
      (
        await service.database.query<{ state: string }>("select state from connections where id = $1", [connectionId])
      )[0]?.state;
    await change(application.id, { access: "read_only", name: "Still looking" });
    expect(await stateOf(connection)).toBe("ACTIVE");
    await change(application.id, { access: "all" });
    expect(await stateOf(connection)).toBe("REAUTHORIZATION_REQUIRED");
    expect(await stateOf(other)).toBe("ACTIVE");
  });

  it("are not deleted unless their name is typed", async () => {
    const { application } = await create({ name: "Precious" });
    for (const name of ["precious", "", "Precious one"]) {
      expect(await remove(application.id, name)).toMatchObject({
        status: 400,
        body: { error: { details: [{ path: "name" }] } },
      });
    }
    expect((await owner.call("DELETE", `/applications/${application.id}`)).status).toBe(400);
    expect((await owner.get(`/applications/${application.id}`)).status).toBe(200);
  });

  it("are gone everywhere once they are deleted", async () => {
    const { application, client_secret } = await create({
      name: "Passing",
      type: "confidential",
      redirect_uris: [REDIRECT_URI],
    });
    const person = await newVisitor(service);
    const code = await obtainCode(person, application.id);
    const { token } = await service.connect({ applicationId: application.id });
    const executions = () =>
      fetch(`${service.url}/v1/applications/${application.id}/executions`, {
        headers: { authorization: `Bearer ${token}` },
      });
    expect((await executions()).status).toBe(200);

    expect((await remove(application.id, " Passing ")).status).toBe(204);

    expect((await executions()).status).toBe(401);
    const exchange = { grant_type: "authorization_code", code, redirect_uri: REDIRECT_URI };
    const exchanged = await postForm(`${service.url}/v1/oauth/token`, exchange, basic(application.id, client_secret));
    expect([exchanged.status, exchanged.body.error]).toEqual([401, "invalid_client"]);
    expect((await person.get(authorizePath(application.id))).status).toBe(400);
    for (const answer of [
      await owner.get(`/applications/${application.id}`),
      await owner.get(`/applications/${application.id}/connections`),
      await change(application.id, { name: "Back" }),
      await remove(application.id, "Passing"),
    ]) {
      expect(answer.status).toBe(404);
    }
    const { applications } = (await owner.get("/applications")).body;
    expect(applications.map(({ id }: { id: string }) => id)).not.toContain(application.id);
    expect((await service.operations.applications.list()).map(({ id }) => id)).not.toContain(application.id);
  });
});
