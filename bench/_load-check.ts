import type { Database } from "../src/storage/database.ts";

/** What must hold when everything has ended, each counted: zero is right. */
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
  /** What one of them says. */
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

/** `created` is how many creates were answered 201, by whichever process. */
export async function findLosses({ pool }: Database, created: number): Promise<Losses> {
  const client = await pool.connect();
  try {
    await client.query("set statement_timeout = 0");
    const { rows } = await client.query<Losses>({ text: LOSSES, values: [created] });
    const [losses] = rows;
    if (losses === undefined) throw new Error("the executions could not be counted");
    return losses;
  } finally {
    // Not back into the pool: the next one there expects the timeout.
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
