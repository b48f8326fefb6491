import type { Webhook, WebhookDelivery } from "../webhook.ts";

/**
 * The console manages webhooks with the shapes of the API (`../webhook.ts`), under its own addresses and for the owner of the
 * application; another's is 404. `:application` is /console/api/applications/:applicationId.
 *
 * GET :application/webhooks → `WebhookList`; POST (`CreateWebhook`) → 201 `WebhookWithSecret`, the secret shown once
 * GET …/webhooks/:webhookId → `WebhookEnvelope`; PATCH (`UpdateWebhook`) → `WebhookEnvelope`; DELETE → 204
 * POST …/webhooks/:webhookId/rotate-secret → `WebhookWithSecret`; both secrets sign for 24 hours
 * POST …/webhooks/:webhookId/ping → 202 `DeliveryEnvelope`
 * GET …/webhooks/:webhookId/deliveries (`after`, `limit`, `only`) → `DeliveryPage`
 * POST …/webhooks/:webhookId/deliveries/:deliveryId/resend → 202 `DeliveryEnvelope`
 */
export interface ConsoleWebhookList {
  webhooks: Webhook[];
}

export interface ConsoleWebhookAnswer {
  webhook: Webhook;
}

export interface ConsoleDeliveryPage {
  deliveries: WebhookDelivery[];
  has_more: boolean;
}
