import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Execution } from "../../src/contract/execution.ts";
import { type Api, createApi } from "../_harness/api.ts";
import {
  bearer,
  ENDPOINTS,
  type Endpoint,
  type RawAnswer,
  requestTo,
  sendRaw,
  takeStock,
} from "../_harness/raw-http.ts";
import { startTestService, type TestConnection, type TestService } from "../_harness/service.ts";

/** Ann and Bob at the shop, Ann and Bob at the bank: the connections of one person are isolated from each other too. */
const NAMES = ["Ann at the shop", "Bob at the shop", "Ann at the bank", "Bob at the bank"] as const;
type Name = (typeof NAMES)[number];

interface Party {
  connection: TestConnection;
  api: Api;
  executions: Execution[];
}

const PAIRS = NAMES.flatMap((viewer) => NAMES.map((owner): [Name, Name] => [viewer, owner]));
const STRANGERS = PAIRS.filter(([viewer, owner]) => viewer !== owner);
const shopOf = (name: Name) => name.split(" ").at(-1);
const AT_OTHER_APPLICATIONS = PAIRS.filter(([viewer, owner]) => shopOf(viewer) !== shopOf(owner));
const ON_ONE = ENDPOINTS.filter(({ template }) => template.includes("{executionId}"));
const STREAM: [string, string] = ["accept", "text/event-stream"];

