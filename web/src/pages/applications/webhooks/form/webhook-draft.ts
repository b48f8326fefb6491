import type { CreateWebhook, UpdateWebhook, Webhook } from "../../../../../../src/contract/webhook.ts";
import type { WebhookEvent } from "../../../../../../src/contract/webhook-events.ts";
import { EVENTS } from "../event-words.ts";

/** A webhook as it stands in the form. */
export interface WebhookDraft {
  url: string;
  description: string;
  wantsAll: boolean;
  /** Kept while all are wanted, for whoever changes their mind. */
  events: WebhookEvent[];
}

export const BLANK: WebhookDraft = { url: "", description: "", wantsAll: true, events: [] };

/** Where each part of it stands on the wire. */
export const WEBHOOK_FIELDS: Readonly<Record<string, keyof WebhookDraft>> = {
  url: "url",
  description: "description",
  events: "events",
};

export function toDraft({ url, description, events }: Webhook): WebhookDraft {
  return { url, description: description ?? "", wantsAll: events === null, events: [...(events ?? [])] };
}

/** Only what differs: what somebody else has changed meanwhile stays as they left it. */
export function findChanges(webhook: Webhook, draft: WebhookDraft): UpdateWebhook {
  const before = toBody(toDraft(webhook));
  const after = toBody(draft);
  const names = Object.keys(after) as (keyof CreateWebhook)[];
  const changed = names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  return Object.fromEntries(changed.map((name) => [name, after[name]]));
}

export function toBody({ url, description, wantsAll, events }: WebhookDraft): Required<CreateWebhook> {
  return {
    url: url.trim(),
    description: description.trim() === "" ? null : description.trim(),
    // In one order, however they were chosen.
    events: wantsAll ? null : EVENTS.filter((event) => events.includes(event)),
  };
}
