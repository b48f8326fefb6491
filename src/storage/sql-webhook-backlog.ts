import type { QueryResult } from "pg";
import type { Backlog } from "../webhooks/backlog-metrics.ts";
import { type Database, QUICK_TIMEOUT_MS, within } from "./database.ts";

// One transaction, so the settings hold for the last statement only: it walks webhook_deliveries_pending as far as the limit.
const LOOK = `
  set local enable_seqscan = off;
  set local enable_bitmapscan = off;
  set local enable_sort = off;
  select
    (select count(*)::integer from (
      select from webhook_deliveries where state = 'pending' order by next_attempt_at limit 10000
    ) as counted) as "waiting",
    coalesce((
      select greatest(extract(epoch from now() - next_attempt_at), 0) from webhook_deliveries
      where state = 'pending' order by next_attempt_at limit 1
    ), 0)::float8 as "oldestOverdueSeconds"`;

/** What waits to be delivered. */
export async function lookAtBacklog({ pool }: Pick<Database, "pool">): Promise<Backlog> {
  // The driver answers several statements with several results, which its types do not say.
  const answer: unknown = await pool.query(within(QUICK_TIMEOUT_MS, { text: LOOK }));
  const backlog = (answer as QueryResult<Backlog>[]).at(-1)?.rows[0];
  if (backlog === undefined) throw new Error("what waits for webhooks could not be counted");
  return backlog;
}
