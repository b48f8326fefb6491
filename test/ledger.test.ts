import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ExecutionStatus } from "../src/contract/execution.ts";
import type { Outcome } from "../src/executions/execution-state.ts";
import type { NewExecution } from "../src/executions/execution-store.ts";
import { createLogger } from "../src/lib/logger.ts";
import { createOperations } from "../src/operations.ts";
import { type Database, openDatabase } from "../src/storage/database.ts";
import { createHints, type Hints } from "../src/storage/hints.ts";
import { createCreditStore } from "../src/storage/sql-credits.ts";
import { createExecutionStore } from "../src/storage/sql-executions.ts";
import { createTestDatabase, type TestDatabase } from "./_harness/database.ts";
import { COMPLETED, FAILED } from "./_harness/engine.ts";
import { expectLedgerAddsUp } from "./_harness/ledger.ts";
import { PUBLIC } from "./_harness/service.ts";

type Move =
  | { do: "grant"; credits: number }
  | { do: "create"; price: number; key: string | null }
  | { do: "start" | "complete" | "fail"; pick: number };

const move: fc.Arbitrary<Move> = fc.oneof(
  { weight: 1, arbitrary: fc.record({ do: fc.constant("grant" as const), credits: fc.integer({ min: 1, max: 5 }) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("create" as const),
      price: fc.integer({ min: 0, max: 4 }),
      key: fc.option(fc.constantFrom("a", "b", "c"), { nil: null }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom("start" as const, "complete" as const, "fail" as const),
      pick: fc.nat({ max: 9 }),
    }),
  },
);

describe("the ledger", () => {
  let testDatabase: TestDatabase;
  let database: Database;
  let hints: Hints;
  let ownerId: string;
  let applicationId: string;

  beforeAll(async () => {
    testDatabase = await createTestDatabase();
    database = openDatabase({ connectionString: testDatabase.url, poolSize: 10, onError: () => {} });
    hints = createHints({
      connectionString: testDatabase.url,
      pool: database.pool,
      logger: createLogger("silent", process.stderr),
    });
    const { application } = await createOperations(database).applications.register(PUBLIC);
    ({ ownerId, id: applicationId } = application);
  });
  afterAll(async () => {
    await hints[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
    await testDatabase[Symbol.asyncDispose]();
  });

  let people = 0;
  async function freshConnection(): Promise<string> {
    const { people: store, connections } = createOperations(database);
    const person = await store.findOrCreate(`ledger-${++people}@example.com`);
    return (await connections.connect(applicationId, person.id)).connection.id;
  }

  const newExecution = (connectionId: string, credits: number, key: string | null): NewExecution => ({
    connectionId,
    prompt: "Pay for me.",
    startUrl: null,
    outputSchema: null,
    credits,
    idempotency: key === null ? null : { key, requestHash: Buffer.from("same") },
  });

  /** The rules in a few lines, to hold the real thing against. */
  class Model {
    balance: number;
    executions: { id: string; status: ExecutionStatus; price: number; key: string | null }[] = [];

    constructor(balance: number) {
      this.balance = balance;
    }
  }

  async function grant(credits: number, model: Model): Promise<void> {
    model.balance += credits;
    expect(await createCreditStore(database).grant(ownerId, credits)).toBe(model.balance);
  }

  async function create(price: number, key: string | null, model: Model, connectionId: string): Promise<void> {
    const known = model.executions.find((execution) => key !== null && execution.key === key);
    const creation = await createExecutionStore(database, hints).create(newExecution(connectionId, price, key));
    if (known !== undefined) {
      expect(creation).toMatchObject({ outcome: "replayed", execution: { id: known.id } });
    } else if (model.balance < price) {
      expect(creation).toEqual({ outcome: "insufficient_credits" });
    } else if (creation.outcome === "created") {
      model.balance -= price;
      model.executions.push({ id: creation.execution.id, status: "QUEUED", price, key });
    } else {
      expect.fail(`a create that could be paid was refused: ${creation.outcome}`);
    }
  }

  async function start(target: Model["executions"][number]): Promise<void> {
    if (target.status !== "QUEUED") return;
    await testDatabase.query("update executions set status = 'RUNNING' where id = $1", [target.id]);
    target.status = "RUNNING";
  }

  async function finish(outcome: Outcome, target: Model["executions"][number], model: Model): Promise<void> {
    const finished = await createExecutionStore(database, hints).finish(target.id, "RUNNING", outcome);
    expect(finished !== null).toBe(target.status === "RUNNING");
    if (finished === null) return;
    expect(finished.charged).toBe(outcome.status === "COMPLETED");
    target.status = outcome.status;
    if (!finished.charged) model.balance += target.price;
  }

  async function apply(step: Move, model: Model, connectionId: string): Promise<void> {
    if (step.do === "grant") return grant(step.credits, model);
    if (step.do === "create") return create(step.price, step.key, model, connectionId);
    const target = model.executions[step.pick];
    if (target === undefined) return;
    if (step.do === "start") return start(target);
    return finish(step.do === "complete" ? COMPLETED : FAILED, target, model);
  }

  it("adds up after any sequence of grants, creates, starts and ends", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(move, { minLength: 5, maxLength: 25 }), async (moves) => {
        const connectionId = await freshConnection();
        const model = new Model(await createCreditStore(database).getBalance(ownerId));
        for (const step of moves) await apply(step, model, connectionId);
        expect(await createCreditStore(database).getBalance(ownerId)).toBe(model.balance);
        await expectLedgerAddsUp({ database: testDatabase });
      }),
      { numRuns: 40 },
    );
  });

  it("adds up when everything happens at once", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 10, maxLength: 30 }), async (prices) => {
        const store = createExecutionStore(database, hints);
        const connectionId = await freshConnection();
        const creations = await Promise.all(
          prices.map((price) => store.create(newExecution(connectionId, price, null))),
        );
        const ids = creations.flatMap((creation) => (creation.outcome === "created" ? [creation.execution.id] : []));
        await testDatabase.query("update executions set status = 'RUNNING' where id = any($1)", [ids]);
        const ends = await Promise.all(
          ids.flatMap((id) => [store.finish(id, "RUNNING", COMPLETED), store.finish(id, "RUNNING", FAILED)]),
        );
        expect(ends.filter((end) => end !== null)).toHaveLength(ids.length);
        await expectLedgerAddsUp({ database: testDatabase });
      }),
      { numRuns: 15 },
    );
  });

  it("refuses, in the database itself, a second settlement, a negative balance and any change of the past", async () => {
    const store = createExecutionStore(database, hints);
    const creation = await store.create(newExecution(await freshConnection(), 0, null));
    const id = creation.outcome === "created" ? creation.execution.id : "";
    await store.finish(id, "QUEUED", FAILED);
    const entry = "insert into credit_entries (owner_id, execution_id, kind, credits) values ($1, $2, $3, 1)";
    await expect(testDatabase.query(entry, [ownerId, id, "capture"])).rejects.toThrow("credit_entries_one_settlement");
    await expect(testDatabase.query(entry, [ownerId, id, "reserve"])).rejects.toThrow("credit_entries_one_reserve");
    await expect(testDatabase.query("update owners set balance = -1")).rejects.toThrow("owners_balance_check");
    await expect(testDatabase.query("update credit_entries set credits = 0")).rejects.toThrow("append-only");
    await expect(testDatabase.query("delete from credit_entries")).rejects.toThrow("append-only");
  });
});
