import type { Config } from "../config/config.ts";
import { createKeyRing } from "../config/master-keys.ts";
import type { JobSet, Task } from "../jobs/job.ts";
import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../lib/logger.ts";
import { type Resolve, resolveWithSystem } from "../lib/name-resolution.ts";
import { parseUuid } from "../lib/uuid.ts";
import type { Database } from "../storage/database.ts";
import { createDeliveryStore } from "../storage/sql/webhook-deliveries.ts";
import { createWebhookStore } from "../storage/sql/webhooks.ts";
import { type DeliveryDependencies, deliver } from "../webhooks/delivery.ts";
import { createDeliverySlots } from "../webhooks/delivery-slots.ts";
import { createSender } from "../webhooks/send-message.ts";
import { createSecretSeal } from "../webhooks/webhook-secret.ts";
import { createWebhooks, type Webhooks } from "../webhooks/webhooks.ts";

type WebhookSettings = Pick<Config, "secretKey" | "otherSecretKeys" | "dataDir" | "allowHosts">;

/** Registering webhooks and reading their log. */
export function createWebhookService(database: Database, config: WebhookSettings): Webhooks {
  return createWebhooks({
    store: createWebhookStore(database),
    seal: createSecretSeal(createKeyRing(config)),
    allowHosts: config.allowHosts,
  });
}

interface DeliveryOptions {
  database: Database;
  config: WebhookSettings;
  clock: Clock;
  logger: Logger;
  resolve?: Resolve;
}

/** Delivering their messages. */
export function createWebhookDeliveries(options: DeliveryOptions): JobSet {
  const { database, config, clock, logger, resolve = resolveWithSystem } = options;
  return createWebhookJobs({
    store: createDeliveryStore(database),
    seal: createSecretSeal(createKeyRing(config)),
    send: createSender({ allowHosts: config.allowHosts, resolve, clock }),
    clock,
    logger,
  });
}

const DELIVER = "deliver-webhook";
const REQUEUE_LOST = "requeue-lost-webhooks";
const DELETE_OLD = "forget-old-webhooks";
const EVERY_MINUTE = "* * * * *";
const HOURLY = "17 * * * *";

/** A delivery takes at most 15 s and a few statements. */
const OVERDUE_MS = 120_000;
const MAX_REQUEUED = 500;
const KEEP_MS = 30 * 24 * 3_600_000;
const MAX_DELETED = 1_000;
/** They mostly wait for others' servers. */
const CONCURRENCY = 12;

/** Delivers what triggers in the database have put down, and looks after the log. */
export function createWebhookJobs(dependencies: Omit<DeliveryDependencies, "lanes">): JobSet {
  const { store, logger } = dependencies;
  const lanes = createDeliverySlots(CONCURRENCY);

  const deliverOne: Task = (payload, { signal }) =>
    deliver(readDeliveryId(payload), { ...dependencies, lanes }, signal);

  const requeueLost: Task = async () => {
    const count = await store.requeueLost(OVERDUE_MS, MAX_REQUEUED);
    if (count > 0) logger.warn({ count }, "webhook messages had lost their job: they have another now");
  };

  const forgetOld: Task = async (_payload, { signal }) => {
    let forgotten: number;
    do forgotten = await store.forgetOld(KEEP_MS, MAX_DELETED);
    while (forgotten === MAX_DELETED && !signal.aborted);
  };

  return {
    tasks: { [DELIVER]: deliverOne, [REQUEUE_LOST]: requeueLost, [DELETE_OLD]: forgetOld },
    schedules: [
      { task: REQUEUE_LOST, at: EVERY_MINUTE },
      { task: DELETE_OLD, at: HOURLY },
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
