import type { Observation } from "../../../browser/observation/observation.ts";
import type { SessionEvents } from "../../../browser/session/browser-session.ts";
import type { Claim, Task } from "../../planner/planner.ts";
import type { Sight } from "../sight.ts";

/** A claim, the task it is held against, and all that was seen. */
export interface Case extends Sight {
  readonly task: Task;
  readonly claim: Claim;
  readonly live: Observation;
  /** What happened in the browser during the run. */
  readonly events: Pick<SessionEvents, "requests" | "downloads">;
}
