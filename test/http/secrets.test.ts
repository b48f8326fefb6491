import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createApi } from "../_harness/api.ts";
import {
  basic,
  newEmail,
  obtainCode,
  PASSWORD,
  postForm,
  REDIRECT_URI,
  registerClient,
  Visitor,
} from "../_harness/oauth-flow.ts";
import { startTestService, type TestService } from "../_harness/service.ts";

describe("a secret", () => {
  let service: TestService;
  const secrets: Record<string, string> = {};
  let sessionCookie: string;

  beforeAll(async () => {
    service = await startTestService({ settings: { ERRAND_LOG_LEVEL: "trace" } });
    const client = await registerClient(service, { type: "confidential", redirectUris: [REDIRECT_URI] });
    const visitor = new Visitor(service.url);
    await visitor.signUp(newEmail());
    const code = await obtainCode(visitor, client.id, { state: "open-state" });
    const { body } = await postForm(
      `${service.url}/v1/oauth/token`,
      { grant_type: "authorization_code", code, redirect_uri: REDIRECT_URI },
      basic(client.id, client.secret ?? ""),
    );
    await createApi(service.url, { applicationId: client.id, token: body.access_token }).created();
    // Invalid ones as well: they must not be logged either.
    await createApi(service.url, { applicationId: client.id, token: `${body.access_token}x` }).list();
    await postForm(
      `${service.url}/v1/oauth/token`,
      { grant_type: "authorization_code", code, redirect_uri: "https://x.example/" },
      basic(client.id, client.secret ?? ""),
    );
    sessionCookie = decodeURIComponent(visitor.cookies.get("errand.session_token") ?? "");
    Object.assign(secrets, {
      code,
      password: PASSWORD,
      token: body.access_token,
      secret: client.secret,
      cookie: sessionCookie,
    });
  });
  afterAll(() => service[Symbol.asyncDispose]());

  it("is known to the test", () => {
    for (const [name, value] of Object.entries(secrets)) expect(value.length, name).toBeGreaterThan(15);
  });

  it.each(["code", "password", "token", "secret", "cookie"])("(the %s) is nowhere in the database", async (name) => {
    const tables = await service.database.query<{ name: string }>(
      "select tablename as name from pg_tables where schemaname = 'public'",
    );
    expect(tables.length).toBeGreaterThan(10);
    for (const { name: table } of tables) {
      const rows = await service.database.query(`select t::text from ${table} t where position($1 in t::text) > 0`, [
        secrets[name],
      ]);
      expect(rows, `the ${name} stands in ${table}`).toEqual([]);
    }
  });

  it.each(["code", "password", "token", "secret", "cookie"])("(the %s) is in no log line", (name) => {
    expect(service.log.length).toBeGreaterThan(5);
    expect(service.log.filter((line) => line.includes(secrets[name] ?? ""))).toEqual([]);
  });

  it("of a session is the cookie's signature: the database content alone does not sign anyone in", async () => {
    const [session] = await service.database.query<{ token: string }>("select token from sessions");
    const [token, signature] = [
      sessionCookie.slice(0, sessionCookie.lastIndexOf(".")),
      sessionCookie.split(".").at(-1),
    ];
    expect(session?.token).toBe(token);
    const visit = async (value: string) => {
      const visitor = new Visitor(service.url);
      visitor.cookies.set("errand.session_token", encodeURIComponent(value));
      const client = await registerClient(service, { redirectUris: [REDIRECT_URI] });
      return (
        await visitor.get(`/v1/oauth/authorize?response_type=code&client_id=${client.id}&redirect_uri=${REDIRECT_URI}`)
      ).status;
    };
    expect(await visit(`${token}.${signature}`)).toBe(200);
    expect(await visit(token)).toBe(303);
    expect(await visit(`${token}.${Buffer.from("forged").toString("base64")}`)).toBe(303);
  });
});
