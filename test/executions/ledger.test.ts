import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createOperations } from "../../src/app/operations.ts";
import type { ExecutionStatus } from "../../src/contract/execution.ts";
import type { ExecutionStore, NewExecution } from "../../src/executions/execution-store.ts";
import type { QueueStore } from "../../src/executions/queue.ts";
import { createLogger } from "../../src/lib/logger.ts";
import { type Database, openDatabase } from "../../src/storage/database.ts";
import { createNotifications, type Notifications } from "../../src/storage/notifications.ts";
import { createCreditStore } from "../../src/storage/sql/credits.ts";
import { createExecutionStore } from "../../src/storage/sql/executions.ts";
import { createQueueStore } from "../../src/storage/sql/queue.ts";
import { createTestDatabase, type TestDatabase } from "../_harness/database.ts";
import { COMPLETED, FAILED } from "../_harness/engine.ts";
import { expectLedgerAddsUp } from "../_harness/ledger.ts";
import { PUBLIC } from "../_harness/service.ts";

const LEASE_MS = 600_000;

type Move =
  | { do: "grant"; credits: number }
  | { do: "create"; price: number; key: string | null }
  | { do: "cancel"; pick: number }
  | { do: "claim" | "complete" | "fail" };

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
  { weight: 1, arbitrary: fc.record({ do: fc.constant("cancel" as const), pick: fc.nat({ max: 9 }) }) },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constantFrom("claim" as const, "complete" as const, "fail" as const) }),
  },
);

