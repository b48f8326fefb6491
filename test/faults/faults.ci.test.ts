import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { casesOfTier } from "../_harness/tier.ts";
import { createInvariants, type Invariants } from "./_invariants.ts";
import { playRound } from "./_round.ts";
import { openStage, type Stage } from "./_stage.ts";
import { KILL_API } from "./kill-api.ts";
import { KILL_BACKEND, KILL_POSTMASTER } from "./kill-postgres.ts";
import { KILL_WORKER } from "./kill-worker.ts";
import { STOP_WORKER } from "./stop-worker.ts";

/** The short form of `npm run test:faults`, which injects every fault in every phase. */
const WORKER_PHASES = ["claimed", "browser starting", "acting", "verifying", "finishing", "after a mutation"];
const ROUNDS = [
  ...casesOfTier(WORKER_PHASES, { ci: 2 }).map((phase) => ({ fault: KILL_WORKER, phase })),
  { fault: STOP_WORKER, phase: "recording" },
  { fault: KILL_API, phase: "after" },
  { fault: KILL_POSTMASTER, phase: "mutation sent" },
  { fault: KILL_BACKEND, phase: "claiming" },
].map((round) => ({ ...round, name: `${round.fault.name}: ${round.phase}` }));

/** Random faults belong to the long form. */
const SEED = 2_608_533_482;
// Long enough that a busy machine loses no lease by itself.
const LEASE_SECONDS = 4;

describe(`nothing that was acknowledged is lost when processes die (seed ${SEED})`, () => {
  let stage: Stage;
  let invariants: Invariants;

  beforeAll(async () => {
    stage = await openStage({ leaseSeconds: LEASE_SECONDS, workerCount: 2 });
    invariants = createInvariants(stage);
  });
  afterAll(() => stage[Symbol.asyncDispose]());

  it.each(ROUNDS)("$name", { timeout: 300_000 }, async ({ fault, phase }) => {
    const { violations, history } = await playRound({ stage, invariants, fault, phase, seed: SEED });
    expect(violations, history.join("\n")).toEqual([]);
  });
});
