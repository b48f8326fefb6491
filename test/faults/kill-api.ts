import type { Fault, Round } from "./_fault.ts";

/** Kill -9 of the API while somebody creates an execution: before, while or after PostgreSQL hears of it. */
export const KILL_API: Fault = {
  name: "kill-api",
  phases: ["before", "during", "after"],
  async strike(round) {
    const { stage, note } = round;
    const { api, clients } = stage;
    const errand = round.newErrand();
    using trap = api.proxy.setTrap({ statement: "execution-create", at: readPhase(round), containing: [errand.key] });
    const unanswered = clients.tryCreate(errand);
    await trap.caught;
    await api.kill();
    note(`killed ${round.phase} the statement`);
    if ((await unanswered) !== null) throw new Error("a create was answered whose answer was held back");
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

function readPhase({ phase }: Round): "before" | "during" | "after" {
  if (phase === "before" || phase === "during" || phase === "after") return phase;
  throw new Error(`there is no phase "${phase}"`);
}
