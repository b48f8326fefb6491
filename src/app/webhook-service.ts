import type { Config } from "../config/config.ts";
import { createKeyRing } from "../config/master-keys.ts";
import { createInteractionWire } from "../executions/interactions.ts";
import { type JobSet, readId, type Task } from "../jobs/job.ts";
import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../lib/logger.ts";
import { type Resolve, resolveWithSystem } from "../lib/name-resolution.ts";
import type { Database } from "../storage/database.ts";
import { createDeliveryStore } from "../storage/sql/webhook-deliveries.ts";
import { createWebhookStore } from "../storage/sql/webhooks.ts";
import { type DeliveryDependencies, deliver } from "../webhooks/delivery.ts";
import { createDeliverySlots } from "../webhooks/delivery-slots.ts";
import { createSender } from "../webhooks/send-message.ts";
import { createSecretSeal } from "../webhooks/webhook-secret.ts";
import { createWebhooks, type Webhooks } from "../webhooks/webhooks.ts";

type WebhookSettings = Pick<Config, "secretKey" | "otherSecretKeys" | "dataDir" | "allowHosts">;

/** Registers webhooks and lists their deliveries. */
export function createWebhookService(database: Database, config: WebhookSettings): Webhooks {
  return createWebhooks({
    store: createWebhookStore(database),
    seal: createSecretSeal(createKeyRing(config)),
    allowHosts: config.allowHosts,
  });
}

interface DeliveryOptions {
  database: Database;
  config: WebhookSettings & Pick<Config, "publicUrl">;
  clock: Clock;
  logger: Logger;
  resolve?: Resolve;
}

/** The jobs that deliver messages, with their stores. */
export function createWebhookDeliveries(options: DeliveryOptions): JobSet {
  const { database, config, clock, logger, resolve = resolveWithSystem } = options;
  const keyRing = createKeyRing(config);
  return createWebhookJobs({
    store: createDeliveryStore(database),
    seal: createSecretSeal(keyRing),
    toInteraction: createInteractionWire({ keyRing, publicUrl: config.publicUrl }),
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
/** High, because deliveries mostly wait for other servers. */
const CONCURRENCY = 12;

/** Delivers messages that database triggers created, and deletes old entries of the delivery log. */
export function createWebhookJobs(dependencies: Omit<DeliveryDependencies, "slots">): JobSet {
  const { store, logger } = dependencies;
  const slots = createDeliverySlots(CONCURRENCY);

  const deliverOne: Task = (payload, { signal }) =>
    deliver(readId(payload, "delivery_id"), { ...dependencies, slots }, signal);

  const requeueLost: Task = async () => {
    const count = await store.requeueLost(OVERDUE_MS, MAX_REQUEUED);
    if (count > 0) logger.warn({ count }, "Webhook messages without a job requeued");
  };

  const deleteOld: Task = async (_payload, { signal }) => {
    let deleted: number;
    do deleted = await store.forgetOld(KEEP_MS, MAX_DELETED);
    while (deleted === MAX_DELETED && !signal.aborted);
  };

  return {
    tasks: { [DELIVER]: deliverOne, [REQUEUE_LOST]: requeueLost, [DELETE_OLD]: deleteOld },
    schedules: [
      { task: REQUEUE_LOST, at: EVERY_MINUTE },
      { task: DELETE_OLD, at: HOURLY },
    ],
    concurrency: CONCURRENCY,
    // A delivery job is flagged with its webhook's id.
    listFlagsToSkip: () => slots.listFull(),
  };
}
