import type { QueryResult } from "pg";
import type { QueueGauge, QueueState } from "../queue/queue-store.ts";
import { type Database, QUICK_TIMEOUT_MS, within } from "./database.ts";

const COUNT_LIMIT = 10_000;

// Statements that are sent together are one transaction, so the settings hold for the last one only. They leave PostgreSQL
// nothing but to walk an index of just those rows, as far as the limit: while a queue grows fast its statistics are old, and
// it would rather gather all of them first. The connection whose turn is next is the first in connections_ready that has
// something queued: one whose executions were all canceled stays there until a worker comes by.
const LOOK = `
  set local enable_seqscan = off;
  set local enable_bitmapscan = off;
  set local enable_sort = off;
  select
    (select count(*) from (
      select from executions where status = 'QUEUED' order by connection_id, id limit ${COUNT_LIMIT}
    ) as counted) as "waiting",
    (select count(*) from (
      select from executions where status = 'RUNNING' order by lease_expires_at limit ${COUNT_LIMIT}
    ) as counted) as "running",
    (select count(*) from (
      select from executions where status = 'RUNNING' and lease_expires_at < now()
      order by lease_expires_at limit ${COUNT_LIMIT}
    ) as counted) as "silent",
    coalesce((
      select extract(epoch from now() - queued_since) from connections
      where queued_since is not null and running_execution_id is null
        and exists (select from executions where connection_id = connections.id and status = 'QUEUED')
      order by queued_since limit 1
    ), 0)::float8 as "oldestWaitSeconds"`;

export function createQueueGauge({ pool }: Database): QueueGauge {
  return {
    async look() {
      // The driver answers several statements with several results, which its types do not say.
      const answer: unknown = await pool.query(within(QUICK_TIMEOUT_MS, { text: LOOK }));
      const state = (answer as QueryResult<QueueState>[]).at(-1)?.rows[0];
      if (state === undefined) throw new Error("the queue could not be counted");
      return state;
    },
  };
}
