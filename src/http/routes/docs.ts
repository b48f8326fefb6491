import swagger from "@fastify/swagger";
import { ErrorBody } from "../../contract/error.ts";
import { Artifact, EXECUTION_SCHEMAS } from "../../contract/execution.ts";
import { EVENT_SCHEMAS } from "../../contract/execution-event.ts";
import { Interaction } from "../../contract/interaction.ts";
import { OAuthErrorBody } from "../../contract/oauth.ts";
import { Webhook, WebhookDelivery } from "../../contract/webhook.ts";
import { WEBHOOK_MESSAGE_SCHEMAS, WEBHOOK_MESSAGES } from "../../contract/webhook-message.ts";
import type { App, AppDependencies } from "../dependencies.ts";
import { readReferenceStylesheet, readScripts, readStylesheet, sendFile, toFile } from "../pages/assets.ts";
import { homePage } from "../pages/home-page.ts";
import { ICON } from "../pages/layout.ts";
import { sendPage } from "../pages/page-response.ts";
import { referencePage } from "../pages/reference-page.ts";

const PAGE = { config: { errors: "page" }, schema: { hide: true } } as const;
const FILE = { schema: { hide: true } } as const;

type DocsDependencies = Pick<AppDependencies, "publicUrl" | "console">;

/** What needs no account: the start page, the API reference and the assets of the pages. */
export function addDocsRoutes(app: App, { publicUrl, console: { folder } }: DocsDependencies): void {
  const home = homePage(publicUrl);
  app.get("/", PAGE, (_request, reply) => sendPage(reply, home));
  app.get("/docs", PAGE, async (_request, reply) => sendPage(reply, await referencePage(folder)));
  app.get("/openapi.json", { ...FILE, config: { cors: true } }, (_request, reply) =>
    reply.header("cache-control", "no-cache").send(app.swagger()),
  );

  for (const [name, content] of [
    ["errand.css", readStylesheet()],
    ["reference.css", readReferenceStylesheet()],
  ] as const) {
    const stylesheet = toFile("text/css; charset=utf-8", content);
    app.get(`/assets/${name}`, FILE, (request, reply) => sendFile(request, reply, stylesheet));
  }
  const icon = toFile("image/svg+xml", ICON);
  app.get("/assets/errand.svg", FILE, (request, reply) => sendFile(request, reply, icon));
  app.get("/favicon.ico", FILE, (request, reply) => sendFile(request, reply, icon));
  for (const [name, content] of readScripts()) {
    const script = toFile("text/javascript; charset=utf-8", content);
    app.get(`/assets/live/${name}`, FILE, (request, reply) => sendFile(request, reply, script));
  }
}

/** The schemas that have a name: routes refer to them. */
const NAMED_SCHEMAS = [
  ...EXECUTION_SCHEMAS,
  ...EVENT_SCHEMAS,
  Artifact,
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
          client: {
            type: "http",
            scheme: "basic",
            description: "The client id and secret of a confidential application.",
          },
        },
      },
    },
    refResolver: { buildLocalReference: (json, _base, _fragment, index) => String(json["$id"] ?? `def-${index}`) },
  });
}

/** The requests that receivers get, as OpenAPI 3.1 describes them. */
function describeWebhooks() {
  const header = (name: string, description: string, example: string) => ({
    in: "header" as const,
    name,
    description,
    required: true,
    schema: { type: "string" as const },
    example,
  });
  const parameters = [
    header("webhook-id", "The same in every attempt: use it to recognise duplicates.", "msg_2f4f0e2a7c11"),
    header("webhook-timestamp", "When it was sent, in seconds since 1970.", "1777887042"),
    header(
      "webhook-signature",
      "One signature for each valid secret, separated by spaces, as Standard Webhooks defines them.",
      "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
    ),
  ];
  return Object.fromEntries(
    Object.entries(WEBHOOK_MESSAGES).map(([type, { name, summary, description }]) => [
      type,
      {
        post: {
          tags: ["Webhooks"],
          operationId: `on${name}`,
          summary,
          description,
          security: [],
          parameters,
          requestBody: {
            required: true,
            content: { "application/json": { schema: { $ref: `#/components/schemas/${name}` } } },
          },
          responses: {
            "2XX": { description: "The message was received. Anything else is retried for three days." },
            "410": { description: "The receiver is gone for good: the webhook is disabled." },
          },
        },
      },
    ]),
  );
}
