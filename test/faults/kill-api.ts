import { reachCreating } from "./_creating.ts";
import type { Fault } from "./_fault.ts";

const PHASES = ["before", "during", "after"] as const;

/** Kill -9 of the API during a create: before, while or after PostgreSQL receives it. */
export const KILL_API: Fault = {
  name: "kill-api",
  phases: PHASES,
  async strike(round) {
    const { stage, note } = round;
    const { api, clients } = stage;
    const phase = PHASES.find((each) => each === round.phase);
    if (phase === undefined) throw new Error(`there is no phase "${round.phase}"`);
    const { errand, answer } = await reachCreating(round, phase);
    await api.kill();
    note("killed the API");
    if ((await answer) !== null) throw new Error("a create was answered whose answer was held back");
    await api.revive();
    const { id } = await clients.create(errand);
    const rows = await stage.query<{ id: string }>("select id from executions where idempotency_key = $1", [
      errand.key,
    ]);
    if (rows.length !== 1 || rows[0]?.id !== id) {
      throw new Error(`the retry was answered with ${id}, and there are ${JSON.stringify(rows)}`);
    }
    note(`the retry found ${id}`);
  },
};
