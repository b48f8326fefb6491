import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { reap } from "../../src/executions/queue.ts";
import type { SpendingStore } from "../../src/executions/spending.ts";
import { openDatabase } from "../../src/storage/database.ts";
import { createSpendingStore } from "../../src/storage/sql/spending.ts";
import { createApi } from "../_harness/api.ts";
import { TestClock } from "../_harness/clock.ts";
import { COMPLETED, openTestQueue, type TestQueue } from "../_harness/engine.ts";
import { startTestService, type TestConnection, type TestService } from "../_harness/service.ts";

const DAY_SECONDS = 24 * 3_600;

interface Limits {
  perErrand?: number;
  perMonth?: number;
}

describe("the ledger of what is spent", () => {
  let service: TestService;
  let queue: TestQueue;
  /** As in two workers: each with its own connections. */
  let stores: readonly [SpendingStore, SpendingStore];
  const clock = new TestClock();
  const disposables = new AsyncDisposableStack();

  beforeAll(async () => {
    service = disposables.use(await startTestService());
    queue = disposables.use(openTestQueue(service.database.url, 4));
    const open = () =>
      createSpendingStore(
        disposables.use(openDatabase({ connectionString: service.database.url, poolSize: 8, onError: () => {} })),
      );
    stores = [open(), open()];
    // The limits must hold even if something else lets a connection run twice.
    await service.database.query("drop index executions_one_running");
  });
  afterAll(() => disposables.disposeAsync());

  const query: TestService["database"]["query"] = (text, values) => service.database.query(text, values);

  async function connect({ perErrand, perMonth }: Limits): Promise<TestConnection> {
    const connection = await service.connect();
    await query(
      "update connections set spending_currency = 'EUR', spending_per_errand = $2, spending_per_month = $3 where id = $1",
      [connection.connectionId, perErrand ?? null, perMonth ?? null],
    );
    return connection;
  }

  /** An execution that runs, whatever else its connection does. */
  async function run(connection: TestConnection): Promise<string> {
    const { id } = await createApi(service.url, connection).created();
    await query(
      `update executions set status = 'RUNNING', fence = 1, began_at = now(), lease_expires_at = now() + interval '1 hour'
       where id = $1`,
      [id],
    );
    return id;
  }

  function reserve(
    executionId: string,
    euros: number,
    more: { isApproved?: boolean; currency?: string; at?: Date } = {},
  ) {
    const { isApproved = false, currency = "EUR", at = clock.now() } = more;
    const id = randomUUID();
    const amount = { minorUnits: Math.round(euros * 100), currency };
    return stores[0].reserve(executionId, 1, { id, amount, isApproved, at }).then(({ kind }) => ({ kind, id }));
  }

  const kindsOf = async (executionId: string) =>
    (
      await query<{ kind: string }>("select kind from spending_entries where execution_id = $1 order by id", [
        executionId,
      ])
    ).map(({ kind }) => kind);

  it("lets no two workers pass under the same rest of a limit", async () => {
    const connection = await connect({ perMonth: 10_00 });
    const executions = [await run(connection), await run(connection)];
    const results = await Promise.all(
      Array.from({ length: 24 }, async (_, index) => {
        const reservation = { id: randomUUID(), amount: { minorUnits: 1_00, currency: "EUR" }, isApproved: false };
        const store = stores[index % 2 === 0 ? 0 : 1];
        return await store.reserve(executions[index % 2] ?? "", 1, { ...reservation, at: clock.now() });
      }),
    );
    expect(results.filter(({ kind }) => kind === "reserved")).toHaveLength(10);
    const sums = await query<{ spent: number }>(
      "select sum(change)::int as spent from spending_entries where connection_id = $1",
      [connection.connectionId],
    );
    expect(sums).toEqual([{ spent: 10_00 }]);
    expect(results.find(({ kind }) => kind === "refused")).toMatchObject({
      why: "It costs €1.00, and €0.00 is left of the spending limit of €10.00 per month.",
    });
  });

  it("reserves once, however often the same reservation is repeated", async () => {
    const id = await run(await connect({ perMonth: 10_00 }));
    const reservation = { id: randomUUID(), amount: { minorUnits: 9_00, currency: "EUR" }, isApproved: false };
    for (const store of stores) {
      expect(await store.reserve(id, 1, { ...reservation, at: clock.now() })).toEqual({ kind: "reserved" });
    }
    expect(await kindsOf(id)).toEqual(["reserve"]);
  });

  it("counts per errand and per month, and starts again with the next month", async () => {
    const connection = await connect({ perErrand: 15_00, perMonth: 20_00 });
    const [first, second] = [await run(connection), await run(connection)];
    const at = clock.now();
    expect((await reserve(first, 10, { at })).kind).toBe("reserved");
    expect((await reserve(first, 5.01, { at })).kind).toBe("refused");
    expect((await reserve(second, 10.01, { at })).kind).toBe("refused");
    expect((await reserve(second, 10, { at })).kind).toBe("reserved");
    expect((await reserve(second, 0.01, { at })).kind).toBe("refused");
    clock.advance({ seconds: 31 * DAY_SECONDS });
    expect((await reserve(await run(connection), 15)).kind).toBe("reserved");
    const months = await query<{ months: number }>(
      "select count(distinct month)::int as months from spending_entries where connection_id = $1",
      [connection.connectionId],
    );
    expect(months).toEqual([{ months: 2 }]);
  });

  it("ends a month at midnight in UTC", async () => {
    const connection = await connect({ perMonth: 10_00 });
    const [last, first] = [new Date("2027-01-31T23:59:59.999Z"), new Date("2027-02-01T00:00:00Z")];
    expect((await reserve(await run(connection), 10, { at: last })).kind).toBe("reserved");
    expect((await reserve(await run(connection), 1, { at: last })).kind).toBe("refused");
    expect((await reserve(await run(connection), 10, { at: first })).kind).toBe("reserved");
  });

  it("compares no other currency, and counts what was approved above the limit", async () => {
    const connection = await connect({ perMonth: 10_00 });
    const id = await run(connection);
    expect((await reserve(id, 1, { currency: "USD" })).kind).toBe("refused");
    expect((await reserve(id, 1, { currency: "USD", isApproved: true })).kind).toBe("reserved");
    expect((await reserve(id, 9)).kind).toBe("reserved");
    expect((await reserve(id, 30, { isApproved: true })).kind).toBe("reserved");
    expect((await reserve(await run(connection), 0.01)).kind).toBe("refused");
  });

  it("gives back what was released, and keeps what was captured", async () => {
    const id = await run(await connect({ perMonth: 10_00 }));
    const first = await reserve(id, 10);
    await stores[0].settle(first.id, "release");
    await stores[1].settle(first.id, "capture");
    const second = await reserve(id, 10);
    expect(second.kind).toBe("reserved");
    await stores[0].settle(second.id, "capture");
    await stores[1].settle(second.id, "release");
    expect((await reserve(id, 0.01)).kind).toBe("refused");
    expect(await kindsOf(id)).toEqual(["reserve", "release", "reserve", "capture"]);
  });

  it("says so without limits, and when the lease was lost", async () => {
    const id = await run(await service.connect());
    expect((await reserve(id, 1_000)).kind).toBe("unlimited");
    await query("update executions set fence = 2 where id = $1", [id]);
    expect((await reserve(id, 1)).kind).toBe("lease_lost");
  });

  it("settles what a lost worker leaves: released before it could be sent, spent from then on", async () => {
    const connection = await connect({ perMonth: 20_00 });
    const api = createApi(service.url, connection);
    const lose = async (isSending: boolean) => {
      const { id } = await api.created();
      const claim = await queue.store.claimOne(id, 60_000);
      expect(claim).toMatchObject({ hasSpendingLimits: true });
      await queue.store.begin(id, claim?.fence ?? 0);
      const reserved = await reserve(id, 9);
      expect(reserved.kind).toBe("reserved");
      if (isSending) await stores[0].markSending(reserved.id);
      await query("update executions set lease_expires_at = now() - interval '1 second' where id = $1", [id]);
      await reap(queue.store);
      expect((await api.get(id)).body.execution.terminal?.status).toBe("worker_lost");
      return await kindsOf(id);
    };
    expect(await lose(false)).toEqual(["reserve", "release"]);
    expect(await lose(true)).toEqual(["reserve", "send", "capture"]);
    const next = await run(connection);
    expect((await reserve(next, 11.01)).kind).toBe("refused");
    expect((await reserve(next, 11)).kind).toBe("reserved");
  });

  it("leaves alone what was settled before the end of the execution", async () => {
    const { id } = await createApi(service.url, await connect({ perMonth: 20_00 })).created();
    const claim = await queue.store.claimOne(id, 60_000);
    const reserved = await reserve(id, 9);
    await stores[0].markSending(reserved.id);
    await stores[0].settle(reserved.id, "release");
    await queue.store.finish(id, claim?.fence ?? 0, COMPLETED);
    expect(await kindsOf(id)).toEqual(["reserve", "send", "release"]);
    expect((await reserve(id, 1)).kind).toBe("lease_lost");
  });

  it("changes and deletes no entry, until the connection is deleted", async () => {
    const connection = await connect({ perMonth: 20_00 });
    const id = await run(connection);
    await reserve(id, 9);
    await expect(query("update spending_entries set amount = 0 where execution_id = $1", [id])).rejects.toThrow(
      "spending_entries is append-only",
    );
    await expect(query("delete from spending_entries where execution_id = $1", [id])).rejects.toThrow(
      "spending_entries is append-only",
    );
    await query("delete from executions where id = $1", [id]);
    expect(await kindsOf(id)).toEqual(["reserve"]);
    await query("delete from connections where id = $1", [connection.connectionId]);
    expect(await kindsOf(id)).toEqual([]);
  });
});
