import type { ClientBase } from "pg";
import type { FailedOutcome } from "../executions/execution.ts";
import { RESTORED, WORKER_LOST } from "../executions/outcomes.ts";
import { createFinish } from "../storage/sql/finish-executions.ts";

export interface Settlement {
  /** Had started when the backup was made. */
  lost: number;
  /** Had not started, and were canceled. */
  canceled: number;
  /** Had not started, and will run. */
  kept: number;
}

interface Unfinished {
  id: string;
  status: "QUEUED" | "RUNNING";
  fence: number;
  hasBegun: boolean;
}

const EXECUTIONS_PER_PAGE = 500;
const FIRST_ID = "00000000-0000-0000-0000-000000000000";

/**
 * Ends executions that were not finished when the backup was made. Queued ones may have run since in the original
 * installation, so they are canceled unless `keepQueued`. Those that had started are never run again.
 */
export async function settleExecutions(
  client: ClientBase,
  { keepQueued, onProgress }: { keepQueued: boolean; onProgress(message: string): void },
): Promise<Settlement> {
  const finish = createFinish(client);
  const settlement: Settlement = { lost: 0, canceled: 0, kept: 0 };
  for await (const { id, status, fence, hasBegun } of listUnfinished(client)) {
    const from = status === "RUNNING" ? { status, fence } : { status };
    if (hasBegun) await finish(id, from, WORKER_LOST);
    else if (!keepQueued) await finish(id, from, RESTORED satisfies FailedOutcome);
    settlement[hasBegun ? "lost" : keepQueued ? "kept" : "canceled"] += 1;
    onProgress(`Settling executions: ${settlement.lost + settlement.canceled + settlement.kept}`);
  }
  // Claimed executions that had not started go back to the queue when a worker finds the expired lease.
  await client.query("update executions set lease_expires_at = now() where status = 'RUNNING'");
  await client.query("update connections set check_expires_at = null where check_expires_at is not null");
  return settlement;
}

async function* listUnfinished(client: ClientBase): AsyncGenerator<Unfinished> {
  let after = FIRST_ID;
  for (;;) {
    const { rows } = await client.query<Unfinished>(
      `select id, status, fence, status = 'RUNNING' and began_at is not null as "hasBegun" from executions
       where status in ('QUEUED', 'RUNNING') and id > $1 order by id limit ${EXECUTIONS_PER_PAGE}`,
      [after],
    );
    yield* rows;
    after = rows.at(-1)?.id ?? "";
    if (rows.length < EXECUTIONS_PER_PAGE) return;
  }
}

/** Inconsistencies in the ledger. The restore cannot have caused them, so they are reported, not refused. */
export async function findLedgerProblems(client: ClientBase): Promise<string[]> {
  const { rows: owners } = await client.query<{ id: string; balance: string; total: string }>(
    `select owners.id, balance::text, coalesce(sum(change), 0)::text as total
     from owners left join credit_entries on owner_id = owners.id
     group by owners.id having balance <> coalesce(sum(change), 0) order by owners.id`,
  );
  const { rows: executions } = await client.query<{ id: string }>(
    `select executions.id from executions left join credit_entries on execution_id = executions.id
     group by executions.id
     having count(*) filter (where kind = 'reserve') <> 1
       or count(*) filter (where kind = 'capture') <> (executions.status = 'COMPLETED')::int
       or count(*) filter (where kind = 'release') <> (executions.status = 'FAILED')::int
     order by executions.id limit 20`,
  );
  return [
    ...owners.map(({ id, balance, total }) => `Owner ${id} has ${balance} credits, but the ledger adds up to ${total}`),
    ...executions.map(({ id }) => `The ledger entries of execution ${id} do not match its status`),
  ];
}
