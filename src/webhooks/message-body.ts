import type { WebhookMessageType } from "../contract/webhook-events.ts";
import { type ExecutionRecord, toWire } from "../executions/execution-record.ts";

/** What a message tells of, read when it is sent. */
export interface Message {
  readonly type: WebhookMessageType;
  readonly applicationId: string;
  readonly subject: MessageSubject;
  /** When it happened. */
  readonly at: Date;
}

export type MessageSubject =
  | { readonly kind: "execution"; readonly execution: ExecutionRecord }
  | { readonly kind: "connection"; readonly connectionId: string }
  | { readonly kind: "credits"; readonly balance: number; readonly lowAt: number }
  | { readonly kind: "ping"; readonly webhookId: string };

/** The same bytes in every attempt: what it is made of does not change once the message is there. */
export function writeMessageBody({ type, applicationId, subject, at }: Message): string {
  return JSON.stringify({
    type,
    timestamp: at.toISOString(),
    data: { application_id: applicationId, ...describe(subject) },
  });
}

function describe(subject: MessageSubject): object {
  switch (subject.kind) {
    case "execution":
      return { connection_id: subject.execution.connectionId, execution: toWire(subject.execution) };
    case "connection":
      return { connection_id: subject.connectionId };
    case "credits":
      return { balance: subject.balance, low_at: subject.lowAt };
    case "ping":
      return { webhook_id: subject.webhookId };
  }
}
