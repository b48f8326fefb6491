import type { Command } from "commander";
import { WEBHOOK_EVENTS, type WebhookEvent } from "../contract/webhook-events.ts";
import { CallerError } from "../lib/errors.ts";
import { pluralize } from "../lib/pluralize.ts";
import { formatMessageId } from "../webhooks/message.ts";
import { type DeliveryRecord, toDeliveryWire, toWebhookWire, type WebhookRecord } from "../webhooks/webhook.ts";
import type { Webhooks } from "../webhooks/webhooks.ts";
import { withStorage } from "./database.ts";
import { type CommonOptions, DATA_DIR_OPTION, JSON_OPTION, listOption, toCommandOptions } from "./options.ts";
import { printResult, toMinute } from "./output.ts";

interface CreateOptions extends CommonOptions {
  application: string;
  url: string;
  event: string[];
  description?: string;
}

interface WebhookOptions extends CommonOptions {
  webhook: string;
}

const WEBHOOK_OPTION = ["--webhook <id>", "the webhook's id"] as const;
const DELIVERIES_SHOWN = 50;

export function addWebhookCommands(program: Command): void {
  const webhook = program.command("webhook").description("manage webhooks, which notify applications of events");
  addCreate(webhook);
  addList(webhook);
  addSwitch(webhook, {
    name: "enable",
    about: "enable a webhook, even after its receiver responded with 410",
    enabled: true,
  });
  addSwitch(webhook, {
    name: "disable",
    about: "disable a webhook and cancel its pending messages",
    enabled: false,
  });
  addDelete(webhook);
  addRotateSecret(webhook);
  addPing(webhook);
  addDeliveries(webhook);
  addResend(webhook);
}

function addCreate(webhook: Command): void {
  webhook
    .command("create")
    .description("register a webhook; the signing secret is shown only once")
    .requiredOption("--application <id>", "the application's id")
    .requiredOption("--url <url>", "where to send messages; https, unless the host is in ERRAND_ALLOW_HOSTS")
    .addOption(listOption("--event <type>", `one of ${WEBHOOK_EVENTS.join(", ")}; repeatable`, "all"))
    .option("--description <text>", "what the webhook is for")
    .option(...DATA_DIR_OPTION)
    .option(...JSON_OPTION)
    .action(async (options: CreateOptions) => {
      const { webhook: created, secret } = await withWebhooks(options, async (webhooks, findApplication) =>
        webhooks.create(await findApplication(options.application), {
          url: options.url,
          events: options.event.length === 0 ? null : readEvents(options.event),
          description: options.description ?? null,
        }),
      );
      printResult(options.json, { webhook: toWebhookWire(created), secret }, [
        `Created webhook ${created.id}.`,
        describeSecret(secret),
        `Next: errand webhook ping --webhook ${created.id}${toCommandOptions(options)}`,
      ]);
    });
}

function addList(webhook: Command): void {
  webhook
    .command("list")
    .description("list the webhooks of an application")
    .requiredOption("--application <id>", "the application's id")
    .option(...DATA_DIR_OPTION)
    .option(...JSON_OPTION)
    .action(async (options: CommonOptions & { application: string }) => {
      const found = await withWebhooks(options, async (webhooks, findApplication) =>
        webhooks.list(await findApplication(options.application)),
      );
      printResult(
        options.json,
        { webhooks: found.map(toWebhookWire) },
        describeWebhooks(found, toCommandOptions(options)),
      );
    });
}

function addSwitch(
  webhook: Command,
  { name, about, enabled }: { name: string; about: string; enabled: boolean },
): void {
  addOne(webhook, name, about).action(async (options: WebhookOptions) => {
    const changed = await withWebhook(options, (webhooks, { applicationId, id }) =>
      webhooks.change(applicationId, id, { enabled }),
    );
    printResult(options.json, { webhook: toWebhookWire(changed) }, [
      `The webhook is ${enabled ? "enabled" : "disabled"}.`,
    ]);
  });
}

function addDelete(webhook: Command): void {
  addOne(webhook, "delete", "delete a webhook with its deliveries; pending messages are not sent").action(
    async (options: WebhookOptions) => {
      await withWebhook(options, (webhooks, { applicationId, id }) => webhooks.delete(applicationId, id));
      printResult(options.json, { deleted: true }, ["The webhook is deleted."]);
    },
  );
}

function addRotateSecret(webhook: Command): void {
  addOne(
    webhook,
    "rotate-secret",
    "give a webhook a new secret; for 24 hours messages are also signed with the old one",
  )
    .option("--force", "rotate again within those 24 hours; the oldest secret stops working at once")
    .action(async (options: WebhookOptions & { force?: boolean }) => {
      const { webhook: changed, secret } = await withWebhook(options, (webhooks, { applicationId, id }) =>
        webhooks.rotateSecret(applicationId, id, options.force === true),
      );
      printResult(options.json, { webhook: toWebhookWire(changed), secret }, [
        describeSecret(secret),
        "For 24 hours messages are also signed with the previous secret.",
      ]);
    });
}

