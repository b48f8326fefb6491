import { createHmac } from "node:crypto";
import type { Interaction } from "../contract/interaction.ts";
import type { WebhookMessageType } from "../contract/webhook-events.ts";
import { type ExecutionRecord, toWire } from "../executions/execution.ts";
import type { InteractionRecord } from "../executions/interactions.ts";
import { parseUuid } from "../lib/uuid.ts";

/** A message with its subject, which is read when the message is sent. */
export interface Message {
  readonly type: WebhookMessageType;
  readonly applicationId: string;
  readonly subject: MessageSubject;
  /** When the event happened. */
  readonly at: Date;
}

type Metadata = ExecutionRecord["metadata"];

export type MessageSubject =
  | { readonly kind: "execution"; readonly execution: ExecutionRecord }
  | { readonly kind: "interaction"; readonly interaction: InteractionRecord; readonly metadata: Metadata }
  | { readonly kind: "connection"; readonly connectionId: string }
  | { readonly kind: "credits"; readonly balance: number; readonly lowAt: number }
  | { readonly kind: "ping"; readonly webhookId: string };

/** Adds the link, which the database has only sealed. */
export type InteractionWire = (interaction: InteractionRecord) => Interaction;

/** The same bytes in every attempt: the subject of a message is final, and an interaction that has ended is not sent. */
export function serializeMessage(
  { type, applicationId, subject, at }: Message,
  toInteraction: InteractionWire,
): string {
  return JSON.stringify({
    type,
    timestamp: at.toISOString(),
    data: { application_id: applicationId, ...describeSubject(subject, toInteraction) },
  });
}

function describeSubject(subject: MessageSubject, toInteraction: InteractionWire): object {
  switch (subject.kind) {
    case "execution":
      return {
        connection_id: subject.execution.connectionId,
        execution: toWire(subject.execution),
        metadata: subject.execution.metadata,
        recipe: describeRecipe(subject.execution),
      };
    case "interaction": {
      const { connectionId, executionId } = subject.interaction;
      return {
        connection_id: connectionId,
        execution_id: executionId,
        interaction: toInteraction(subject.interaction),
        metadata: subject.metadata,
      };
    }
    case "connection":
      return { connection_id: subject.connectionId };
    case "credits":
      return { balance: subject.balance, low_at: subject.lowAt };
    case "ping":
      return { webhook_id: subject.webhookId };
  }
}

function describeRecipe({ recipe }: ExecutionRecord): object | null {
  return recipe && { id: recipe.id, version: recipe.version, outcome: recipe.outcome };
}

const MESSAGE_ID_PREFIX = "msg_";

/** The id that receivers and the delivery log use. */
export function formatMessageId(deliveryId: string): string {
  return MESSAGE_ID_PREFIX + deliveryId;
}

/** Null when the text is not a message id. */
export function parseMessageId(text: string): string | null {
  return text.startsWith(MESSAGE_ID_PREFIX) ? parseUuid(text.slice(MESSAGE_ID_PREFIX.length)) : null;
}

interface SignedMessage {
  /** The same in every attempt: receivers recognize duplicates by it. */
  readonly id: string;
  readonly sentAt: Date;
  readonly body: string;
}

/** Headers as Standard Webhooks defines them, with one signature per secret: a receiver needs to know only one. */
export function signMessage({ id, sentAt, body }: SignedMessage, secrets: readonly Buffer[]): Record<string, string> {
  const timestamp = String(Math.floor(sentAt.getTime() / 1_000));
  const signatures = secrets.map(
    (secret) => `v1,${createHmac("sha256", secret).update(`${id}.${timestamp}.${body}`).digest("base64")}`,
  );
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signatures.join(" ") };
}
