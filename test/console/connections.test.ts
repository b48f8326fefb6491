import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createApi } from "../_harness/api.ts";
import { type ConsoleVisit, visitConsole } from "../_harness/console.ts";
import { expectLedgerAddsUp } from "../_harness/ledger.ts";
import { authorizePath, obtainCode, postForm, REDIRECT_URI, Visitor } from "../_harness/oauth-flow.ts";
import { startTestService, type TestConnection, type TestService } from "../_harness/service.ts";
import { startTestWorker, VERIFIED } from "../_harness/worker.ts";

type Listed = { id: string; user: { email: string }; application: { name: string } };

describe("connections in the console", () => {
  let service: TestService;
  let owner: ConsoleVisit;
  let user: ConsoleVisit;

  beforeAll(async () => {
    service = await startTestService();
    owner = await visitConsole(service, { credits: 1_000 });
    user = await visitConsole(service);
  });
  afterAll(() => service[Symbol.asyncDispose]());

  async function newApplication(body: object = {}): Promise<string> {
    const answer = await owner.post("/applications", {
      name: "Shop errands",
      type: "public",
      redirect_uris: [REDIRECT_URI],
      ...body,
    });
    expect(answer.status, JSON.stringify(answer.body)).toBe(201);
    return answer.body.application.id;
  }

  async function connectUser(body: object = {}): Promise<TestConnection> {
    return service.connect({ applicationId: await newApplication(body), email: user.email });
  }

  async function saveSignIn({ connectionId }: TestConnection): Promise<void> {
    await service.database.query(
      "insert into saved_sign_ins (connection_id, key_id, wrapped_key, ciphertext) values ($1, 'key', '', '')",
      [connectionId],
    );
  }

  async function seen({ applicationId, connectionId }: TestConnection) {
    const { connections } = (await owner.get(`/applications/${applicationId}/connections`)).body;
    return connections.find(({ id }: Listed) => id === connectionId);
  }

  const remove = (path: string, visit = owner) => visit.call("DELETE", `/connections/${path}`);

  it("are shown to the owner and to the user alike, with their last execution", async () => {
    const connection = await connectUser({
      home_url: "https://shop.example/",
      sign_in_url: "https://id.shop.example:8443/in",
      allowed_hosts: ["*.shop.example", "shop.example"],
      access: "read_only",
    });
    expect(await seen(connection)).toEqual({
      id: connection.connectionId,
      application: {
        id: connection.applicationId,
        name: "Shop errands",
        access: "read_only",
        hosts: ["shop.example", "id.shop.example:8443", "*.shop.example"],
        stored_credentials: false,
      },
      user: { id: user.userId, email: user.email },
      state: "ACTIVE",
      has_token: true,
      approval: "never",
      spending_limits: null,
      signed_in_at: null,
      renewal: null,
      last_execution: null,
      created_at: expect.any(String),
    });
    await saveSignIn(connection);
    await service.database.query(
      "update connections set spending_currency = 'EUR', spending_per_month = 2050 where id = $1",
      [connection.connectionId],
    );
    const api = createApi(service.url, connection);
    await api.created();
    const { id, created_at } = await api.created();
    const listed = await seen(connection);
    expect(listed).toMatchObject({
      spending_limits: { per_errand: null, per_month: "€20.50", is_month_lower: false },
      signed_in_at: expect.any(String),
      last_execution: { id, status: "QUEUED", created_at },
    });
    expect((await user.get("/connections")).body.connections).toContainEqual(listed);
  });

  it("are paged newest first, and found by part of the user's email address", async () => {
    const applicationId = await newApplication();
    const emails = Array.from({ length: 5 }, (_, index) => `paged-${index % 2 ? "odd" : "even"}-${index}@example.com`);
    for (const email of emails) await service.connect({ applicationId, email });
    const path = `/applications/${applicationId}/connections`;
    const pages: string[][] = [];
    for (let after = ""; pages.length < 5; ) {
      const { connections, has_more } = (await owner.get(`${path}?limit=2${after}`)).body;
      pages.push(connections.map((one: Listed) => one.user.email));
      if (!has_more) break;
      after = `&after=${connections.at(-1).id}`;
    }
    expect(pages).toEqual([emails.slice(3).reverse(), emails.slice(1, 3).reverse(), [emails[0]]]);

    const odd = (await owner.get(`${path}?text=ODD-&limit=1`)).body;
    expect([odd.connections[0].user.email, odd.has_more]).toEqual([emails[3], true]);
    const rest = (await owner.get(`${path}?text=ODD-&after=${odd.connections[0].id}`)).body;
    expect([rest.connections.map((one: Listed) => one.user.email), rest.has_more]).toEqual([[emails[1]], false]);
    for (const wildcard of ["%25", "paged_even", "\\"]) {
      expect((await owner.get(`${path}?text=${wildcard}`)).body.connections).toEqual([]);
    }
  });

  it("can be found by their user by part of the application's name", async () => {
    const connection = await connectUser({ name: "Büro & Co" });
    const answer = await user.get(`/connections?text=${encodeURIComponent("BÜRO &")}`);
    expect(answer.body.connections.map(({ id }: Listed) => id)).toEqual([connection.connectionId]);
  });

  it("return no page after a cursor that is invalid or of another user", async () => {
    const [mine, elsewhere] = [await connectUser(), await service.connect()];
    for (const cursor of ["no-id", randomUUID(), elsewhere.connectionId, "%00"]) {
      for (const answer of [
        await owner.get(`/applications/${mine.applicationId}/connections?after=${cursor}`),
        await user.get(`/connections?after=${cursor}`),
      ]) {
        expect(answer, cursor).toMatchObject({ status: 400, body: { error: { code: "INVALID_CURSOR" } } });
      }
    }
    const path = `/applications/${mine.applicationId}/connections`;
    for (const [query, field] of [
      ["limit=0", "limit"],
      ["limit=101", "limit"],
      ["text=%00", "text"],
      ["state=ACTIVE", "state"],
    ]) {
      expect(await owner.get(`${path}?${query}`)).toMatchObject({
        status: 400,
        body: { error: { code: "INVALID_REQUEST", details: [{ path: field }] } },
      });
    }
  });

  const act = (visit: ConsoleVisit, { connectionId }: TestConnection, action: "stop" | "disconnect") =>
    visit.post(`/connections/${connectionId}/${action}`);

  it("are stopped: nothing is created until the user consents again, and everything else stays", async () => {
    const connection = await connectUser();
    await saveSignIn(connection);
    const api = createApi(service.url, connection);
    const queued = await api.created();
    for (const visit of [owner, user]) {
      expect(await act(visit, connection, "stop")).toMatchObject({
        status: 200,
        body: { connection: { state: "REAUTHORIZATION_REQUIRED", has_token: true, signed_in_at: expect.any(String) } },
      });
    }
    expect((await api.get(queued.id)).body.execution).toMatchObject({
      terminal: { status: "canceled" },
      usage: { charged: false },
    });
    expect((await api.create({ prompt: "Say hello." })).status).toBe(409);
    await service.connect({ applicationId: connection.applicationId, email: user.email });
    expect(await seen(connection)).toMatchObject({ state: "ACTIVE", signed_in_at: expect.any(String) });
    await expectLedgerAddsUp(service);
  });

  it("are stopped while an errand runs: it is asked to stop", async () => {
    const connection = await connectUser();
    const started = Promise.withResolvers<void>();
    await using _worker = await startTestWorker(service, {
      runErrand: async (errand) => {
        await errand.begin();
        started.resolve();
        await new Promise((_, reject) => {
          errand.signal.addEventListener("abort", () => reject(errand.signal.reason as Error));
        });
        return VERIFIED;
      },
    });
    const { id } = await createApi(service.url, connection).created();
    await started.promise;
    await act(user, connection, "stop");
    await expect
      .poll(async () => (await owner.get(`/executions/${id}`)).body.execution, { timeout: 100_000 })
      .toMatchObject({ status: "FAILED", terminal: { status: "canceled" } });
  });

  it("are disconnected: the token, every code for another one and the sign-in are gone, the history stays", async () => {
    const applicationId = await newApplication();
    const person = new Visitor(service.url);
    const email = await person.signUp();
    const code = await obtainCode(person, applicationId);
    const connection = await service.connect({ applicationId, email });
    await saveSignIn(connection);
    const { id } = await createApi(service.url, connection).created();
    await service.database.query(
      `insert into sign_in_attempts (application_id, user_id, redirect_uri, expires_at)
       select application_id, user_id, $2, now() + interval '1 hour' from connections where id = $1`,
      [connection.connectionId, REDIRECT_URI],
    );
    for (const _ of [1, 2]) {
      expect(await act(owner, connection, "disconnect")).toMatchObject({
        status: 200,
        body: { connection: { state: "REAUTHORIZATION_REQUIRED", has_token: false, signed_in_at: null } },
      });
    }
    expect((await createApi(service.url, connection).list()).status).toBe(401);
    const exchange = { grant_type: "authorization_code", client_id: applicationId, code, redirect_uri: REDIRECT_URI };
    expect((await postForm(`${service.url}/v1/oauth/token`, exchange)).body.error).toBe("invalid_grant");
    expect((await owner.get(`/executions/${id}`)).body.execution.terminal.status).toBe("canceled");
    const attempts = await service.database.query("select 1 from sign_in_attempts where application_id = $1", [
      applicationId,
    ]);
    expect(attempts).toEqual([]);
  });

  it("run nothing more when their user disconnects, not even from the owner's console", async () => {
    const connection = await connectUser();
    const { id } = await createApi(service.url, connection).created();
    expect((await act(user, connection, "disconnect")).status).toBe(200);
    const body = { connection_id: connection.connectionId, prompt: "Say hello." };
    for (const answer of [await owner.post("/executions", body), await owner.post(`/executions/${id}/again`)]) {
      expect(answer).toMatchObject({ status: 409, body: { error: { code: "CONNECTION_REAUTHORIZATION_REQUIRED" } } });
    }
    await service.connect({ applicationId: connection.applicationId, email: user.email });
    expect((await owner.post("/executions", body)).status).toBe(201);
  });

  it("are deleted, and connecting again creates another one", async () => {
    const connection = await connectUser();
    await saveSignIn(connection);
    const api = createApi(service.url, connection);
    await api.created();
    expect((await remove(connection.connectionId, user)).status).toBe(204);
    expect(await seen(connection)).toBeUndefined();
    expect((await api.list()).status).toBe(401);
    expect((await remove(connection.connectionId, user)).status).toBe(404);
    await expectLedgerAddsUp(service);
    const again = await service.connect({ applicationId: connection.applicationId, email: user.email });
    expect(again.connectionId).not.toBe(connection.connectionId);
    expect((await createApi(service.url, again).list()).body.executions).toEqual([]);
    expect(await seen(again)).toMatchObject({ state: "ACTIVE", signed_in_at: null, last_execution: null });
  });

  it("are deleted with the sign-in in progress", async () => {
    const connection = await connectUser();
    await service.database.query(
      `insert into sign_in_attempts (application_id, user_id, redirect_uri, expires_at)
       values ($1, $2, $3, now() + interval '1 hour'), ($1, $4, $3, now() + interval '1 hour')`,
      [connection.applicationId, user.userId, REDIRECT_URI, owner.userId],
    );
    expect((await remove(connection.connectionId, user)).status).toBe(204);
    const left = await service.database.query("select user_id from sign_in_attempts where application_id = $1", [
      connection.applicationId,
    ]);
    expect(left).toEqual([{ user_id: owner.userId }]);
  });

  it("are created again by the authorization link after they were deleted", async () => {
    const applicationId = await newApplication();
    const person = new Visitor(service.url);
    const email = await person.signUp();
    const { connectionId } = await service.connect({ applicationId, email });
    expect((await remove(connectionId)).status).toBe(204);
    expect((await person.get(authorizePath(applicationId))).status).toBe(200);
    const code = await obtainCode(person, applicationId);
    const exchange = { grant_type: "authorization_code", client_id: applicationId, code, redirect_uri: REDIRECT_URI };
    const { body } = await postForm(`${service.url}/v1/oauth/token`, exchange);
    expect(body.connection_id).not.toBe(connectionId);
    expect((await createApi(service.url, { applicationId, token: body.access_token }).list()).status).toBe(200);
  });
});
