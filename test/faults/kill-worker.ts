import { setTimeout as sleep } from "node:timers/promises";
import type { Fault, Round } from "./_fault.ts";
import { PHASES, reach } from "./_moments.ts";

const ANY_MOMENT = "any moment";
/** About as long as a run takes. */
const LONGEST_WAIT_MS = 2_500;

/** Kill -9 of the worker that holds a run. */
export const KILL_WORKER: Fault = {
  name: "kill-worker",
  phases: [...PHASES, ANY_MOMENT],
  strike: (round) => (round.phase === ANY_MOMENT ? strikeAtAnyMoment(round) : strikeInPhase(round)),
};

async function strikeInPhase(round: Round): Promise<void> {
  const { worker, release } = await reach(round);
  await worker.kill();
  round.note("killed");
  release();
}

async function strikeAtAnyMoment({ stage, chance, note, newErrand, prepare }: Round): Promise<void> {
  const errand = await prepare(newErrand());
  const victim = chance.pick(stage.workers);
  const waitMs = chance.between(0, LONGEST_WAIT_MS);
  await errand.letGo();
  await sleep(waitMs);
  await victim.kill();
  note(`killed worker ${victim.pid()} after ${waitMs} ms`);
}
