import type { Database } from "./database.ts";

export interface QueueLook {
  queued: number;
  running: number;
  /** Null when nothing waits. */
  oldestQueuedSeconds: number | null;
}

/** What waits and what runs, by the indexes of just those. */
export async function lookAtQueue({ pool }: Database): Promise<QueueLook> {
  const { rows } = await pool.query<QueueLook>(
    `select queued, running, "oldestQueuedSeconds"
     from (
       select count(*) as queued, extract(epoch from now() - min(created_at))::int as "oldestQueuedSeconds"
       from executions where status = 'QUEUED'
     ) as waiting, (select count(*) as running from executions where status = 'RUNNING') as under_way`,
  );
  const [look] = rows;
  if (look === undefined) throw new Error("the queue could not be counted");
  return look;
}
