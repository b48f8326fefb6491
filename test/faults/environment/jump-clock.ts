import { setTimeout as sleep } from "node:timers/promises";
import type { Fault } from "../_fault.ts";
import { PHASES, reach } from "../_moments.ts";

const MAX_DAYS = 400;
const LONGEST_MS = 4_000;

/** The wall clocks of all processes jump by up to a year, and back again. */
export const JUMP_CLOCK: Fault = {
  name: "jump-clock",
  phases: PHASES,
  async strike(round) {
    const { release } = await reach(round);
    const { stage, chance, note } = round;
    const by = { days: chance.between(-MAX_DAYS, MAX_DAYS), hours: chance.between(-23, 23) };
    const forMs = chance.between(0, LONGEST_MS);
    stage.clock.jump(by);
    note(`the clocks are off by ${by.days} days and ${by.hours} hours for ${forMs} ms`);
    try {
      release();
      await sleep(forMs);
    } finally {
      stage.clock.jump({});
    }
  },
};
