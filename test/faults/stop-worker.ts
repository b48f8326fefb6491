import { setTimeout as sleep } from "node:timers/promises";
import type { Fault, Round } from "./_fault.ts";
import { type Moment, PHASES, reach } from "./_moments.ts";

const LOST_TIMEOUT_MS = 60_000;
const POLL_MS = 50;

/** A worker is suspended for longer than its lease, like a suspended machine, and then continues. */
export const STOP_WORKER: Fault = {
  name: "stop-worker",
  phases: PHASES,
  async strike(round) {
    const moment = await reach(round);
    const { worker, release } = moment;
    const claimsBefore = worker.proxy.count("queue-claim");
    worker.pause();
    round.note("stopped");
    try {
      await untilLost(round, moment);
      await round.rememberEndings();
    } finally {
      round.note("goes on");
      worker.resume();
      release();
    }
    // It is healthy again when it looks for work.
    const deadline = performance.now() + LOST_TIMEOUT_MS;
    while (worker.proxy.count("queue-claim") === claimsBefore && worker.isAlive()) {
      if (performance.now() > deadline) throw new Error("a worker that was stopped does not look for work any more");
      await sleep(POLL_MS);
    }
    if (!worker.isAlive()) throw new Error(`a worker that was stopped has ended: ${worker.log().slice(-2_000)}`);
  },
};

/** The run has been ended or taken over by others: its old holder must not write anything now. */
async function untilLost({ stage, note }: Round, { errand }: Moment): Promise<void> {
  const [held] = await stage.query<{ fence: number }>("select fence from executions where id = $1", [errand.id]);
  const deadline = performance.now() + LOST_TIMEOUT_MS;
  for (;;) {
    const [row] = await stage.query<{ status: string; fence: number; terminal_status: string | null }>(
      "select status, fence, terminal_status from executions where id = $1",
      [errand.id],
    );
    const isLost = row?.terminal_status !== null || row.fence !== held?.fence;
    if (isLost) return note(`it was taken away: ${JSON.stringify(row)}`);
    if (performance.now() > deadline)
      throw new Error(`a run of a stopped worker stays with it: ${JSON.stringify(row)}`);
    await sleep(POLL_MS);
  }
}
