import type { Fault, Round } from "./_fault.ts";
import { reach } from "./_moments.ts";

/** In which the worker is held by a statement, so that PostgreSQL ends with it in mid-air; or is busy elsewhere. */
const MOMENTS = ["claiming", "claimed", "browser open", "begun", "acting", "mutation sent", "recording", "finishing"];

/** Kill -9 of PostgreSQL: of its main process, or of one that serves a connection, which makes it start anew by itself. */
export const KILL_POSTGRES: Fault = {
  name: "kill-postgres",
  phases: ["postmaster", "backend", "during create"],
  async strike(round) {
    if (round.phase === "during create") return strikeDuringCreate(round);
    const { release } = await reach({ ...round, phase: round.chance.pick(MOMENTS) });
    await (round.phase === "backend" ? killBackend(round) : killAndRestart(round));
    release();
  },
};

async function strikeDuringCreate(round: Round): Promise<void> {
  const { stage, chance } = round;
  const errand = round.newErrand();
  const at = chance.pick(["before", "during", "after"]);
  using trap = stage.api.proxy.setTrap({ statement: "execution-create", at, containing: [errand.key] });
  const answer = stage.clients.tryCreate(errand);
  const caught = await trap.caught;
  round.note(`held ${at} execution-create`);
  await killAndRestart(round);
  caught.release();
  await answer;
  await stage.clients.create(errand);
}

async function killAndRestart({ stage, note }: Round): Promise<void> {
  process.kill(stage.postgres.postmasterPid(), "SIGKILL");
  note("killed the postmaster");
  await stage.restartPostgres();
  note("PostgreSQL is back");
}

async function killBackend({ stage, chance, note }: Round): Promise<void> {
  const pid = chance.pick(await stage.postgres.listBackends());
  process.kill(pid, "SIGKILL");
  note(`killed backend ${pid}`);
  await stage.query("select 1");
  note("PostgreSQL is back");
}
