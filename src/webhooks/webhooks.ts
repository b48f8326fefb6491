import type { CreateWebhook, UpdateWebhook } from "../contract/webhook.ts";
import type { DeliveryRecord, WebhookRecord } from "./webhook.ts";

/** What an application's own people do with its webhooks. Another application's and one that is not there are not found. */
export interface Webhooks {
  create(applicationId: string, request: CreateWebhook): Promise<{ webhook: WebhookRecord; secret: string }>;
  /** The oldest first. */
  list(applicationId: string): Promise<WebhookRecord[]>;
  get(applicationId: string, webhookId: string): Promise<WebhookRecord>;
  /** For an operator, who names no application. */
  getAny(webhookId: string): Promise<WebhookRecord>;
  change(applicationId: string, webhookId: string, changes: UpdateWebhook): Promise<WebhookRecord>;
  /** With its deliveries: what waits is not sent. */
  delete(applicationId: string, webhookId: string): Promise<void>;
  /** For a day the old secret signs beside the new one. */
  rotateSecret(applicationId: string, webhookId: string): Promise<{ webhook: WebhookRecord; secret: string }>;
  ping(applicationId: string, webhookId: string): Promise<DeliveryRecord>;
  /** The newest first. */
  listDeliveries(
    applicationId: string,
    webhookId: string,
    page: { limit: number; after: string | null },
  ): Promise<{ deliveries: DeliveryRecord[]; hasMore: boolean }>;
  /** Tries it at once, under the same id, whatever became of it before. */
  resend(applicationId: string, webhookId: string, deliveryId: string): Promise<DeliveryRecord>;
}
