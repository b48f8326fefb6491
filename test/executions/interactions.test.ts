import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type Api, createApi } from "../_harness/api.ts";
import { CODE_QUESTION, createAskingErrand, ORDER, untilAsked } from "../_harness/interactions.ts";
import { expectLedgerAddsUp } from "../_harness/ledger.ts";
import { startTestService, type TestService } from "../_harness/service.ts";
import { startTestWorker, VERIFIED } from "../_harness/worker.ts";

describe("a run that waits for a person", () => {
  let service: TestService;

  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(async () => {
    await expectLedgerAddsUp(service);
    await service[Symbol.asyncDispose]();
  });

  const newApi = async () => createApi(service.url, await service.connect());
  const ended = async (api: Api, id: string) => (await api.get(id, "?wait=30")).body.execution;
  const query: TestService["database"]["query"] = (text, values) => service.database.query(text, values);
  const overdue = (id: string) =>
    // The trigger keeps everybody else from doing this.
    query(
      `do $$ begin
        alter table interactions disable trigger interactions_request_is_final;
        update interactions set expires_at = now() where execution_id = '${id}';
        alter table interactions enable trigger interactions_request_is_final;
      end $$`,
      [],
    );

  describe.each([
    ["with a notification", {}],
    ["with every notification lost", { deaf: true, pollMs: 50 }],
  ])("%s", (_name, options) => {
    it("stays RUNNING, says what it asks, and continues when the application approves", async () => {
      const errand = createAskingErrand(ORDER);
      await using _worker = await startTestWorker(service, { runErrand: errand.run, ...options });
      const api = await newApi();
      const { id } = await api.created();
      const asked = await untilAsked(api, id);
      expect(asked).toMatchObject({
        kind: "approval",
        state: "open",
        message: ORDER.message,
        amount: { value: 16.9, currency: "EUR" },
        recipient: ORDER.recipient,
        items: ORDER.items,
        values: ORDER.values,
        answer: null,
        link: expect.stringMatching(/^http.*\/i\/errand_il_\w+$/),
      });
      expect((await api.get(id)).body.execution.status).toBe("RUNNING");
      const approved = await api.answer(id, { id: asked.id, action: "approve" });
      expect(approved.body.interaction).toMatchObject({
        state: "answered",
        answer: "approved",
        answered_by: "application",
        link: null,
      });
      expect(await ended(api, id)).toMatchObject({ status: "COMPLETED" });
      expect(errand.sent).toEqual([ORDER.message]);
      const { events } = (await api.events(id)).body;
      expect(events.filter(({ type }) => type === "interaction").map(({ data }) => data)).toMatchObject([
        { interaction_id: asked.id, kind: "approval", state: "open", message: ORDER.message },
        { interaction_id: asked.id, state: "answered", answer: "approved", answered_by: "application" },
      ]);
      expect(JSON.stringify(events)).not.toContain("errand_il_");
      expect(events.map((event) => event.id)).toEqual(events.map((_event, index) => index + 1));
      expect((await api.interaction(id)).body).toEqual({ interaction: null });
    });
  });

  it("ends as approval_declined, not charged, when it is declined, and nothing was sent", async () => {
    const errand = createAskingErrand(ORDER);
    await using _worker = await startTestWorker(service, { runErrand: errand.run });
    const api = await newApi();
    const { id } = await api.created();
    const asked = await untilAsked(api, id);
    for (const action of ["approve", "decline"]) {
      const conditional = await api.answer(id, { id: asked.id, action, text: "But only one" });
      expect(conditional.status).toBe(400);
      expect(conditional.body.error.message).toContain(
        `text is only possible with answer: ${action} has no conditions`,
      );
    }
    expect((await api.answer(id, { id: asked.id, action: "decline" })).status).toBe(200);
    expect(await ended(api, id)).toMatchObject({
      status: "FAILED",
      terminal: { status: "approval_declined" },
      usage: { charged: false },
    });
    expect(errand.sent).toEqual([]);
  });

  it("lets exactly one of many answers win, and tells the others what was decided", async () => {
    const errand = createAskingErrand(ORDER);
    await using _worker = await startTestWorker(service, { runErrand: errand.run });
    const api = await newApi();
    const { id } = await api.created();
    const asked = await untilAsked(api, id);
    const actions = Array.from({ length: 10 }, (_, index) => (index % 2 === 0 ? "approve" : "decline"));
    const responses = await Promise.all(actions.map((action) => api.answer(id, { id: asked.id, action })));
    const winner = responses.filter(({ status }) => status === 200);
    expect(winner).toHaveLength(1);
    const { answer } = winner[0]?.body.interaction ?? {};
    for (const { status, body } of responses) {
      if (status === 200) continue;
      expect(status).toBe(409);
      expect(body.error).toMatchObject({
        code: "INTERACTION_ENDED",
        message: expect.stringContaining(`already ${answer} by the application`),
      });
    }
    expect((await ended(api, id)).terminal.status).toBe(answer === "approved" ? "verified" : "approval_declined");
    expect(errand.sent).toHaveLength(answer === "approved" ? 1 : 0);
  });

  it("ends as approval_expired when nobody answers in time, and a late answer changes nothing", async () => {
    const errand = createAskingErrand(ORDER);
    await using _worker = await startTestWorker(service, { runErrand: errand.run });
    const api = await newApi();
    const { id } = await api.created();
    const asked = await untilAsked(api, id);
    await overdue(id);
    const late = await api.answer(id, { id: asked.id, action: "approve" });
    expect(late.status).toBe(409);
    expect(late.body.error.message).toContain("in time");
    expect(await ended(api, id)).toMatchObject({ terminal: { status: "approval_expired" }, usage: { charged: false } });
    expect(errand.sent).toEqual([]);
  });

  it("closes the question when the execution is canceled", async () => {
    const errand = createAskingErrand(ORDER);
    await using _worker = await startTestWorker(service, { runErrand: errand.run });
    const api = await newApi();
    const { id } = await api.created();
    const asked = await untilAsked(api, id);
    await api.cancel(id);
    expect(await ended(api, id)).toMatchObject({ terminal: { status: "canceled" } });
    const late = await api.answer(id, { id: asked.id, action: "approve" });
    expect(late.body.error).toMatchObject({ code: "INTERACTION_ENDED", message: expect.stringContaining("ended") });
    expect(errand.sent).toEqual([]);
  });

  it("hands over a one-time code that then stands nowhere", async () => {
    const canary = "c4n4ry-519774";
    const errand = createAskingErrand(CODE_QUESTION);
    await using worker = await startTestWorker(service, { runErrand: errand.run });
    const api = await newApi();
    const { id } = await api.created();
    const asked = await untilAsked(api, id);
    expect(asked).toMatchObject({ kind: "question", is_secret: true });
    const answered = await api.answer(id, { id: asked.id, action: "answer", text: canary });
    expect(JSON.stringify(answered.body)).not.toContain(canary);
    await ended(api, id);
    expect(errand.answers).toEqual([{ kind: "answered", text: canary }]);
    const tables = await query<{ relname: string }>(
      "select relname from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace",
      [],
    );
    for (const { relname } of tables) {
      const rows = await query<{ text: string }>(
        `select row_to_json(rows)::text as text from "${relname}" as rows`,
        [],
      );
      const found = rows.filter(
        ({ text }) => text.includes(canary) || text.includes(Buffer.from(canary).toString("hex")),
      );
      expect(found, relname).toEqual([]);
    }
    const rows = await query("select answer, answer_box from interactions where execution_id = $1", [id]);
    expect(rows).toEqual([{ answer: "answered", answer_box: null }]);
    expect([...service.log, ...worker.log].join("\n")).not.toContain(canary);
  });

  it("refuses an action that does not fit, and an answer that is none of the options", async () => {
    const errand = createAskingErrand({ ...CODE_QUESTION, isSecret: false, options: ["Blue", "Green"] });
    await using _worker = await startTestWorker(service, { runErrand: errand.run });
    const api = await newApi();
    const { id } = await api.created();
    const { id: asked } = await untilAsked(api, id);
    for (const body of [
      { id: asked, action: "approve" },
      { id: asked, action: "answer" },
      { id: asked, action: "answer", text: "Red" },
      { id: asked, action: "burn" },
      { action: "answer", text: "Blue" },
    ]) {
      expect((await api.answer(id, body)).status, JSON.stringify(body)).toBe(400);
    }
    expect((await api.answer(id, { id: crypto.randomUUID(), action: "answer", text: "Blue" })).status).toBe(404);
    expect((await api.answer(id, { id: asked, action: "answer", text: "Blue" })).status).toBe(200);
    await ended(api, id);
    expect(errand.answers).toEqual([{ kind: "answered", text: "Blue" }]);
  });

  it("is invisible to every other connection", async () => {
    const errand = createAskingErrand(ORDER);
    await using _worker = await startTestWorker(service, { runErrand: errand.run });
    const own = await service.connect();
    const api = createApi(service.url, own);
    const { id } = await api.created();
    const asked = await untilAsked(api, id);
    const sameApplication = createApi(service.url, await service.connect({ applicationId: own.applicationId }));
    for (const stranger of [sameApplication, await newApi()]) {
      expect((await stranger.interaction(id)).body.error.code).toBe("EXECUTION_NOT_FOUND");
      const answer = await stranger.answer(id, { id: asked.id, action: "approve" });
      expect(answer.body.error.code).toBe("EXECUTION_NOT_FOUND");
    }
    // Another execution of the stranger does not open it either.
    const other = await sameApplication.created();
    await untilAsked(sameApplication, other.id);
    expect((await sameApplication.answer(other.id, { id: asked.id, action: "approve" })).status).toBe(404);
    expect(errand.sent).toEqual([]);
    await Promise.all([api.cancel(id), sameApplication.cancel(other.id)]);
    await Promise.all([ended(api, id), ended(sameApplication, other.id)]);
  });

  it("ends as worker_lost when its worker is lost, with the question closed and nothing sent", async () => {
    const errand = createAskingErrand(ORDER);
    const api = await newApi();
    const { id } = await api.created();
    let asked: Awaited<ReturnType<typeof untilAsked>>;
    {
      await using _worker = await startTestWorker(service, { runErrand: errand.run });
      asked = await untilAsked(api, id);
      // As if the process had been killed: nobody extends the lease under this fence any more.
      await query("update executions set fence = fence + 1, lease_expires_at = now() where id = $1", [id]);
      await using _other = await startTestWorker(service, { runErrand: async () => VERIFIED, reapMs: 50 });
      expect(await ended(api, id)).toMatchObject({ terminal: { status: "worker_lost" }, usage: { charged: false } });
    }
    const late = await api.answer(id, { id: asked.id, action: "approve" });
    expect(late.body.error.code).toBe("INTERACTION_ENDED");
    expect(errand.sent).toEqual([]);
  });

  it("ends as worker_lost when the service stops, and nothing was sent", async () => {
    const errand = createAskingErrand(ORDER);
    const api = await newApi();
    const { id } = await api.created();
    {
      await using _worker = await startTestWorker(service, { runErrand: errand.run });
      await untilAsked(api, id);
    }
    expect(await ended(api, id)).toMatchObject({ terminal: { status: "worker_lost" }, usage: { charged: false } });
    expect((await api.interaction(id)).body).toEqual({ interaction: null });
    expect(errand.sent).toEqual([]);
  });

  it("leaves its slot to others, up to four for each slot", async () => {
    const errand = createAskingErrand(ORDER);
    await using _worker = await startTestWorker(service, { runErrand: errand.run, concurrency: 1 });
    const apis = await Promise.all(Array.from({ length: 6 }, newApi));
    const waiting: { api: Api; id: string }[] = [];
    for (const api of apis.slice(0, 5)) {
      const { id } = await api.created();
      await untilAsked(api, id);
      waiting.push({ api, id });
    }
    // Four wait beside the slot, the fifth holds it.
    const [last] = apis.slice(5);
    const queued = (await last?.created())?.id ?? "";
    const rows = await query("select count(*)::int as count from interactions where state = 'open'", []);
    expect(rows).toEqual([{ count: 5 }]);
    expect((await last?.get(queued))?.body.execution.status).toBe("QUEUED");
    const [first] = waiting;
    await first?.api.cancel(first.id);
    if (last !== undefined) await untilAsked(last, queued);
    for (const { api, id } of [...waiting, { api: last as Api, id: queued }]) await api.cancel(id);
    for (const { api, id } of [...waiting, { api: last as Api, id: queued }]) await ended(api, id);
  });

  it("keeps request and answer as they are in the database", async () => {
    const errand = createAskingErrand(ORDER);
    await using _worker = await startTestWorker(service, { runErrand: errand.run });
    const api = await newApi();
    const { id } = await api.created();
    const asked = await untilAsked(api, id);
    const change = (set: string) => query(`update interactions set ${set} where id = $1`, [asked.id]);
    await expect(change("request = '{}'")).rejects.toThrow("append-only");
    await expect(change("expires_at = now()")).rejects.toThrow("append-only");
    await api.answer(id, { id: asked.id, action: "decline" });
    await ended(api, id);
    await expect(change("answer = 'approved'")).rejects.toThrow("append-only");
    await expect(change("state = 'open', answer = null, answered_by = null, ended_at = null")).rejects.toThrow(
      "append-only",
    );
  });

  describe("approval", () => {
    async function approvalOf(registration: object, byUser: string, body: object): Promise<string> {
      const seen = Promise.withResolvers<string>();
      await using _worker = await startTestWorker(service, {
        async runErrand({ people }) {
          seen.resolve(`${people?.approval} ${people?.isReachable}`);
          return VERIFIED;
        },
      });
      const connection = await service.connect({ registration });
      await query("update connections set approval = $2 where id = $1", [connection.connectionId, byUser]);
      const api = createApi(service.url, connection);
      const { id } = await api.created({ prompt: "Say hello.", ...body });
      await ended(api, id);
      return seen.promise;
    }

    it.each([
      ["never", "never", {}, "never false"],
      ["commits", "never", {}, "commits true"],
      ["never", "commits", {}, "commits true"],
      ["never", "never", { approval: "commits" }, "commits true"],
      ["commits", "never", { approval: "never" }, "commits true"],
      ["never", "commits", { approval: "never" }, "commits true"],
      ["never", "never", { approval: null }, "never false"],
    ])("of application %s, user %s and request %j is %s", async (approval, byUser, body, expected) => {
      expect(await approvalOf({ approval }, byUser, body)).toBe(expected);
    });

    it("belongs to the request that an idempotency key stands for", async () => {
      const api = await newApi();
      const headers = { "idempotency-key": "one" };
      const { id } = await api.created({ prompt: "Say hello.", approval: "commits" }, headers);
      const again = await api.create({ prompt: "Say hello.", approval: "commits" }, headers);
      expect([again.status, again.body.execution.id]).toEqual([200, id]);
      expect((await api.create({ prompt: "Say hello." }, headers)).body.error.code).toBe("IDEMPOTENCY_KEY_REUSED");
      expect((await api.create({ prompt: "Say hello.", approval: "always" })).status).toBe(400);
      await api.cancel(id);
      await vi.waitFor(async () => expect((await api.get(id)).body.execution.status).toBe("FAILED"));
    });
  });
});
