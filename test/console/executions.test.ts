import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Api, createApi } from "../_harness/api.ts";
import { startTestBrowser } from "../_harness/browser.ts";
import { keepArtifact, type Party, startParty } from "../_harness/console-world.ts";
import { finishDirectly, startDirectly } from "../_harness/engine.ts";
import { readerOf, readToEnd, readUntil } from "../_harness/event-stream.ts";
import { expectLedgerAddsUp } from "../_harness/ledger.ts";
import { startTestService, type TestService } from "../_harness/service.ts";

const ERRAND = {
  prompt: "Read the price of the kettle.",
  start_url: "https://shop.example/kettle",
  output_schema: { type: "object", properties: { price: { type: "number" } } },
};

describe("an execution in the console", () => {
  let service: TestService;
  let shop: Party;
  let api: Api;

  beforeAll(async () => {
    service = await startTestService();
    shop = await startParty(service, "Shop", 100);
    api = createApi(service.url, shop.connection);
  });
  afterAll(async () => {
    await expectLedgerAddsUp(service);
    await service[Symbol.asyncDispose]();
  });

  const creditOf = async () => (await shop.owner.get("/credits/entries?limit=1")).body.balance as number;

  it("matches the API, with its application and connection", async () => {
    const execution = await api.created(ERRAND);
    const { status, headers, body } = await shop.owner.get(`/executions/${execution.id.toUpperCase()}`);
    expect([status, headers.get("cache-control")]).toEqual([200, "private, no-store"]);
    expect(body).toEqual({
      execution,
      application: { id: shop.connection.applicationId, name: "Shop" },
      connection: { id: shop.connection.connectionId, user_email: shop.user.email },
      approval: null,
      may_run_again: true,
      recipe: null,
      recipe_draft: null,
    });
    expect((await shop.user.get(`/executions/${execution.id}`)).body).toEqual({ ...body, may_run_again: false });
  });

  it("is created on a connection of the owner's application, and the application sees it", async () => {
    const sent = { connection_id: shop.connection.connectionId.toUpperCase(), ...ERRAND };
    const { status, body } = await shop.owner.post("/executions", sent);
    expect([status, body.execution]).toEqual([201, expect.objectContaining({ ...ERRAND, status: "QUEUED" })]);
    expect((await api.get(body.execution.id)).body).toEqual(body);
  });

  it.each([
    [{ prompt: " " }, "prompt"],
    [{ prompt: "a\0" }, "prompt"],
    [{ start_url: "file:///etc/passwd" }, "start_url"],
    [{ output_schema: { type: "nothing" } }, "output_schema"],
    [{ output_schema: "x" }, "output_schema"],
    [{ callback: "https://example.com" }, "callback"],
    [{ prompt: undefined }, "prompt"],
    [{ connection_id: 5 }, "connection_id"],
  ])("is rejected like in the API: %j", async (wrong, path) => {
    const sent = { connection_id: shop.connection.connectionId, ...ERRAND, ...wrong };
    const { status, body } = await shop.owner.post("/executions", sent);
    expect([status, body.error.code, body.error.details[0].path]).toEqual([400, "INVALID_REQUEST", path]);
  });

  it("is explained before it is created, as it is read without a model", async () => {
    const understood = await shop.owner.post("/steps", { prompt: "Search for kettle and open Brindle Kettle." });
    expect(understood.body).toEqual({
      steps: [
        { said: "Search for kettle", does: expect.stringContaining("kettle") },
        { said: "open Brindle Kettle", does: expect.stringContaining("Brindle Kettle") },
      ],
      problem: null,
    });
    const { body } = await shop.owner.post("/steps", { prompt: "Search for kettle. Clik on Save." });
    expect([body.steps.length, body.problem.clause, body.problem.suggestion]).toEqual([
      1,
      "Clik on Save",
      "Click on Save",
    ]);
    expect((await shop.user.post("/steps", { prompt: "Search for kettle." })).status).toBe(403);
    expect((await shop.owner.get("/me")).body.has_model).toBe(false);
  });

  it("runs again with the same prompt, start URL and schema, and is charged to the owner", async () => {
    const first = await api.created(ERRAND);
    const before = await creditOf();
    const { status, body } = await shop.owner.post(`/executions/${first.id}/again`);
    expect(status).toBe(201);
    expect(body.execution).toEqual(expect.objectContaining({ ...ERRAND, status: "QUEUED" }));
    expect(body.execution.id).not.toBe(first.id);
    expect(await creditOf()).toBe(before - 1);
    const plain = await api.created({ prompt: "Say hello." });
    const again = await shop.owner.post(`/executions/${plain.id}/again`);
    expect(again.body.execution).toMatchObject({ prompt: "Say hello.", start_url: null, output_schema: null });
  });

  it("does not run while the user must sign in again, or without credits", async () => {
    const { id } = await api.created();
    const connectionId = shop.connection.connectionId;
    const state = (to: string) =>
      service.database.query("update connections set state = $2 where id = $1", [connectionId, to]);
    await state("REAUTHORIZATION_REQUIRED");
    const attempts = () => [
      shop.owner.post(`/executions/${id}/again`),
      shop.owner.post("/executions", { connection_id: connectionId, ...ERRAND }),
    ];
    for (const { status, body } of await Promise.all(attempts()))
      expect([status, body.error.code]).toEqual([409, "CONNECTION_REAUTHORIZATION_REQUIRED"]);
    await state("ACTIVE");
    const poor = await startParty(service, "Poor", 1);
    const last = await createApi(service.url, poor.connection).created();
    const { status, body } = await poor.owner.post(`/executions/${last.id}/again`);
    expect([status, body.error.code]).toEqual([402, "INSUFFICIENT_CREDITS"]);
  });

  it("is created no faster than the rate limit allows, however it is created, and others have their own limit", async () => {
    await using slow = await startTestService({
      settings: { ERRAND_CREATES_PER_MINUTE: "1", ERRAND_RATE_BURST: "3" },
      demoUrl: "http://127.0.0.1:9",
    });
    const [busy, other] = [await startParty(slow, "Busy", 100), await startParty(slow, "Other", 100)];
    const body = { connection_id: busy.connection.connectionId, prompt: "Say hello." };
    const first = await busy.owner.post("/executions", body);
    const again = () => busy.owner.post(`/executions/${first.body.execution.id}/again`);
    const statuses = [first.status, (await again()).status, (await busy.owner.post("/first-errand")).status];
    expect(statuses).toEqual([201, 201, 201]);
    for (const answer of [
      await busy.owner.post("/executions", body),
      await again(),
      await busy.owner.post("/first-errand"),
    ]) {
      expect(answer).toMatchObject({ status: 429, body: { error: { code: "RATE_LIMITED" } } });
      expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
    }
    expect((await other.owner.post("/first-errand")).status).toBe(201);
  });

  it("can be canceled by its user and by its owner, but not once it has ended", async () => {
    for (const visitor of [shop.owner, shop.user]) {
      const { id } = await api.created();
      const { status, body } = await visitor.post(`/executions/${id}/cancel`);
      expect([status, body.execution.terminal.status]).toEqual([200, "canceled"]);
      expect((await visitor.post(`/executions/${id}/cancel`)).status).toBe(200);
    }
    const ended = await runToEnd();
    const { status, body } = await shop.owner.post(`/executions/${ended}/cancel`);
    expect([status, body.error.code]).toEqual([409, "EXECUTION_FINISHED"]);
  });

  /** On its own connection, with nothing queued before it. */
  async function runToEnd(): Promise<string> {
    const connection = await service.connect({ applicationId: shop.connection.applicationId });
    const { id } = await createApi(service.url, connection).created();
    await startDirectly(service, id);
    await finishDirectly(service, id, "COMPLETED");
    return id;
  }

  describe("its events", () => {
    const follow = (id: string, headers: Record<string, string> = {}) =>
      fetch(`${service.url}/console/api/executions/${id}/events`, {
        headers: { cookie: shop.owner.cookie, accept: "text/event-stream", ...headers },
      });

    it("match the API, page by page", async () => {
      const id = await runToEnd();
      const { body } = await shop.owner.get(`/executions/${id}/events`);
      expect(body.events.map(({ type }: { type: string }) => type)).toEqual([
        "execution.queued",
        "execution.started",
        "execution.completed",
      ]);
      expect((await shop.owner.get(`/executions/${id}/events?after=1&limit=1`)).body).toEqual({
        events: [body.events[1]],
        has_more: true,
      });
      expect((await shop.owner.get(`/executions/${id}/events?after=-1`)).status).toBe(400);
    });

    it("stream as they are recorded, and the stream ends after the last", async () => {
      const connection = await service.connect({ applicationId: shop.connection.applicationId });
      const { id } = await createApi(service.url, connection).created();
      const response = await follow(id);
      expect(response.headers.get("content-type")).toContain("text/event-stream");
      const reader = readerOf(response);
      await readUntil(reader, "event: execution.queued");
      await startDirectly(service, id);
      await finishDirectly(service, id, "COMPLETED");
      await readUntil(reader, "event: execution.completed");
      expect(await readToEnd(reader)).not.toContain("event:");
    });

    it.each<[string, (party: Party) => Promise<unknown>]>([
      [
        "the session has ended",
        ({ owner }) => service.database.query("delete from sessions where user_id = $1", [owner.userId]),
      ],
      [
        "they no longer own anything",
        ({ owner }) => service.database.query("update owners set user_id = null where user_id = $1", [owner.userId]),
      ],
    ])("stream no further once %s", async (_, take) => {
      const party = await startParty(service, "Followed", 10);
      const { id } = await createApi(service.url, party.connection).created();
      const reader = readerOf(await follow(id, { cookie: party.owner.cookie }));
      await readUntil(reader, "event: execution.queued");
      await take(party);
      await startDirectly(service, id);
      expect(await readToEnd(reader)).not.toContain("event:");
    });

    it("continue after Last-Event-ID", async () => {
      const text = await (await follow(await runToEnd(), { "last-event-id": "2" })).text();
      expect(text.match(/^event: .*$/gm)).toEqual(["event: execution.completed"]);
      expect((await follow(await runToEnd(), { "last-event-id": "x" })).status).toBe(400);
    });
  });

  describe("its artifacts", () => {
    const MISCHIEF = Buffer.from("<script>parent.document.title = document.title = 'ran'</script>");

    it("are served unchanged with headers that keep them from running, and are cached", async () => {
      const { id } = await api.created();
      const data = Buffer.from([0, 255, 128, 10, 13, 0]);
      const picture = { kind: "screenshot", name: 'a"b.jpg', contentType: "image/jpeg", data };
      const artifactId = await keepArtifact(service, id, picture);
      const path = `/executions/${id}/artifacts`;
      const tag = `"${createHash("sha256").update(data).digest("hex")}"`;
      expect((await shop.user.get(path)).body.artifacts).toEqual([
        expect.objectContaining({ id: artifactId, kind: "screenshot", content_type: "image/jpeg", bytes: 6 }),
      ]);
      const response = await fetch(`${service.url}/console/api${path}/${artifactId}`, {
        headers: { cookie: shop.user.cookie },
      });
      expect(Buffer.from(await response.arrayBuffer()).equals(data)).toBe(true);
      expect(Object.fromEntries(response.headers)).toMatchObject({
        "content-type": "image/jpeg",
        "content-disposition": `attachment; filename="a_b.jpg"; filename*=UTF-8''a%22b.jpg`,
        "x-content-type-options": "nosniff",
        "content-security-policy": "sandbox; default-src 'none'",
        "cache-control": "private, no-cache",
        etag: tag,
      });
      const again = await shop.user.call("GET", `${path}/${artifactId}`, undefined, { "if-none-match": tag });
      expect([again.status, again.body]).toEqual([304, ""]);
    });

    it.each(["text/html", "image/svg+xml", "text/javascript", "application/xhtml+xml", "text/plainly"])(
      "of type %s are served as binary data",
      async (contentType) => {
        const { id } = await api.created();
        const artifactId = await keepArtifact(service, id, { name: "x", contentType, data: MISCHIEF });
        const { headers } = await shop.owner.get(`/executions/${id}/artifacts/${artifactId}`);
        expect(headers.get("content-type")).toBe("application/octet-stream");
      },
    );

    it("do not run in a real browser, opened, framed or as a script", async () => {
      const { id } = await api.created();
      const [html, script] = await Promise.all(
        [
          { name: "page.html", contentType: "text/html", data: MISCHIEF },
          { name: "page.js", contentType: "text/javascript", data: Buffer.from("document.title = 'ran'") },
        ].map((artifact) => keepArtifact(service, id, artifact)),
      );
      const base = `/console/api/executions/${id}/artifacts`;
      await using browser = await startTestBrowser();
      await using opened = await browser.openPage();
      const { page } = opened;
      const [name = "", ...value] = shop.owner.cookie.split("; ")[0]?.split("=") ?? [];
      await page.context().addCookies([{ name, value: value.join("="), url: service.url }]);
      // A page of our origin that allows everything, so that only the responses' own headers protect it.
      await page.route(`${service.url}/stage`, (route) =>
        route.fulfill({ contentType: "text/html", body: "<title>quiet</title>" }),
      );
      await page.goto(`${service.url}/stage`);
      const download = page.waitForEvent("download");
      const seen = page.waitForResponse(`**${base}/${script}`);
      await page.evaluate(
        ([frame = "", file = ""]) => {
          document.body.append(Object.assign(document.createElement("iframe"), { src: frame }));
          document.body.append(Object.assign(document.createElement("script"), { src: file }));
        },
        [`${base}/${html}`, `${base}/${script}`],
      );
      expect((await seen).status()).toBe(200);
      expect((await download).suggestedFilename()).toBe("page.html");
      const [second] = await Promise.all([
        page.waitForEvent("download"),
        page.goto(`${service.url}${base}/${html}`).catch(() => null),
      ]);
      expect(second.suggestedFilename()).toBe("page.html");
      expect(await page.title()).toBe("quiet");
    });
  });
});
