import type { Finding } from "./doctor-checks.ts";
import type { Database } from "./storage/database.ts";
import { createQueueGauge } from "./storage/sql-queue-gauge.ts";
import { lookAtBacklog } from "./storage/sql-webhook-backlog.ts";

/** Further than this neither is counted. */
const COUNT_LIMIT = 10_000;
const WAITED_LONG_SECONDS = 60;
/** As the alert says. */
const OVERDUE_SECONDS = 600;

/** Whether somebody works: executions that wait for a worker, and those whose worker has gone silent. */
export async function checkQueue(database: Database): Promise<Finding> {
  const { waiting, running, silent, oldestWaitSeconds } = await createQueueGauge(database).look();
  const oldest = oldestWaitSeconds === 0 ? "" : `, the next in turn for ${describeSeconds(oldestWaitSeconds)}`;
  const message = `${running} running, ${describeCount(waiting)} waiting${oldest}`;
  if (silent > 0 && silent === running) {
    const fix = "If it stays so, nobody is there to end them. Start a worker: errand start --roles worker.";
    return { status: "warning", message: `${message}; ${silent} of a worker that has gone silent`, fix };
  }
  if (oldestWaitSeconds <= WAITED_LONG_SECONDS) return { status: "ok", message };
  const fix =
    running === 0
      ? "Nobody takes them. Start a worker: errand start --roles worker."
      : "The workers do not keep up. Start more of them, or raise ERRAND_CONCURRENCY where there is memory.";
  return { status: "warning", message, fix };
}

/** Whether messages go out. That a receiver fails is its owner's business: it is tried again later, and is not overdue. */
export async function checkWebhooks(database: Database): Promise<Finding> {
  const { waiting, oldestOverdueSeconds } = await lookAtBacklog(database);
  if (waiting === 0) return { status: "ok", message: "no message waits" };
  const message =
    waiting === 1
      ? "1 message waits for its next attempt"
      : `${describeCount(waiting)} messages wait for their next attempt`;
  if (oldestOverdueSeconds <= OVERDUE_SECONDS) return { status: "ok", message };
  return {
    status: "warning",
    message: `${message}; the first has been due for ${describeSeconds(oldestOverdueSeconds)}`,
    fix:
      "No worker sends them, or receivers are too slow for what they get: look whether a worker runs, and what its log " +
      "says of deliver-webhook.",
  };
}

function describeCount(count: number): string {
  return count < COUNT_LIMIT ? String(count) : `${count} or more`;
}

function describeSeconds(seconds: number): string {
  if (seconds < 120) return `${Math.round(seconds)} s`;
  if (seconds < 2 * 3_600) return `${Math.round(seconds / 60)} min`;
  return seconds < 2 * 86_400 ? `${Math.round(seconds / 3_600)} hours` : `${Math.round(seconds / 86_400)} days`;
}
