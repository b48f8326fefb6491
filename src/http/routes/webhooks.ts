import type { FastifyReply, FastifyRequest } from "fastify";
import { Type } from "typebox";
import { ApplicationPath } from "../../contract/execution-request.ts";
import {
  CreateWebhook,
  DELIVERIES_DEFAULT_LIMIT,
  DeliveryEnvelope,
  DeliveryPage,
  DeliveryPath,
  ListDeliveriesQuery,
  RotateWebhookSecretQuery,
  UpdateWebhook,
  WebhookEnvelope,
  WebhookList,
  WebhookPath,
  WebhookWithSecret,
} from "../../contract/webhook.ts";
import { toDeliveryWire, toWebhookWire } from "../../webhooks/webhook.ts";
import type { Webhooks } from "../../webhooks/webhooks.ts";
import type { App, AppDependencies } from "../dependencies.ts";
import { type Guards, managedApplicationIdOf } from "../plugins/authentication.ts";
import { APPLICATION_ERRORS, BODY_ERRORS, errorResponses } from "../plugins/errors.ts";

type Guard = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

interface WebhookRouteOptions {
  webhooks: Webhooks;
  /** The path. It ends in `/webhooks` and contains `:applicationId`. */
  base: string;
  mayRead: Guard | Guard[];
  mayChange: Guard | Guard[];
  /** Returns the application whose webhooks the caller may manage. Throws if there is none. */
  findApplicationId(request: FastifyRequest): Promise<string>;
  /** Whether the routes are part of the API reference. */
  isPublic: boolean;
}

/** The webhooks of an application, managed by the application itself or by its owner. */
export function addWebhookRoutes(scope: App, { webhooks }: AppDependencies, guards: Guards): void {
  addWebhookRoutesAt(scope, {
    webhooks,
    base: "/v1/applications/:applicationId/webhooks",
    ...guards,
    findApplicationId: async (request) => managedApplicationIdOf(request),
    isPublic: true,
  });
}

