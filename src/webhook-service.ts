import type { Config } from "./config/config.ts";
import { createKeyRing } from "./config/key-ring.ts";
import type { JobSet } from "./jobs/job.ts";
import type { Clock } from "./lib/clock.ts";
import type { Logger } from "./lib/logger.ts";
import { type Resolve, resolveWithSystem } from "./lib/pinned-names.ts";
import type { Database } from "./storage/database.ts";
import { createDeliveryStore } from "./storage/sql-webhook-deliveries.ts";
import { createWebhookStore } from "./storage/sql-webhooks.ts";
import { createWebhookJobs } from "./webhook-jobs.ts";
import { createSender } from "./webhooks/send-message.ts";
import { createSecretSeal } from "./webhooks/webhook-secret.ts";
import { createWebhooks, type Webhooks } from "./webhooks/webhooks.ts";

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
