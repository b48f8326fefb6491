import { setTimeout as sleep } from "node:timers/promises";
import type { Database } from "../../src/storage/database.ts";

export interface Drained {
  executions: number;
  seconds: number;
  perSecond: number;
}

interface DrainOptions {
  signal: AbortSignal;
  onProgress(text: string): void;
  /** Executions that had ended before. */
  endedBefore: number;
  startedMs: number;
}

const POLL_MS = 500;
const REPORT_MS = 15_000;
/** If no execution has ended for this long, something is stuck. */
const STUCK_MS = 300_000;

/** Waits until no execution is queued or running. */
export async function drain(database: Database, options: DrainOptions): Promise<Drained> {
  const { signal, onProgress, endedBefore, startedMs } = options;
  let reportedMs = performance.now();
  let last = { ended: 0, atMs: performance.now() };
  for (;;) {
    const { ended, open } = await countOpen(database);
    const nowMs = performance.now();
    const executions = ended - endedBefore;
    const seconds = (nowMs - startedMs) / 1_000;
    if (open === 0) return { executions, seconds, perSecond: executions / seconds };
    if (ended > last.ended) last = { ended, atMs: nowMs };
    if (nowMs - last.atMs > STUCK_MS)
      throw new Error(`${open} executions are queued or running, and none has ended for 5 minutes.`);
    if (nowMs - reportedMs > REPORT_MS) {
      reportedMs = nowMs;
      const rate = executions / seconds;
      onProgress(`${executions} ended, ${open} left, ${rate.toFixed(1)} per second, ${formatMinutes(open / rate)}`);
    }
    await sleep(POLL_MS, undefined, { signal });
  }
}

/** Uses the indexes of queued and of running executions, so that ended ones cost nothing. */
async function countOpen({ pool }: Database): Promise<{ ended: number; open: number }> {
  const { rows } = await pool.query<{ total: number; open: number }>(
    `select (select count(*) from executions) as total,
       (select count(*) from executions where status = 'QUEUED') + (select count(*) from executions where status = 'RUNNING') as open`,
  );
  const [{ total = 0, open = 0 } = {}] = rows;
  return { ended: total - open, open };
}

function formatMinutes(seconds: number): string {
  return Number.isFinite(seconds) ? `about ${Math.ceil(seconds / 60)} min remaining` : "remaining time unknown";
}

/** Violations of what must hold when everything has ended. All counts must be zero. */
export interface Losses {
  missing: number;
  notEnded: number;
  withoutOneTerminalEvent: number;
  withoutOneReserve: number;
  withoutOneSettlement: number;
  wrongBalances: number;
}

export interface Outcome {
  status: string;
  count: number;
  /** The reason of one of them, as an example. */
  reason: string;
}

const LOSSES = `
  select
    $1 - (select count(*) from executions) as missing,
    (select count(*) from executions where status not in ('COMPLETED', 'FAILED')) as "notEnded",
    (select count(*) from executions where 1 <> (
       select count(*) from execution_events
       where execution_id = executions.id and type in ('execution.completed', 'execution.failed')
     )) as "withoutOneTerminalEvent",
    (select count(*) from executions where 1 <> (
       select count(*) from credit_entries where execution_id = executions.id and kind = 'reserve'
     )) as "withoutOneReserve",
    (select count(*) from executions where 1 <> (
       select count(*) from credit_entries where execution_id = executions.id
         and kind = case status when 'COMPLETED' then 'capture' else 'release' end
     ) or exists (
       select 1 from credit_entries where execution_id = executions.id
         and kind = case status when 'COMPLETED' then 'release' else 'capture' end
     )) as "withoutOneSettlement",
    (select count(*) from owners where balance < 0 or balance <> (
       select coalesce(sum(change), 0) from credit_entries where owner_id = owners.id
     )) as "wrongBalances"`;

/** `created` is the number of creates with status 201, over all processes. */
export async function findLosses({ pool }: Database, created: number): Promise<Losses> {
  const client = await pool.connect();
  try {
    await client.query("set statement_timeout = 0");
    const { rows } = await client.query<Losses>({ text: LOSSES, values: [created] });
    const [losses] = rows;
    if (losses === undefined) throw new Error("Could not count the executions.");
    return losses;
  } finally {
    // Not returned to the pool, where the next user expects the timeout.
    client.release(true);
  }
}

export async function countOutcomes({ pool }: Database): Promise<Outcome[]> {
  const { rows } = await pool.query<Outcome>(
    `select terminal_status as status, count(*) as count, min(terminal_reason) as reason
     from executions group by terminal_status order by count(*) desc`,
  );
  return rows;
}
