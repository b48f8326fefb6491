import { randomBytes, randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { SealedSignIn } from "../src/connections/vault/saved-sign-in.ts";
import type { SignInHolder, SignInStore, StoredSignIn } from "../src/connections/vault/sign-in-store.ts";
import type { ExecutionStore } from "../src/executions/execution-store.ts";
import { createLogger } from "../src/lib/logger.ts";
import type { Claim, QueueStore } from "../src/queue/queue-store.ts";
import { type Database, openDatabase } from "../src/storage/database.ts";
import { createHints, type Hints } from "../src/storage/hints.ts";
import { createExecutionStore } from "../src/storage/sql-executions.ts";
import { createQueueStore } from "../src/storage/sql-queue.ts";
import { createSignInStore, saveSignIn } from "../src/storage/sql-sign-ins.ts";
import { createTestDatabase, type TestDatabase } from "./_harness/database.ts";
import { COMPLETED } from "./_harness/engine.ts";
import { expectLedgerAddsUp } from "./_harness/ledger.ts";

const LEASE_MS = 60_000;
const MINUTE_MS = 60_000;

describe("saved sign-ins in the database", () => {
  let disposables: AsyncDisposableStack;
  let testDatabase: TestDatabase;
  let database: Database;
  let hints: Hints;
  let signIns: SignInStore;
  let executions: ExecutionStore;
  let queue: QueueStore;
  let connectionId: string;

  beforeAll(async () => {
    disposables = new AsyncDisposableStack();
    testDatabase = disposables.use(await createTestDatabase());
    const connectionString = testDatabase.url;
    database = disposables.use(openDatabase({ connectionString, poolSize: 12, onError: () => {} }));
    const logger = createLogger("silent", process.stderr);
    hints = disposables.use(createHints({ connectionString, pool: database.pool, logger }));
    signIns = createSignInStore(database, hints);
    executions = createExecutionStore(database, hints);
    queue = createQueueStore(database, hints);
    await testDatabase.query("update owners set balance = 100000");
    await testDatabase.query(
      "insert into credit_entries (owner_id, kind, credits) select id, 'grant', balance - 1000 from owners",
    );
  });
  afterAll(() => disposables.disposeAsync());

  beforeEach(async () => {
    connectionId = await connect();
  });

  async function connect(): Promise<string> {
    const [row] = await testDatabase.query<{ id: string }>(
      `with person as (
         insert into users (name, email) values ('Ann', gen_random_uuid() || '@example.com') returning id
       ), application as (
         insert into applications (owner_id, name, type) select id, 'Shop', 'public' from owners returning id
       )
       insert into connections (application_id, user_id) select application.id, person.id from application, person
       returning id`,
    );
    return row?.id ?? "";
  }

  const seal = (keyId = "aaaa"): SealedSignIn => ({
    keyId,
    wrappedKey: randomBytes(61),
    ciphertext: randomBytes(200),
  });

  async function save(sealed = seal(), id = connectionId): Promise<StoredSignIn> {
    await database.kysely.transaction().execute((tx) => saveSignIn(tx, id, sealed));
    return read(id);
  }

  async function read(id = connectionId): Promise<StoredSignIn> {
    const stored = await signIns.find(id);
    if (stored === null) throw new Error("there is no sign-in");
    return stored;
  }

  async function create(id = connectionId): Promise<string> {
    const creation = await executions.create({
      connectionId: id,
      prompt: "Say hello.",
      startUrl: null,
      outputSchema: null,
      credits: 1,
      maxQueued: null,
      idempotency: null,
      traceparent: null,
    });
    if (creation.outcome !== "created") throw new Error(creation.outcome);
    return creation.execution.id;
  }

  async function claim(executionId: string): Promise<Claim> {
    const claimed = await queue.claimOne(executionId, LEASE_MS);
    if (claimed === null) throw new Error("it cannot be claimed");
    return claimed;
  }

  const runOf = ({ execution, fence }: Claim): SignInHolder => ({ kind: "run", executionId: execution.id, fence });

  const stateOf = async () => {
    const [row] = await testDatabase.query<{ state: string }>("select state from connections where id = $1", [
      connectionId,
    ]);
    return row?.state;
  };

  describe("a renewal by a run", () => {
    let run: Claim;
    beforeEach(async () => {
      run = await claim(await create());
    });

    it("replaces what was read, under another revision", async () => {
      const first = await save();
      const sealed = seal("bbbb");
      expect(await signIns.renew(connectionId, first.revision, sealed, runOf(run))).toBe(true);
      const renewed = await read();
      expect(renewed).toMatchObject({ ...sealed, signedInAt: first.signedInAt });
      expect(renewed.revision).not.toBe(first.revision);
      expect(renewed.checkedAt.getTime()).toBeGreaterThanOrEqual(first.checkedAt.getTime());
    });

    it("is refused once the sign-in is another one", async () => {
      const first = await save();
      const second = await save();
      expect(second.revision).not.toBe(first.revision);
      expect(await signIns.renew(connectionId, first.revision, seal(), runOf(run))).toBe(false);
      expect(await read()).toEqual(second);
    });

    it("is refused with an older fence, and once the run has ended", async () => {
      const { revision } = await save();
      const older: SignInHolder = { kind: "run", executionId: run.execution.id, fence: run.fence - 1 };
      expect(await signIns.renew(connectionId, revision, seal(), older)).toBe(false);
      await queue.finish(run.execution.id, run.fence, COMPLETED);
      expect(await signIns.renew(connectionId, revision, seal(), runOf(run))).toBe(false);
      expect((await read()).revision).toBe(revision);
    });

    it("is refused for a run of another connection", async () => {
      const { revision } = await save();
      const other = await connect();
      const foreign = await claim(await create(other));
      expect(await signIns.renew(connectionId, revision, seal(), runOf(foreign))).toBe(false);
    });

    it("is refused after a deletion, and brings nothing back", async () => {
      const { revision } = await save();
      expect(await signIns.delete(connectionId)).toBe(true);
      expect(await signIns.renew(connectionId, revision, seal(), runOf(run))).toBe(false);
      expect(await signIns.find(connectionId)).toBeNull();
    });

    it("waits for a run's end that is under way, and is refused then", async () => {
      const { revision } = await save();
      const ending = await database.pool.connect();
      try {
        await ending.query("begin");
        await ending.query("select id from connections where id = $1 for no key update", [connectionId]);
        const renewal = signIns.renew(connectionId, revision, seal(), runOf(run));
        await untilSomebodyWaits();
        await ending.query("update executions set fence = fence + 1 where id = $1", [run.execution.id]);
        await ending.query("commit");
        expect(await renewal).toBe(false);
      } finally {
        ending.release();
      }
    });
  });

  async function untilSomebodyWaits(): Promise<void> {
    for (;;) {
      const waiting = await testDatabase.query(
        "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      );
      if (waiting.length > 0) return;
    }
  }

  describe("a rewrapping", () => {
    it("changes the wrapping only, and lets a run under way renew", async () => {
      const run = await claim(await create());
      const before = await save();
      const wrappedKey = randomBytes(61);
      const { revision } = before;
      expect(await signIns.rewrap([{ connectionId, revision, keyId: "cccc", wrappedKey }])).toBe(1);
      expect(await read()).toEqual({ ...before, keyId: "cccc", wrappedKey });
      const renewed = seal("dddd");
      expect(await signIns.renew(connectionId, revision, renewed, runOf(run))).toBe(true);
      // The renewal was quicker than a rewrapping of what it replaced.
      expect(await signIns.rewrap([{ connectionId, revision, keyId: "eeee", wrappedKey }])).toBe(0);
      expect(await read()).toMatchObject(renewed);
    });

    it("finds those under other keys page by page, and counts them", async () => {
      const ids = (await Promise.all(Array.from({ length: 5 }, connect))).toSorted();
      const [own, ...others] = ids;
      await save(seal("own"), own);
      for (const id of others) await save(seal("other"), id);
      const found: string[] = [];
      for (let page = await signIns.listUnder("own", null, 2); page.length > 0; ) {
        found.push(...page.map((key) => key.connectionId));
        page = await signIns.listUnder("own", found.at(-1) ?? null, 2);
      }
      expect(found.filter((id) => ids.includes(id))).toEqual(others);
      expect(found).toEqual(found.toSorted());
      expect(await signIns.countByKey()).toEqual(
        expect.arrayContaining([
          { keyId: "own", signIns: 1 },
          { keyId: "other", signIns: 4 },
        ]),
      );
    });
  });

  describe("a deletion", () => {
    it("says so when there is nothing to delete, and changes nothing", async () => {
      expect(await signIns.delete(connectionId)).toBe(false);
      expect(await stateOf()).toBe("ACTIVE");
      expect(await signIns.delete(randomUUID())).toBe(false);
    });

    it("cancels what is queued with its credits back, stops what runs, and tells who waits", async () => {
      await save();
      const running = await claim(await create());
      const queued = [await create(), await create()];
      const other = await connect();
      const untouched = await create(other);
      const hinted = Promise.all(
        [running.execution.id, ...queued].map(
          (id) => new Promise<void>((resolve) => void hints.subscribe(id, resolve)),
        ),
      );
      expect(await signIns.delete(connectionId)).toBe(true);
      await hinted;
      expect(await stateOf()).toBe("REAUTHORIZATION_REQUIRED");
      expect(await queue.look(running.execution.id, running.fence)).toEqual({ cancelRequested: true });
      for (const id of queued) {
        expect(await executions.find(connectionId, id)).toMatchObject({
          status: "FAILED",
          terminal: { status: "canceled", reason: "The saved sign-in was deleted before the execution ran." },
          error: { code: "CANCELED" },
          charged: false,
        });
        const events = await executions.listEvents(id, { after: 0, limit: 10 });
        expect(events.map(({ type }) => type)).toEqual(["execution.queued", "execution.failed"]);
        expect(events.at(-1)?.data).toMatchObject({ terminal: { status: "canceled" } });
      }
      expect(await executions.find(other, untouched)).toMatchObject({ status: "QUEUED" });
      await expectLedgerAddsUp({ database: testDatabase });
      await expect(create()).rejects.toThrow("reauthorization_required");
    });

    it("ends a line of thousands", async () => {
      await save();
      await testDatabase.query(
        `with created as (
           insert into executions (connection_id, prompt, credits, last_event_id)
           select $1, 'Say hello.', 1, 1 from generate_series(1, 2500) returning id
         ), owner as (
           update owners set balance = balance - 2500 returning id
         ), event as (
           insert into execution_events (execution_id, id, type, data) select id, 1, 'execution.queued', '{}' from created
         )
         insert into credit_entries (owner_id, execution_id, kind, credits)
         select owner.id, created.id, 'reserve', 1 from created, owner`,
        [connectionId],
      );
      expect(await signIns.delete(connectionId)).toBe(true);
      const states = await testDatabase.query(
        "select terminal_status, count(*)::int from executions where connection_id = $1 group by terminal_status",
        [connectionId],
      );
      expect(states).toEqual([{ terminal_status: "canceled", count: 2_500 }]);
      await expectLedgerAddsUp({ database: testDatabase });
    });

    it("beside claims, ends and creates settles each execution once", async () => {
      for (let round = 0; round < 12; round += 1) {
        connectionId = await connect();
        const { revision } = await save();
        const queued = await Promise.all(Array.from({ length: 4 }, () => create()));
        const claimAndEnd = async (id: string) => {
          const claimed = await queue.claimOne(id, LEASE_MS);
          if (claimed === null) return;
          await signIns.renew(connectionId, revision, seal(), runOf(claimed));
          await queue.finish(id, claimed.fence, COMPLETED);
        };
        const deletions = await Promise.all([
          signIns.delete(connectionId),
          ...queued.map(async (id) => void (await claimAndEnd(id))),
          create().catch(() => undefined),
          executions.cancelQueued(queued.at(-1) ?? ""),
          signIns.delete(connectionId),
        ]);
        expect(deletions.filter((answer) => answer === true)).toHaveLength(1);
        expect(await signIns.find(connectionId)).toBeNull();
        const left = await testDatabase.query(
          "select id from executions where connection_id = $1 and terminal_status is null",
          [connectionId],
        );
        expect(left, "something still waits or runs").toEqual([]);
      }
      await expectLedgerAddsUp({ database: testDatabase });
    });
  });

  describe("a check", () => {
    const begin = async (forMs = MINUTE_MS) => {
      const check = await signIns.beginCheck(connectionId, forMs);
      if (check === null) throw new Error("the check cannot begin");
      return check;
    };

    it("is due by the time of the last one, the longest first, for active connections that rest", async () => {
      const [first, second, busy, signedOut, fresh] = await Promise.all(Array.from({ length: 5 }, connect));
      const ids = [first, second, busy, signedOut, fresh].map((id) => id ?? "");
      for (const [age, id] of ids.entries()) {
        await save(seal(), id);
        await testDatabase.query(
          "update saved_sign_ins set checked_at = now() - ($2 * interval '1 hour') where connection_id = $1",
          [id, 9 - age * 2],
        );
      }
      await claim(await create(busy));
      await testDatabase.query("update connections set state = 'REAUTHORIZATION_REQUIRED' where id = $1", [signedOut]);
      const due = async () => (await signIns.listDue(2 * 60 * MINUTE_MS, 100)).filter((id) => ids.includes(id));
      expect(await due()).toEqual([first, second]);
      const check = await signIns.beginCheck(first ?? "", MINUTE_MS);
      expect(await due()).toEqual([second]);
      await signIns.endCheck(first ?? "", check?.expiresAt ?? new Date(), false);
      expect(await due()).toEqual([second]);
    });

    it("is one at a time, and none beside a run or without a sign-in", async () => {
      expect(await signIns.beginCheck(connectionId, MINUTE_MS)).toBeNull();
      const stored = await save();
      const answers = await Promise.all(Array.from({ length: 8 }, () => signIns.beginCheck(connectionId, MINUTE_MS)));
      const begun = answers.filter((answer) => answer !== null);
      expect(begun).toEqual([{ expiresAt: expect.any(Date), signIn: stored }]);
      await signIns.endCheck(connectionId, begun[0]?.expiresAt ?? new Date(), false);
      const run = await claim(await create());
      expect(await signIns.beginCheck(connectionId, MINUTE_MS)).toBeNull();
      await queue.finish(run.execution.id, run.fence, COMPLETED);
      expect(await signIns.beginCheck(connectionId, MINUTE_MS)).not.toBeNull();
    });

    it("renews while it holds the connection, and not when its time is over", async () => {
      const { revision } = await save();
      const { expiresAt } = await begin();
      const other: SignInHolder = { kind: "check", expiresAt: new Date(expiresAt.getTime() + 1) };
      expect(await signIns.renew(connectionId, revision, seal(), other)).toBe(false);
      const sealed = seal("bbbb");
      expect(await signIns.renew(connectionId, revision, sealed, { kind: "check", expiresAt })).toBe(true);
      const renewed = await read();
      expect(renewed).toMatchObject(sealed);
      await signIns.endCheck(connectionId, expiresAt, false);
      const late = await begin(0);
      expect(
        await signIns.renew(connectionId, renewed.revision, seal(), { kind: "check", expiresAt: late.expiresAt }),
      ).toBe(false);
      // One that died frees itself.
      await begin();
    });

    it("marks a connection that the site has signed out", async () => {
      await save();
      const { expiresAt } = await begin();
      await signIns.endCheck(connectionId, expiresAt, true);
      expect(await stateOf()).toBe("REAUTHORIZATION_REQUIRED");
      expect(await signIns.beginCheck(connectionId, MINUTE_MS)).toBeNull();
    });

    it("says nothing about a sign-in that has taken the place of the one it looked at", async () => {
      const { revision } = await save();
      const { expiresAt } = await begin();
      const anew = await save();
      expect(await signIns.renew(connectionId, revision, seal(), { kind: "check", expiresAt })).toBe(false);
      await signIns.endCheck(connectionId, expiresAt, true);
      expect(await stateOf()).toBe("ACTIVE");
      expect(await read()).toEqual(anew);
    });
  });
});
