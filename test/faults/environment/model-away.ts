import { setTimeout as sleep } from "node:timers/promises";
import type { Fault } from "../_fault.ts";
import { reach } from "../_moments.ts";
import { type ModelTrouble, TROUBLES } from "./fault-model.ts";

const LONGEST_MS = 8_000;

/** The model that all runs need is overloaded, silent or breaks off, for a while. */
export const MODEL_AWAY: Fault = {
  name: "model-away",
  phases: ["claimed", "browser open", "acting", "mutation sent", "after a mutation", "verifying"],
  async strike(round) {
    const { release } = await reach(round);
    const { stage, chance, note } = round;
    const trouble = chance.pick(Object.keys(TROUBLES) as ModelTrouble[]);
    const forMs = chance.between(0, LONGEST_MS);
    stage.model.setTrouble(trouble);
    note(`the model is ${trouble} for ${forMs} ms`);
    try {
      release();
      await sleep(forMs);
    } finally {
      stage.model.setTrouble(null);
    }
  },
};
