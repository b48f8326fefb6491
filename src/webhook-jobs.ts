import type { JobSet, Task } from "./jobs/job.ts";
import { parseUuid } from "./lib/uuid.ts";
import { type DeliveryDependencies, deliver } from "./webhooks/deliver.ts";
import { createLanes } from "./webhooks/lanes.ts";

const DELIVER = "deliver-webhook";
const REQUEUE_LOST = "requeue-lost-webhooks";
const FORGET_OLD = "forget-old-webhooks";
const EVERY_MINUTE = "* * * * *";
const EVERY_HOUR = "17 * * * *";

/** A delivery takes at most 15 s and a few statements. */
const OVERDUE_MS = 120_000;
const MAX_REQUEUED = 500;
const KEEP_MS = 30 * 24 * 3_600_000;
const MAX_FORGOTTEN_AT_ONCE = 1_000;
/** They mostly wait for others' servers. */
const CONCURRENCY = 12;

/** Delivers what triggers in the database have put down, and looks after the log. */
export function createWebhookJobs(dependencies: Omit<DeliveryDependencies, "lanes">): JobSet {
  const { store, logger } = dependencies;
  const lanes = createLanes(CONCURRENCY);

  const deliverOne: Task = (payload, { signal }) =>
    deliver(readDeliveryId(payload), { ...dependencies, lanes }, signal);

  const requeueLost: Task = async () => {
    const count = await store.requeueLost(OVERDUE_MS, MAX_REQUEUED);
    if (count > 0) logger.warn({ count }, "webhook messages had lost their job: they have another now");
  };

  const forgetOld: Task = async (_payload, { signal }) => {
    let forgotten: number;
    do forgotten = await store.forgetOld(KEEP_MS, MAX_FORGOTTEN_AT_ONCE);
    while (forgotten === MAX_FORGOTTEN_AT_ONCE && !signal.aborted);
  };

  return {
    tasks: { [DELIVER]: deliverOne, [REQUEUE_LOST]: requeueLost, [FORGET_OLD]: forgetOld },
    schedules: [
      { task: REQUEUE_LOST, at: EVERY_MINUTE },
      { task: FORGET_OLD, at: EVERY_HOUR },
    ],
    concurrency: CONCURRENCY,
    // The flag of a delivery's job is its webhook.
    listFlagsToSkip: () => lanes.listFull(),
  };
}

function readDeliveryId(payload: unknown): string {
  const given = typeof payload === "object" && payload !== null && "delivery_id" in payload && payload.delivery_id;
  const id = typeof given === "string" ? parseUuid(given) : null;
  if (id === null) throw new Error("a job names no delivery");
  return id;
}
