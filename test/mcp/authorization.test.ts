import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { visitConsole } from "../_harness/console.ts";
import { runErrand } from "../_harness/errand.ts";
import { issueMcpToken, startClientSite } from "../_harness/mcp.ts";
import {
  authorizePath,
  encode,
  newPkce,
  newVisitor,
  obtainCode,
  postForm,
  REDIRECT_URI,
  registerClient,
  type Visitor,
} from "../_harness/oauth-flow.ts";
import { startTestService, type TestService } from "../_harness/service.ts";

describe("authorization of MCP clients", () => {
  let service: TestService;
  let site: Awaited<ReturnType<typeof startClientSite>>;
  let visitor: Visitor;
  let applicationId: string;

  beforeAll(async () => {
    site = await startClientSite(REDIRECT_URI);
    service = await startTestService({ settings: { ERRAND_ALLOW_HOSTS: site.host } });
    visitor = await newVisitor(service);
    applicationId = (await registerClient(service, { mcpClients: true, redirectUris: [REDIRECT_URI] })).id;
  });
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
    await site[Symbol.asyncDispose]();
  });

  const resource = (id = applicationId) => `${service.url}/mcp/${id}`;
  const exchange = (fields: Record<string, string>) =>
    postForm(`${service.url}/v1/oauth/token`, {
      grant_type: "authorization_code",
      redirect_uri: REDIRECT_URI,
      ...fields,
    });
  const listTools = (token: string, url: string) =>
    fetch(url, {
      method: "POST",
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
    });

  async function connect(clientId: string, target = resource(), person = visitor): Promise<string> {
    const { verifier, challenge } = newPkce();
    const code = await obtainCode(person, clientId, { ...challenge, resource: target });
    const { status, body } = await exchange({ client_id: clientId, code, code_verifier: verifier, resource: target });
    expect([status, Object.keys(body)]).toEqual([200, ["access_token", "token_type", "connection_id", "user_id"]]);
    return body.access_token;
  }

  it("gives two clients of one user a token each, and none revokes another", async () => {
    const person = await newVisitor(service);
    const first = await connect(site.add("/first"), resource(), person);
    const second = await connect(site.add("/second"), resource(), person);
    const code = await obtainCode(person, applicationId);
    const ordinary = await exchange({ client_id: applicationId, code });
    expect((await listTools(first, resource())).status).toBe(200);
    expect((await listTools(second, resource())).status).toBe(200);
    // They act on the same connection, with the same sign-in.
    const ids = await service.database.query(
      "select distinct connection_id as id from mcp_tokens where client_id like '%/first' or client_id like '%/second'",
      [],
    );
    expect(ids).toEqual([{ id: ordinary.body.connection_id }]);
    // The same client again gets a new token in place of its own.
    const again = await connect(site.add("/first"), resource(), person);
    expect((await listTools(first, resource())).status).toBe(401);
    expect((await listTools(again, resource())).status).toBe(200);
    expect((await listTools(second, resource())).status).toBe(200);
    const api = await fetch(`${service.url}/v1/applications/${applicationId}/executions`, {
      headers: { authorization: `Bearer ${ordinary.body.access_token}` },
    });
    expect(api.status).toBe(200);
  });

  it("names the client and whose it is, and asks for consent every time", async () => {
    const clientId = site.add("/named", { client_name: "Quill & <b>Co</b>" });
    const page = await visitor.get(authorizePath(clientId, { ...newPkce().challenge, resource: resource() }));
    expect(page.status).toBe(200);
    expect(page.text).toContain("Quill &amp; &lt;b&gt;Co&lt;/b&gt;");
    expect(page.text).toContain("Program of");
    expect(page.text.replaceAll("<wbr>", "")).toContain(site.host);
    expect(page.text).toContain("cannot approve for you");
  });

  it("accepts the application itself as a client, with a token apart from its access token", async () => {
    const person = await newVisitor(service);
    const code = await obtainCode(person, applicationId);
    const ordinary = (await exchange({ client_id: applicationId, code })).body.access_token;
    const token = await connect(applicationId, `${service.url}/mcp`, person);
    expect((await listTools(token, `${service.url}/mcp`)).status).toBe(200);
    expect((await listTools(token, resource())).status).toBe(200);
    expect((await listTools(token, `${service.url}/mcp/${crypto.randomUUID()}`)).status).toBe(401);
    expect((await listTools(ordinary, `${service.url}/mcp`)).status).toBe(401);
  });

  it("binds the code to its client, its resource and its verifier", async () => {
    const clientId = site.add("/bound");
    const { verifier, challenge } = newPkce();
    const code = await obtainCode(visitor, clientId, { ...challenge, resource: resource() });
    const right = { client_id: clientId, code, code_verifier: verifier, resource: resource() };
    for (const wrong of [
      { client_id: site.add("/other") },
      { client_id: applicationId },
      { resource: `${service.url}/mcp` },
      { code_verifier: newPkce().verifier },
      { redirect_uri: `${REDIRECT_URI}/other` },
    ]) {
      const { status, body } = await exchange({ ...right, ...wrong });
      expect([wrong, status, body.error]).toEqual([wrong, 400, "invalid_grant"]);
    }
    const { access_token: token } = (await exchange(right)).body;
    expect((await listTools(token, resource())).status).toBe(200);
    // A second use revokes the token of the first.
    expect((await exchange(right)).status).toBe(400);
    expect((await listTools(token, resource())).status).toBe(401);
  });

  it("revokes a client's own token only", async () => {
    const clientId = site.add("/revoking");
    const token = await connect(clientId);
    const revoke = (client_id: string) => postForm(`${service.url}/v1/oauth/revoke`, { token, client_id });
    expect((await revoke(site.add("/stranger"))).status).toBe(200);
    expect((await listTools(token, resource())).status).toBe(200);
    expect((await revoke(clientId)).status).toBe(200);
    expect((await listTools(token, resource())).status).toBe(401);
  });

  it("requires PKCE and a resource, and sends errors back", async () => {
    const clientId = site.add("/strict");
    const withoutPkce = await visitor.get(authorizePath(clientId, { resource: resource() }));
    expect(withoutPkce.location?.searchParams.get("error")).toBe("invalid_request");
    const { id: other } = await registerClient(service, { redirectUris: [REDIRECT_URI] });
    const elsewhere = { ...newPkce().challenge, resource: resource(applicationId) };
    const foreign = await visitor.get(authorizePath(other, elsewhere));
    expect(foreign.location?.searchParams.get("error")).toBe("invalid_target");
    for (const bad of [undefined, "https://elsewhere.example/mcp", `${service.url}/mcp/`, `${service.url}/mcp/x`]) {
      const page = await visitor.get(authorizePath(clientId, { ...newPkce().challenge, resource: bad }));
      expect([bad, page.status, page.location]).toEqual([bad, 400, null]);
    }
  });

  it("ignores a foreign resource of an ordinary client, as it always has", async () => {
    const code = await obtainCode(visitor, applicationId, { resource: "https://api.example.com" });
    const { status, body } = await exchange({ client_id: applicationId, code, resource: "https://api.example.com" });
    expect([status, body.token_type]).toEqual([200, "Bearer"]);
    expect(body.access_token).toMatch(/^errand_ct_/);
  });

  it("connects unknown clients only where the owner allows it, from one moment to the next", async () => {
    const { id } = await registerClient(service, { redirectUris: [REDIRECT_URI] });
    const clientId = site.add("/allowed");
    const path = authorizePath(clientId, { ...newPkce().challenge, resource: resource(id) });
    expect((await visitor.get(path)).status).toBe(400);
    await service.operations.applications.change(id, { mcpClients: true });
    // With two such applications, /mcp alone does not say which one is meant.
    const unclear = { ...newPkce().challenge, resource: `${service.url}/mcp` };
    expect((await visitor.get(authorizePath(clientId, unclear))).text).toContain("/mcp/");
    const token = await connect(clientId, resource(id));
    expect((await listTools(token, resource(id))).status).toBe(200);
    await service.operations.applications.change(id, { mcpClients: false });
    expect((await listTools(token, resource(id))).status).toBe(401);
    expect((await visitor.get(path)).status).toBe(400);
  });

  it.each([
    ["is another client's", () => ({ client_id: "https://app.example/other" })],
    ["has no name", () => ({ client_name: " " })],
    ["has no redirect URIs", () => ({ redirect_uris: undefined })],
    ["has a dangerous redirect URI", () => ({ redirect_uris: [REDIRECT_URI, "javascript:alert(1)"] })],
    ["wants to authenticate with a secret", () => ({ token_endpoint_auth_method: "client_secret_post" })],
    ["registers another redirect URI", () => ({ redirect_uris: ["https://app.example/callback"] })],
  ])("refuses a client whose document %s", async (name, fields) => {
    const clientId = site.add(`/bad/${encodeURIComponent(name)}`, fields());
    const page = await visitor.get(authorizePath(clientId, { ...newPkce().challenge, resource: resource() }));
    expect([page.status, page.location]).toEqual([400, null]);
  });

  it.each([
    ["a redirect", { status: 302, headers: { location: "/named" }, body: "" }],
    ["no JSON", { body: "<html>" }],
    ["another content type", { headers: { "content-type": "text/html" }, body: "{}" }],
    ["too much", { body: JSON.stringify({ filler: "a".repeat(20_000) }) }],
    ["an error", { status: 500, body: "{}" }],
  ])("refuses a client whose URL answers with %s", async (name, answer) => {
    const clientId = site.set(`/answers/${encodeURIComponent(name)}`, answer);
    const page = await visitor.get(authorizePath(clientId, { ...newPkce().challenge, resource: resource() }));
    expect([page.status, page.location]).toEqual([400, null]);
  });

  it("loads no document from a private address, nor over http from a public one", async () => {
    for (const clientId of [
      "https://127.0.0.1/client.json",
      "https://localhost/client.json",
      "https://[::1]/client.json",
      "https://169.254.169.254/latest/meta-data",
      "https://0x7f000001/client.json",
      "http://app.example/client.json",
      "https://user:secret@app.example/client.json",
      "https://app.example/",
      "https://app.example/client.json#fragment",
      "https://app.example/a/../client.json",
    ]) {
      const page = await visitor.get(authorizePath(clientId, { ...newPkce().challenge, resource: resource() }));
      expect([clientId, page.status]).toEqual([clientId, 400]);
      expect(page.text).toContain("cannot be connected");
    }
  });

  it("lets a user renew the connection without the client, and shows a page of its own", async () => {
    const query = encode({
      response_type: "code",
      client_id: applicationId,
      redirect_uri: `${service.url}/connected`,
    });
    const consent = await visitor.get(`/v1/oauth/authorize?${query}`);
    const { location } = await visitor.submit(consent.form("/v1/oauth/authorize"), { decision: "allow" });
    expect(location?.pathname).toBe("/connected");
    expect((await visitor.get(location?.href ?? "")).text).toContain("You’re connected");
    expect((await visitor.get("/connected?error=access_denied")).text).toContain("Not connected");
  });

  it("lets an operator issue a token for each program, apart from the access token", async () => {
    const { applicationId: id, token: ordinary } = await service.connect({ email: "ada@example.com" });
    const env = {
      DATABASE_URL: service.database.url,
      ERRAND_PUBLIC_URL: service.url,
      ERRAND_DATA_DIR: service.dataDir,
    };
    const issue = async (name: string) => {
      const args = ["connect", "--application", id, "--user", "ada@example.com", "--mcp", name, "--json"];
      const { code, stdout, stderr } = await runErrand(args, env);
      expect(code, stderr).toBe(0);
      return JSON.parse(stdout).access_token as string;
    };
    const [first, second] = [await issue("First"), await issue("Second")];
    const again = await issue("First");
    const statuses = [first, second, again].map(async (token) => (await listTools(token, `${service.url}/mcp`)).status);
    expect(await Promise.all(statuses)).toEqual([401, 200, 200]);
    const api = await fetch(`${service.url}/v1/applications/${id}/executions`, {
      headers: { authorization: `Bearer ${ordinary}` },
    });
    expect(api.status).toBe(200);
  });

  it("shows a person their own programs in the console, where they can revoke each", async () => {
    const [ada, bob] = [await visitConsole(service), await visitConsole(service)];
    const { connectionId } = await service.connect({ email: ada.email });
    const [first, second] = [
      await issueMcpToken(service, connectionId, "First"),
      await issueMcpToken(service, connectionId, "Second"),
    ];
    const program = (name: string) => ({
      connection_id: connectionId,
      client_id: name,
      name,
      connected_at: expect.any(String),
    });
    expect((await ada.get("/mcp-clients")).body).toEqual({ clients: [program("Second"), program("First")] });
    expect((await bob.get("/mcp-clients")).body).toEqual({ clients: [] });

    const path = `/mcp-clients?connection_id=${connectionId}&client_id=First`;
    expect((await bob.call("DELETE", path)).status).toBe(404);
    expect((await ada.call("DELETE", path)).status).toBe(204);
    expect((await ada.call("DELETE", path)).status).toBe(404);
    const statuses = [first, second].map(async (token) => (await listTools(token, `${service.url}/mcp`)).status);
    expect(await Promise.all(statuses)).toEqual([401, 200]);
    expect((await ada.get("/mcp-clients")).body).toEqual({ clients: [program("Second")] });
  });

  it("says in its metadata that clients may describe themselves", async () => {
    const metadata = await fetch(`${service.url}/.well-known/oauth-authorization-server`);
    expect(await metadata.json()).toMatchObject({ client_id_metadata_document_supported: true });
  });
});
