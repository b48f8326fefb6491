import swagger from "@fastify/swagger";
import { ApplicationConnection, Connection } from "../../contract/connection.ts";
import { ErrorBody } from "../../contract/error.ts";
import { Artifact, EXECUTION_SCHEMAS } from "../../contract/execution.ts";
import { EVENT_SCHEMAS } from "../../contract/execution-event.ts";
import { Interaction } from "../../contract/interaction.ts";
import { OAuthErrorBody } from "../../contract/oauth.ts";
import { Webhook, WebhookDelivery } from "../../contract/webhook.ts";
import { WEBHOOK_MESSAGE_SCHEMAS, WEBHOOK_MESSAGES } from "../../contract/webhook-message.ts";
import type { App } from "../dependencies.ts";

/** The schemas that have a name: routes refer to them. */
const NAMED_SCHEMAS = [
  ...EXECUTION_SCHEMAS,
  ...EVENT_SCHEMAS,
  Artifact,
  Connection,
  ApplicationConnection,
  Interaction,
  Webhook,
  WebhookDelivery,
  ...WEBHOOK_MESSAGE_SCHEMAS,
  ErrorBody,
  OAuthErrorBody,
];

/** Collects the schemas of all routes as OpenAPI 3.1. The same schemas validate requests. */
export async function addOpenApi(app: App, publicUrl: string): Promise<void> {
  for (const schema of NAMED_SCHEMAS) app.addSchema(schema);
  await app.register(swagger, {
    hideUntagged: true,
    openapi: {
      openapi: "3.1.0",
      info: {
        title: "Errand",
        version: "1",
        description: "Runs browser errands for people: a prompt in, a verified result out.",
        license: { name: "Apache-2.0", identifier: "Apache-2.0" },
        contact: { name: "API reference", url: `${publicUrl}/docs` },
      },
      servers: [{ url: publicUrl }],
      tags: [
        { name: "Executions", description: "Create, list, read, follow and cancel executions on a connection." },
        { name: "Webhooks", description: "Receive signed messages about what happens, instead of polling." },
        { name: "Applications", description: "For owners: what belongs to an application, with an API key." },
        { name: "OAuth", description: "Connect a user, and revoke a connection's token." },
      ],
      webhooks: describeWebhooks(),
      components: {
        securitySchemes: {
          connection: {
            type: "http",
            scheme: "bearer",
            description: "The connection access token, which the token endpoint returns.",
          },
          oauth: {
            type: "oauth2",
            description: "The same token, for tools that carry out the flow themselves. There are no scopes.",
            flows: {
              authorizationCode: {
                authorizationUrl: `${publicUrl}/v1/oauth/authorize`,
                tokenUrl: `${publicUrl}/v1/oauth/token`,
                scopes: {},
              },
            },
          },
          owner: {
            type: "http",
            scheme: "bearer",
            description: "An owner's API key, which the console creates. It is never valid for executions.",
          },
          client: {
            type: "http",
            scheme: "basic",
            description: "The client id and secret of a confidential application.",
          },
        },
      },
    },
    transformObject: (document) =>
      "openapiObject" in document ? complete(document.openapiObject) : document.swaggerObject,
    refResolver: { buildLocalReference: (json, _base, _fragment, index) => String(json["$id"] ?? `def-${index}`) },
  });
}

/** The requests that receivers get, as OpenAPI 3.1 describes them. */
function describeWebhooks() {
  return Object.fromEntries(
    Object.entries(WEBHOOK_MESSAGES).map(([type, { name, summary, description }]) => [
      type,
      { post: describeDelivery({ operationId: `on${name}`, summary, description }, name) },
    ]),
  );
}

function describeDelivery(about: { operationId: string; summary: string; description: string }, schema: string) {
  return {
    tags: ["Webhooks"],
    ...about,
    security: [],
    parameters: DELIVERY_HEADERS.map(([name, description, example]) => ({
      in: "header" as const,
      name,
      description,
      required: true,
      schema: { type: "string" as const },
      example,
    })),
    requestBody: {
      required: true,
      content: { "application/json": { schema: { $ref: `#/components/schemas/${schema}` } } },
    },
    responses: {
      "2XX": { description: "The message was received. Anything else is retried for three days." },
      "410": { description: "The receiver is gone for good: the webhook is disabled." },
    },
  };
}

const DELIVERY_HEADERS = [
  ["webhook-id", "The same in every attempt: use it to recognise duplicates.", "msg_2f4f0e2a7c11"],
  ["webhook-timestamp", "When it was sent, in seconds since 1970.", "1777887042"],
  [
    "webhook-signature",
    "One signature for each valid secret, separated by spaces, as Standard Webhooks defines them.",
    "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
  ],
] as const;

/** What a new webhook receives. */
const MESSAGE_CALLBACK = {
  message: {
    "{$request.body#/url}": {
      post: describeDelivery(
        {
          operationId: "onWebhookMessage",
          summary: "A message to the webhook",
          description: "`type` says what happened. `webhooks` describes each type.",
        },
        "WebhookMessage",
      ),
    },
  },
};

const RATE_LIMIT_HEADERS = {
  RateLimit: {
    description: "How many requests are left, and in how many seconds all of them are available again.",
    schema: { type: "string" },
    example: '"read";r=99;t=1',
  },
  RateLimitPolicy: {
    description: "How many requests are allowed within how many seconds.",
    schema: { type: "string" },
    example: '"read";q=100;w=2',
  },
} as const;

/** What is changed of a document here. */
interface Operation {
  operationId?: string;
  tags?: string[];
  responses?: Record<string, { headers?: object }>;
  callbacks?: object;
}

/** Adds what belongs to no route alone. Every route is limited, except the OAuth endpoints and without valid credentials. */
function complete<Document extends { paths?: object; components?: object }>(document: Document): Document {
  const headers = {
    ratelimit: { $ref: "#/components/headers/RateLimit" },
    "ratelimit-policy": { $ref: "#/components/headers/RateLimitPolicy" },
  };
  const operations = Object.values(document.paths ?? {}).flatMap((item): Operation[] => Object.values(item));
  for (const operation of operations) {
    const { operationId, tags = [], responses = {} } = operation;
    if (operationId === "createWebhook") operation.callbacks = MESSAGE_CALLBACK;
    if (tags.includes("OAuth")) continue;
    for (const [status, response] of Object.entries(responses)) {
      if (status !== "401") response.headers = { ...response.headers, ...headers };
    }
  }
  return { ...document, components: { ...document.components, headers: RATE_LIMIT_HEADERS } };
}
