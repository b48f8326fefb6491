import { WORKER_LOST } from "../executions/outcomes.ts";
import { countReaped } from "./queue-metrics.ts";
import type { QueueStore } from "./queue-store.ts";

const BATCH = 100;

/**
 * Deals with executions whose worker has gone silent. One that has begun may have bought something: it is never run
 * again, but ends as lost, uncharged. One that provably has not begun goes back to the queue.
 */
export async function reap(
  store: QueueStore,
  onReaped: (executionId: string, result: "ended" | "put back") => void = () => {},
): Promise<{ ended: number; putBack: number }> {
  const report = { ended: 0, putBack: 0 };
  for (const { id, fence, hasBegun } of await store.listExpired(BATCH)) {
    if (!hasBegun && (await store.putBack(id, fence))) {
      report.putBack += 1;
      onReaped(id, "put back");
    }
    // It may have begun since we looked: then putting back was refused, and it is left to the next round.
    else if (hasBegun && (await store.finish(id, fence, WORKER_LOST)) !== null) {
      report.ended += 1;
      onReaped(id, "ended");
    }
  }
  countReaped(report);
  return report;
}
