import { type Static, Type } from "typebox";
import { DateTime, Nullable } from "./schema-parts.ts";
import { WEBHOOK_EVENTS, type WebhookEvent, type WebhookMessageType } from "./webhook-events.ts";

export const WEBHOOK_URL_MAX_LENGTH = 2_048;
const DESCRIPTION_MAX_LENGTH = 200;

const EventType = Type.Unsafe<WebhookEvent>({ type: "string", enum: [...WEBHOOK_EVENTS] });

const EXAMPLE_FIELDS = {
  url: "https://app.example.com/webhooks/errand",
  description: "Order updates",
  events: ["execution.completed", "execution.failed"],
};

const EXAMPLE_WEBHOOK = {
  id: "5d2c7f0a-93f4-4c0e-8a35-0d6f5b7f1b42",
  ...EXAMPLE_FIELDS,
  enabled: true,
  disabled: null,
  previous_secret_until: null,
  created_at: "2026-05-04T09:30:00.000Z",
};

const EXAMPLE_DELIVERY = {
  id: "msg_2f4f0e2a7c11",
  type: "execution.completed",
  state: "delivered",
  execution_id: "0b9c1d52-6f1e-4c51-9d6b-2f4f0e2a7c11",
  connection_id: null,
  next_attempt_at: null,
  attempts: [{ at: "2026-05-04T09:30:42.000Z", status: 204, duration_ms: 87, error: null }],
  created_at: "2026-05-04T09:30:41.000Z",
  finished_at: "2026-05-04T09:30:42.000Z",
};

const FIELDS = {
  url: Type.String({
    maxLength: WEBHOOK_URL_MAX_LENGTH,
    description: `Where messages are sent: an https URL of at most ${WEBHOOK_URL_MAX_LENGTH} characters.`,
    examples: [EXAMPLE_FIELDS.url],
  }),
  description: Nullable(Type.String({ maxLength: DESCRIPTION_MAX_LENGTH, description: "What this webhook is for." })),
  events: Nullable(
    Type.Array(EventType, {
      minItems: 1,
      maxItems: WEBHOOK_EVENTS.length,
      uniqueItems: true,
      description: "The events to send. Null: all, including ones added in the future.",
    }),
  ),
};

export const Webhook = Type.Object(
  {
    id: Type.String({ format: "uuid" }),
    ...FIELDS,
    enabled: Type.Boolean({ description: "Whether messages are sent." }),
    disabled: Nullable(
      Type.Object(
        {
          at: DateTime,
          reason: Type.Unsafe<"by_hand" | "gone">({
            type: "string",
            enum: ["by_hand", "gone"],
            description: "`by_hand`: disabled by a person or the application. `gone`: the receiver responded with 410.",
          }),
        },
        { description: "When and why it was disabled. Null while it is enabled." },
      ),
    ),
    previous_secret_until: Nullable(
      Type.String({
        format: "date-time",
        description: "Messages are also signed with the previous secret until this time. Null if there is none.",
      }),
    ),
    created_at: DateTime,
  },
  { $id: "Webhook", title: "Webhook", additionalProperties: false, examples: [EXAMPLE_WEBHOOK] },
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
    secret: Type.String({
      description: "The key that signs messages: `whsec_…`. Shown only once.",
      examples: ["whsec_…"],
    }),
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
  { additionalProperties: false, examples: [EXAMPLE_FIELDS] },
);
export type CreateWebhook = Static<typeof CreateWebhook>;

/** Fields that are left out stay unchanged. */
export const UpdateWebhook = Type.Object(
  {
    url: Type.Optional(FIELDS.url),
    description: Type.Optional(FIELDS.description),
    events: Type.Optional(FIELDS.events),
    enabled: Type.Optional(
      Type.Boolean({ description: "False stops the webhook and cancels pending messages. True resumes it." }),
    ),
  },
  { additionalProperties: false, examples: [{ enabled: false }] },
);
export type UpdateWebhook = Static<typeof UpdateWebhook>;

const Attempt = Type.Object(
  {
    at: DateTime,
    status: Nullable(Type.Integer({ description: "The receiver's HTTP status. Null if there was no response." })),
    duration_ms: Type.Integer(),
    error: Nullable(Type.String({ description: "Why it failed. Null if it succeeded." })),
  },
  { additionalProperties: false },
);

export const WebhookDelivery = Type.Object(
  {
    id: Type.String({ description: "The same as the `webhook-id` header: `msg_…`." }),
    type: Type.Unsafe<WebhookMessageType>({ type: "string", enum: [...WEBHOOK_EVENTS, "ping"] }),
    state: Type.Unsafe<"pending" | "delivered" | "failed" | "canceled">({
      type: "string",
      enum: ["pending", "delivered", "failed", "canceled"],
      description:
        "`pending`: waiting for the next attempt. `failed`: not delivered within three days. `canceled`: its subject was deleted, or the webhook was disabled.",
    }),
    execution_id: Nullable(Type.String({ format: "uuid", description: "The execution it is about." })),
    connection_id: Nullable(Type.String({ format: "uuid", description: "The connection it is about." })),
    next_attempt_at: Nullable(
      Type.String({ format: "date-time", description: "The time of the next attempt. Null if there is none." }),
    ),
    attempts: Type.Array(Attempt, { description: "The newest 50, newest first." }),
    created_at: DateTime,
    finished_at: Nullable(DateTime),
  },
  { $id: "WebhookDelivery", title: "WebhookDelivery", additionalProperties: false, examples: [EXAMPLE_DELIVERY] },
);
export type WebhookDelivery = Static<typeof WebhookDelivery>;

const DeliveryReference = Type.Unsafe<WebhookDelivery>(Type.Ref("WebhookDelivery"));

export const DeliveryEnvelope = Type.Object(
  { delivery: DeliveryReference },
  { additionalProperties: false, description: "The delivery. It is attempted immediately." },
);

export const DeliveryPage = Type.Object(
  {
    deliveries: Type.Array(DeliveryReference, { description: "Newest first." }),
    has_more: Type.Boolean({ description: "Whether there are more. Pass the last id as `after` to get them." }),
  },
  { additionalProperties: false, description: "One page of the delivery log of the last 30 days." },
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
        description: "`undelivered`: pending, failed and canceled messages.",
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
        description: "Rotate even while a previous secret is still valid. That secret stops working immediately.",
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
