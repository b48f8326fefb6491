import { type Static, Type } from "typebox";
import { Nullable } from "./schema-parts.ts";
import { WEBHOOK_EVENTS, type WebhookEvent, type WebhookMessageType } from "./webhook-events.ts";

export const WEBHOOK_URL_MAX_LENGTH = 2_048;
const DESCRIPTION_MAX_LENGTH = 200;

const DateTime = Type.String({ format: "date-time", description: "ISO 8601, UTC." });

const EventType = Type.Unsafe<WebhookEvent>({ type: "string", enum: [...WEBHOOK_EVENTS] });

const FIELDS = {
  url: Type.String({
    maxLength: WEBHOOK_URL_MAX_LENGTH,
    description: `Where messages are sent: an https address, at most ${WEBHOOK_URL_MAX_LENGTH} characters.`,
    examples: ["https://app.example.com/webhooks/errand"],
  }),
  description: Nullable(
    Type.String({ maxLength: DESCRIPTION_MAX_LENGTH, description: "For people: what this webhook is for." }),
  ),
  events: Nullable(
    Type.Array(EventType, {
      minItems: 1,
      maxItems: WEBHOOK_EVENTS.length,
      uniqueItems: true,
      description: "Which events are sent. Null means all, also those that are added later.",
    }),
  ),
};

export const Webhook = Type.Object(
  {
    id: Type.String({ format: "uuid" }),
    ...FIELDS,
    enabled: Type.Boolean({ description: "Whether anything is sent." }),
    disabled: Nullable(
      Type.Object(
        {
          at: DateTime,
          reason: Type.Unsafe<"by_hand" | "gone">({
            type: "string",
            enum: ["by_hand", "gone"],
            description: "`gone`: the receiver answered 410.",
          }),
        },
        { description: "Since when nothing is sent, and why; null while it is enabled." },
      ),
    ),
    previous_secret_until: Nullable(
      Type.String({
        format: "date-time",
        description: "Until when the previous secret signs, too; null when none does.",
      }),
    ),
    created_at: DateTime,
  },
  { $id: "Webhook", title: "Webhook", additionalProperties: false },
);
export type Webhook = Static<typeof Webhook>;

const WebhookReference = Type.Unsafe<Webhook>(Type.Ref("Webhook"));

export const WebhookEnvelope = Type.Object(
  { webhook: WebhookReference },
  { additionalProperties: false, description: "The webhook." },
);

export const WebhookWithSecret = Type.Object(
  {
    webhook: WebhookReference,
    secret: Type.String({ description: "What messages are signed with: `whsec_…`. Shown this once." }),
  },
  { additionalProperties: false, description: "The webhook and its secret." },
);
export type WebhookWithSecret = Static<typeof WebhookWithSecret>;

export const WebhookList = Type.Object(
  { webhooks: Type.Array(WebhookReference, { description: "Oldest first." }) },
  { additionalProperties: false, description: "All webhooks of the application." },
);

export const CreateWebhook = Type.Object(
  { url: FIELDS.url, description: Type.Optional(FIELDS.description), events: Type.Optional(FIELDS.events) },
  { additionalProperties: false },
);
export type CreateWebhook = Static<typeof CreateWebhook>;

/** What is left out stays as it is. */
export const UpdateWebhook = Type.Object(
  {
    url: Type.Optional(FIELDS.url),
    description: Type.Optional(FIELDS.description),
    events: Type.Optional(FIELDS.events),
    enabled: Type.Optional(
      Type.Boolean({ description: "False stops it, and cancels what waits; true lets it be sent to again." }),
    ),
  },
  { additionalProperties: false },
);
export type UpdateWebhook = Static<typeof UpdateWebhook>;

const Attempt = Type.Object(
  {
    at: DateTime,
    status: Nullable(Type.Integer({ description: "The receiver's HTTP status; null when it gave no answer." })),
    duration_ms: Type.Integer(),
    error: Nullable(Type.String({ description: "Why it was no success; null when it was one." })),
  },
  { additionalProperties: false },
);

export const WebhookDelivery = Type.Object(
  {
    id: Type.String({ description: "The same as in the header `webhook-id`: `msg_…`." }),
    type: Type.Unsafe<WebhookMessageType>({ type: "string", enum: [...WEBHOOK_EVENTS, "ping"] }),
    state: Type.Unsafe<"pending" | "delivered" | "failed" | "canceled">({
      type: "string",
      enum: ["pending", "delivered", "failed", "canceled"],
      description:
        "`pending`: it is being tried. `failed`: it was tried, or waited, for three days. `canceled`: what it tells of was deleted, or the webhook was disabled.",
    }),
    execution_id: Nullable(Type.String({ format: "uuid", description: "The execution that it tells of." })),
    connection_id: Nullable(Type.String({ format: "uuid", description: "The connection that it tells of." })),
    next_attempt_at: Nullable(
      Type.String({ format: "date-time", description: "When it is tried again; null when it is not." }),
    ),
    attempts: Type.Array(Attempt, { description: "Newest first, at most the newest 50." }),
    created_at: DateTime,
    finished_at: Nullable(DateTime),
  },
  { $id: "WebhookDelivery", title: "WebhookDelivery", additionalProperties: false },
);
export type WebhookDelivery = Static<typeof WebhookDelivery>;

const DeliveryReference = Type.Unsafe<WebhookDelivery>(Type.Ref("WebhookDelivery"));

export const DeliveryEnvelope = Type.Object(
  { delivery: DeliveryReference },
  { additionalProperties: false, description: "The delivery, which is tried at once." },
);

export const DeliveryPage = Type.Object(
  {
    deliveries: Type.Array(DeliveryReference, { description: "Newest first." }),
    has_more: Type.Boolean({ description: "Whether more follow: pass the last id as `after`." }),
  },
  { additionalProperties: false, description: "One page of the delivery log, which goes back 30 days." },
);

export const DELIVERIES_DEFAULT_LIMIT = 20;

export const ListDeliveriesQuery = Type.Object(
  {
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 100, default: DELIVERIES_DEFAULT_LIMIT, description: "How many to return." }),
    ),
    after: Type.Optional(
      Type.String({ maxLength: 100, description: "The id of the last delivery on the previous page." }),
    ),
    only: Type.Optional(
      Type.Unsafe<"undelivered">({
        type: "string",
        enum: ["undelivered"],
        description: "`undelivered`: what waits, has failed or was canceled.",
      }),
    ),
  },
  { additionalProperties: false },
);

export const RotateWebhookSecretQuery = Type.Object(
  {
    force: Type.Optional(
      Type.Unsafe<"true" | "false">({
        type: "string",
        enum: ["true", "false"],
        default: "false",
        description: "Rotate although a previous secret still signs: that one ends at once then.",
      }),
    ),
  },
  { additionalProperties: false },
);

const applicationId = Type.String({ description: "The application's id (its OAuth `client_id`)." });
const webhookId = Type.String({ description: "The webhook's id." });

export const WebhookPath = Type.Object({ applicationId, webhookId });

export const DeliveryPath = Type.Object({
  applicationId,
  webhookId,
  deliveryId: Type.String({ description: "The delivery's id: `msg_…`." }),
});
