import { renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Fault } from "../_fault.ts";
import { reach } from "../_moments.ts";

const LONGEST_MS = 5_000;

/** For a while artifacts cannot be stored: a file is in the place of their folder. */
export const NO_PLACE: Fault = {
  name: "no-place",
  phases: ["claimed", "acting", "mutation sent", "after a mutation", "recording", "keeping evidence", "verifying"],
  async strike(round) {
    const { release } = await reach(round);
    const forMs = round.chance.between(0, LONGEST_MS);
    const folder = join(round.stage.dataDir, "artifacts");
    const aside = `${folder}-aside`;
    renameSync(folder, aside);
    writeFileSync(folder, "");
    round.note(`no place for artifacts for ${forMs} ms`);
    try {
      release();
      await sleep(forMs);
    } finally {
      rmSync(folder);
      renameSync(aside, folder);
    }
  },
};
