import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createApi } from "../_harness/api.ts";
import { type ConsoleAnswer, type ConsoleVisit, visitConsole } from "../_harness/console.ts";
import { keepArtifact, type Party, startParty } from "../_harness/console-world.ts";
import { takeStock } from "../_harness/raw-http.ts";
import { startTestService, type TestService } from "../_harness/service.ts";

const VISITORS = ["the owner", "the user", "another owner", "another user", "the operator", "nobody"] as const;
type Name = (typeof VISITORS)[number];

/** The status that each visitor gets, in the order of VISITORS. */
type Statuses = [number, number, number, number, number, number];

interface Route {
  method: "GET" | "POST";
  path(ids: { execution: string; artifact: string }): string;
  body?(ids: { connection: string }): unknown;
  headers?: Record<string, string>;
  answers: Statuses;
}

const SEEN: Statuses = [200, 200, 404, 404, 404, 401];

const ROUTES: Record<string, Route> = {
  "an execution": { method: "GET", path: ({ execution }) => `/executions/${execution}`, answers: SEEN },
  "its events": { method: "GET", path: ({ execution }) => `/executions/${execution}/events`, answers: SEEN },
  "its stream of events": {
    method: "GET",
    path: ({ execution }) => `/executions/${execution}/events`,
    headers: { accept: "text/event-stream" },
    answers: SEEN,
  },
  "its artifacts": { method: "GET", path: ({ execution }) => `/executions/${execution}/artifacts`, answers: SEEN },
  "an artifact": {
    method: "GET",
    path: ({ execution, artifact }) => `/executions/${execution}/artifacts/${artifact}`,
    answers: SEEN,
  },
  "cancelling it": { method: "POST", path: ({ execution }) => `/executions/${execution}/cancel`, answers: SEEN },
  "running it again": {
    method: "POST",
    path: ({ execution }) => `/executions/${execution}/again`,
    answers: [201, 403, 404, 404, 404, 401],
  },
  "saving it as a recipe, which it cannot become": {
    method: "POST",
    path: ({ execution }) => `/executions/${execution}/recipe`,
    answers: [409, 403, 404, 403, 404, 401],
  },
  "a new one on its connection": {
    method: "POST",
    path: () => "/executions",
    body: ({ connection }) => ({ connection_id: connection, prompt: "Mine." }),
    answers: [201, 403, 404, 403, 404, 401],
  },
};
const TABLE = Object.entries(ROUTES).flatMap(([route, { answers }]) =>
  VISITORS.map((visitor, index): [string, Name, number] => [route, visitor, answers[index] ?? 0]),
);
const REFUSED = TABLE.filter(([, , status]) => status >= 400);

describe("executions in the console", () => {
  let service: TestService;
  let shop: Party;
  const visitors = new Map<Name, ConsoleVisit>();
  const ids = { execution: "", artifact: "", connection: "" };

  beforeAll(async () => {
    service = await startTestService();
    shop = await startParty(service, "Shop", 100);
    const bank = await startParty(service, "Bank", 100);
    const operator = await visitConsole(service, { isOperator: true });
    const people = [shop.owner, shop.user, bank.owner, bank.user, operator];
    for (const [index, visitor] of people.entries()) visitors.set(VISITORS[index] ?? "nobody", visitor);
    ids.connection = shop.connection.connectionId;
  });
  afterAll(() => service[Symbol.asyncDispose]());

  beforeEach(async () => {
    const queued = await createApi(service.url, shop.connection).created({ prompt: "The secret of the shop." });
    ids.execution = queued.id;
    ids.artifact = await keepArtifact(service, queued.id, {
      name: "page.txt",
      contentType: "text/plain",
      data: Buffer.from("secret"),
    });
  });

  function ask(visitor: Name, { method, path, body, headers }: Route, its = ids): Promise<ConsoleAnswer> {
    const stranger: ConsoleVisit["call"] = (...[asked, address, sent, more]) =>
      shop.owner.call(asked, address, sent, { ...more, cookie: "" });
    const call = visitors.get(visitor)?.call ?? stranger;
    return call(method, path(its), body?.(its), headers);
  }

  const routeOf = (name: string): Route => ROUTES[name] ?? expect.unreachable(name);

  it.each(TABLE)("%s for %s: %i", async (route, visitor, status) => {
    const isStream = routeOf(route).headers !== undefined;
    // A stream ends when the execution has.
    if (isStream) await shop.owner.post(`/executions/${ids.execution}/cancel`);
    const answer = await ask(visitor, routeOf(route));
    expect([answer.status, answer.body]).toEqual([status, answer.body]);
    if (status >= 400) expect(JSON.stringify(answer.body)).not.toContain("secret");
  });

  it("are not changed by rejected requests", async () => {
    const before = await takeStock(service);
    for (const [route, visitor] of REFUSED) await ask(visitor, routeOf(route));
    expect(await takeStock(service)).toEqual(before);
  });

  it("of others return exactly the same response as unknown ones", async () => {
    const unknown = { execution: randomUUID(), artifact: randomUUID(), connection: randomUUID() };
    for (const [route, visitor, status] of REFUSED) {
      if (status !== 404) continue;
      const [foreign, none] = [await ask(visitor, routeOf(route)), await ask(visitor, routeOf(route), unknown)];
      expect(none.body.error).toEqual({ ...foreign.body.error, request_id: none.body.error.request_id });
    }
  });

  const LISTED = VISITORS.slice(0, 5).map((visitor, index): [Name, boolean] => [visitor, index < 2]);

  it.each(LISTED)("are listed for %s, whatever they ask for: %s", async (visitor, isTheirs) => {
    const visit = visitors.get(visitor) ?? expect.unreachable();
    for (const query of ["", `?connection_id=${ids.connection}`, `?text=${ids.execution}`, "?text=secret%20of"]) {
      const { status, body } = await visit.get(`/executions${query}`);
      const found = body.executions.some(({ id }: { id: string }) => id === ids.execution);
      expect([query, status, found]).toEqual([query, 200, isTheirs]);
      if (!isTheirs) expect(body).toEqual({ executions: [], has_more: false });
    }
    const { status, body } = await visit.get(`/executions?after=${ids.execution}`);
    expect([status, body.error?.code]).toEqual(isTheirs ? [200, undefined] : [400, "INVALID_CURSOR"]);
  });

  it("of an owner who is also a user include both kinds, and only those of their own applications can be run again", async () => {
    const both = shop.owner;
    const elsewhere = await startParty(service, "Elsewhere", 10);
    const { applicationId } = elsewhere.connection;
    const connection = await service.connect({ applicationId, email: both.email });
    const foreign = await createApi(service.url, connection).created();
    const { body } = await both.get("/executions?limit=2");
    expect(body.executions.map(({ id }: { id: string }) => id)).toEqual([foreign.id, ids.execution]);
    expect((await both.get(`/executions/${foreign.id}`)).body.may_run_again).toBe(false);
    expect((await both.post(`/executions/${foreign.id}/again`)).status).toBe(403);
    expect((await both.get(`/executions/${ids.execution}`)).body.may_run_again).toBe(true);
  });

  it("are not changed by another origin, which has the cookie but not the header", async () => {
    const response = await fetch(`${service.url}/console/api/executions/${ids.execution}/cancel`, {
      method: "POST",
      headers: { cookie: shop.owner.cookie },
    });
    expect(response.status).toBe(403);
    expect((await shop.owner.get(`/executions/${ids.execution}`)).body.execution.status).toBe("QUEUED");
  });
});