describe("the ledger", () => {
  let testDatabase: TestDatabase;
  let database: Database;
  let notifications: Notifications;
  let store: ExecutionStore;
  let queue: QueueStore;
  let ownerId: string;
  let applicationId: string;

  beforeAll(async () => {
    testDatabase = await createTestDatabase();
    database = openDatabase({ connectionString: testDatabase.url, poolSize: 10, onError: () => {} });
    notifications = createNotifications({
      connectionString: testDatabase.url,
      pool: database.pool,
      logger: createLogger("silent", process.stderr),
    });
    store = createExecutionStore(database, notifications);
    queue = createQueueStore(database, notifications);
    const { application } = await createOperations(database).applications.register(PUBLIC);
    ({ ownerId, id: applicationId } = application);
  });
  afterAll(async () => {
    await notifications[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
    await testDatabase[Symbol.asyncDispose]();
  });

  let people = 0;
  async function freshConnection(): Promise<string> {
    const operations = createOperations(database);
    const person = await operations.people.findOrCreate(`ledger-${++people}@example.com`);
    return (await operations.connections.connect(applicationId, person.id)).connection.id;
  }

  const newExecution = (connectionId: string, credits: number, key: string | null): NewExecution => ({
    connectionId,
    prompt: "Pay for me.",
    startUrl: null,
    outputSchema: null,
    approval: null,
    metadata: {},
    recipe: null,
    credits,
    maxQueued: null,
    idempotency: key === null ? null : { key, requestHash: Buffer.from("same") },
    traceparent: null,
  });

  interface Entry {
    id: string;
    status: ExecutionStatus;
    price: number;
    key: string | null;
    fence: number;
  }

  /** A small model of the rules, to compare the real ledger with. */
  class Model {
    readonly connectionId: string;
    balance: number;
    executions: Entry[] = [];

    constructor(connectionId: string, balance: number) {
      this.connectionId = connectionId;
      this.balance = balance;
    }

    find(status: ExecutionStatus): Entry | undefined {
      return this.executions.find((execution) => execution.status === status);
    }
  }

  async function create(model: Model, price: number, key: string | null): Promise<void> {
    const known = model.executions.find((execution) => key !== null && execution.key === key);
    const creation = await store.create(newExecution(model.connectionId, price, key));
    if (known !== undefined) {
      expect(creation).toMatchObject({ outcome: "replayed", execution: { id: known.id } });
    } else if (model.balance < price) {
      expect(creation).toEqual({ outcome: "insufficient_credits" });
    } else if (creation.outcome === "created") {
      model.balance -= price;
      model.executions.push({ id: creation.execution.id, status: "QUEUED", price, key, fence: 0 });
    } else {
      expect.fail(`a create that could be paid was refused: ${creation.outcome}`);
    }
  }

  async function cancel(model: Model, target: Entry | undefined): Promise<void> {
    if (target === undefined) return;
    const canceled = await store.cancelQueued(target.id);
    expect(canceled !== null).toBe(target.status === "QUEUED");
    if (canceled === null) return;
    target.status = "FAILED";
    model.balance += target.price;
  }

  async function claim(model: Model): Promise<void> {
    const expected = model.find("RUNNING") === undefined ? model.find("QUEUED") : undefined;
    const claimed = await queue.claim(LEASE_MS);
    expect(claimed?.execution.id).toBe(expected?.id);
    if (expected === undefined || claimed === null) return;
    expected.status = "RUNNING";
    expected.fence = claimed.fence;
  }

  async function finish(model: Model, outcome: typeof COMPLETED): Promise<void> {
    const target = model.find("RUNNING");
    if (target === undefined) return;
    expect(await queue.finish(target.id, target.fence + 1, outcome)).toBeNull();
    const finished = await queue.finish(target.id, target.fence, outcome);
    expect(finished?.charged).toBe(outcome.status === "COMPLETED");
    target.status = outcome.status;
    if (outcome.status === "FAILED") model.balance += target.price;
  }

  async function apply(step: Move, model: Model): Promise<void> {
    switch (step.do) {
      case "grant":
        model.balance += step.credits;
        expect(await createCreditStore(database).grant(ownerId, step.credits)).toBe(model.balance);
        return;
      case "create":
        return create(model, step.price, step.key);
      case "cancel":
        return cancel(model, model.executions[step.pick]);
      case "claim":
        return claim(model);
      case "complete":
        return finish(model, COMPLETED);
      case "fail":
        return finish(model, FAILED);
    }
  }

  /** Empties the queue for the next round. */
  async function drain(): Promise<void> {
    await testDatabase.query("update executions set lease_expires_at = now() where status = 'RUNNING'");
    for (const { id, fence } of await queue.listExpired(100)) await queue.finish(id, fence, FAILED);
    for (let left = await queue.claim(LEASE_MS); left !== null; left = await queue.claim(LEASE_MS)) {
      await queue.finish(left.execution.id, left.fence, FAILED);
    }
  }

  it("adds up after any sequence of grants, creates, cancels, claims and ends", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(move, { minLength: 5, maxLength: 30 }), async (moves) => {
        const model = new Model(await freshConnection(), await createCreditStore(database).getBalance(ownerId));
        for (const step of moves) await apply(step, model);
        expect(await createCreditStore(database).getBalance(ownerId)).toBe(model.balance);
        await expectLedgerAddsUp({ database: testDatabase });
        await drain();
      }),
      { numRuns: 40 },
    );
  });

  it("adds up when everything happens concurrently", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 10, maxLength: 30 }), async (prices) => {
        const connectionIds = await Promise.all(prices.map(freshConnection));
        const creations = await Promise.all(
          prices.map((price, index) => store.create(newExecution(connectionIds[index] ?? "", price, null))),
        );
        const ids = creations.flatMap((creation) => (creation.outcome === "created" ? [creation.execution.id] : []));
        const ends = await Promise.all(
          ids.flatMap((id) => [
            store.cancelQueued(id),
            queue.claim(LEASE_MS).then(async (claimed) => {
              if (claimed === null) return null;
              const { execution, fence } = claimed;
              const both = [queue.finish(execution.id, fence, COMPLETED), queue.finish(execution.id, fence, FAILED)];
              return (await Promise.all(both)).find((end) => end !== null) ?? null;
            }),
          ]),
        );
        expect(
          ends
            .filter((end) => end !== null)
            .map((end) => end.id)
            .toSorted(),
        ).toEqual(ids.toSorted());
        await expectLedgerAddsUp({ database: testDatabase });
      }),
      { numRuns: 15 },
    );
  });

  it("refuses a second settlement, a negative balance and changes to past entries in the database itself", async () => {
    const creation = await store.create(newExecution(await freshConnection(), 0, null));
    const id = creation.outcome === "created" ? creation.execution.id : "";
    await store.cancelQueued(id);
    const entry = "insert into credit_entries (owner_id, execution_id, kind, credits) values ($1, $2, $3, 1)";
    await expect(testDatabase.query(entry, [ownerId, id, "capture"])).rejects.toThrow("credit_entries_one_settlement");
    await expect(testDatabase.query(entry, [ownerId, id, "reserve"])).rejects.toThrow("credit_entries_one_reserve");
    await expect(testDatabase.query("update owners set balance = -1")).rejects.toThrow("owners_balance_check");
    await expect(testDatabase.query("update credit_entries set credits = 0")).rejects.toThrow("append-only");
    await expect(testDatabase.query("delete from credit_entries")).rejects.toThrow("append-only");
  });
});
