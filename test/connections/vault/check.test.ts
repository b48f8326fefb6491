import { describe, expect, it } from "vitest";
import type { SignInHolder } from "../../../src/connections/vault/saved-sign-in.ts";
import { COMPLETED } from "../../_harness/engine.ts";
import { seal, useSignInStage } from "../../_harness/sign-in-stage.ts";

const MINUTE_MS = 60_000;
const { stage, connect, save, read, create, claim, stateOf } = useSignInStage();

describe("a check of a saved sign-in", () => {
  const begin = async (forMs = MINUTE_MS) => {
    const check = await stage.signIns.beginCheck(stage.connectionId, forMs);
    if (check === null) throw new Error("the check cannot begin");
    return check;
  };

  it("is due by the time of the last check, the oldest first, for active connections with nothing running", async () => {
    const [first, second, busy, signedOut, fresh] = await Promise.all(Array.from({ length: 5 }, connect));
    const ids = [first, second, busy, signedOut, fresh].map((id) => id ?? "");
    for (const [age, id] of ids.entries()) {
      await save(seal(), id);
      await stage.testDatabase.query(
        "update saved_sign_ins set checked_at = now() - ($2 * interval '1 hour') where connection_id = $1",
        [id, 9 - age * 2],
      );
    }
    await claim(await create(busy));
    await stage.testDatabase.query("update connections set state = 'REAUTHORIZATION_REQUIRED' where id = $1", [
      signedOut,
    ]);
    const due = async () => (await stage.signIns.listDue(2 * 60 * MINUTE_MS, 100)).filter((id) => ids.includes(id));
    expect(await due()).toEqual([first, second]);
    const check = await stage.signIns.beginCheck(first ?? "", MINUTE_MS);
    expect(await due()).toEqual([second]);
    await stage.signIns.endCheck(first ?? "", check?.expiresAt ?? new Date(), false);
    expect(await due()).toEqual([second]);
  });

  it("is exclusive, and impossible during a run or without a sign-in", async () => {
    expect(await stage.signIns.beginCheck(stage.connectionId, MINUTE_MS)).toBeNull();
    const stored = await save();
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => stage.signIns.beginCheck(stage.connectionId, MINUTE_MS)),
    );
    const begun = answers.filter((answer) => answer !== null);
    expect(begun).toEqual([{ expiresAt: expect.any(Date), signIn: stored }]);
    await stage.signIns.endCheck(stage.connectionId, begun[0]?.expiresAt ?? new Date(), false);
    const run = await claim(await create());
    expect(await stage.signIns.beginCheck(stage.connectionId, MINUTE_MS)).toBeNull();
    await stage.queue.finish(run.execution.id, run.fence, COMPLETED);
    expect(await stage.signIns.beginCheck(stage.connectionId, MINUTE_MS)).not.toBeNull();
  });

  it("renews while it holds the connection, and not after it has expired", async () => {
    const { revision } = await save();
    const { expiresAt } = await begin();
    const other: SignInHolder = { kind: "check", expiresAt: new Date(expiresAt.getTime() + 1) };
    expect(await stage.signIns.renew(stage.connectionId, revision, seal(), other)).toBe(false);
    const sealed = seal("bbbb");
    expect(await stage.signIns.renew(stage.connectionId, revision, sealed, { kind: "check", expiresAt })).toBe(true);
    const renewed = await read();
    expect(renewed).toMatchObject(sealed);
    await stage.signIns.endCheck(stage.connectionId, expiresAt, false);
    const late = await begin(0);
    expect(
      await stage.signIns.renew(stage.connectionId, renewed.revision, seal(), {
        kind: "check",
        expiresAt: late.expiresAt,
      }),
    ).toBe(false);
    // A check whose process died expires.
    await begin();
  });

  it("marks a connection whose user is signed out on the site", async () => {
    await save();
    const { expiresAt } = await begin();
    await stage.signIns.endCheck(stage.connectionId, expiresAt, true);
    expect(await stateOf()).toBe("REAUTHORIZATION_REQUIRED");
    expect(await stage.signIns.beginCheck(stage.connectionId, MINUTE_MS)).toBeNull();
  });

  it("does not apply to a sign-in that replaced the checked one", async () => {
    const { revision } = await save();
    const { expiresAt } = await begin();
    const anew = await save();
    expect(await stage.signIns.renew(stage.connectionId, revision, seal(), { kind: "check", expiresAt })).toBe(false);
    await stage.signIns.endCheck(stage.connectionId, expiresAt, true);
    expect(await stateOf()).toBe("ACTIVE");
    expect(await read()).toEqual(anew);
  });
});
