import { randomBytes } from "node:crypto";
import { beforeEach, describe, expect, it } from "vitest";
import type { SignInHolder } from "../../../src/connections/vault/saved-sign-in.ts";
import type { Claim } from "../../../src/executions/queue.ts";
import { COMPLETED } from "../../_harness/engine.ts";
import { runOf, seal, useSignInStage } from "../../_harness/sign-in-stage.ts";

const { stage, connect, save, read, create, claim } = useSignInStage();

describe("a renewal of a saved sign-in by a run", () => {
  let run: Claim;
  beforeEach(async () => {
    run = await claim(await create());
  });

  it("replaces what was read, under another revision", async () => {
    const first = await save();
    const sealed = seal("bbbb");
    expect(await stage.signIns.renew(stage.connectionId, first.revision, sealed, runOf(run))).toBe(true);
    const renewed = await read();
    expect(renewed).toMatchObject({ ...sealed, signedInAt: first.signedInAt });
    expect(renewed.revision).not.toBe(first.revision);
    expect(renewed.checkedAt.getTime()).toBeGreaterThanOrEqual(first.checkedAt.getTime());
  });

  it("is rejected once the sign-in was replaced", async () => {
    const first = await save();
    const second = await save();
    expect(second.revision).not.toBe(first.revision);
    expect(await stage.signIns.renew(stage.connectionId, first.revision, seal(), runOf(run))).toBe(false);
    expect(await read()).toEqual(second);
  });

  it("is rejected with an older fence, and once the run has ended", async () => {
    const { revision } = await save();
    const older: SignInHolder = { kind: "run", executionId: run.execution.id, fence: run.fence - 1 };
    expect(await stage.signIns.renew(stage.connectionId, revision, seal(), older)).toBe(false);
    await stage.queue.finish(run.execution.id, run.fence, COMPLETED);
    expect(await stage.signIns.renew(stage.connectionId, revision, seal(), runOf(run))).toBe(false);
    expect((await read()).revision).toBe(revision);
  });

  it("is rejected for a run of another connection", async () => {
    const { revision } = await save();
    const other = await connect();
    const foreign = await claim(await create(other));
    expect(await stage.signIns.renew(stage.connectionId, revision, seal(), runOf(foreign))).toBe(false);
  });

  it("is rejected after a deletion, and restores nothing", async () => {
    const { revision } = await save();
    expect(await stage.signIns.delete(stage.connectionId)).toBe(true);
    expect(await stage.signIns.renew(stage.connectionId, revision, seal(), runOf(run))).toBe(false);
    expect(await stage.signIns.find(stage.connectionId)).toBeNull();
  });

  it("waits for the end of a run in progress, and is then rejected", async () => {
    const { revision } = await save();
    const ending = await stage.database.pool.connect();
    try {
      await ending.query("begin");
      await ending.query("select id from connections where id = $1 for no key update", [stage.connectionId]);
      const renewal = stage.signIns.renew(stage.connectionId, revision, seal(), runOf(run));
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
    const waiting = await stage.testDatabase.query(
      "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
    if (waiting.length > 0) return;
  }
}

describe("a rewrapping of saved sign-ins", () => {
  it("changes only the wrapping, and a run in progress can still renew", async () => {
    const run = await claim(await create());
    const before = await save();
    const wrappedKey = randomBytes(61);
    const { revision } = before;
    expect(
      await stage.signIns.rewrap([{ connectionId: stage.connectionId, revision, keyId: "cccc", wrappedKey }]),
    ).toBe(1);
    expect(await read()).toEqual({ ...before, keyId: "cccc", wrappedKey });
    const renewed = seal("dddd");
    expect(await stage.signIns.renew(stage.connectionId, revision, renewed, runOf(run))).toBe(true);
    // The renewal came first: rewrapping what it replaced has no effect.
    expect(
      await stage.signIns.rewrap([{ connectionId: stage.connectionId, revision, keyId: "eeee", wrappedKey }]),
    ).toBe(0);
    expect(await read()).toMatchObject(renewed);
  });

  it("finds those under other keys page by page, and counts them", async () => {
    const ids = (await Promise.all(Array.from({ length: 5 }, connect))).toSorted();
    const [own, ...others] = ids;
    await save(seal("own"), own);
    for (const id of others) await save(seal("other"), id);
    const found: string[] = [];
    for (let page = await stage.signIns.listNotWrappedBy("own", null, 2); page.length > 0; ) {
      found.push(...page.map((key) => key.connectionId));
      page = await stage.signIns.listNotWrappedBy("own", found.at(-1) ?? null, 2);
    }
    expect(found.filter((id) => ids.includes(id))).toEqual(others);
    expect(found).toEqual(found.toSorted());
    expect(await stage.signIns.countByKey()).toEqual(
      expect.arrayContaining([
        { keyId: "own", count: 1 },
        { keyId: "other", count: 4 },
      ]),
    );
  });
});