function addPing(webhook: Command): void {
  addOne(webhook, "ping", "send a test message to a webhook").action(async (options: WebhookOptions) => {
    const delivery = await withWebhook(options, (webhooks, { applicationId, id }) => webhooks.ping(applicationId, id));
    printResult(options.json, { delivery: toDeliveryWire(delivery) }, [
      "A running worker sends the message now.",
      `Next: errand webhook deliveries --webhook ${options.webhook}${toCommandOptions(options)}`,
    ]);
  });
}

function addDeliveries(webhook: Command): void {
  addOne(webhook, "deliveries", `list the newest ${DELIVERIES_SHOWN} messages with their delivery state`).action(
    async (options: WebhookOptions) => {
      const { deliveries, hasMore } = await withWebhook(options, (webhooks, { applicationId, id }) =>
        webhooks.listDeliveries(applicationId, id, { limit: DELIVERIES_SHOWN, after: null }),
      );
      printResult(
        options.json,
        { deliveries: deliveries.map(toDeliveryWire), has_more: hasMore },
        describeDeliveries(deliveries),
      );
    },
  );
}

function addResend(webhook: Command): void {
  addOne(webhook, "resend", "send a message again, with the same id, whatever its state")
    .requiredOption("--delivery <id>", "the message's id (msg_…)")
    .action(async (options: WebhookOptions & { delivery: string }) => {
      const delivery = await withWebhook(options, (webhooks, { applicationId, id }) =>
        webhooks.resend(applicationId, id, options.delivery),
      );
      printResult(options.json, { delivery: toDeliveryWire(delivery) }, ["A running worker sends the message now."]);
    });
}

function addOne(webhook: Command, name: string, about: string): Command {
  return webhook
    .command(name)
    .description(about)
    .requiredOption(...WEBHOOK_OPTION)
    .option(...DATA_DIR_OPTION)
    .option(...JSON_OPTION);
}

function withWebhook<Result>(
  options: WebhookOptions,
  work: (webhooks: Webhooks, webhook: WebhookRecord) => Promise<Result>,
): Promise<Result> {
  return withWebhooks(options, async (webhooks) => work(webhooks, await webhooks.getAny(options.webhook)));
}

async function withWebhooks<Result>(
  options: CommonOptions,
  work: (webhooks: Webhooks, findApplication: (id: string) => Promise<string>) => Promise<Result>,
): Promise<Result> {
  // Loaded lazily, so that --help and usage errors are fast.
  const [{ createOperations }, { createWebhookService }] = await Promise.all([
    import("../app/operations.ts"),
    import("../app/webhook-service.ts"),
  ]);
  return withStorage(options, async ({ database }, config) => {
    const { applications } = createOperations(database);
    return work(createWebhookService(database, config), async (id) => (await applications.get(id)).id);
  });
}

function readEvents(given: readonly string[]): WebhookEvent[] {
  const events = WEBHOOK_EVENTS.filter((event) => given.includes(event));
  const unknown = given.find((event) => !WEBHOOK_EVENTS.some((known) => known === event));
  if (unknown === undefined) return events;
  throw new CallerError(
    "INVALID_REQUEST",
    `There is no event ${unknown}. The events are ${WEBHOOK_EVENTS.join(", ")}.`,
  );
}

function describeSecret(secret: string): string {
  return `  secret  ${secret}   (shown only once; keep it safe)`;
}

function describeWebhooks(webhooks: readonly WebhookRecord[], commandOptions: string): string[] {
  if (webhooks.length === 0)
    return [`No webhooks yet. Create one with errand webhook create${commandOptions} (see --help).`];
  return webhooks.flatMap(({ id, url, events, disabled }) => [
    `${id}  ${url}`,
    `  ${events === null ? "all events" : events.join(", ")}${disabled === null ? "" : `, ${describeDisabled(disabled)}`}`,
  ]);
}

function describeDeliveries(deliveries: readonly DeliveryRecord[]): string[] {
  if (deliveries.length === 0) return ["No messages in the last 30 days."];
  return deliveries.flatMap((delivery) => [
    `${formatMessageId(delivery.id)}  ${toMinute(delivery.createdAt)}  ${delivery.state.padEnd(9)}  ${delivery.type}`,
    ...describeLastAttempt(delivery),
  ]);
}

function describeDisabled({ at, reason }: NonNullable<WebhookRecord["disabled"]>): string {
  return `disabled since ${toMinute(at)}${reason === "gone" ? ", because the receiver responded with 410" : ""}`;
}

/** Shown only if the last attempt failed. */
function describeLastAttempt({ attempts, nextAttemptAt }: DeliveryRecord): string[] {
  const [last] = attempts;
  if (last === undefined || last.error === null) return [];
  const again = nextAttemptAt === null ? "" : ` Next attempt at ${toMinute(nextAttemptAt)}.`;
  return [`  after ${pluralize(attempts.length, "attempt")}: ${last.error}${again}`];
}
