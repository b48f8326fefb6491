import { type TSchema, Type } from "typebox";
import { EXAMPLE_COMPLETED, EXAMPLE_FAILED } from "./execution.ts";
import { EXAMPLE_INTERACTION } from "./interaction.ts";
import { Nullable, Union } from "./schema-parts.ts";
import type { WebhookMessageType } from "./webhook-events.ts";

interface MessageDefinition {
  name: string;
  summary: string;
  description: string;
  /** Besides `application_id`. */
  data: Record<string, TSchema>;
  example: object;
}

const Id = Type.String({ format: "uuid" });
const Metadata = Type.Unsafe<Record<string, string>>({
  type: "object",
  additionalProperties: { type: "string" },
  description: "The `metadata` of the create request; empty if there was none.",
});

const Recipe = Nullable(
  Type.Object(
    {
      id: Id,
      version: Type.Integer(),
      outcome: Nullable(
        Type.Unsafe<string>({
          type: "string",
          enum: ["replayed", "healed", "failed"],
          description:
            "`replayed`: to its end without a model. `healed`: a model took over. `failed`: it could not be followed. Null when the run did not get that far.",
        }),
      ),
    },
    { description: "The recipe that it ran with. Null without one." },
  ),
);

const EXAMPLE_APPLICATION_ID = "7c0f3c1e-5a0a-4f0e-9c39-4cf0a3b2d1e0";
const EXAMPLE_CONNECTION_ID = "3e9a3a52-3a1c-4f1e-8f6d-1c3a6f0b7d21";
const EXAMPLE_RECIPE = { id: "0197a3c2-6b1e-7c3d-9a54-2f0c6d1e8b77", version: 2, outcome: "replayed" };
const EXAMPLE_METADATA = { order: "A-1042" };

/** Every message that a webhook can receive. */
export const WEBHOOK_MESSAGES: Record<WebhookMessageType, MessageDefinition> = {
  "execution.completed": {
    name: "ExecutionCompletedMessage",
    summary: "An execution was completed",
    description: "It ended with a verified result.",
    data: { connection_id: Id, execution: Type.Ref("CompletedExecution"), metadata: Metadata, recipe: Recipe },
    example: {
      connection_id: EXAMPLE_CONNECTION_ID,
      execution: EXAMPLE_COMPLETED,
      metadata: EXAMPLE_METADATA,
      recipe: EXAMPLE_RECIPE,
    },
  },
  "execution.failed": {
    name: "ExecutionFailedMessage",
    summary: "An execution failed",
    description: "It ended without a verified result: it failed, was canceled, timed out, or its worker was lost.",
    data: { connection_id: Id, execution: Type.Ref("FailedExecution"), metadata: Metadata, recipe: Recipe },
    example: { connection_id: EXAMPLE_CONNECTION_ID, execution: EXAMPLE_FAILED, metadata: {}, recipe: null },
  },
  "execution.interaction_required": {
    name: "InteractionRequiredMessage",
    summary: "An execution waits for a person",
    description: "Somebody has to approve something, answer a question or take over. Pass the `link` on to them.",
    data: { connection_id: Id, execution_id: Id, interaction: Type.Ref("Interaction"), metadata: Metadata },
    example: {
      connection_id: EXAMPLE_CONNECTION_ID,
      execution_id: EXAMPLE_COMPLETED.id,
      interaction: EXAMPLE_INTERACTION,
      metadata: EXAMPLE_METADATA,
    },
  },
  "connection.reauthorization_required": {
    name: "ReauthorizationRequiredMessage",
    summary: "A user has to connect again",
    description: "Nothing runs on the connection until the user has signed in or consented again.",
    data: { connection_id: Id },
    example: { connection_id: EXAMPLE_CONNECTION_ID },
  },
  "credits.low": {
    name: "CreditsLowMessage",
    summary: "Credits are low",
    description: "The owner's balance fell to a limit. Sent once, and again only after credits were granted.",
    data: {
      balance: Type.Integer({ description: "Credits that are left." }),
      low_at: Type.Integer({ description: "The limit." }),
    },
    example: { balance: 20, low_at: 20 },
  },
  ping: {
    name: "PingMessage",
    summary: "A ping",
    description: "Somebody requested it to test the webhook.",
    data: { webhook_id: Id },
    example: { webhook_id: "5d2c7f0a-93f4-4c0e-8a35-0d6f5b7f1b42" },
  },
};

const MEMBERS = Object.fromEntries(
  Object.entries(WEBHOOK_MESSAGES).map(([type, { name, description, data, example }]) => [
    type,
    Type.Object(
      {
        type: Type.Literal(type),
        timestamp: Type.String({ format: "date-time", description: "When it happened." }),
        data: Type.Object({ application_id: Id, ...data }, { additionalProperties: false }),
      },
      {
        $id: name,
        title: name,
        additionalProperties: false,
        description,
        examples: [
          {
            type,
            timestamp: "2026-05-04T09:30:41.000Z",
            data: { application_id: EXAMPLE_APPLICATION_ID, ...example },
          },
        ],
      },
    ),
  ]),
);

const WebhookMessage = Union("WebhookMessage", "type", MEMBERS, {
  description: "The body of a request to a webhook. New types may be added: acknowledge those that you do not know.",
});

/** Schemas that have a name in the API reference. */
export const WEBHOOK_MESSAGE_SCHEMAS = [WebhookMessage, ...Object.values(MEMBERS)];
