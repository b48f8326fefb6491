import type { QueueGauge, QueueState } from "../queue/queue-store.ts";
import { type Database, prepared } from "./database.ts";

const COUNT_LIMIT = 10_000;

// Each count walks an index of just those rows, in its order and no further than the limit; without the order PostgreSQL
// might read the whole table in search of the few. The connection whose turn is next is the first in connections_ready.
const LOOK = `
  select
    (select count(*) from (
      select from executions where status = 'QUEUED' order by connection_id, id limit ${COUNT_LIMIT}
    ) as some) as "waiting",
    (select count(*) from (
      select from executions where status = 'RUNNING' order by lease_expires_at limit ${COUNT_LIMIT}
    ) as some) as "running",
    (select count(*) from (
      select from executions where status = 'RUNNING' and lease_expires_at < now() order by lease_expires_at limit ${COUNT_LIMIT}
    ) as some) as "silent",
    coalesce((
      select extract(epoch from now() - queued_since) from connections
      where queued_since is not null and running_execution_id is null
      order by queued_since limit 1
    ), 0)::float8 as "oldestWaitSeconds"`;

export function createQueueGauge({ pool }: Database): QueueGauge {
  const look = prepared(pool, "queue-gauge", LOOK);
  return {
    async look() {
      const [state] = await look<QueueState & Record<string, number>>([]);
      if (state === undefined) throw new Error("the queue could not be counted");
      return state;
    },
  };
}
