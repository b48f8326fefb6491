import { setTimeout as sleep } from "node:timers/promises";
import type { Database } from "../src/storage/database.ts";

export interface Drained {
  executions: number;
  seconds: number;
  perSecond: number;
}

interface DrainOptions {
  signal: AbortSignal;
  onProgress(text: string): void;
  /** Of all executions there are, so many were there before. */
  endedBefore: number;
  startedMs: number;
}

const LOOK_MS = 500;
const REPORT_MS = 15_000;
/** Nothing has ended for so long: something is stuck. */
const STUCK_MS = 300_000;

/** Waits until nothing is queued or running any more. */
export async function drain(database: Database, options: DrainOptions): Promise<Drained> {
  const { signal, onProgress, endedBefore, startedMs } = options;
  let reportedMs = performance.now();
  let last = { ended: 0, atMs: performance.now() };
  for (;;) {
    const { ended, open } = await count(database);
    const nowMs = performance.now();
    const executions = ended - endedBefore;
    const seconds = (nowMs - startedMs) / 1_000;
    if (open === 0) return { executions, seconds, perSecond: executions / seconds };
    if (ended > last.ended) last = { ended, atMs: nowMs };
    if (nowMs - last.atMs > STUCK_MS) throw new Error(`${open} executions are open, and none has ended for 5 minutes.`);
    if (nowMs - reportedMs > REPORT_MS) {
      reportedMs = nowMs;
      const rate = executions / seconds;
      onProgress(`${executions} ended, ${open} to go, ${rate.toFixed(1)} a second, ${formatMinutes(open / rate)} left`);
    }
    await sleep(LOOK_MS, undefined, { signal });
  }
}

/** By the indexes of what is queued and what is running, however many have ended. */
async function count({ pool }: Database): Promise<{ ended: number; open: number }> {
  const { rows } = await pool.query<{ total: number; open: number }>(
    `select (select count(*) from executions) as total,
       (select count(*) from executions where status = 'QUEUED') + (select count(*) from executions where status = 'RUNNING') as open`,
  );
  const [{ total = 0, open = 0 } = {}] = rows;
  return { ended: total - open, open };
}

function formatMinutes(seconds: number): string {
  return Number.isFinite(seconds) ? `about ${Math.ceil(seconds / 60)} min` : "some time";
}
