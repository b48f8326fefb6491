import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findFreePort } from "../../src/lib/free-port.ts";
import { createApi } from "../_harness/api.ts";
import { createTestDatabase, type TestDatabase } from "../_harness/database.ts";
import { createDataDir, errandJson, runErrand, spawnErrand, startErrand } from "../_harness/errand.ts";

const UNKNOWN = "00000000-0000-4000-8000-000000000000";

describe("the command line", () => {
  let data: Awaited<ReturnType<typeof createDataDir>>;
  let database: TestDatabase;
  let env: Record<string, string>;

  beforeAll(async () => {
    data = await createDataDir();
    database = await createTestDatabase({ migrated: false });
    // An external PostgreSQL is faster here; test/storage/embedded covers the embedded one.
    env = { ...data.env, DATABASE_URL: database.url };
  });
  afterAll(async () => {
    await data[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  });

  it("migrates and reports what it did", async () => {
    expect(await errandJson(["migrate"], env)).toMatchObject({
      schema_version: expect.any(Number),
      applied: expect.arrayContaining(["0001_ids"]),
    });
    expect((await runErrand(["migrate"], env)).stdout).toContain("The schema is up to date");
  });

  it("creates applications: a confidential one with a secret, a public one without", async () => {
    const confidential = await errandJson(
      [
        "app",
        "create",
        "--name",
        "Shop",
        "--type",
        "confidential",
        "--redirect-uri",
        "https://shop.example/cb",
        "--redirect-uri",
        "http://localhost/cb",
        "--home-url",
        "https://shop.example/",
        "--sign-in-url",
        "https://shop.example/login",
        "--allowed-host",
        "*.Shop.example",
        "--require-pkce",
        "--read-only",
        "--approval",
        "commits",
      ],
      env,
    );
    expect(confidential).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: "Shop",
      type: "confidential",
      redirect_uris: ["https://shop.example/cb", "http://localhost/cb"],
      home_url: "https://shop.example/",
      sign_in_url: "https://shop.example/login",
      signed_in_url: null,
      signed_in_text: null,
      signed_out_text: null,
      allowed_hosts: ["*.shop.example"],
      access: "read_only",
      approval: "commits",
      require_pkce: true,
      mcp_clients: false,
      stored_credentials: false,
      recipes: true,
      created_at: expect.any(String),
      client_secret: expect.stringMatching(/^errand_cs_[0-9A-Za-z]{49}$/),
    });
    const open = await errandJson<object>(["app", "create", "--name", "Open", "--type", "public", "--no-recipes"], env);
    expect(open).toMatchObject({ recipes: false });
    expect(open).not.toHaveProperty("client_secret");
    const { applications } = await errandJson<{ applications: object[] }>(["app", "list"], env);
    expect(applications).toHaveLength(2);
    expect(JSON.stringify(applications)).not.toContain("errand_cs_");
  });

  it("connects a user, who stays the same user and connection with a new token", async () => {
    const { id } = await errandJson<{ id: string }>(["app", "create", "--name", "Connected", "--type", "public"], env);
    const first = await errandJson<Record<string, string>>(
      ["connect", "--application", id, "--user", "Ann@Example.com"],
      env,
    );
    const second = await errandJson<Record<string, string>>(
      ["connect", "--application", id.toUpperCase(), "--user", "ann@example.com"],
      env,
    );
    expect(Object.keys(first).sort()).toEqual(["access_token", "application_id", "connection_id", "user_id"]);
    expect(second).toMatchObject({
      connection_id: first["connection_id"],
      user_id: first["user_id"],
      application_id: id,
    });
    expect(second["access_token"]).not.toBe(first["access_token"]);
  });

  it("says how a user signs in to the site, where the application has a sign-in and they have none", async () => {
    const site = ["--sign-in-url", "https://shop.example/sign-in", "--redirect-uri", "https://app.example/back"];
    const create = ["app", "create", "--name", "Signed in", "--type", "public", ...site];
    const { id } = await errandJson<{ id: string }>(create, env);
    const { stdout } = await runErrand(["connect", "--application", id, "--user", "ann@example.com"], env);
    expect(stdout).toContain("has not signed in to the site yet");
    expect(stdout).toContain(`/v1/oauth/authorize?response_type=code&client_id=${id}`);
    expect(stdout).toContain("errand connection import-sign-in --connection ");
  });

  describe("a connection", () => {
    async function connect(email: string) {
      const app = await errandJson<{ id: string }>(["app", "create", "--name", "Revocable", "--type", "public"], env);
      const args = ["connect", "--application", app.id, "--user", email];
      return await errandJson<{ connection_id: string; access_token: string }>(args, env);
    }
    async function listIds() {
      const { connections } = await errandJson<{ connections: { id: string }[] }>(["connection", "list"], env);
      return connections.map(({ id }) => id);
    }
    const countTokens = async (id: string) =>
      (await database.query("select from access_tokens where connection_id = $1", [id])).length;

    it("keeps existing when its token is revoked, once or twice", async () => {
      const { connection_id: id } = await connect("revoked@example.com");
      expect(await countTokens(id)).toBe(1);
      for (const _ of ["first", "again"]) {
        expect(await errandJson(["connection", "revoke-token", "--connection", id], env)).toEqual({ revoked: true });
        expect(await countTokens(id)).toBe(0);
      }
      expect(await listIds()).toContain(id);
    });

    it("is deleted with everything that belongs to it", async () => {
      const { connection_id: id } = await connect("deleted@example.com");
      await database.query(
        "insert into executions (connection_id, status, prompt, credits) values ($1, 'QUEUED', 'Wait.', 0)",
        [id],
      );
      expect(await errandJson(["connection", "delete", "--connection", id], env)).toEqual({ deleted: true });
      expect(await listIds()).not.toContain(id);
      expect(await database.query("select from executions where connection_id = $1", [id])).toEqual([]);
      expect(await countTokens(id)).toBe(0);
      const again = await runErrand(["connection", "delete", "--connection", id], env);
      expect(again).toMatchObject({ code: 1, stdout: "" });
      expect(again.stderr).toContain("There is no connection");
    });
  });

  it("grants credits and shows the balance of the application's owner", async () => {
    const { id } = await errandJson<{ id: string }>(["app", "create", "--name", "Paying", "--type", "public"], env);
    const { balance } = await errandJson<{ balance: number }>(["credits", "balance", "--application", id], env);
    expect(await errandJson(["credits", "grant", "--application", id, "--amount", "5"], env)).toEqual({
      balance: balance + 5,
    });
    expect(await errandJson(["credits", "balance", "--application", id], env)).toEqual({ balance: balance + 5 });
  });

  it("rotates the secret of a confidential application", async () => {
    const confidential = await errandJson<{ id: string }>(
      ["app", "create", "--name", "Rotating", "--type", "confidential"],
      env,
    );
    expect(await errandJson(["app", "rotate-secret", "--application", confidential.id], env)).toEqual({
      client_secret: expect.stringMatching(/^errand_cs_/),
    });
    const open = await errandJson<{ id: string }>(["app", "create", "--name", "No secret", "--type", "public"], env);
    const refused = await runErrand(["app", "rotate-secret", "--application", open.id], env);
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(refused.stderr).toContain("has no secret");
  });

  it.each([
    [
      ["app", "create", "--name", "X", "--type", "public", "--redirect-uri", "http://shop.example/cb"],
      1,
      "must use https",
    ],
    [
      ["app", "create", "--name", "X", "--type", "public", "--redirect-uri", "https://a.example/cb#x"],
      1,
      "must not have a fragment",
    ],
    [
      ["app", "create", "--name", "X", "--type", "public", "--redirect-uri", "javascript:alert(1)"],
      1,
      "must use https",
    ],
    [["app", "create", "--name", " ", "--type", "public"], 1, "1 to 100 characters"],
    [["app", "create", "--name", "X", "--type", "public", "--home-url", "ftp://x"], 1, "http or https"],
    [["app", "create", "--name", "X", "--type", "public", "--allowed-host", "https://x"], 1, "must be a host"],
    [["app", "create", "--name", "X", "--type", "secret"], 2, "Allowed choices are public, confidential"],
    [["app", "create", "--type", "public"], 2, "--name"],
    [["connect", "--application", UNKNOWN, "--user", "a@example.com"], 1, "There is no application"],
    [["connect", "--application", "nonsense", "--user", "a@example.com"], 1, "There is no application"],
    [["connect", "--application", UNKNOWN, "--user", "nobody"], 1, "not an email address"],
    [["credits", "grant", "--application", UNKNOWN, "--amount", "-5"], 2, "whole number"],
    [["credits", "grant", "--application", UNKNOWN, "--amount", "1.5"], 2, "whole number"],
    [["credits", "balance", "--application", UNKNOWN], 1, "There is no application"],
    [["connection", "revoke-token", "--connection", UNKNOWN], 1, "There is no connection"],
    [["connection", "delete", "--connection", "nonsense"], 1, "There is no connection"],
    [["connection", "delete"], 2, "--connection"],
    [["start", "--roles", "cook"], 2, "The roles are api and worker"],
    [["start", "--port", "99999"], 2, "ERRAND_PORT must be a whole number"],
    [["nonsense"], 2, "unknown command"],
    [["migrate", "--nonsense"], 2, "unknown option"],
  ])("%j exits with %i and says why", async (args, code, message) => {
    const result = await runErrand(args, env);
    expect(result.stderr).toContain(message);
    expect(result).toMatchObject({ code, stdout: "" });
  });

  it("prints errors as one JSON object on standard error with --json", async () => {
    const { code, stdout, stderr } = await runErrand(
      ["app", "create", "--name", "X", "--type", "public", "--redirect-uri", "x", "--json"],
      env,
    );
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(JSON.parse(stderr)).toEqual({
      error: {
        code: "INVALID_REQUEST",
        message: expect.any(String),
        details: [{ path: "redirect_uri", message: expect.stringContaining("absolute URI") }],
      },
    });
  });

  it("prints usage errors as JSON with --json", async () => {
    const { code, stdout, stderr } = await runErrand(["app", "create", "--json"], env);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(JSON.parse(stderr)).toEqual({ error: { code: "WRONG_USAGE", message: expect.stringContaining("--name") } });
  });

  it("reports all invalid settings before anything opens", async () => {
    const { code, stderr } = await runErrand(["migrate"], { ...env, ERRAND_PORT: "x", ERRAND_CONCURRENCY: "x" });
    expect(code).toBe(2);
    expect(stderr).toContain("ERRAND_PORT");
    expect(stderr).toContain("ERRAND_CONCURRENCY");
  });

  it.each([
    [[]],
    [["start"]],
    [["run"]],
    [["steps"]],
    [["migrate"]],
    [["app"]],
    [["app", "create"]],
    [["app", "list"]],
    [["app", "rotate-secret"]],
    [["connect"]],
    [["connection"]],
    [["connection", "revoke-token"]],
    [["connection", "delete"]],
    [["credits"]],
    [["credits", "grant"]],
    [["credits", "balance"]],
    [["user", "set-password"]],
    [["demo"]],
    [["doctor"]],
  ])("%j --help prints usage", async (args) => {
    const { code, stdout } = await runErrand([...args, "--help"], env);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Usage: errand/);
  });

  it("has the same output and exit code in its own process", async () => {
    for (const args of [["app", "list", "--json"], ["app", "create", "--json"], ["--help"], ["nonsense"]]) {
      expect(await spawnErrand(args, env), args.join(" ")).toEqual(await runErrand(args, env));
    }
  });

  it("doctor checks every part and finds no problem in a healthy installation", async () => {
    const report = await errandJson<{ ok: boolean; checks: { name: string; status: string }[] }>(["doctor"], env);
    expect(report.ok).toBe(true);
    expect(report.checks.map(({ name }) => name)).toEqual([
      "settings",
      "database",
      "keys",
      "disk",
      "artifacts",
      "browser",
      "worker",
      "queue",
      "webhooks",
      "traces",
      "demo",
      "model",
    ]);
  });

  it("doctor names what is wrong and how to fix it, and exits with 1", async () => {
    const port = await findFreePort();
    const sick = {
      ...env,
      DATABASE_URL: `postgresql://127.0.0.1:${port}/none`,
      ERRAND_BROWSER_PATH: "/nowhere/chrome",
    };
    const { code, stdout } = await runErrand(["doctor"], sick);
    expect(code).toBe(1);
    expect(stdout).toMatch(/✗ database .*ECONNREFUSED.*\n.*host and port in DATABASE_URL/);
    expect(stdout).toMatch(/✗ browser .*\/nowhere\/chrome/);
  });

  it("runs the demo shop until it is stopped", async () => {
    const shop = await startErrand({}, ["demo"]);
    expect(await (await fetch(shop.url)).text()).toContain("<h1");
    expect(await shop.end("SIGTERM")).toBe(0);
    expect(await runErrand(["demo", "--port", "x"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("whole number"),
    });
  });

  it("start reports that the port is in use, and how to choose another", async () => {
    const service = await startErrand(env);
    const { code, stderr } = await spawnErrand(["start", "--port", new URL(service.url).port], env);
    expect(code).toBe(1);
    expect(stderr).toContain("is in use by another program");
    expect(stderr).toContain("--port");
    await service.end("SIGTERM");
  });

  it("knows on which port the service was started, and issues MCP tokens for it", async () => {
    const { id } = await errandJson<{ id: string }>(["app", "create", "--name", "Assistant", "--type", "public"], env);
    const service = await startErrand(env);
    const { access_token: token } = await errandJson<{ access_token: string }>(
      ["connect", "--application", id, "--user", "ada@example.com", "--mcp", "Test"],
      env,
    );
    const listTools = async (path: string) => {
      const headers = {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
      };
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
      return (await fetch(`${service.url}${path}`, { method: "POST", headers, body })).status;
    };
    expect([await listTools("/mcp"), await listTools(`/mcp/${id}`)]).toEqual([200, 200]);
    expect(await listTools(`/mcp/${crypto.randomUUID()}`)).toBe(401);
    await service.end("SIGTERM");
  });

  it("works before the first start: the service accepts an application and token created then", async () => {
    const { id } = await errandJson<{ id: string }>(["app", "create", "--name", "Early", "--type", "public"], env);
    const { access_token: token } = await errandJson<{ access_token: string }>(
      ["connect", "--application", id, "--user", "early@example.com"],
      env,
    );
    const service = await startErrand(env);
    const execution = await createApi(service.url, { applicationId: id, token }).created();
    expect(execution.status).toBe("QUEUED");
    expect(await service.end("SIGTERM")).toBe(0);
  });
});
