import type { CreateWebhook, Webhook, WebhookEvent } from "../../../../../../src/contract/webhook.ts";
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

export function toBody({ url, description, wantsAll, events }: WebhookDraft): Required<CreateWebhook> {
  return {
    url: url.trim(),
    description: description.trim() === "" ? null : description.trim(),
    // In one order, however they were chosen.
    events: wantsAll ? null : EVENTS.filter((event) => events.includes(event)),
  };
}
