import { reachCreating } from "./_creating.ts";
import type { Fault, Round } from "./_fault.ts";
import { reach } from "./_moments.ts";

const CREATING = "creating";
/** In most of them a statement is held, so that PostgreSQL dies in the middle of it. */
const PHASES = [
  CREATING,
  ...["claiming", "claimed", "browser open", "begun", "acting", "mutation sent", "recording", "verified", "finishing"],
];

/** Kill -9 of PostgreSQL's main process, which ends all of it. */
export const KILL_POSTMASTER = killPostgres("kill-postmaster", async ({ stage, note }) => {
  process.kill(stage.postgres.postmasterPid(), "SIGKILL");
  note("killed the postmaster");
  await stage.restartPostgres();
});

/** Kill -9 of a process that serves one connection: PostgreSQL ends all others too and restarts by itself. */
export const KILL_BACKEND = killPostgres("kill-backend", async ({ stage, chance, note }) => {
  const pid = chance.pick(await stage.postgres.listBackends());
  process.kill(pid, "SIGKILL");
  note(`killed backend ${pid}`);
  await stage.query("select 1");
});

function killPostgres(name: string, kill: (round: Round) => Promise<void>): Fault {
  return {
    name,
    phases: PHASES,
    async strike(round) {
      const { release, retry } = round.phase === CREATING ? await reachCreate(round) : await reachPhase(round);
      await kill(round);
      round.note("PostgreSQL is back");
      release();
      await retry();
    },
  };
}

interface Reached {
  release(): void;
  retry(): Promise<unknown>;
}

async function reachPhase(round: Round): Promise<Reached> {
  const { release } = await reach(round);
  return { release, retry: async () => {} };
}

async function reachCreate(round: Round): Promise<Reached> {
  const at = round.chance.pick(["before", "during", "after"]);
  const { errand, statement, answer } = await reachCreating(round, at);
  const retry = async () => {
    await answer;
    await round.stage.clients.create(errand);
  };
  return { release: statement.release, retry };
}
