import type { Fault } from "./_fault.ts";
import { reach } from "./_moments.ts";

/** The machine goes down during a run: everything ends at once and comes back. */
export const KILL_ALL: Fault = {
  name: "kill-all",
  phases: ["claiming", "claimed", "browser starting", "begun", "after a mutation", "recording", "finishing"],
  async strike(round) {
    const { stage, note } = round;
    const { release } = await reach(round);
    process.kill(stage.postgres.postmasterPid(), "SIGKILL");
    await Promise.all([stage.api, ...stage.workers].map((member) => member.kill()));
    note("killed everything");
    release();
    await stage.restartPostgres();
  },
};
