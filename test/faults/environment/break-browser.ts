import { findTraces } from "../../_harness/browser-processes.ts";
import type { Fault } from "../_fault.ts";
import { reach } from "../_moments.ts";

const WAYS = ["kill", "kill the pages of", "stop"] as const;

/** A worker's browsers are killed, lose their pages, or hang, while the worker continues. */
export const BREAK_BROWSER: Fault = {
  name: "break-browser",
  phases: ["browser open", "acting", "mutation sent", "after a mutation", "keeping evidence", "verifying", "verified"],
  async strike(round) {
    const { worker, release } = await reach(round);
    const way = round.chance.pick(WAYS);
    const { browsers, renderers } = findTraces(worker.pid());
    const victims = way === "kill the pages of" ? renderers : browsers;
    for (const pid of victims) signal(pid, way === "stop" ? "SIGSTOP" : "SIGKILL");
    round.note(`${way} the browsers ${victims.join(", ")} of worker ${worker.pid()}`);
    release();
  },
};

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    // It has ended by itself in the meantime.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
