import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { Errand, ErrandOutcome } from "../../src/agent/loop/errand.ts";
import { type Api, createApi } from "../_harness/api.ts";
import { expectLedgerAddsUp } from "../_harness/ledger.ts";
import { startTestService, type TestConnection, type TestService } from "../_harness/service.ts";
import { failedErrand, ORDERED, startTestWorker, stepReport, type TestWorker, VERIFIED } from "../_harness/worker.ts";

const VERDICT = {
  agreed: false,
  reason: "The order is not in the list.",
  checks: [{ about: "the order is listed", verdict: "contradicted", evidence: "an empty list" }],
} as const;

describe("the outcome of a run", () => {
  let service: TestService;
  let worker: TestWorker;
  let script: (errand: Errand) => Promise<ErrandOutcome>;

  beforeAll(async () => {
    service = await startTestService();
    worker = await startTestWorker(service, { runErrand: (errand) => script(errand) });
  });
  afterAll(async () => {
    await worker[Symbol.asyncDispose]();
    await service[Symbol.asyncDispose]();
  });

  const ended = async (api: Api, id: string) => (await api.get(id, "?wait=30")).body.execution;
  const lastEvent = async (api: Api, id: string) => (await api.events(id)).body.events.at(-1);

  async function run(
    errand: typeof script,
    { registration = {}, body = { prompt: "Order a kettle." } as object } = {},
  ) {
    script = errand;
    const connection = await service.connect({ registration });
    const api = createApi(service.url, connection);
    const { id } = await api.created(body);
    return { api, id, connection, execution: await ended(api, id) };
  }

  it("a failure has its message, is not charged, and its last event lists changes and checks", async () => {
    const outcome = failedErrand({
      failure: "unverified",
      code: "UNVERIFIED",
      reason: VERDICT.reason,
      message: "Look at the orders.",
      sideEffects: [ORDERED],
      verdict: VERDICT,
    });
    const { api, id, execution } = await run(async () => outcome);
    expect(execution).toMatchObject({
      status: "FAILED",
      terminal: { status: "unverified", reason: VERDICT.reason },
      error: { code: "UNVERIFIED", message: "Look at the orders." },
      result: null,
      usage: { charged: false },
    });
    expect(await lastEvent(api, id)).toMatchObject({
      type: "execution.failed",
      data: { terminal: execution.terminal, side_effects: [ORDERED], verifier: VERDICT },
    });
    await expectLedgerAddsUp(service);
  });

  it("a failure that changed nothing only says that it failed", async () => {
    const { api, id, execution } = await run(async () => failedErrand());
    expect((await lastEvent(api, id))?.data).toEqual({ terminal: execution.terminal });
  });

  it("steps and the verdict are events, in order, between its start and its end", async () => {
    const { api, id } = await run(async ({ begin, reporter }) => {
      await begin();
      await reporter.step(stepReport({ step: 1 }));
      await reporter.step(stepReport({ step: 2, side_effects: [ORDERED] }));
      await reporter.verification({ ...VERDICT, agreed: true, cost: null, total_cost: null });
      return VERIFIED;
    });
    const { events } = (await api.events(id)).body;
    expect(events.map((event) => event.type)).toEqual([
      "execution.queued",
      "execution.started",
      "step",
      "step",
      "verification",
      "execution.completed",
    ]);
    expect(events[3]?.data).toMatchObject({ step: 2, action: "click", side_effects: [ORDERED] });
  });

  it("an internal error is a failure with an id; its details are in the log only", async () => {
    const { execution, api, id } = await run(async ({ begin, reporter }) => {
      await begin();
      await reporter.step(stepReport({ side_effects: [ORDERED] }));
      throw new Error("the reactor is leaking");
    });
    expect(execution).toMatchObject({
      status: "FAILED",
      terminal: { status: "internal_error" },
      error: { code: "INTERNAL_ERROR", message: expect.stringContaining("one change") },
    });
    const [errorId] = /[0-9a-f-]{36}/.exec(execution.error.message) ?? [];
    const line = worker.log.find((entry) => entry.includes(errorId ?? "no id"));
    expect(line).toContain("the reactor is leaking");
    expect(line).toContain(id);
    expect(JSON.stringify([execution, (await api.events(id)).body])).not.toContain("reactor");
    expect((await lastEvent(api, id))?.data).toMatchObject({ side_effects: [ORDERED] });
  });

  it("text that cannot be stored is stored without the offending characters", async () => {
    const odd = "a\0b\ud800c";
    const { api, id, execution } = await run(async ({ reporter }) => {
      await reporter.step(stepReport({ title: odd, input: { [odd]: [odd] } }));
      return failedErrand({ reason: odd, message: odd, sideEffects: [{ ...ORDERED, url: odd }] });
    });
    const fine = "a\ufffdb\ufffdc";
    expect(execution).toMatchObject({ terminal: { reason: fine }, error: { message: fine } });
    const { events } = (await api.events(id)).body;
    expect(events[2]?.data).toMatchObject({ title: fine, input: { [fine]: [fine] } });
    expect(events[3]?.data).toMatchObject({ side_effects: [{ url: fine }] });
    const done = await run(
      async () =>
        ({
          ...VERIFIED,
          reason: odd,
          result: {
            ...(VERIFIED as { result: object }).result,
            final_text: odd,
            extracted: { [odd]: [odd, Number.NaN] },
          },
        }) as ErrandOutcome,
    );
    expect(done.execution).toMatchObject({
      status: "COMPLETED",
      result: { final_text: fine, extracted: { [fine]: [fine, null] } },
    });
  });

  it("an event stays small, however large a page is, and says what was left out", async () => {
    const { api, id } = await run(async ({ reporter }) => {
      await reporter.step(stepReport({ title: "x".repeat(1_000_000), input: { list: Array(50_000).fill("y") } }));
      return failedErrand({ sideEffects: Array.from({ length: 2_000 }, () => ORDERED) });
    });
    const { events } = (await api.events(id)).body;
    const [, , step, end] = events;
    for (const event of [step, end]) expect(JSON.stringify(event?.data).length).toBeLessThan(70_000);
    expect(step?.data).toMatchObject({ action: "click", why: "to order" });
    expect(step?.data["title"]).toMatch(/^x+… \(\d+ more characters left out\)$/);
    expect(end?.data["side_effects"]).toContainEqual({ type: "left_out", count: expect.any(Number) });
  });

  describe("before anything is done", () => {
    const shop = { allowedHosts: ["shop.example", "*.shop.example"] };

    it.each([
      ["a host that is not allowed", shop, "https://evil.example/"],
      ["a host with a similar name", shop, "https://shop.example.evil.example/"],
      ["a port that is not allowed", shop, "https://shop.example:8443/"],
      ["a host other than the home page's", { homeUrl: "https://shop.example/" }, "https://other.shop.example/"],
    ])("a start at %s is rejected", async (_name, registration, startUrl) => {
      const errand = vi.fn(async () => VERIFIED);
      const { execution } = await run(errand, { registration, body: { prompt: "Look.", start_url: startUrl } });
      expect(execution).toMatchObject({
        status: "FAILED",
        terminal: { status: "policy_violation", reason: expect.stringContaining(new URL(startUrl).host) },
        error: { code: "POLICY_VIOLATION", message: expect.stringContaining("shop.example") },
      });
      expect(errand).not.toHaveBeenCalled();
    });

    it.each([
      ["an allowed host", shop, { prompt: "Look.", start_url: "https://shop.example/" }],
      ["a host below an allowed one", shop, { prompt: "Look.", start_url: "https://www.shop.example/" }],
      ["the home page", { homeUrl: "https://shop.example:8443/x" }, { prompt: "Look." }],
      [
        "any host, when the application has no hosts configured",
        {},
        { prompt: "Look.", start_url: "https://a.example" },
      ],
      ["no URL, when the planner must find its own way", {}, { prompt: "Open https://a.example/ and look." }],
    ])("a start at %s is accepted", async (_name, registration, body) => {
      expect((await run(async () => VERIFIED, { registration, body })).execution.status).toBe("COMPLETED");
    });
  });

  describe("that finds the user signed out", () => {
    const signedOut = async () =>
      failedErrand({ failure: "reauthorization_required", code: "REAUTHORIZATION_REQUIRED", reason: "Signed out." });

    const registration = { signInUrl: "https://shop.example/sign-in" };

    const stateOf = async ({ connectionId }: TestConnection) =>
      (await service.database.query("select state from connections where id = $1", [connectionId]))[0]?.["state"];

    it("ends as such, not charged, and marks the connection: nothing new is accepted until the user is back", async () => {
      const { api, connection, execution } = await run(signedOut, { registration });
      expect(execution).toMatchObject({
        terminal: { status: "reauthorization_required" },
        error: { code: "REAUTHORIZATION_REQUIRED" },
        usage: { charged: false },
      });
      expect(await stateOf(connection)).toBe("REAUTHORIZATION_REQUIRED");
      const refused = await api.create({ prompt: "Again." });
      expect([refused.status, refused.body.error.code]).toEqual([409, "CONNECTION_REAUTHORIZATION_REQUIRED"]);
    });

    it("ends the executions queued behind it without a browser", async () => {
      const gate = Promise.withResolvers<void>();
      let runs = 0;
      script = async () => {
        runs += 1;
        await gate.promise;
        return signedOut();
      };
      const api = createApi(service.url, await service.connect({ registration }));
      const created = [await api.created(), await api.created(), await api.created()];
      gate.resolve();
      for (const { id } of created) {
        expect((await ended(api, id)).terminal.status).toBe("reauthorization_required");
      }
      expect(runs).toBe(1);
    });

    it("ends without a way to continue, and leaves the connection usable, where nobody can sign in", async () => {
      const { api, connection, execution } = await run(signedOut);
      expect(execution).toMatchObject({
        terminal: { status: "goal_unreachable", reason: expect.stringMatching(/^Signed out\. .*no sign-in URL/) },
        error: { code: "SIGN_IN_NOT_SET_UP", message: expect.stringContaining("sign_in_url") },
        usage: { charged: false },
      });
      expect(await stateOf(connection)).toBe("ACTIVE");
      script = async () => VERIFIED;
      expect((await ended(api, (await api.created()).id)).status).toBe("COMPLETED");
    });

    it("leaves other connections unchanged", async () => {
      const other = await service.connect({ registration });
      await run(signedOut, { registration });
      expect(await stateOf(other)).toBe("ACTIVE");
    });
  });
});