/** The same routes under another path and with another authentication: the console has them, too. */
export function addWebhookRoutesAt(scope: App, options: WebhookRouteOptions): void {
  const { webhooks, base, mayRead, mayChange, findApplicationId, isPublic } = options;
  const about = (operationId: string, summary: string, description: string) =>
    isPublic
      ? { tags: ["Webhooks"], security: [{ client: [] }, { owner: [] }], operationId, summary, description }
      : ({ hide: true } as const);
  const errors = errorResponses(...APPLICATION_ERRORS, "INVALID_REQUEST", "NOT_FOUND");
  const changeErrors = errorResponses(...APPLICATION_ERRORS, ...BODY_ERRORS, "NOT_FOUND");

  scope.post(
    base,
    {
      onRequest: mayChange,
      schema: {
        ...about("createWebhook", "Create a webhook", "This is the only response that contains the secret."),
        params: ApplicationPath,
        body: CreateWebhook,
        response: { 201: WebhookWithSecret, ...changeErrors },
      },
    },
    async (request, reply) => {
      const { webhook, secret } = await webhooks.create(await findApplicationId(request), request.body);
      reply.code(201).header("cache-control", "no-store");
      return { webhook: toWebhookWire(webhook), secret };
    },
  );

  scope.get(
    base,
    {
      onRequest: mayRead,
      schema: {
        ...about("listWebhooks", "List webhooks", "All webhooks of the application."),
        params: ApplicationPath,
        response: { 200: WebhookList, ...errorResponses(...APPLICATION_ERRORS, "NOT_FOUND") },
      },
    },
    async (request, reply) => {
      reply.header("cache-control", "private, no-store");
      return { webhooks: (await webhooks.list(await findApplicationId(request))).map(toWebhookWire) };
    },
  );

  scope.get(
    `${base}/:webhookId`,
    {
      onRequest: mayRead,
      schema: {
        ...about("getWebhook", "Get a webhook", "Without its secret, which cannot be read again."),
        params: WebhookPath,
        response: { 200: WebhookEnvelope, ...errors },
      },
    },
    async (request, reply) => {
      reply.header("cache-control", "private, no-store");
      return { webhook: toWebhookWire(await webhooks.get(await findApplicationId(request), request.params.webhookId)) };
    },
  );

  scope.patch(
    `${base}/:webhookId`,
    {
      onRequest: mayChange,
      schema: {
        ...about("updateWebhook", "Update a webhook", "Fields that are left out stay unchanged."),
        params: WebhookPath,
        body: UpdateWebhook,
        response: { 200: WebhookEnvelope, ...changeErrors },
      },
    },
    async (request) => {
      const applicationId = await findApplicationId(request);
      return { webhook: toWebhookWire(await webhooks.change(applicationId, request.params.webhookId, request.body)) };
    },
  );

  scope.delete(
    `${base}/:webhookId`,
    {
      onRequest: mayChange,
      schema: {
        ...about("deleteWebhook", "Delete a webhook", "Deletes its deliveries, too. Pending messages are not sent."),
        params: WebhookPath,
        response: { 204: Type.Null({ description: "The webhook was deleted." }), ...errors },
      },
    },
    async (request, reply) => {
      await webhooks.delete(await findApplicationId(request), request.params.webhookId);
      return reply.code(204).send(null);
    },
  );

  scope.post(
    `${base}/:webhookId/rotate-secret`,
    {
      onRequest: mayChange,
      schema: {
        ...about(
          "rotateWebhookSecret",
          "Rotate a webhook's secret",
          "For 24 hours messages are signed with both secrets, so that the receiver can switch. During that time another rotation is rejected, unless it is forced.",
        ),
        params: WebhookPath,
        querystring: RotateWebhookSecretQuery,
        response: { 200: WebhookWithSecret, ...errors, ...errorResponses("SECRET_JUST_ROTATED") },
      },
    },
    async (request, reply) => {
      const applicationId = await findApplicationId(request);
      const isForced = request.query.force === "true";
      const { webhook, secret } = await webhooks.rotateSecret(applicationId, request.params.webhookId, isForced);
      reply.header("cache-control", "no-store");
      return { webhook: toWebhookWire(webhook), secret };
    },
  );

  scope.post(
    `${base}/:webhookId/ping`,
    {
      onRequest: mayChange,
      schema: {
        ...about("pingWebhook", "Ping a webhook", "Sends a message of the type `ping`."),
        params: WebhookPath,
        response: { 202: DeliveryEnvelope, ...errors },
      },
    },
    async (request, reply) => {
      const delivery = await webhooks.ping(await findApplicationId(request), request.params.webhookId);
      reply.code(202);
      return { delivery: toDeliveryWire(delivery) };
    },
  );

  scope.get(
    `${base}/:webhookId/deliveries`,
    {
      onRequest: mayRead,
      schema: {
        ...about("listDeliveries", "List a webhook's deliveries", "Each message with its delivery attempts."),
        params: WebhookPath,
        querystring: ListDeliveriesQuery,
        response: { 200: DeliveryPage, ...errors, ...errorResponses("INVALID_REQUEST", "INVALID_CURSOR") },
      },
    },
    async (request, reply) => {
      const { limit = DELIVERIES_DEFAULT_LIMIT, after = null, only } = request.query;
      const applicationId = await findApplicationId(request);
      const page = await webhooks.listDeliveries(applicationId, request.params.webhookId, {
        limit,
        after,
        undelivered: only === "undelivered",
      });
      reply.header("cache-control", "private, no-store");
      return { deliveries: page.deliveries.map(toDeliveryWire), has_more: page.hasMore };
    },
  );

  scope.post(
    `${base}/:webhookId/deliveries/:deliveryId/resend`,
    {
      onRequest: mayChange,
      schema: {
        ...about(
          "resendDelivery",
          "Resend a message",
          "Sends it immediately and with the same id, even if it was delivered before.",
        ),
        params: DeliveryPath,
        response: { 202: DeliveryEnvelope, ...errors },
      },
    },
    async (request, reply) => {
      const { webhookId, deliveryId } = request.params;
      const delivery = await webhooks.resend(await findApplicationId(request), webhookId, deliveryId);
      reply.code(202);
      return { delivery: toDeliveryWire(delivery) };
    },
  );
}