describe("a connection", () => {
  let service: TestService;
  const parties = new Map<Name, Party>();
  let before: Record<string, unknown>;

  beforeAll(async () => {
    service = await startTestService();
    const { applicationId: shop } = await service.connect();
    const { applicationId: bank } = await service.connect();
    for (const name of NAMES) {
      const connection = await service.connect({
        applicationId: shopOf(name) === "shop" ? shop : bank,
        email: `${name.split(" ")[0]}@example.com`,
      });
      const api = createApi(service.url, connection);
      const executions = [];
      for (const task of ["first", "second", "third"]) {
        executions.push(await api.created({ prompt: `The ${task} secret of ${name}.` }, { "idempotency-key": task }));
      }
      parties.set(name, { connection, api, executions });
    }
    before = await takeStock(service);
  });
  afterAll(() => service[Symbol.asyncDispose]());

  function party(name: Name): Party {
    const found = parties.get(name);
    if (found === undefined) throw new Error(`nobody is called ${name}`);
    return found;
  }

  function firstOf(name: Name): Execution {
    const [execution] = party(name).executions;
    if (execution === undefined) throw new Error(`${name} has no execution`);
    return execution;
  }

  async function call(
    viewer: Name,
    endpoint: Endpoint,
    ids: { applicationId?: string; executionId: string },
    headers: [string, string][] = [],
  ): Promise<RawAnswer> {
    const { connection } = party(viewer);
    const all = { applicationId: connection.applicationId, ...ids };
    return sendRaw(service.url, requestTo(endpoint, all, [bearer(connection), ...headers]));
  }

  it("of one person at two applications is two connections of one user", () => {
    const [shop, bank] = [party("Ann at the shop").connection, party("Ann at the bank").connection];
    expect(shop.userId).toBe(bank.userId);
    expect(new Set(NAMES.map((name) => party(name).connection.connectionId)).size).toBe(4);
  });

  describe.each(ENDPOINTS)("asking $name", (endpoint) => {
    it.each(AT_OTHER_APPLICATIONS)("(%s) is rejected at the application of %s", async (viewer, owner) => {
      const { applicationId } = party(owner).connection;
      const answer = await call(viewer, endpoint, { applicationId, executionId: firstOf(owner).id });
      expect(answer.status).toBe(403);
      expect(JSON.parse(answer.body).error.code).toBe("APPLICATION_MISMATCH");
      const unknown = await call(viewer, endpoint, { applicationId: randomUUID(), executionId: randomUUID() });
      expect(comparable(answer)).toEqual(comparable(unknown));
    });

    it.each(AT_OTHER_APPLICATIONS)("(%s) is rejected there even with its own execution", async (viewer, owner) => {
      const { applicationId } = party(owner).connection;
      const answer = await call(viewer, endpoint, { applicationId, executionId: firstOf(viewer).id });
      expect(answer.status).toBe(403);
    });
  });

  describe.each(ON_ONE)("asking $name", (endpoint) => {
    it.each(STRANGERS)(
      "(%s) gets the same response for an execution of %s as for an unknown one",
      async (viewer, owner) => {
        const headers: [string, string][] = [["if-none-match", "*"]];
        for (const executionId of [firstOf(owner).id, firstOf(owner).id.toUpperCase()]) {
          const answer = await call(viewer, endpoint, { executionId }, headers);
          expect(answer.status).toBe(404);
          expect(JSON.parse(answer.body).error.code).toBe("EXECUTION_NOT_FOUND");
          const unknown = await call(viewer, endpoint, { executionId: randomUUID() }, headers);
          const malformed = await call(viewer, endpoint, { executionId: "none" }, headers);
          expect(comparable(answer)).toEqual(comparable(unknown));
          expect(comparable(answer)).toEqual(comparable(malformed));
        }
      },
    );
  });

  it.each(STRANGERS)("(%s) gets no stream of the events of %s", async (viewer, owner) => {
    const events = ENDPOINTS.find(({ name }) => name === "events") as Endpoint;
    const answer = await call(viewer, events, { executionId: firstOf(owner).id }, [STREAM, ["last-event-id", "0"]]);
    const unknown = await call(viewer, events, { executionId: randomUUID() }, [STREAM, ["last-event-id", "0"]]);
    expect(answer.status).toBe(404);
    expect(comparable(answer)).toEqual(comparable(unknown));
  });

  it.each(STRANGERS)("(%s) cannot wait for an execution of %s", async (viewer, owner) => {
    const answer = await party(viewer).api.get(firstOf(owner).id, "?wait=30");
    expect([answer.status, answer.body.error.code]).toEqual([404, "EXECUTION_NOT_FOUND"]);
  });

  it.each(STRANGERS)("(%s) cannot page from an execution of %s", async (viewer, owner) => {
    for (const { id } of party(owner).executions) {
      const answer = await party(viewer).api.list(`?after=${id}`);
      const unknown = await party(viewer).api.list(`?after=${randomUUID()}`);
      expect([answer.status, answer.body.error.code]).toEqual([400, "INVALID_CURSOR"]);
      expect({ ...answer.body.error, request_id: "" }).toEqual({ ...unknown.body.error, request_id: "" });
    }
  });

  it.each(NAMES)("(%s) lists, reads and follows exactly its own", async (name) => {
    const { api, executions } = party(name);
    const newestFirst = executions.toReversed();
    expect((await api.list()).body).toEqual({ executions: newestFirst, has_more: false });
    expect((await api.list(`?after=${newestFirst[0]?.id}`)).body.executions).toEqual(newestFirst.slice(1));
    for (const execution of executions) {
      expect((await api.get(execution.id)).body.execution).toEqual(execution);
      expect((await api.events(execution.id)).body.events).toHaveLength(1);
    }
  });

  it("changed nothing of the others", async () => {
    expect(await takeStock(service)).toEqual(before);
  });

  it("has its own Idempotency-Keys: the same key and body elsewhere is another execution", async () => {
    const request = { prompt: "The same for everybody." };
    const key = { "idempotency-key": "shared" };
    const made = [];
    for (const name of NAMES) made.push((await party(name).api.created(request, key)).id);
    expect(new Set(made).size).toBe(4);
    for (const [index, name] of NAMES.entries()) {
      const replay = await party(name).api.create(request, key);
      expect([replay.status, replay.body.execution.id]).toEqual([200, made[index]]);
    }
  });

  it("does not learn that another one used its Idempotency-Key with another body", async () => {
    await party("Ann at the shop").api.created({ prompt: "One." }, { "idempotency-key": "told" });
    await party("Bob at the shop").api.created({ prompt: "Two." }, { "idempotency-key": "told" });
  });

  it("ends its own execution and no other", async () => {
    for (const name of NAMES) {
      const others = NAMES.filter((other) => other !== name);
      const states = () =>
        Promise.all(others.map(async (other) => (await party(other).api.list("?limit=50")).body.executions));
      const theirs = await states();
      expect((await party(name).api.cancel(firstOf(name).id)).body.execution.terminal.status).toBe("canceled");
      expect(await states()).toEqual(theirs);
    }
  });
});

/** A response without the parts that always differ. */
function comparable({ status, headers, body }: RawAnswer): unknown {
  const { error } = JSON.parse(body);
  const kept = [...headers].filter(([name]) => !["date", "x-request-id"].includes(name));
  return { status, headers: kept, error: { ...error, request_id: "" } };
}
