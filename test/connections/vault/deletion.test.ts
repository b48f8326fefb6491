import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { COMPLETED } from "../../_harness/engine.ts";
import { expectLedgerAddsUp } from "../../_harness/ledger.ts";
import { LEASE_MS, runOf, seal, useSignInStage } from "../../_harness/sign-in-stage.ts";

const { stage, connect, save, create, claim, stateOf } = useSignInStage();

describe("a deletion of a saved sign-in", () => {
  it("says so when there is nothing to delete, and changes nothing", async () => {
    expect(await stage.signIns.delete(stage.connectionId)).toBe(false);
    expect(await stateOf()).toBe("ACTIVE");
    expect(await stage.signIns.delete(randomUUID())).toBe(false);
  });

  it("cancels queued executions and releases their credits, stops a running one, and notifies waiting callers", async () => {
    await save();
    const running = await claim(await create());
    const queued = [await create(), await create()];
    const other = await connect();
    const untouched = await create(other);
    const hinted = Promise.all(
      [running.execution.id, ...queued].map(
        (id) => new Promise<void>((resolve) => void stage.notifications.subscribe(id, resolve)),
      ),
    );
    expect(await stage.signIns.delete(stage.connectionId)).toBe(true);
    await hinted;
    expect(await stateOf()).toBe("REAUTHORIZATION_REQUIRED");
    expect(await stage.queue.checkLease(running.execution.id, running.fence)).toEqual({ cancelRequested: true });
    for (const id of queued) {
      expect(await stage.executions.find(stage.connectionId, id)).toMatchObject({
        status: "FAILED",
        terminal: { status: "canceled", reason: "The saved sign-in was deleted before the execution started." },
        error: { code: "CANCELED" },
        charged: false,
      });
      const events = await stage.executions.listEvents(id, { after: 0, limit: 10 });
      expect(events.map(({ type }) => type)).toEqual(["execution.queued", "execution.failed"]);
      expect(events.at(-1)?.data).toMatchObject({ terminal: { status: "canceled" } });
    }
    expect(await stage.executions.find(other, untouched)).toMatchObject({ status: "QUEUED" });
    await expectLedgerAddsUp({ database: stage.testDatabase });
    await expect(create()).rejects.toThrow("reauthorization_required");
  });

  it("ends thousands of queued executions", async () => {
    await save();
    await stage.testDatabase.query(
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
      [stage.connectionId],
    );
    expect(await stage.signIns.delete(stage.connectionId)).toBe(true);
    const states = await stage.testDatabase.query(
      "select terminal_status, count(*)::int from executions where connection_id = $1 group by terminal_status",
      [stage.connectionId],
    );
    expect(states).toEqual([{ terminal_status: "canceled", count: 2_500 }]);
    await expectLedgerAddsUp({ database: stage.testDatabase });
  });

  it("settles each execution once during concurrent claims, ends and creates", async () => {
    for (let round = 0; round < 12; round += 1) {
      stage.connectionId = await connect();
      const { revision } = await save();
      const queued = await Promise.all(Array.from({ length: 4 }, () => create()));
      const claimAndEnd = async (id: string) => {
        const claimed = await stage.queue.claimOne(id, LEASE_MS);
        if (claimed === null) return;
        await stage.signIns.renew(stage.connectionId, revision, seal(), runOf(claimed));
        await stage.queue.finish(id, claimed.fence, COMPLETED);
      };
      const deletions = await Promise.all([
        stage.signIns.delete(stage.connectionId),
        ...queued.map(async (id) => void (await claimAndEnd(id))),
        create().catch(() => undefined),
        stage.executions.cancelQueued(queued.at(-1) ?? ""),
        stage.signIns.delete(stage.connectionId),
      ]);
      expect(deletions.filter((answer) => answer === true)).toHaveLength(1);
      expect(await stage.signIns.find(stage.connectionId)).toBeNull();
      const left = await stage.testDatabase.query(
        "select id from executions where connection_id = $1 and terminal_status is null",
        [stage.connectionId],
      );
      expect(left, "something still waits or runs").toEqual([]);
    }
    await expectLedgerAddsUp({ database: stage.testDatabase });
  });
});
