import type { Command } from "commander";
import { WEBHOOK_EVENTS, type WebhookEvent } from "../contract/webhook-events.ts";
import { CallerError } from "../lib/errors.ts";
import { formatMessageId } from "../webhooks/message.ts";
import { type DeliveryRecord, toDeliveryWire, toWebhookWire, type WebhookRecord } from "../webhooks/webhook.ts";
import type { Webhooks } from "../webhooks/webhooks.ts";
import { withStorage } from "./database.ts";
import { type CommonOptions, DATA_DIR_OPTION, JSON_OPTION, printResult } from "./output.ts";

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
  const webhook = program.command("webhook").description("where applications are told what happens");
  addCreate(webhook);
  addList(webhook);
  addSwitch(webhook, {
    name: "enable",
    about: "send to a webhook again, also after its receiver said 410",
    enabled: true,
  });
  addSwitch(webhook, {
    name: "disable",
    about: "send nothing more to a webhook, and cancel what waits",
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
    .description("register an address; the secret that messages are signed with is shown once")
    .requiredOption("--application <id>", "the application's id")
    .requiredOption("--url <address>", "where messages are sent: https, unless the host is in ERRAND_ALLOW_HOSTS")
    .option("--event <type>", `one of ${WEBHOOK_EVENTS.join(", ")}; may be repeated (default: all)`, collect, [])
    .option("--description <text>", "what it is for")
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
        `Next: errand webhook ping --webhook ${created.id}`,
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
      printResult(options.json, { webhooks: found.map(toWebhookWire) }, describeWebhooks(found));
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
  addOne(webhook, "delete", "delete a webhook with its deliveries; what waits is not sent").action(
    async (options: WebhookOptions) => {
      await withWebhook(options, (webhooks, { applicationId, id }) => webhooks.delete(applicationId, id));
      printResult(options.json, { deleted: true }, ["The webhook is deleted."]);
    },
  );
}

function addRotateSecret(webhook: Command): void {
  addOne(webhook, "rotate-secret", "give a webhook a new secret; the old one signs beside it for 24 hours")
    .option("--force", "also within those 24 hours: the one before the old one ends at once", false)
    .action(async (options: WebhookOptions & { force: boolean }) => {
      const { webhook: changed, secret } = await withWebhook(options, (webhooks, { applicationId, id }) =>
        webhooks.rotateSecret(applicationId, id, options.force),
      );
      printResult(options.json, { webhook: toWebhookWire(changed), secret }, [
        describeSecret(secret),
        "For 24 hours messages are signed with the previous secret, too.",
      ]);
    });
}

function addPing(webhook: Command): void {
  addOne(webhook, "ping", "send a message to try a webhook out").action(async (options: WebhookOptions) => {
    const delivery = await withWebhook(options, (webhooks, { applicationId, id }) => webhooks.ping(applicationId, id));
    printResult(options.json, { delivery: toDeliveryWire(delivery) }, [
      "A worker sends it now, if one runs.",
      `Next: errand webhook deliveries --webhook ${options.webhook}`,
    ]);
  });
}

function addDeliveries(webhook: Command): void {
  addOne(webhook, "deliveries", `show the newest ${DELIVERIES_SHOWN} messages, and what became of them`).action(
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
  addOne(webhook, "resend", "send a message again, under the same id, whatever became of it")
    .requiredOption("--delivery <id>", "the message's id: msg_…")
    .action(async (options: WebhookOptions & { delivery: string }) => {
      const delivery = await withWebhook(options, (webhooks, { applicationId, id }) =>
        webhooks.resend(applicationId, id, options.delivery),
      );
      printResult(options.json, { delivery: toDeliveryWire(delivery) }, ["A worker sends it now, if one runs."]);
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
  // Loaded here, so that a command that is only explained or refused need not wait for it.
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
  throw new CallerError("INVALID_REQUEST", `${unknown} is no event. There are ${WEBHOOK_EVENTS.join(", ")}.`);
}

function collect(value: string, earlier: string[]): string[] {
  return [...earlier, value];
}

function describeSecret(secret: string): string {
  return `  secret  ${secret}   (shown once: keep it safe)`;
}

function describeWebhooks(webhooks: readonly WebhookRecord[]): string[] {
  if (webhooks.length === 0) return ['There are no webhooks yet. "errand webhook create --help" says how to make one.'];
  return webhooks.flatMap(({ id, url, events, disabled }) => [
    `${id}  ${url}`,
    `  ${events === null ? "all events" : events.join(", ")}${disabled === null ? "" : `, ${describeDisabled(disabled)}`}`,
  ]);
}

function describeDeliveries(deliveries: readonly DeliveryRecord[]): string[] {
  if (deliveries.length === 0) return ["Nothing was sent in the last 30 days, and nothing waits."];
  return deliveries.flatMap((delivery) => [
    `${formatMessageId(delivery.id)}  ${toMinute(delivery.createdAt)}  ${delivery.state.padEnd(9)}  ${delivery.type}`,
    ...describeLastAttempt(delivery),
  ]);
}

function describeDisabled({ at, reason }: NonNullable<WebhookRecord["disabled"]>): string {
  return `disabled since ${toMinute(at)}${reason === "gone" ? ", when its receiver said 410" : ""}`;
}

/** Only what asks for attention. */
function describeLastAttempt({ attempts, nextAttemptAt }: DeliveryRecord): string[] {
  const [last] = attempts;
  if (last === undefined || last.error === null) return [];
  const again = nextAttemptAt === null ? "" : ` Again at ${toMinute(nextAttemptAt)}.`;
  return [`  after ${attempts.length === 1 ? "one attempt" : `${attempts.length} attempts`}: ${last.error}${again}`];
}

/** In UTC, as everything that is printed. */
function toMinute(date: Date): string {
  return date.toISOString().slice(0, 16).replace("T", " ");
}
